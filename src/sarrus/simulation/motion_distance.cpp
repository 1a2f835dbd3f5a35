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

}  // namespace

MotionTrace::MotionTrace(const Model& model, std::size_t samples) {
  const std::size_t bytes = (sizeof(Transform) + sizeof(Vec6)) * model.bodies().size();
  const std::size_t most = std::max<std::size_t>(2, kBytes / bytes);
  while (samples > most * stride_) ++stride_;
}

void MotionTrace::add(const Sample& sample) {
  if (seen_++ % stride_ != 0) return;
  const Configuration& c = sample.motion.configuration;
  times_.push_back(sample.motion.time);
  poses_.insert(poses_.end(), c.poses.begin() + 1, c.poses.end());
  velocities_.insert(velocities_.end(), c.velocities.begin() + 1, c.velocities.end());
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
