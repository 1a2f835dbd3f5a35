#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sarrus/model/model_builder.h"

namespace sarrus {
namespace {

std::string quoted(const ForceDescription& force) { return fmt::format("'{}'", force.name); }

}  // namespace

void ModelBuilder::add_forces() {
  std::unordered_set<std::string> names;
  if (appends_)
    for (std::string& name : model_.force_names()) names.insert(std::move(name));
  for (const ForceDescription& force : description_.forces) {
    if (force.name.empty())
      error(force.source.element, "a force or drive has no name");
    else if (!names.insert(force.name).second)
      error(force.source.at("name"),
            fmt::format("there are two forces or drives named '{}'", force.name),
            "names must differ");
    std::visit([&](const auto& what) { add_force(force, what); }, force.what);
  }
}

Freedom ModelBuilder::freedom(const std::string& joint_name, const std::string& coordinate,
                              const std::string& element, const Source& source) {
  const int found = model_.joint_index_.find(joint_name, model_.joints_);
  if (found < 0) {
    if (may_tell() && joint_names_.empty())
      for (const Joint& joint : model_.joints_) joint_names_.push_back(joint.name);
    error(source.at("joint"), fmt::format("{} names no such joint '{}'", element, joint_name),
          may_tell() ? suggestion(joint_name, joint_names_, "joints") : "");
    return {};
  }
  const JointId id{found};
  const Joint& joint = model_.joint(id);
  const auto& names = joint_coordinate_names(joint.type());
  if (names.empty()) {
    error(source.at("joint"), fmt::format("{} acts on joint '{}', which is {} and cannot move",
                                          element, joint_name, name_of(joint.type())));
    return {};
  }
  if (coordinate.empty() && names.size() == 1) return {id, 0};
  const auto at = std::find(names.begin(), names.end(), coordinate);
  if (at != names.end()) return {id, static_cast<int>(at - names.begin())};
  const std::string what =
      coordinate.empty() ? fmt::format("{} does not say which coordinate of joint '{}' it acts on",
                                       element, joint_name)
                         : fmt::format("{}: joint '{}' is {} and has no coordinate '{}'", element,
                                       joint_name, name_of(joint.type()), coordinate);
  error(source.at("coordinate"), what, suggestion(coordinate, names, "coordinates"));
  return {};
}

void ModelBuilder::check_function(const TimeFunction& function, const std::string& element,
                                  const SourceLocation& where) {
  if (const std::string defect = function.defect(); !defect.empty())
    error(where, fmt::format("{}: {}", element, defect));
}

void ModelBuilder::check_not_negative(double number, const std::string& what,
                                      const std::string& element, const SourceLocation& where) {
  if (!(number >= 0) || !std::isfinite(number))
    error(where, fmt::format("{} has the {} {}", element, what, number), "it must be a number ≥ 0");
}

void ModelBuilder::add_force(const ForceDescription& force, const PointSpringDescription& d) {
  const std::string element = "spring " + quoted(force);
  const Source& source = force.source;
  const int a = body_index(d.body_a, element, source.at("bodies[0]"));
  const int b = body_index(d.body_b, element, source.at("bodies[1]"));
  if (a >= 0 && a == b)
    error(source.at("bodies[1]"), fmt::format("{} joins '{}' to itself", element, d.body_a),
          "a spring has two different bodies");
  check_not_negative(d.stiffness, "stiffness", element, source.at("stiffness"));
  check_not_negative(d.damping, "damping", element, source.at("damping"));
  if (d.rest_length)
    check_not_negative(*d.rest_length, "rest length", element, source.at("rest_length"));
  if (!d.point_a.allFinite() || !d.point_b.allFinite())
    error(source.at("points"), fmt::format("{} has a point that is not finite", element));
  if (a < 0 || b < 0) return;
  const Vec3 point_a = point_in_body(a, d.node_a, d.at_node_a, d.point_a);
  const Vec3 point_b = point_in_body(b, d.node_b, d.at_node_b, d.point_b);
  const bool at_nodes = d.at_node_a || d.at_node_b;
  const double described =
      at_nodes
          ? (model_.body(BodyId{b}).X_WB * point_b - model_.body(BodyId{a}).X_WB * point_a).norm()
          : (d.point_b - d.point_a).norm();
  model_.point_springs_.push_back(
      {.name = force.name,
       .a = BodyId{a},
       .b = BodyId{b},
       .point_a = point_a,
       .point_b = point_b,
       .attachment_a =
           attachment(a, d.node_a, {Quat::Identity(), point_a}, element, source.at("nodes[0]")),
       .attachment_b =
           attachment(b, d.node_b, {Quat::Identity(), point_b}, element, source.at("nodes[1]")),
       .stiffness = d.stiffness,
       .damping = d.damping,
       .rest_length = d.rest_length.value_or(described)});
}

void ModelBuilder::add_force(const ForceDescription& force, const JointSpringDescription& d) {
  const std::string element = "joint spring " + quoted(force);
  check_not_negative(d.stiffness, "stiffness", element, force.source.at("stiffness"));
  if (!std::isfinite(d.rest))
    error(force.source.at("rest"), element + " has a rest that is not finite");
  const Freedom at = freedom(d.joint, d.coordinate, element, force.source);
  if (at.joint.valid()) model_.joint_springs_.push_back({force.name, at, d.stiffness, d.rest});
}

void ModelBuilder::add_force(const ForceDescription& force, const JointFrictionDescription& d) {
  const std::string element = "friction " + quoted(force);
  check_not_negative(d.viscous, "viscous coefficient", element, force.source.at("viscous"));
  check_not_negative(d.coulomb, "Coulomb force", element, force.source.at("coulomb"));
  if (!(d.transition_speed > 0))
    error(force.source.at("transition_speed"),
          fmt::format("{} has the transition speed {}", element, d.transition_speed),
          "it must be positive: the speed over which friction changes its sign smoothly");
  const Freedom at = freedom(d.joint, d.coordinate, element, force.source);
  if (at.joint.valid())
    model_.joint_frictions_.push_back({force.name, at, d.viscous, d.coulomb, d.transition_speed});
}

void ModelBuilder::add_force(const ForceDescription& force, const AppliedForceDescription& d) {
  const std::string element = "force " + quoted(force);
  check_function(d.value, element, force.source.at("value"));
  if (!d.direction.allFinite() || d.direction.isZero(0))
    error(force.source.at("direction"), element + " has no direction",
          "give three numbers, not all 0");
  if (!d.point.allFinite())
    error(force.source.at("point"), element + " has a point that is not finite");
  const int body = body_index(d.body, element, force.source.at("body"));
  if (body < 0) return;
  const Vec3 point = point_in_body(body, d.node, d.at_node, d.point);
  model_.applied_forces_.push_back(
      {force.name, BodyId{body}, point, d.direction, d.frame, d.value,
       attachment(body, d.node, {Quat::Identity(), point}, element, force.source.at("node"))});
}

void ModelBuilder::add_force(const ForceDescription& force, const AppliedTorqueDescription& d) {
  const std::string element = "torque " + quoted(force);
  check_function(d.value, element, force.source.at("value"));
  if (!d.direction.allFinite() || d.direction.isZero(0))
    error(force.source.at("direction"), element + " has no direction",
          "give three numbers, not all 0");
  const int body = body_index(d.body, element, force.source.at("body"));
  if (body >= 0)
    model_.applied_torques_.push_back(
        {force.name, BodyId{body}, d.direction, d.frame, d.value,
         attachment(body, d.node, {}, element, force.source.at("node"))});
}

void ModelBuilder::add_force(const ForceDescription& force, const JointTorqueDescription& d) {
  const std::string element = "drive " + quoted(force);
  check_function(d.value, element, force.source.at("value"));
  const Freedom at = freedom(d.joint, d.coordinate, element, force.source);
  if (at.joint.valid()) model_.joint_torques_.push_back({force.name, at, d.value});
}

void ModelBuilder::add_force(const ForceDescription& force, const MotorDescription& d) {
  const std::string element = "motor " + quoted(force);
  check_function(d.target, element, force.source.at("target"));
  check_not_negative(d.stiffness, "stiffness", element, force.source.at("stiffness"));
  check_not_negative(d.damping, "damping", element, force.source.at("damping"));
  const Freedom at = freedom(d.joint, d.coordinate, element, force.source);
  if (at.joint.valid())
    model_.motors_.push_back({force.name, at, d.target, d.stiffness, d.damping});
}

void ModelBuilder::add_force(const ForceDescription& force, const MotionDescription& d) {
  const std::string element = "motion " + quoted(force);
  check_function(d.value, element, force.source.at("value"));
  if (const std::string corner = d.value.smoothness_defect(); !corner.empty())
    error(force.source.at("value"), fmt::format("{} is not smooth: {}", element, corner),
          "a prescribed motion needs a continuous speed: a step with a duration, a sine, a ramp "
          "from the start, or a smooth table");
  const Freedom at = freedom(d.joint, d.coordinate, element, force.source);
  // A function with a defect has no values, and check_motions() asks for one.
  if (at.joint.valid() && d.value.defect().empty()) {
    model_.motions_.push_back({force.name, at, d.value});
    motion_sources_.push_back(&force.source);
  }
}

void ModelBuilder::check_motions() {
  // Two motions of one coordinate contradict each other; so does a start or speed beside a motion.
  std::map<std::pair<int, int>, const PrescribedMotion*> driven;
  for (std::size_t i = 0; i < model_.motions_.size(); ++i) {
    const PrescribedMotion& motion = model_.motions_[i];
    const SourceLocation where =
        motion_sources_[i] == nullptr ? SourceLocation{} : motion_sources_[i]->at("joint");
    const Joint& joint = model_.joint(motion.at.joint);
    const auto [other, fresh] =
        driven.emplace(std::pair{motion.at.joint.index, motion.at.index}, &motion);
    if (!fresh)
      error(where,
            fmt::format("motions '{}' and '{}' prescribe the same coordinate of joint '{}'",
                        other->second->name, motion.name, joint.name),
            "keep one of them");
    if (appends_) continue;  // the start is past
    const auto contradicts = [&](const std::vector<Hold>& holds, double prescribed,
                                 std::string_view field) {
      for (const Hold& hold : holds)
        if (hold.freedom == motion.at.index && hold.value != prescribed)
          error(where,
                fmt::format("joint '{}' has the {} {} but motion '{}' prescribes {}", joint.name,
                            field, hold.value, motion.name, prescribed),
                fmt::format("drop the joint's '{}'", field));
    };
    contradicts(joint.start, motion.value(0).value, "start");
    if (!joint.is_on_rotation_vector(motion.at.index)) {
      contradicts(joint.speed, motion.value(0).rate, "speed");
    } else if (std::ranges::find(joint.speed, motion.at.index, &Hold::freedom) !=
               joint.speed.end()) {
      error(where,
            fmt::format("joint '{}' has a speed, a part of its angular velocity, but motion '{}' "
                        "prescribes the rate of its rotation vector",
                        joint.name, motion.name),
            "drop the joint's 'speed'");
    }
  }
}

}  // namespace sarrus
