// Bodies and forces that come, and elements that go.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/model/element_lists.h"
#include "sarrus/model/model_editor.h"

namespace sarrus {

using element_lists::slot;

namespace {

std::string in_words(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void ModelEditor::apply(const AddBody& edit, const Source&) {
  Description additions;
  additions.add_body(edit.body);
  if (append(additions)) told_.push_back(fmt::format("added body '{}'", edit.body.name));
}

void ModelEditor::check_motion(const PrescribedMotion& motion, const SourceLocation& where) {
  if (judge_ == JudgedAt::kBeforeRun) return;
  const Joint& joint = model_.joint(motion.at.joint);
  const double now = joint.reference[motion.at.index];
  const double asked = motion.value(t_).value;
  constexpr double kMet = 1e-9;
  if (std::abs(asked - now) <= kMet * std::max(1.0, std::abs(now))) return;
  error(where,
        fmt::format(
            "motion '{}' asks for {} = {:.9g} of joint '{}' at t = {:g} s, where it is {:.9g}",
            motion.name, joint_coordinate_names(joint.type())[slot(motion.at.index)], asked,
            joint.name, t_, now),
        "let it begin there; a motor draws a joint to its target from anywhere");
}

void ModelEditor::apply(const AddForce& edit, const Source&) {
  Description additions;
  additions.forces.push_back(edit.force);
  const std::size_t motions = model_.motions_.size();
  if (!append(additions)) return;
  if (model_.motions_.size() > motions) {
    check_motion(model_.motions_.back(), edit.force.source.element);
    closes_ = true;
  }
  told_.push_back(fmt::format("added '{}'", edit.force.name));
}

std::vector<std::string> ModelEditor::forces_on(JointId joint) const {
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& load : list)
      if (load.at.joint == joint) names.push_back(fmt::format("'{}'", load.name));
  };
  add(model_.joint_springs_);
  add(model_.joint_frictions_);
  add(model_.joint_torques_);
  add(model_.motors_);
  add(model_.motions_);
  return names;
}

std::vector<std::string> ModelEditor::users_of(BodyId body) const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, bool uses, const char* kind) {
    if (uses) names.push_back(fmt::format("{} '{}'", kind, name));
  };
  for (const Joint& joint : model_.joints_)
    add(joint.name, joint.a == body || joint.b == body, "joint");
  for (const PointSpring& spring : model_.point_springs_)
    add(spring.name, spring.a == body || spring.b == body, "spring");
  for (const AppliedForce& load : model_.applied_forces_)
    add(load.name, load.body == body, "force");
  for (const AppliedTorque& load : model_.applied_torques_)
    add(load.name, load.body == body, "torque");
  for (const SoftJoint& soft : model_.soft_joints_)
    add(soft.name, soft.joint.a == body || soft.joint.b == body, soft.grabs ? "grab" : "joint");
  return names;
}

void ModelEditor::apply(const RemoveJoint& edit, const Source& source) {
  const auto cut = std::ranges::find(model_.cut_away_, edit.joint,
                                     [](const CutAway& away) { return away.joint.name; });
  if (cut != model_.cut_away_.end()) {
    model_.cut_away_.erase(cut);
    std::erase_if(model_.soft_joints_,
                  [&](const SoftJoint& soft) { return !soft.grabs && soft.name == edit.joint; });
    told_.push_back(fmt::format("removed joint '{}', which was cut", edit.joint));
    return;
  }
  const int index = find_joint(edit.joint, source.at("remove"));
  if (index < 0) return;
  if (const auto users = forces_on(JointId{index}); !users.empty() && !edit.cascade) {
    error(source.at("remove"),
          fmt::format("joint '{}' cannot be removed: {} {} on it", edit.joint, in_words(users),
                      users.size() == 1 ? "acts" : "act"),
          "remove what acts on it first, or say 'cascade: true'");
    return;
  }
  take_out(index);
  told_.push_back(fmt::format("removed joint '{}'", edit.joint));
}

