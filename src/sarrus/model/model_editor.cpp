#include "sarrus/model/model_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/model/loads.h"
#include "sarrus/model/model_builder.h"

namespace sarrus {
namespace {

std::size_t slot(int index) { return static_cast<std::size_t>(index); }

template <class Elements>
int position_of(const Elements& elements, const std::string& name) {
  const auto found = std::ranges::find(elements, name, [](const auto& e) { return e.name; });
  return found == elements.end() ? -1 : static_cast<int>(found - elements.begin());
}

template <class Elements>
std::vector<std::string> names_in(const Elements& elements) {
  std::vector<std::string> names;
  for (const auto& element : elements) names.push_back(element.name);
  return names;
}

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

std::string in_words(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

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
  for (std::size_t j = 0; j < joint_count_; ++j) {
    Joint& joint = model_.joints_[j];
    for (int k = 0; k < joint.nv(); ++k)
      joint.reference[k] = now.coordinates[slot(joint.first_freedom + k)];
    old_joint_.push_back(static_cast<int>(j));
  }
}

void ModelEditor::apply(const Edit& edit) {
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
  EditedModel result{.model = std::move(model_), .map = {}, .closes = closes_, .told = told_};
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

// --- joints ---------------------------------------------------------------------------------

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
  const JointView view(X_WA, Vec6::Zero(), joint.X_AF, X_WB, Vec6::Zero(), joint.X_BM);
  const Rows rows = joint.coordinate_rows(view, joint.reference.data());
  for (int k = 0; k < rows.count; ++k) joint.reference[k] = rows[k].value;
  for (const PrescribedMotion& motion : motions)
    joint.reference[motion.at.index] = motion.value(t_).value;
  const Transform X_FM = transform_from_coordinates(joint.kind, joint.reference.data());
  joint.X_BM = X_WB.inverse() * (X_WA * joint.X_AF * X_FM);
  joint.X_BM.q.normalize();
}

double ModelEditor::gap_of(const Joint& joint) const {
  const JointView view(model_.body(joint.a).X_WB, Vec6::Zero(), joint.X_AF,
                       model_.body(joint.b).X_WB, Vec6::Zero(), joint.X_BM);
  double square = 0;
  for (const Row& row : joint.constraint_rows(view, joint.reference.data()))
    square += row.value * row.value;
  return std::sqrt(square);
}

// Rows that are dots of axes vanish at half a turn, too.
bool ModelEditor::faces_the_wrong_way(const Joint& joint) const {
  const Mat3 R = ((model_.body(joint.a).X_WB.q * joint.X_AF.q).conjugate() *
                  (model_.body(joint.b).X_WB.q * joint.X_BM.q))
                     .toRotationMatrix();
  switch (joint.type()) {
    case JointType::kRevolute:
    case JointType::kHelical:
    case JointType::kCylindrical:
    case JointType::kPlanar:
      return R(2, 2) <= 0;
    case JointType::kPrismatic:
    case JointType::kFixed:
      return R.trace() <= 1;  // half a turn away from the rows' right zero
    default:
      return false;
  }
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
  const JointView view(model_.body(away.joint.a).X_WB, Vec6::Zero(), away.joint.X_AF,
                       model_.body(away.joint.b).X_WB, Vec6::Zero(), away.joint.X_BM);
  const Rows rows = away.joint.coordinate_rows(view, away.joint.reference.data());
  for (int k = 0; k < rows.count; ++k) away.joint.reference[k] = rows[k].value;
  model_.soft_joints_.erase(model_.soft_joints_.begin() + soft);
  model_.cut_away_.erase(found);
  put_back(std::move(away));
  told_.push_back(fmt::format("joint '{}' is closed", name));
}

void ModelEditor::tune(std::size_t index, const SoftJoint& tuned) {
  SoftJoint& soft = model_.soft_joints_[index];
  soft.mass = tuned.mass;
  soft.limit = tuned.limit;
  soft.length = tuned.length;
  soft.frequency = tuned.frequency;
}

void ModelEditor::set_lead(const std::string& name, const Vec6& lead) {
  const int index = position_of(model_.soft_joints_, name);
  if (index >= 0) model_.soft_joints_[slot(index)].lead = lead;
}

// --- adding ---------------------------------------------------------------------------------

void ModelEditor::apply(const AddBody& edit, const Source&) {
  Description additions;
  additions.add_body(edit.body);
  if (append(additions)) told_.push_back(fmt::format("added body '{}'", edit.body.name));
}

void ModelEditor::apply(const AddJoint& edit, const Source& source) {
  const std::string& name = edit.joint.name;
  if (std::ranges::any_of(model_.cut_away_,
                          [&](const CutAway& away) { return away.joint.name == name; })) {
    error(source.at("add"), fmt::format("there is a joint '{}' already; it is cut", name),
          "restore it, or take another name");
    return;
  }
  Description additions;
  additions.add_joint(edit.joint);
  if (!append(additions)) return;
  const int index = static_cast<int>(model_.joints_.size()) - 1;
  Joint& joint = model_.joints_.back();
  if (edit.joint.frame_a) {
    const JointView view(model_.body(joint.a).X_WB, Vec6::Zero(), joint.X_AF,
                         model_.body(joint.b).X_WB, Vec6::Zero(), joint.X_BM);
    const Rows rows = joint.coordinate_rows(view, joint.reference.data());
    for (int k = 0; k < rows.count; ++k) joint.reference[k] = rows[k].value;
    constexpr double kClosed = 1e-12;
    if (judge_ == JudgedAt::kNow && gap_of(joint) > kClosed) {
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

// --- removing -------------------------------------------------------------------------------

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
  model_.bodies_.erase(model_.bodies_.begin() + index);
  old_body_.erase(old_body_.begin() + index);
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

// --- grabs ----------------------------------------------------------------------------------

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
  if (position_of(model_.soft_joints_, edit.name) >= 0)
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

EditedModel edit(const Model& model, const Configuration& now, double t,
                 const Transaction& transaction) {
  ModelEditor editor(model, now, t);
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
