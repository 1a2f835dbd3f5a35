#include "sarrus/formulations/body_state.h"

#include <fmt/format.h>

namespace sarrus::body_state {

StateLayout layout(const Model& model) {
  StateLayout layout;
  for (int i = 1; i < model.body_count(); ++i) {
    layout.add_quaternion();
    layout.add_vector(9);
  }
  layout.add_vector(1, /*controlled=*/false);
  return layout;
}

std::vector<VelocityPair> velocity_pairs(const Model& model) {
  std::vector<VelocityPair> pairs;
  for (int i = 0; i + 1 < model.body_count(); ++i)
    pairs.push_back({kBodyTangent * i, kBodyTangent * i + 6, 6});
  return pairs;
}

std::string element_of(const Model& model, int tangent_index) {
  const auto body = static_cast<std::size_t>(tangent_index / kBodyTangent) + 1;
  return body < model.bodies().size() ? fmt::format("body '{}'", model.bodies()[body].name) : "";
}

void write(const Configuration& from, std::span<double> x) {
  for (std::size_t i = 1; i < from.poses.size(); ++i) {
    double* body = x.data() + kBodySize * (i - 1);
    const Transform& pose = from.poses[i];
    body[0] = pose.q.w();
    Eigen::Map<Vec3>(body + 1) = pose.q.vec();
    Eigen::Map<Vec3>(body + 4) = pose.p;
    Eigen::Map<Vec6>(body + 7) = from.velocities[i];
  }
}

void read(std::span<const double> x, Configuration& to) {
  const std::size_t bodies = x.size() / kBodySize + 1;
  to.poses.resize(bodies);
  to.velocities.resize(bodies);
  to.poses[0] = {};
  to.velocities[0].setZero();
  for (std::size_t i = 1; i < bodies; ++i) {
    const double* body = x.data() + kBodySize * (i - 1);
    to.poses[i] = {Quat(body[0], body[1], body[2], body[3]).normalized(),
                   Eigen::Map<const Vec3>(body + 4)};
    to.velocities[i] = Eigen::Map<const Vec6>(body + 7);
  }
}

void write_rates(std::span<const Vec6> velocities, std::span<const Vec6> accelerations,
                 std::span<double> dx) {
  for (std::size_t i = 1; i < velocities.size(); ++i) {
    Eigen::Map<Eigen::Matrix<double, kBodyTangent, 1>> rate(dx.data() + kBodyTangent * (i - 1));
    rate.head<6>() = velocities[i];
    rate.tail<6>() = accelerations[i];
  }
}

}  // namespace sarrus::body_state