void ModelEditor::erase_forces_on(BodyId body) {
  const auto on = [&](BodyId a, BodyId b) { return a == body || b == body; };
  std::erase_if(model_.point_springs_, [&](const auto& s) { return on(s.a, s.b); });
  std::erase_if(model_.applied_forces_, [&](const auto& f) { return f.body == body; });
  std::erase_if(model_.applied_torques_, [&](const auto& f) { return f.body == body; });
  std::erase_if(model_.soft_joints_, [&](const auto& s) { return on(s.joint.a, s.joint.b); });
}

void ModelEditor::erase_body(int index) {
  const BodyId gone{index};
  const auto close_up = [&](BodyId& id) {
    if (id > gone) --id.index;
  };
  for (Joint& joint : model_.joints_) {
    close_up(joint.a);
    close_up(joint.b);
  }
  for (PointSpring& spring : model_.point_springs_) {
    close_up(spring.a);
    close_up(spring.b);
  }
  for (AppliedForce& load : model_.applied_forces_) close_up(load.body);
  for (AppliedTorque& load : model_.applied_torques_) close_up(load.body);
  for (SoftJoint& soft : model_.soft_joints_) {
    close_up(soft.joint.a);
    close_up(soft.joint.b);
  }
  // It leaves its subsystem, too; an empty one is none.
  for (SubsystemDescription& group : model_.subsystems_)
    std::erase(group.bodies, model_.bodies_[slot(index)].name);
  std::erase_if(model_.subsystems_,
                [](const SubsystemDescription& group) { return group.bodies.empty(); });
  if (const Body& body = model_.bodies_[slot(index)]; body.modal != nullptr)
    for (std::vector<double>* modes : {&model_.modes_, &model_.mode_rates_})
      modes->erase(modes->begin() + body.first_mode,
                   modes->begin() + body.first_mode + body.modal->count());
  model_.bodies_.erase(model_.bodies_.begin() + index);
  old_body_.erase(old_body_.begin() + index);
  if (model_.mode_count() > 0) index_modes();
}

void ModelEditor::apply(const RemoveBody& edit, const Source& source) {
  const SourceLocation& where = source.at("remove");
  if (edit.body == "ground") {
    error(where, "ground cannot be removed", "cut or remove the joints to it");
    return;
  }
  const int index = find_body(edit.body, where);
  if (index < 0) return;
  if (model_.bodies_.size() == 2) {
    error(where, fmt::format("body '{}' is the last one", edit.body),
          "a mechanism has at least one body; add another first");
    return;
  }
  const BodyId id{index};
  if (const auto users = users_of(id); !users.empty() && !edit.cascade) {
    error(where,
          fmt::format("body '{}' cannot be removed: {} {} it", edit.body, in_words(users),
                      users.size() == 1 ? "uses" : "use"),
          "remove them first, or say 'cascade: true'");
    return;
  }
  for (int j = static_cast<int>(model_.joints_.size()) - 1; j >= 0; --j)
    if (const Joint& joint = model_.joints_[slot(j)]; joint.a == id || joint.b == id) take_out(j);
  erase_forces_on(id);
  std::erase_if(model_.cut_away_, [&](const CutAway& away) {
    return away.body_a == edit.body || away.body_b == edit.body;
  });
  erase_body(index);
  told_.push_back(fmt::format("removed body '{}'", edit.body));
}

void ModelEditor::apply(const RemoveForce& edit, const Source& source) {
  std::size_t removed = 0;
  const auto remove_from = [&](auto& list) {
    removed += std::erase_if(list, [&](const auto& force) { return force.name == edit.force; });
  };
  remove_from(model_.point_springs_);
  remove_from(model_.joint_springs_);
  remove_from(model_.joint_frictions_);
  remove_from(model_.applied_forces_);
  remove_from(model_.applied_torques_);
  remove_from(model_.joint_torques_);
  remove_from(model_.motors_);
  remove_from(model_.motions_);
  if (removed == 0)
    error(source.at("remove"),
          fmt::format("there is no force or drive '{}' at t = {:g} s", edit.force, t_),
          suggestion(edit.force, model_.force_names(), "forces and drives"));
  else
    told_.push_back(fmt::format("removed '{}'", edit.force));
}

}  // namespace sarrus
