#include "sarrus/analysis/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sarrus/model/typical_length.h"
#include "sarrus/spatial/dense.h"
#include "sarrus/spatial/vectors.h"

namespace sarrus {
namespace {

/// [1/s²]  Accelerations, in typical lengths, that are nothing: those of a mechanism at rest are rounding.
constexpr double kAtRest = 1e-2;

/// Terms that nearly vanish have the rounding of those elsewhere in the mechanism: so much of the largest
/// there counts beside a law's own.
constexpr double kElsewhere = 1e-3;

/// What is no number is the largest defect.
double or_infinite(double defect) {
  return std::isnan(defect) ? std::numeric_limits<double>::infinity() : defect;
}

/// Torque and force over their size. A torque is only as good as the forces are that stand
/// about at the mechanism's typical length.
double relative(const Vec6& residual, const Vec6& size, double length) {
  const double torque = residual.head<3>().norm(), force = residual.tail<3>().norm();
  const double forces = size.tail<3>().norm() + size.head<3>().norm() / length;
  if (torque == 0 && force == 0) return 0;
  return or_infinite((torque / length + force) / forces);
}

/// loadᵀ M⁻¹ load of a rigid body, whose axes R maps to the load's. Without bound where a load meets no
/// inertia.
double squared_push(const Inertia& inertia, const Mat3& R, const Vec6& load) {
  constexpr double kThin = 1e-9;  // of the largest moment, or of the torque
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  const Vec3 force = load.tail<3>();
  const Vec3 torque = R.transpose() * (load.head<3>() - (R * inertia.center).cross(force));
  if (!(inertia.mass > 0)) return load.isZero() ? 0 : kNoBound;
  double push = force.squaredNorm() / inertia.mass;
  if (torque.isZero()) return push;
  const PrincipalAxes principal = principal_axes(inertia.central);
  const Vec3 about = principal.vectors.transpose() * torque;
  for (int k = 0; k < 3; ++k) {
    const double moment = principal.values[k];
    if (moment > kThin * principal.values[2])
      push += about[k] * about[k] / moment;
    else if (std::abs(about[k]) > kThin * torque.norm())
      return kNoBound;
  }
  return push;
}

/// Motions that a joint allows, at M's origin and in M's axes.
Mat6xUpTo6 free_motions(const Joint& joint, const double* coordinates) {
  if (joint.type() == JointType::kFree) return Mat6::Identity();
  return joint.S_M(coordinates);  // of a spherical joint without a look at its coordinates
}

}  // namespace

double Balance::worst() const { return std::max({bodies, joints, rows}); }

Balance BalanceCheck::operator()(const Model& model, const Motion& motion, double returning) {
  Balance balance;
  const Configuration& c = motion.configuration;
  compute_loads(model, motion.time, c, loads_);
  length_ = typical_length(model.joints());
  largest_ = 0;
  double mass = 0;
  for (const Body& body : model.bodies()) {
    largest_ = std::max(largest_, kAtRest * length_ * body.inertia.mass);
    mass += body.inertia.mass;
  }
  for (std::size_t i = 1; i < loads_.body.size(); ++i)
    balance.push += squared_push(model.bodies()[i].inertia, c.poses[i].R(), loads_.body[i]);
  balance.push = std::sqrt(balance.push);
  for (const Vec6& load : loads_.body) {
    balance.forces += load.cwiseAbs().sum();
    largest_ = std::max(largest_, load.tail<3>().norm() + load.head<3>().norm() / length_);
  }
  for (const Vec6& load : motion.reactions)
    largest_ = std::max(largest_, load.tail<3>().norm() + load.head<3>().norm() / length_);
  by_loads_ = balance.forces / mass;
  sizes_.assign(model.bodies().size(), Vec6::Zero());
  for (std::size_t i = 1; i < sizes_.size(); ++i) sizes_[i] = loads_.body[i].cwiseAbs();
  is_prescribed_.assign(c.coordinates.size(), 0);
  for (const PrescribedMotion& prescribed : model.motions())
    is_prescribed_[static_cast<std::size_t>(model.joint(prescribed.at.joint).first_freedom +
                                            prescribed.at.index)] = 1;
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Carrier on_a = carrier_of(joint.a, joint.attachment_a, c);
    const Carrier on_b = carrier_of(joint.b, joint.attachment_b, c);
    const Vec3 M = on_b.X * joint.X_CM().p;
    // What springs and drives on the joint do is among the loads; the rest is the constraint's.
    const Vec6 through = shift_force(loads_.joint[j], M - on_b.X.p);
    const Vec6 wrench = motion.reactions[j] - through;
    const double defect = of_joint(motion, joint, motion.reactions[j], through);
    if (!(defect <= balance.joints)) {
      balance.joints = defect;
      balance.where = fmt::format("joint '{}'", joint.name);
    }
    const auto add = [&](BodyId body, const Attachment& attachment, const Vec6& at_origin) {
      add_on_carrier(body, attachment, c, at_origin, loads_);
      const Vec3 arm = M - c.poses[body.slot()].p;
      const double force = motion.reactions[j].tail<3>().norm() + through.tail<3>().norm();
      const double torque = motion.reactions[j].head<3>().norm() + through.head<3>().norm();
      sizes_[body.slot()].head<3>().array() += torque + arm.norm() * force;
      sizes_[body.slot()].tail<3>().array() += force;
    };
    add(joint.b, joint.attachment_b, shift_force(wrench, on_b.X.p - M));
    add(joint.a, joint.attachment_a, -shift_force(wrench, on_a.X.p - M));
  }
  check_bodies(model, motion, balance);
  check_rows(model, motion, returning, balance);
  return balance;
}

