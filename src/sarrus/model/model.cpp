#include "sarrus/model/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/model/model_builder.h"

namespace sarrus {
namespace {

template <class Elements>
std::vector<std::string> names_of(const Elements& elements) {
  std::vector<std::string> names;
  for (const auto& element : elements) names.push_back(element.name);
  return names;
}

}  // namespace

Model::Model(const Description& description) { ModelBuilder(description, *this).build(); }

BodyId Model::find_body(std::string_view name) const {
  if (const int found = body_index_.find(name, bodies_); found >= 0) return BodyId{found};
  throw UsageError(fmt::format("model '{}' has no body '{}'; {}", name_, name,
                               suggestion(name, names_of(bodies_), "bodies")));
}

JointId Model::find_joint(std::string_view name) const {
  if (const int found = joint_index_.find(name, joints_); found >= 0) return JointId{found};
  throw UsageError(fmt::format("model '{}' has no joint '{}'; {}", name_, name,
                               suggestion(name, names_of(joints_), "joints")));
}

Configuration Model::reference_configuration() const {
  Configuration configuration;
  configuration.poses.reserve(bodies_.size());
  configuration.velocities.reserve(bodies_.size());
  for (const Body& b : bodies_) {
    configuration.poses.push_back(b.X_WB);
    configuration.velocities.push_back(b.V_start);
  }
  configuration.coordinates.resize(static_cast<std::size_t>(freedom_count_));
  for (const Joint& j : joints_)
    for (int k = 0; k < j.nv(); ++k)
      configuration.coordinates[static_cast<std::size_t>(j.first_freedom + k)] = j.reference[k];
  configuration.modes = modes_;
  configuration.mode_rates = mode_rates_;
  return configuration;
}

std::vector<std::string> Model::flexible_bodies() const {
  std::vector<std::string> names;
  for (const Body& body : bodies_)
    if (body.modal != nullptr) names.push_back(body.name);
  return names;
}

std::vector<std::string> Model::force_names() const {
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& force : list) names.push_back(force.name);
  };
  add(point_springs_);
  add(joint_springs_);
  add(joint_frictions_);
  add(applied_forces_);
  add(applied_torques_);
  add(joint_torques_);
  add(motors_);
  add(motions_);
  return names;
}

void Model::collect_breakpoints() {
  breakpoints_.clear();
  const auto add = [this](const TimeFunction& f) {
    for (double t : f.breakpoints())
      if (t > 0 && t < 1e300) breakpoints_.push_back(t);
  };
  for (const auto& load : applied_forces_) add(load.value);
  for (const auto& load : applied_torques_) add(load.value);
  for (const auto& torque : joint_torques_) add(torque.value);
  for (const auto& motor : motors_) add(motor.target);
  for (const auto& motion : motions_) add(motion.value);
  std::sort(breakpoints_.begin(), breakpoints_.end());
  breakpoints_.erase(std::unique(breakpoints_.begin(), breakpoints_.end()), breakpoints_.end());
}

}  // namespace sarrus
