#include "sarrus/model/model_editor.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/model/element_lists.h"
#include "sarrus/model/model_builder.h"

namespace sarrus {

using element_lists::names_in;
using element_lists::position_of;
using element_lists::slot;

ModelEditor::ModelEditor(const Model& model, const Configuration& now, double t, JudgedAt judge)
    : model_(model),
      t_(t),
      judge_(judge),
      body_count_(model.bodies().size()),
      joint_count_(model.joints().size()) {
  for (std::size_t i = 0; i < body_count_; ++i) {
    model_.bodies_[i].X_WB = now.poses[i];
    model_.bodies_[i].V_start = now.velocities[i];
    old_body_.push_back(static_cast<int>(i));
  }
  model_.modes_ = now.modes;
  model_.mode_rates_ = now.mode_rates;
  for (std::size_t j = 0; j < joint_count_; ++j) {
    Joint& joint = model_.joints_[j];
    for (int k = 0; k < joint.nv(); ++k)
      joint.reference[k] = now.coordinates[slot(joint.first_freedom + k)];
    old_joint_.push_back(static_cast<int>(j));
  }
}

// Whatever closes joints needs the impulses of a deforming mechanism, which nobody computes yet.
bool ModelEditor::refused_for_flexible(const Edit& edit) {
  const bool adds_motion =
      std::holds_alternative<AddForce>(edit.what) &&
      std::holds_alternative<MotionDescription>(std::get<AddForce>(edit.what).force.what);
  if (model_.mode_count() == 0 ||
      !(adds_motion || std::holds_alternative<RestoreJoint>(edit.what) ||
        std::holds_alternative<AddJoint>(edit.what) || std::holds_alternative<GrabBody>(edit.what)))
    return false;
  error(edit.source.element,
        fmt::format("joints, prescribed motions and grabs cannot be added at t = {:g} s: '{}' is "
                    "flexible",
                    t_, fmt::join(model_.flexible_bodies(), "', '")),
        "with flexible bodies a running mechanism can lose joints, and numbers can be set");
  return true;
}

void ModelEditor::apply(const Edit& edit) {
  if (refused_for_flexible(edit)) return;
  std::visit([&](const auto& what) { apply(what, edit.source); }, edit.what);
}

void ModelEditor::error(const SourceLocation& where, std::string what, std::string hint) {
  if (problems_.size() < kMostDiagnostics)
    problems_.push_back({where, std::move(what), std::move(hint)});
}

EditedModel ModelEditor::finish() {
  if (!problems_.empty()) throw ModelError(std::move(problems_));
  index_names();
  model_.collect_breakpoints();
  EditedModel result{
      .model = std::move(model_), .map = {}, .closes = closes_, .snaps = snaps_, .told = told_};
  result.map.bodies.resize(body_count_);
  result.map.joints.resize(joint_count_);
  for (std::size_t i = 0; i < old_body_.size(); ++i)
    if (old_body_[i] >= 0) result.map.bodies[slot(old_body_[i])] = BodyId{static_cast<int>(i)};
  for (std::size_t j = 0; j < old_joint_.size(); ++j)
    if (old_joint_[j] >= 0) result.map.joints[slot(old_joint_[j])] = JointId{static_cast<int>(j)};
  return result;
}

void ModelEditor::index_names() {
  model_.body_index_ = {};
  model_.body_index_.reserve(model_.bodies_.size());
  for (std::size_t i = 0; i < model_.bodies_.size(); ++i)
    model_.body_index_.insert(model_.bodies_[i].name, static_cast<int>(i), model_.bodies_);
  model_.joint_index_ = {};
  model_.joint_index_.reserve(model_.joints_.size());
  model_.freedom_count_ = 0;
  for (std::size_t j = 0; j < model_.joints_.size(); ++j) {
    Joint& joint = model_.joints_[j];
    model_.joint_index_.insert(joint.name, static_cast<int>(j), model_.joints_);
    joint.first_freedom = model_.freedom_count_;
    model_.freedom_count_ += joint.nv();
  }
  if (model_.mode_count() > 0) index_modes();
}

void ModelEditor::index_modes() {
  int count = 0;
  for (Body& body : model_.bodies_) {
    body.first_mode = count;
    if (body.modal != nullptr) count += body.modal->count();
  }
  const auto renumber = [&](BodyId body, Attachment& attachment) {
    if (attachment == nullptr || attachment->first_mode == model_.body(body).first_mode) return;
    NodeAttachment moved = *attachment;
    moved.first_mode = model_.body(body).first_mode;
    attachment = std::make_shared<const NodeAttachment>(std::move(moved));
  };
  const auto renumber_joint = [&](Joint& joint) {
    renumber(joint.a, joint.attachment_a);
    renumber(joint.b, joint.attachment_b);
  };
  for (Joint& joint : model_.joints_) renumber_joint(joint);
  for (SoftJoint& soft : model_.soft_joints_) renumber_joint(soft.joint);
  for (PointSpring& spring : model_.point_springs_) {
    renumber(spring.a, spring.attachment_a);
    renumber(spring.b, spring.attachment_b);
  }
  for (AppliedForce& load : model_.applied_forces_) renumber(load.body, load.attachment);
  for (AppliedTorque& load : model_.applied_torques_) renumber(load.body, load.attachment);
}

bool ModelEditor::append(const Description& additions) {
  index_names();
  try {
    ModelBuilder(additions, model_).append();
  } catch (const ModelError& mistakes) {
    for (const Diagnostic& problem : mistakes.diagnostics())
      error(problem.where, problem.what, problem.hint);
    return false;
  }
  old_body_.resize(model_.bodies_.size(), -1);
  old_joint_.resize(model_.joints_.size(), -1);
  return true;
}

int ModelEditor::find_body(const std::string& name, const SourceLocation& where) {
  const int found = position_of(model_.bodies_, name);
  if (found < 0)
    error(where, fmt::format("there is no body '{}' at t = {:g} s", name, t_),
          suggestion(name, names_in(model_.bodies_), "bodies"));
  return found;
}

int ModelEditor::find_joint(const std::string& name, const SourceLocation& where) {
  const int found = position_of(model_.joints_, name);
  if (found >= 0) return found;
  const bool is_cut = std::ranges::any_of(
      model_.cut_away_, [&](const CutAway& away) { return away.joint.name == name; });
  error(
      where,
      fmt::format("there is no joint '{}' at t = {:g} s{}", name, t_, is_cut ? ": it is cut" : ""),
      is_cut ? "restore it first" : suggestion(name, names_in(model_.joints_), "joints"));
  return -1;
}

EditedModel edit(const Model& model, const Configuration& now, double t,
                 const Transaction& transaction, Rejoin rejoin) {
  ModelEditor editor(model, now, t);
  editor.set_rejoin(rejoin);
  for (const Edit& one : transaction) editor.apply(one);
  return editor.finish();
}

Configuration transfer(const Configuration& configuration, const IdMap& map, const Model& from,
                       const Model& to) {
  Configuration result = to.reference_configuration();
  for (std::size_t i = 0; i < map.bodies.size(); ++i) {
    if (!map.bodies[i].valid()) continue;
    result.poses[map.bodies[i].slot()] = configuration.poses[i];
    result.velocities[map.bodies[i].slot()] = configuration.velocities[i];
    const Body& old = from.bodies()[i];
    if (old.modal == nullptr) continue;
    const int first = to.body(map.bodies[i]).first_mode;
    std::copy_n(configuration.modes.begin() + old.first_mode, old.modal->count(),
                result.modes.begin() + first);
    std::copy_n(configuration.mode_rates.begin() + old.first_mode, old.modal->count(),
                result.mode_rates.begin() + first);
  }
  for (std::size_t j = 0; j < map.joints.size(); ++j) {
    if (!map.joints[j].valid()) continue;
    const Joint& old = from.joints()[j];
    std::copy_n(configuration.coordinates.begin() + old.first_freedom, old.nv(),
                result.coordinates.begin() + to.joint(map.joints[j]).first_freedom);
  }
  return result;
}

}  // namespace sarrus