// Work of the constraint's wrench on the joint's free motions.
double BalanceCheck::of_joint(const Motion& motion, const Joint& joint, const Vec6& reaction,
                              const Vec6& through) const {
  const Configuration& c = motion.configuration;
  const Transform X_WM = carrier_of(joint.b, joint.attachment_b, c).X * joint.X_CM();
  const Vec6 in_M = rotated(X_WM.R().transpose(), reaction - through);
  const double force = reaction.tail<3>().norm() + through.tail<3>().norm() +
                       (reaction.head<3>().norm() + through.head<3>().norm()) / length_ +
                       kElsewhere * largest_;
  const char* prescribed = is_prescribed_.data() + joint.first_freedom;
  // The coordinates of a rotation vector have no speed each.
  if (joint.type() == JointType::kSpherical || joint.type() == JointType::kFree)
    if (std::any_of(prescribed, prescribed + joint.nv(), [](char is) { return is != 0; })) return 0;
  const Mat6xUpTo6 S = free_motions(joint, c.coordinates.data() + joint.first_freedom);
  double worst = 0;
  for (int k = 0; k < joint.nv(); ++k) {
    if (prescribed[k]) continue;
    const Vec6 free = S.col(k);
    const double work = std::abs(free.dot(in_M));
    const double size = (free.head<3>().norm() * length_ + free.tail<3>().norm()) * force;
    if (work != 0) worst = std::max(worst, or_infinite(work / size));
  }
  return worst;
}

void BalanceCheck::check_bodies(const Model& model, const Motion& motion, Balance& balance) {
  const Configuration& c = motion.configuration;
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    const Vec6& a = motion.accelerations[i];
    const Mat3 R = c.poses[i].R();
    const Vec3 w = c.velocities[i].head<3>();
    Vec6 inertial, bias;
    double modal = 0;
    if (body.modal == nullptr) {
      inertial = body.inertia.matrix(R) * a;
      bias = gyroscopic_wrench(body.inertia, R, w);
    } else {
      const double* eta = c.modes.data() + body.first_mode;
      const double* rate = c.mode_rates.data() + body.first_mode;
      const int count = body.modal->count();
      const Eigen::Map<const VecX> acceleration(motion.mode_accelerations.data() + body.first_mode,
                                                count);
      const Mat6X coupling = body.modal->coupling(eta, R);
      inertial = body.modal->rigid_mass(eta, R) * a + coupling * acceleration;
      bias = body.modal->rigid_bias(eta, rate, w, R);
      const VecX by_modes = body.modal->modal_mass() * acceleration + coupling.transpose() * a;
      const VecX modal_bias = body.modal->modal_bias(eta, rate, w, R);
      const Eigen::Map<const VecX> loads(loads_.modes.data() + body.first_mode, count);
      const double left = (by_modes + modal_bias - loads).norm();
      if (left != 0)
        modal = left / (by_modes.norm() + modal_bias.norm() + loads.norm() + kElsewhere * largest_);
    }
    const Vec6 residual = inertial + bias - loads_.body[i];
    Vec6 size = sizes_[i] + inertial.cwiseAbs() + bias.cwiseAbs();
    size.tail<3>().array() += kElsewhere * largest_;
    const double defect = std::max(relative(residual, size, length_), or_infinite(modal));
    if (!(defect <= balance.bodies)) {
      balance.bodies = defect;
      if (!(defect <= balance.joints)) balance.where = fmt::format("body '{}'", body.name);
    }
  }
}

void BalanceCheck::check_rows(const Model& model, const Motion& motion, double returning,
                              Balance& balance) {
  const Configuration& c = motion.configuration;
  // The accelerations of a mechanism that cannot move are small against what its loads would do.
  double fastest = std::max(kAtRest * length_, by_loads_);
  for (const Vec6& a : motion.accelerations)
    fastest = std::max(fastest, a.tail<3>().norm() + length_ * a.head<3>().norm());
  const auto elsewhere = [&](const Vec6& J) {
    return kElsewhere * fastest * (J.tail<3>().norm() + J.head<3>().norm() / length_);
  };
  for (const Joint& joint : model.joints()) {
    const Vec6 a_A = carrier_acceleration(joint.a, joint.attachment_a, motion);
    const Vec6 a_B = carrier_acceleration(joint.b, joint.attachment_b, motion);
    for (const Row& row :
         joint.constraint_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom)) {
      const double left = std::abs(row.rate(a_A, a_B) + row.gamma) - returning;
      const double size = row.J_A.cwiseAbs().dot(a_A.cwiseAbs()) +
                          row.J_B.cwiseAbs().dot(a_B.cwiseAbs()) + std::abs(row.gamma) +
                          elsewhere(row.J_A) + elsewhere(row.J_B);
      if (!(left > 0) || left <= balance.rows * size) continue;
      balance.rows = left / size;
      if (balance.rows > std::max(balance.joints, balance.bodies))
        balance.where = fmt::format("joint '{}'", joint.name);
    }
  }
}

}  // namespace sarrus
