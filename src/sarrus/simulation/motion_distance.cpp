#include "sarrus/simulation/motion_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sarrus {
namespace {

constexpr std::size_t kBytes = 64 << 20;  // of a trace

// Of the turn from one orientation to another [rad].
double angle_between(const Quat& a, const Quat& b) {
  const Quat turn = a.conjugate() * b;
  return 2 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
}

// √(|v|²/L² + |ω|²)
double velocity_norm(const Vec6& V, double length) {
  return std::hypot(V.head<3>().norm(), V.tail<3>().norm() / length);
}

Eigen::Map<const VecX> modes_at(const std::shared_ptr<const ModalBody>& body,
                                const std::vector<double>& all, std::size_t at) {
  return {all.data() + at, body->count()};
}

// The largest √(|φ η|²/L² + |ψ η|²) of a node.
double deformation_norm(const ModalBody& body, const VecX& eta, double length) {
  double most = 0;
  for (const ModalNode& node : body.nodes()) {
    const double here = std::hypot((node.shift * eta).norm() / length, (node.turn * eta).norm());
    if (std::isnan(here)) return here;
    most = std::max(most, here);
  }
  return most;
}

}  // namespace

MotionTrace::MotionTrace(const Model& model, std::size_t samples) {
  for (const Body& body : model.bodies())
    if (body.modal != nullptr)
      deforming_.push_back({body.modal, static_cast<std::size_t>(body.first_mode)});
  mode_count_ = static_cast<std::size_t>(model.mode_count());
  const std::size_t bytes =
      (sizeof(Transform) + sizeof(Vec6)) * model.bodies().size() + 2 * sizeof(double) * mode_count_;
  const std::size_t most = std::max<std::size_t>(2, kBytes / bytes);
  while (samples > most * stride_) ++stride_;
}

void MotionTrace::add(const Sample& sample) {
  if (seen_++ % stride_ != 0) return;
  const Configuration& c = sample.motion.configuration;
  times_.push_back(sample.motion.time);
  poses_.insert(poses_.end(), c.poses.begin() + 1, c.poses.end());
  velocities_.insert(velocities_.end(), c.velocities.begin() + 1, c.velocities.end());
  modes_.insert(modes_.end(), c.modes.begin(), c.modes.end());
  mode_rates_.insert(mode_rates_.end(), c.mode_rates.begin(), c.mode_rates.end());
}

// [comparison-distance]
Distance MotionTrace::distance_from(const MotionTrace& judge, double length) const {
  Distance distance;
  double fastest = 0;
  const std::size_t count = std::min(poses_.size(), judge.poses_.size());
  // What is no number is as far away as can be.
  const auto take = [](double& most, double value) {
    most = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::max(most, value);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Transform& X = poses_[i];
    const Transform& Y = judge.poses_[i];
    take(distance.pose, std::hypot((X.p - Y.p).norm() / length, angle_between(X.q, Y.q)));
    take(distance.velocity, velocity_norm(Vec6(velocities_[i] - judge.velocities_[i]), length));
    fastest = std::max(fastest, velocity_norm(judge.velocities_[i], length));
  }
  const std::size_t modes = std::min(modes_.size(), judge.modes_.size());
  for (std::size_t first = 0; first + mode_count_ <= modes && mode_count_ > 0; first += mode_count_)
    for (const Deforming& body : deforming_) {
      const std::size_t at = first + body.first;
      const VecX value = modes_at(body.modal, modes_, at) - modes_at(body.modal, judge.modes_, at);
      const VecX right = modes_at(body.modal, judge.mode_rates_, at);
      const VecX rate = modes_at(body.modal, mode_rates_, at) - right;
      take(distance.pose, deformation_norm(*body.modal, value, length));
      take(distance.velocity, deformation_norm(*body.modal, rate, length));
      fastest = std::max(fastest, deformation_norm(*body.modal, right, length));
    }
  if (fastest > 0) distance.velocity /= fastest;
  return distance;
}

double mechanism_extent(const Model& model, const Configuration& configuration) {
  Eigen::AlignedBox3d box;
  for (std::size_t i = 1; i < model.bodies().size(); ++i)
    box.extend(configuration.poses[i] * model.bodies()[i].inertia.center);
  for (const Joint& joint : model.joints())
    box.extend((configuration.poses[joint.b.slot()] * joint.X_BM).p);
  const double size = box.isEmpty() ? 0 : box.sizes().maxCoeff();
  return size > 0 ? size : 1;
}

}  // namespace sarrus
