#include "sarrus/testing/flexible_points.h"

#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/rotation.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus::testing {

FlexiblePoints::FlexiblePoints(const Body& body)
    : first_mode_(body.first_mode),
      rotary_coupling_(body.modal->data().rotary_coupling),
      rotary_mass_(body.modal->data().rotary_mass) {
  const ModalData& data = body.modal->data();
  const int n = data.count();
  const Inertia& inertia = body.inertia;
  // ∫ z zᵀ dm, z = (1, x, φ_1, …).
  MatX G = MatX::Zero(4 + 3 * n, 4 + 3 * n);
  G(0, 0) = inertia.mass;
  G.block<3, 1>(1, 0) = inertia.mass * inertia.center;
  const Mat3 central = 0.5 * inertia.central.trace() * Mat3::Identity() - inertia.central;
  G.block<3, 3>(1, 1) = central + inertia.mass * inertia.center * inertia.center.transpose();
  for (int k = 0; k < n; ++k) {
    G.block<3, 1>(4 + 3 * k, 0) = data.S.col(k);
    G.block<3, 3>(4 + 3 * k, 1) = data.X[static_cast<std::size_t>(k)].transpose();
    for (int l = 0; l <= k; ++l)
      G.block<3, 3>(4 + 3 * k, 4 + 3 * l) = data.Y[static_cast<std::size_t>(k * n + l)];
  }
  const SymmetricEigen parts = symmetric_eigen(G);  // reads the lower triangle
  for (Eigen::Index a = 0; a < G.rows(); ++a) {
    const double value = parts.values[a];
    const VecX z = std::sqrt(std::abs(value)) * parts.vectors.col(a);
    Point point{value < 0 ? -1.0 : 1.0, z[0], z.segment<3>(1), Mat3X(3, n)};
    for (int k = 0; k < n; ++k) point.shape.col(k) = z.segment<3>(4 + 3 * k);
    points_.push_back(std::move(point));
  }
}

FlexiblePoints::Sums FlexiblePoints::sums(BodyId body, const Configuration& c) const {
  const VecX still = VecX::Zero(rotary_mass_.rows());
  return sums(body, c, Vec6::Zero(), still.data());
}

FlexiblePoints::Sums FlexiblePoints::sums(BodyId body, const Motion& motion) const {
  return sums(body, motion.configuration, motion.accelerations[body.slot()],
              motion.mode_accelerations.data() + first_mode_);
}

FlexiblePoints::Sums FlexiblePoints::sums(BodyId body, const Configuration& c, const Vec6& A,
                                          const double* eta_acceleration) const {
  const Eigen::Index n = rotary_mass_.rows();
  const Eigen::Map<const VecX> eta(c.modes.data() + first_mode_, n);
  const Eigen::Map<const VecX> rate(c.mode_rates.data() + first_mode_, n);
  const Eigen::Map<const VecX> acceleration(eta_acceleration, n);
  const Mat3 R = c.poses[body.slot()].R();
  const Vec3 w = c.velocities[body.slot()].head<3>();
  const Vec3 v = c.velocities[body.slot()].tail<3>();
  const Vec3 dw = A.head<3>();
  Sums all;
  all.on_modes.setZero(n);
  all.size_on_modes.setZero(n);
  for (const Point& point : points_) {
    const Mat3X shape = R * point.shape;
    const Vec3 s = R * (point.place + point.shape * eta);
    const Vec3 slip = shape * rate;
    const Vec3 velocity = point.weight * v + w.cross(s) + slip;
    const Vec3 a = point.weight * A.tail<3>() + dw.cross(s) + w.cross(w.cross(s)) +
                   2 * w.cross(slip) + shape * acceleration;
    const double size = (point.weight * A.tail<3>()).norm() + dw.cross(s).norm() +
                        w.cross(w.cross(s)).norm() + 2 * w.cross(slip).norm() +
                        (shape.cwiseAbs() * acceleration.cwiseAbs()).norm();
    all.first_moment += point.sign * point.weight * s;
    all.kinetic_energy += 0.5 * point.sign * velocity.squaredNorm();
    all.momentum += point.sign * point.weight * velocity;
    all.angular_momentum += point.sign * s.cross(velocity);
    all.force += point.sign * point.weight * a;
    all.torque += point.sign * s.cross(a);
    all.force_size += std::abs(point.weight) * size;
    all.torque_size += s.norm() * size;
    all.on_modes += point.sign * shape.transpose() * a;
    all.size_on_modes += size * shape.colwise().norm().transpose();
    all.power += point.sign * velocity.dot(a);
    all.power_size += velocity.norm() * size;
  }
  // Sections that turn against the body: angular momentum C η̇ in its axes.
  const Mat3X C = R * rotary_coupling_;
  const Vec3 spin = C * rate;
  const Vec3 spin_rate = w.cross(spin) + C * acceleration;
  const VecX on_modes = C.transpose() * dw + rotary_mass_ * acceleration;
  all.kinetic_energy += w.dot(spin) + 0.5 * rate.dot(rotary_mass_ * rate);
  all.angular_momentum += spin;
  all.torque += spin_rate;
  all.on_modes += on_modes;
  all.size_on_modes += (C.colwise().norm().transpose() * dw.norm() +
                        rotary_mass_.cwiseAbs() * acceleration.cwiseAbs());
  all.power += w.dot(spin_rate) + rate.dot(on_modes);
  all.power_size += w.norm() * spin_rate.norm() + rate.cwiseAbs().dot(on_modes.cwiseAbs());
  return all;
}

Mat6X carried_by_node(BodyId body, const NodeAttachment& attachment, const Configuration& c,
                      const Vec3& point) {
  const ModalNode& node = attachment.shape();
  const Eigen::Map<const VecX> eta(c.modes.data() + attachment.first_mode, node.turn.cols());
  const Transform& X_WB = c.poses[body.slot()];
  const Mat3 R = X_WB.R();
  const Vec3 arm = point - X_WB * (node.X_BN.p + node.shift * eta).eval();
  Mat6X columns(6, node.turn.cols());
  columns.topRows<3>() = R * left_jacobian(node.turn * eta) * node.turn;
  columns.bottomRows<3>() = R * node.shift - skew(arm) * columns.topRows<3>();
  return columns;
}

}  // namespace sarrus::testing
