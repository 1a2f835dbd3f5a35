// Joints that are cut, restored, added and drawn together.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sarrus/model/element_lists.h"
#include "sarrus/model/joint_gap.h"
#include "sarrus/model/model_editor.h"
#include "sarrus/model/typical_length.h"

namespace sarrus {

using element_lists::position_of;
using element_lists::slot;

namespace {

/// Of the typical length [or rad]: so near its old place a restored joint returns there. It is below
/// 3e-6, the root of the tolerance for ranks: from a pose farther off it, rows that depend on each
/// other would look as if they did not.
constexpr double kNearOldPlace = 1e-6;
/// Of the typical length: what rounding leaves of rows that are closed.
constexpr double kRounding = 1e-14;

/// Takes the elements on `joint` out of a list; those on later joints go down by one.
template <class Load>
std::vector<Load> take_loads(std::vector<Load>& list, JointId joint) {
  std::vector<Load> taken;
  for (Load& load : list)
    if (load.at.joint == joint) taken.push_back(load);
  std::erase_if(list, [&](const Load& load) { return load.at.joint == joint; });
  for (Load& load : list)
    if (load.at.joint > joint) --load.at.joint.index;
  return taken;
}

template <class Load>
void put_loads(std::vector<Load> loads, JointId joint, std::vector<Load>& list) {
  for (Load& load : loads) {
    load.at.joint = joint;
    list.push_back(std::move(load));
  }
}

}  // namespace

CutAway ModelEditor::take_out(int index) {
  const JointId id{index};
  Joint& joint = model_.joints_[slot(index)];
  CutAway away{.joint = joint,
               .body_a = model_.body(joint.a).name,
               .body_b = model_.body(joint.b).name,
               .springs = take_loads(model_.joint_springs_, id),
               .frictions = take_loads(model_.joint_frictions_, id),
               .torques = take_loads(model_.joint_torques_, id),
               .motors = take_loads(model_.motors_, id),
               .motions = take_loads(model_.motions_, id)};
  model_.joints_.erase(model_.joints_.begin() + index);
  old_joint_.erase(old_joint_.begin() + index);
  return away;
}

void ModelEditor::put_back(CutAway away) {
  const JointId id{static_cast<int>(model_.joints_.size())};
  put_loads(std::move(away.springs), id, model_.joint_springs_);
  put_loads(std::move(away.frictions), id, model_.joint_frictions_);
  put_loads(std::move(away.torques), id, model_.joint_torques_);
  put_loads(std::move(away.motors), id, model_.motors_);
  put_loads(std::move(away.motions), id, model_.motions_);
  model_.joints_.push_back(std::move(away.joint));
  old_joint_.push_back(-1);
  closes_ = true;
}

void ModelEditor::apply(const CutJoint& edit, const Source& source) {
  const int soft = position_of(model_.soft_joints_, edit.joint);
  if (soft >= 0 && !model_.soft_joints_[slot(soft)].grabs) {
    model_.soft_joints_.erase(model_.soft_joints_.begin() + soft);
    told_.push_back(fmt::format("cut joint '{}' while it was being drawn together", edit.joint));
    return;
  }
  const int index = find_joint(edit.joint, source.at("cut"));
  if (index < 0) return;
  model_.cut_away_.push_back(take_out(index));
  told_.push_back(fmt::format("cut joint '{}'", edit.joint));
}

// [edit-rejoin]  The frame on body a stays; that on body b goes where the joint, at the coordinates
// nearest to the present, or prescribed ones, has it.
void ModelEditor::close_here(Joint& joint, const std::vector<PrescribedMotion>& motions) const {
  const Transform& X_WA = model_.body(joint.a).X_WB;
  const Transform& X_WB = model_.body(joint.b).X_WB;
  read_coordinates(joint);
  for (const PrescribedMotion& motion : motions)
    joint.reference[motion.at.index] = motion.value(t_).value;
  const Transform X_FM = transform_from_coordinates(joint.kind, joint.reference.data());
  joint.X_BM = X_WB.inverse() * (X_WA * joint.X_AF * X_FM);
  joint.X_BM.q.normalize();
}

// Those nearest to the last ones.
void ModelEditor::read_coordinates(Joint& joint) const {
  const JointView view(model_.body(joint.a).X_WB, Vec6::Zero(), joint.X_AF,
                       model_.body(joint.b).X_WB, Vec6::Zero(), joint.X_BM);
  const Rows rows = joint.coordinate_rows(view, joint.reference.data());
  for (int k = 0; k < rows.count; ++k) joint.reference[k] = rows[k].value;
}

Vec6 ModelEditor::gap_of(const Joint& joint) const {
  const JointView view(model_.body(joint.a).X_WB, joint.X_AF, model_.body(joint.b).X_WB,
                       joint.X_BM);
  return joint_gap(joint, view, joint.reference.data());
}

bool ModelEditor::faces_the_wrong_way(const Joint& joint) const {
  return gap_of(joint).head<3>().norm() >= std::numbers::pi / 2;
}

void ModelEditor::pull_together(const CutAway& away, bool keeps) {
  SoftJoint soft;
  soft.name = away.joint.name;
  soft.joint = away.joint;
  soft.frequency = 10;
  model_.soft_joints_.push_back(std::move(soft));
  if (keeps) model_.cut_away_.push_back(away);
}

void ModelEditor::apply(const RestoreJoint& edit, const Source& source) {
  const auto found = std::ranges::find(model_.cut_away_, edit.joint,
                                       [](const CutAway& away) { return away.joint.name; });
  const SourceLocation& where = source.at("restore");
  if (found == model_.cut_away_.end()) {
    std::vector<std::string> names;
    for (const CutAway& away : model_.cut_away_) names.push_back(away.joint.name);
    error(where, fmt::format("joint '{}' is not cut at t = {:g} s", edit.joint, t_),
          names.empty() ? "no joint is" : suggestion(edit.joint, names, "cut joints"));
    return;
  }
  if (position_of(model_.soft_joints_, edit.joint) >= 0) {
    error(where, fmt::format("joint '{}' is being drawn together already", edit.joint),
          "cut it first to restore it where it is");
    return;
  }
  CutAway away = *found;
  const int a = position_of(model_.bodies_, away.body_a);
  const int b = position_of(model_.bodies_, away.body_b);
  if (a < 0 || b < 0) {
    error(where,
          fmt::format("joint '{}' cannot be restored: body '{}' is gone", edit.joint,
                      a < 0 ? away.body_a : away.body_b),
          "add a joint to another body instead");
    return;
  }
  away.joint.a = BodyId{a};
  away.joint.b = BodyId{b};
  if (edit.original && !away.motions.empty()) {
    error(where,
          fmt::format("joint '{}' cannot be drawn together: motion '{}' prescribes where it is",
                      edit.joint, away.motions.front().name),
          "restore it where its bodies are");
    return;
  }
  if (edit.original && away.joint.constraint_count() > 0) {
    if (judge_ == JudgedAt::kNow && faces_the_wrong_way(away.joint)) {
      error(where,
            fmt::format("joint '{}' cannot be drawn together: its bodies face the wrong way",
                        edit.joint),
            "restore it where they are, or turn them first");
      return;
    }
    pull_together(away, /*keeps=*/false);
    told_.push_back(fmt::format("drawing joint '{}' together", edit.joint));
    return;
  }
  model_.cut_away_.erase(found);
  // [edit-return]
  const double length = typical_length(model_.joints_);
  const bool tries = rejoin_ == Rejoin::kReturns && away.motions.empty();
  if (tries) read_coordinates(away.joint);
  if (tries && size_of_gap(gap_of(away.joint), length) <= kNearOldPlace * length)
    snaps_ = snaps_ || size_of_gap(gap_of(away.joint), length) > kRounding * length;
  else
    close_here(away.joint, away.motions);
  put_back(std::move(away));
  told_.push_back(fmt::format("restored joint '{}'", edit.joint));
}

void ModelEditor::harden(const std::string& name) {
  const int soft = position_of(model_.soft_joints_, name);
  const auto found = std::ranges::find(model_.cut_away_, name,
                                       [](const CutAway& away) { return away.joint.name; });
  if (soft < 0 || found == model_.cut_away_.end()) return;
  CutAway away = *found;
  // Numbers of bodies may have changed since it was cut.
  away.joint.a = model_.soft_joints_[slot(soft)].joint.a;
  away.joint.b = model_.soft_joints_[slot(soft)].joint.b;
  read_coordinates(away.joint);
  snaps_ = true;
  model_.soft_joints_.erase(model_.soft_joints_.begin() + soft);
  model_.cut_away_.erase(found);
  put_back(std::move(away));
  told_.push_back(fmt::format("joint '{}' is closed", name));
}

void ModelEditor::apply(const AddJoint& edit, const Source& source) {
  const std::string& name = edit.joint.name;
  if (std::ranges::any_of(model_.cut_away_,
                          [&](const CutAway& away) { return away.joint.name == name; })) {
    error(source.at("add"), fmt::format("there is a joint '{}' already; it is cut", name),
          "restore it, or take another name");
    return;
  }
  if (position_of(model_.soft_joints_, name) >= 0) {
    error(source.at("add"), fmt::format("there is a grab '{}' already", name), "names must differ");
    return;
  }
  Description additions;
  additions.add_joint(edit.joint);
  if (!append(additions)) return;
  const int index = static_cast<int>(model_.joints_.size()) - 1;
  Joint& joint = model_.joints_.back();
  if (edit.joint.frame_a) {
    read_coordinates(joint);
    constexpr double kClosed = 1e-12;
    if (judge_ == JudgedAt::kNow && size_of_gap(gap_of(joint), 1) > kClosed) {
      const CutAway away = take_out(index);
      if (faces_the_wrong_way(away.joint)) {
        error(source.at("add"),
              fmt::format("joint '{}' cannot be drawn together: its bodies face "
                          "the wrong way",
                          name),
              "place it by 'at', or turn the bodies first");
        return;
      }
      pull_together(away, /*keeps=*/true);
      told_.push_back(fmt::format("drawing the new joint '{}' together", name));
      return;
    }
  }
  closes_ = true;
  told_.push_back(fmt::format("added joint '{}'", name));
}

}  // namespace sarrus
