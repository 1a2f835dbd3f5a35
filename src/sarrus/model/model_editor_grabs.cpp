// Grabs, and the tuning of soft joints.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/model/element_lists.h"
#include "sarrus/model/model_editor.h"

namespace sarrus {

using element_lists::position_of;
using element_lists::slot;

int ModelEditor::find_grab(const std::string& name, const SourceLocation& where) {
  const int found = position_of(model_.soft_joints_, name);
  if (found >= 0 && model_.soft_joints_[slot(found)].grabs) return found;
  std::vector<std::string> names;
  for (const SoftJoint& soft : model_.soft_joints_)
    if (soft.grabs) names.push_back(soft.name);
  error(where, fmt::format("there is no grab '{}' at t = {:g} s", name, t_),
        names.empty() ? "nothing is grabbed" : suggestion(name, names, "grabs"));
  return -1;
}

void ModelEditor::apply(const GrabBody& edit, const Source& source) {
  const SourceLocation& where = source.at("grab");
  const std::size_t before = problems_.size();
  if (edit.name.empty()) error(where, "a grab has no name");
  const bool is_cut = std::ranges::any_of(
      model_.cut_away_, [&](const CutAway& away) { return away.joint.name == edit.name; });
  if (is_cut || position_of(model_.soft_joints_, edit.name) >= 0 ||
      position_of(model_.joints_, edit.name) >= 0)
    error(where, fmt::format("there are two grabs or joints named '{}'", edit.name),
          "names must differ");
  const int body = find_body(edit.body, where);
  if (body == 0) error(where, "ground cannot be grabbed", "name a body that moves");
  if (!edit.point.allFinite() || (edit.target && !edit.target->allFinite()))
    error(where, fmt::format("grab '{}' has a point that is not finite", edit.name));
  const auto positive = [&](double number, const char* what) {
    if (!(number > 0) || !std::isfinite(number))
      error(where, fmt::format("grab '{}' has the {} {}", edit.name, what, number),
            "it must be a positive number");
  };
  positive(edit.frequency, "frequency");
  positive(edit.damping_ratio, "damping ratio");
  if (edit.max_force) positive(*edit.max_force, "largest force");
  if (problems_.size() > before) return;

  SoftJoint soft;
  soft.name = edit.name;
  soft.grabs = true;
  soft.joint.name = edit.name;
  soft.joint.kind = Spherical{};
  soft.joint.a = kGround;
  soft.joint.b = BodyId{body};
  soft.joint.X_BM.p = edit.point;
  soft.joint.reference = VecUpTo6::Zero(3);
  const Vec3 target = edit.target.value_or(model_.bodies_[slot(body)].X_WB * edit.point);
  for (int k = 0; k < 3; ++k) soft.target[slot(k)] = TimeFunction(target[k]);
  soft.frequency = edit.frequency;
  soft.damping_ratio = edit.damping_ratio;
  soft.max_force = edit.max_force;
  model_.soft_joints_.push_back(std::move(soft));
  told_.push_back(fmt::format("grabbed body '{}' ('{}')", edit.body, edit.name));
}

void ModelEditor::apply(const MoveGrab& edit, const Source& source) {
  const SourceLocation& where = source.at("move");
  if (!edit.target.allFinite() || !(edit.duration >= 0) || !std::isfinite(edit.duration)) {
    error(where,
          fmt::format("grab '{}' cannot be moved: its target or duration is not a number ≥ 0",
                      edit.grab));
    return;
  }
  const int index = find_grab(edit.grab, where);
  if (index < 0) return;
  // [soft-joint-target]  In a straight line from where the target is.
  for (std::size_t k = 0; k < 3; ++k) {
    TimeFunction& target = model_.soft_joints_[slot(index)].target[k];
    const double from = target(t_).value;
    const double to = edit.target[static_cast<Eigen::Index>(k)];
    target = edit.duration > 0 ? TimeFunction(TimeFunction::Table{.times = {t_, t_ + edit.duration},
                                                                  .values = {from, to}})
                               : TimeFunction(to);
  }
  told_.push_back(fmt::format("moved grab '{}'", edit.grab));
}

void ModelEditor::apply(const ReleaseGrab& edit, const Source& source) {
  const int index = find_grab(edit.grab, source.at("release"));
  if (index < 0) return;
  model_.soft_joints_.erase(model_.soft_joints_.begin() + index);
  told_.push_back(fmt::format("released '{}'", edit.grab));
}

void ModelEditor::tune(std::size_t index, const SoftJoint& tuned) {
  SoftJoint& soft = model_.soft_joints_[index];
  soft.mass = tuned.mass;
  soft.limit = tuned.limit;
  soft.length = tuned.length;
  soft.frequency = tuned.frequency;
  soft.tumbles = tuned.tumbles;
}

void ModelEditor::set_lead(const std::string& name, const Vec6& lead) {
  const int index = position_of(model_.soft_joints_, name);
  if (index >= 0) model_.soft_joints_[slot(index)].lead = lead;
}

}  // namespace sarrus
