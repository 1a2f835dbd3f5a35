// Numbers of elements that an edit may set, by their path.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/model/model_editor.h"

namespace sarrus {
namespace {

/// A number and what it may be.
struct Settable {
  std::string field;
  double* number = nullptr;
  TimeFunction* function = nullptr;  ///< becomes constant
  bool positive = false;             ///< must be above 0
  bool not_negative = false;
};

using Settables = std::vector<Settable>;

Settable not_negative(std::string field, double& number) {
  return {.field = std::move(field), .number = &number, .not_negative = true};
}

Settables numbers_of(PointSpring& s) {
  return {not_negative("stiffness", s.stiffness), not_negative("damping", s.damping),
          not_negative("rest_length", s.rest_length)};
}
Settables numbers_of(JointSpring& s) {
  return {not_negative("stiffness", s.stiffness), {.field = "rest", .number = &s.rest}};
}
Settables numbers_of(JointFriction& f) {
  return {not_negative("viscous", f.viscous),
          not_negative("coulomb", f.coulomb),
          {.field = "transition_speed", .number = &f.transition_speed, .positive = true}};
}
Settables numbers_of(AppliedForce& f) { return {{.field = "value", .function = &f.value}}; }
Settables numbers_of(AppliedTorque& f) { return {{.field = "value", .function = &f.value}}; }
Settables numbers_of(JointTorque& f) { return {{.field = "value", .function = &f.value}}; }
Settables numbers_of(Motor& m) {
  return {not_negative("stiffness", m.stiffness),
          not_negative("damping", m.damping),
          {.field = "target", .function = &m.target}};
}

template <class Elements>
auto* element_named(Elements& elements, const std::string& name) {
  const auto found = std::ranges::find(elements, name, [](const auto& e) { return e.name; });
  return found == elements.end() ? nullptr : &*found;
}

}  // namespace

void ModelEditor::apply(const SetNumber& edit, const Source& source) {
  const SourceLocation& where = source.at("set");
  static const std::vector<std::string> kKinds = {"bodies", "joints", "forces", "drives",
                                                  "gravity"};
  const std::size_t first = edit.path.find('.');
  const std::size_t last = edit.path.rfind('.');
  const std::string kind = edit.path.substr(0, first);
  const std::string field = last == std::string::npos ? "" : edit.path.substr(last + 1);
  const std::string name =
      first < last ? edit.path.substr(first + 1, last - first - 1) : std::string();
  if (!std::isfinite(edit.value)) {
    error(where, fmt::format("'{}' cannot be set to {}", edit.path, edit.value));
    return;
  }
  if (std::ranges::find(kKinds, kind) == kKinds.end() || field.empty() ||
      (kind != "gravity" && name.empty())) {
    error(where, fmt::format("'{}' is no path to a number", edit.path),
          "write bodies.NAME.mass, joints.NAME.lead, forces.NAME.stiffness or gravity.z");
    return;
  }

  Settables settables;
  double mass = 0;
  Body* body = nullptr;
  double lead = 0;
  Joint* screw = nullptr;
  if (kind == "gravity") {
    for (int k = 0; k < 3; ++k)
      settables.push_back({.field = std::string(1, "xyz"[k]), .number = &model_.gravity_[k]});
  } else if (kind == "bodies") {
    const int index = find_body(name, where);
    if (index < 0) return;
    body = &model_.bodies_[static_cast<std::size_t>(index)];
    mass = body->inertia.mass;
    if (index > 0 && body->modal == nullptr)
      settables = {{.field = "mass", .number = &mass, .positive = true}};
  } else if (kind == "joints") {
    const int index = find_joint(name, where);
    if (index < 0) return;
    screw = &model_.joints_[static_cast<std::size_t>(index)];
    if (std::holds_alternative<Helical>(screw->kind))
      settables = {{.field = "lead", .number = &lead}};
  } else {
    const auto look_in = [&](auto& list) {
      if (auto* found = element_named(list, name); found != nullptr) settables = numbers_of(*found);
    };
    look_in(model_.point_springs_);
    look_in(model_.joint_springs_);
    look_in(model_.joint_frictions_);
    look_in(model_.applied_forces_);
    look_in(model_.applied_torques_);
    look_in(model_.joint_torques_);
    look_in(model_.motors_);
    if (const std::vector<std::string> names = model_.force_names();
        std::ranges::find(names, name) == names.end()) {
      error(where, fmt::format("there is no force or drive '{}' at t = {:g} s", name, t_),
            suggestion(name, names, "forces and drives"));
      return;
    }
  }

  const auto found = std::ranges::find(settables, field, &Settable::field);
  if (found == settables.end()) {
    std::vector<std::string> fields;
    for (const Settable& settable : settables) fields.push_back(settable.field);
    error(where,
          fmt::format("'{}' has no number '{}' that can be set", name.empty() ? kind : name, field),
          fields.empty() ? "it has none" : suggestion(field, fields, "numbers"));
    return;
  }
  if ((found->positive && !(edit.value > 0)) || (found->not_negative && !(edit.value >= 0)) ||
      (screw != nullptr && edit.value == 0)) {
    error(where, fmt::format("'{}' cannot be {}", edit.path, edit.value),
          found->not_negative ? "it must be a number ≥ 0" : "it must be a positive number");
    return;
  }
  if (found->function != nullptr)
    *found->function = TimeFunction(edit.value);
  else
    *found->number = edit.value;
  if (body != nullptr) {
    // The body keeps its shape: its inertia goes with its mass.
    body->inertia.central *= body->inertia.mass > 0 ? mass / body->inertia.mass : 1.0;
    body->inertia.mass = mass;
  }
  if (screw != nullptr) {
    std::get<Helical>(screw->kind).lead = lead;
    close_here(*screw, {});
    closes_ = true;
  }
  told_.push_back(fmt::format("set {} to {:g}", edit.path, edit.value));
}

}  // namespace sarrus
