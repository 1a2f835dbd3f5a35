#include "sarrus/formulations/modular/point_link.h"

#include <fmt/format.h>

#include "sarrus/base/diagnostics.h"
#include "sarrus/spatial/rotation.h"

namespace sarrus::modular {
namespace {

/// The paper's: with a penalty of 1e5 over the row's own admittance the third leaves 1e-15.
constexpr int kInnerIterations = 3;
constexpr double kInnerPenalty = 1e5;

}  // namespace

PointLink::PointLink(const Model& model, const std::vector<BodyId>& bodies) {
  const auto refuse = [&](const std::string& why) {
    std::string names;
    for (const BodyId body : bodies)
      names += (names.empty() ? "'" : " and '") + model.body(body).name + "'";
    throw UsageError(
        fmt::format("{} cannot be a point-link: {}\n  hint: two bodies, each with its mass in its "
                    "frame's origin "
                    "and no inertia, joined by a fixed joint",
                    names, why));
  };
  if (bodies.size() != 2) refuse("it takes two bodies");
  bodies_ = {bodies[0], bodies[1]};
  for (std::size_t i = 0; i < 2; ++i) {
    const Inertia& inertia = model.body(bodies_[i]).inertia;
    masses_[i] = inertia.mass;
    if (!(inertia.mass > 0) || !inertia.central.isZero(0) || !inertia.center.isZero(0))
      refuse(fmt::format("'{}' is not a point mass", model.body(bodies_[i]).name));
  }
  int joints = 0;
  for (int j = 0; j < model.joint_count(); ++j) {
    const Joint& joint = model.joint(JointId{j});
    const bool forward = joint.a == bodies_[0] && joint.b == bodies_[1];
    const bool backward = joint.a == bodies_[1] && joint.b == bodies_[0];
    if (!forward && !backward) continue;
    ++joints;
    rod_ = JointId{j};
    second_ = forward ? 1 : 0;
    if (joint.type() != JointType::kFixed) refuse("the joint between them is not fixed");
  }
  if (joints != 1) refuse(joints == 0 ? "no joint joins them" : "several joints join them");
  // From the rod's frames: poses of a moving mechanism have drifted.
  const Joint& rod = model.joint(rod_);
  const Transform X_AB = rod.X_AF * rod.X_BM.inverse();
  direction_ = second_ == 1 ? X_AB.p : X_AB.inverse().p;
  length_ = direction_.norm();
  if (!(length_ > 0)) refuse("they stand at the same point");
  direction_ /= length_;
}

void PointLink::start(const Configuration& c, std::span<double> positions,
                      std::span<double> velocities) const {
  for (std::size_t i = 0; i < 2; ++i) {
    Eigen::Map<Vec3>(positions.data() + 3 * i) = c.poses[bodies_[i].slot()].p;
    Eigen::Map<Vec3>(velocities.data() + 3 * i) = c.velocities[bodies_[i].slot()].tail<3>();
  }
}

void PointLink::place(std::span<const double> positions, std::span<const double> velocities,
                      Configuration& c) const {
  const Eigen::Map<const Vec6> r(positions.data()), v(velocities.data());
  const Vec3 d = r.tail<3>() - r.head<3>();
  const Vec3 w = d.cross(v.tail<3>() - v.head<3>()) / d.squaredNorm();
  // The least turn from where the frame was.
  const Quat q = c.poses[bodies_[0].slot()].q;
  const Quat turn = least_turn(q * direction_, d);
  for (std::size_t i = 0; i < 2; ++i) {
    Transform& pose = c.poses[bodies_[i].slot()];
    pose.q = (turn * pose.q).normalized();
    pose.p = r.segment<3>(3 * static_cast<Eigen::Index>(i));
    c.velocities[bodies_[i].slot()] = spatial(w, v.segment<3>(3 * static_cast<Eigen::Index>(i)));
  }
}

Status PointLink::respond(const SubsystemMoment& moment, SubsystemResponse& response) {
  const Eigen::Map<const Vec6> r(moment.positions.data()), v(moment.velocities.data());
  const Vec3 d = r.tail<3>() - r.head<3>();
  const Vec3 d_rate = v.tail<3>() - v.head<3>();
  const double square = d.squaredNorm();
  if (!(square > 1e-6 * length_ * length_))
    return {Status::Code::kSingular, "the nodes of a point-link have met"};
  const Mat3 turning = skew(d) / square;
  B_.setZero();
  for (const int i : {0, 6}) {
    B_.block<3, 3>(i, 0) = -turning;
    B_.block<3, 3>(i, 3) = turning;
  }
  B_.block<3, 3>(3, 0).setIdentity();
  B_.block<3, 3>(9, 3).setIdentity();
  Vec6 f = Vec6::Zero();
  Vec6 inverse;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    loads_[i] = moment.loads.body[bodies_[i].slot()];
    f += B_.middleRows<6>(6 * at).transpose() * loads_[i];
    inverse.segment<3>(3 * at).setConstant(1 / masses_[i]);
  }
  // φ = d·d − l²; with one row, n iterations from λ = 0 leave θⁿ of the residual. [modular-bayo]
  Vec6 J;
  J << -2 * d, 2 * d;
  const Vec6 MinvJ = inverse.cwiseProduct(J);
  const double kappa = J.dot(MinvJ);
  double theta = 1;
  for (int i = 0; i < kInnerIterations; ++i) theta /= 1 + kInnerPenalty;
  const double gain = (1 - theta) / kappa;
  const double g = 2 * d_rate.squaredNorm() + moment.k_v * 2 * d.dot(d_rate) +
                   moment.k_p * (square - length_ * length_);
  const Vec6 unheld = inverse.cwiseProduct(f);
  free_ = unheld - gain * (J.dot(unheld) + g) * MinvJ;
  W_ = inverse.asDiagonal();
  W_ -= gain * MinvJ * MinvJ.transpose();
  // ω = d×ḋ/|d|²
  const Vec3 bias = -2 * d.dot(d_rate) / square * (d.cross(d_rate) / square);
  response.free = B_ * free_;
  response.free.segment<3>(0) += bias;
  response.free.segment<3>(6) += bias;
  response.W = B_ * W_ * B_.transpose();
  return {};
}

void PointLink::accelerate(const VecX& wrenches, std::span<double> accelerations) {
  Eigen::Map<Vec6>(accelerations.data()) = free_ + W_ * (B_.transpose() * wrenches);
}

void PointLink::add_reactions(const VecX& wrenches, std::span<Vec6> reactions) {
  // What its second node needs beside loads and joints.
  const Vec6 a = free_ + W_ * (B_.transpose() * wrenches);
  const auto i = static_cast<std::size_t>(second_);
  const Vec6 given = loads_[i] + wrenches.segment<6>(6 * second_);
  reactions[rod_.slot()] +=
      spatial(-given.head<3>(), masses_[i] * a.segment<3>(3 * second_) - given.tail<3>());
}

}  // namespace sarrus::modular
