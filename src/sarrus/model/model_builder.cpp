#include "sarrus/model/model_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sarrus/model/model_editor.h"

namespace sarrus {
namespace {

/// A place and a rotation: finite numbers, and a quaternion that can be made a unit one.
bool finite(const Transform& X) {
  return X.p.allFinite() && X.q.coeffs().allFinite() && X.q.norm() > 0;
}

JointKind make_kind(const JointDescription& joint) {
  switch (joint.type) {
    case JointType::kRevolute:
      return Revolute{};
    case JointType::kPrismatic:
      return Prismatic{};
    case JointType::kHelical:
      return Helical{joint.lead};
    case JointType::kCylindrical:
      return Cylindrical{};
    case JointType::kUniversal:
      return Universal{};
    case JointType::kSpherical:
      return Spherical{};
    case JointType::kPlanar:
      return Planar{};
    case JointType::kFree:
      return Free{};
    case JointType::kFixed:
      return Fixed{};
  }
  return Fixed{};
}

}  // namespace

void ModelBuilder::error(const SourceLocation& where, std::string what, std::string hint) {
  ++mistakes_;
  if (may_tell()) problems_.push_back({where, std::move(what), std::move(hint)});
}

void ModelBuilder::build() {
  model_.name_ = description_.name;
  model_.gravity_ = description_.gravity;
  model_.simulation_ = description_.simulation;
  if (!description_.gravity.allFinite()) error({}, "gravity is not finite");
  add_bodies();
  place_relative_bodies();
  add_joints();
  add_forces();
  check_motions();
  check_simulation();
  add_subsystems();
  collect_breakpoints();
  if (problems_.empty()) check_timeline();
  if (!problems_.empty()) throw ModelError(std::move(problems_));
}

void ModelBuilder::append() {
  appends_ = true;
  motion_sources_.assign(model_.motions_.size(), nullptr);
  for (const BodyDescription& body : description_.bodies) {
    add_body(body);
    if (body.relative_to.empty()) continue;
    const int base = body_index(body.relative_to, fmt::format("body '{}'", body.name),
                                body.source.at("relative_to"));
    Transform& pose = model_.bodies_.back().X_WB;
    if (base >= 0) pose = model_.bodies_[static_cast<std::size_t>(base)].X_WB * pose;
  }
  for (const JointDescription& joint : description_.joints) add_joint(joint);
  add_forces();
  check_motions();
  if (!problems_.empty()) throw ModelError(std::move(problems_));
}

// Every edit in turn, as far as it can be judged before the run: names and numbers.
void ModelBuilder::check_timeline() {
  std::vector<TimelineEntry> timeline = description_.timeline;
  std::ranges::stable_sort(timeline, {}, &TimelineEntry::at);
  for (const TimelineEntry& entry : timeline)
    if (!(entry.at >= 0) || !std::isfinite(entry.at))
      error(entry.source.at("at"), fmt::format("an entry of the timeline is at {} s", entry.at),
            "give a time from 0 on, in seconds");
  model_.timeline_ = std::make_shared<const std::vector<TimelineEntry>>(std::move(timeline));
  if (model_.timeline_->empty() || !problems_.empty()) return;
  Model changed = model_;
  for (const TimelineEntry& entry : *model_.timeline_) {
    ModelEditor editor(changed, changed.reference_configuration(), entry.at, JudgedAt::kBeforeRun);
    for (const Edit& edit : entry.edits) editor.apply(edit);
    for (const Diagnostic& problem : editor.problems())
      error(problem.where, problem.what, problem.hint);
    if (!problems_.empty()) return;  // what follows may only follow from it
    changed = std::move(editor.finish().model);
  }
}

void ModelBuilder::add_bodies() {
  model_.bodies_.reserve(description_.bodies.size() + 1);
  model_.bodies_.push_back({.name = "ground",
                            .inertia = {},
                            .X_WB = {},
                            .V_start = Vec6::Zero(),
                            .shapes = {},
                            .where = {}});
  model_.body_index_.reserve(description_.bodies.size() + 1);
  model_.body_index_.insert("ground", 0, model_.bodies_);
  if (description_.bodies.empty())
    error({}, fmt::format("model '{}' has no bodies", description_.name),
          "list at least one under 'bodies:'; ground is there by itself");
  for (const BodyDescription& body : description_.bodies) add_body(body);
}

void ModelBuilder::add_body(const BodyDescription& body) {
  check_body(body);
  const int index = static_cast<int>(model_.bodies_.size());
  if (!body.name.empty() && !model_.body_index_.insert(body.name, index, model_.bodies_)) {
    if (body.name == "ground")
      error(body.source.at("name"), "body 'ground' is described, but ground is there by itself",
            "give the body another name and fix it to ground with a 'fixed' joint");
    else
      error(body.source.at("name"), fmt::format("there are two bodies named '{}'", body.name),
            "names must differ");
  }
  Transform pose = body.pose;
  pose.q.normalize();
  model_.bodies_.push_back({.name = body.name,
                            .inertia = {body.mass, body.center_of_mass, body.inertia},
                            .X_WB = pose,
                            .V_start = spatial(body.angular_velocity, body.velocity),
                            .shapes = body.shapes,
                            .where = body.source.element});
  if (body.flexible != nullptr) make_flexible(body, model_.bodies_.back());
}

void ModelBuilder::check_body(const BodyDescription& body) {
  if (body.name.empty()) error(body.source.element, "a body has no name");
  if (!finite(body.pose))
    error(body.source.element, fmt::format("body '{}' has a pose that is not finite", body.name));
  if (!body.velocity.allFinite() || !body.angular_velocity.allFinite())
    error(body.source.element,
          fmt::format("body '{}' has a velocity that is not finite", body.name));
  const std::string defect = inertia_defect({body.mass, body.center_of_mass, body.inertia});
  if (!defect.empty())
    error(body.source.at(body.mass >= 0 ? "inertia" : "mass"),
          fmt::format("body '{}': {}", body.name, defect),
          body.mass >= 0
              ? "the tensor is about the mass centre, in the body's axes, as real bodies "
                "have it; a point mass has inertia 0"
              : "");
}

void ModelBuilder::place_relative_bodies() {
  const auto& bodies = description_.bodies;
  // 0: not yet placed, 1: on the way (a second visit is a circle), 2: placed
  std::vector<char> state(bodies.size(), 0);
  std::vector<std::size_t> path;
  for (std::size_t start = 0; start < bodies.size(); ++start) {
    path.clear();
    std::size_t i = start;
    while (state[i] == 0 && !bodies[i].relative_to.empty()) {
      state[i] = 1;
      path.push_back(i);
      const int base = body_index(bodies[i].relative_to, fmt::format("body '{}'", bodies[i].name),
                                  bodies[i].source.at("relative_to"));
      if (base <= 0) break;  // ground, or unknown and told
      i = static_cast<std::size_t>(base) - 1;
      if (state[i] == 1) {
        error(bodies[i].source.at("relative_to"),
              fmt::format("body '{}' is placed relative to itself, in a circle", bodies[i].name));
        break;
      }
    }
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      const int base = model_.body_index_.find(bodies[*it].relative_to, model_.bodies_);
      if (base >= 0 && state[*it] == 1)
        model_.bodies_[*it + 1].X_WB =
            model_.bodies_[static_cast<std::size_t>(base)].X_WB * model_.bodies_[*it + 1].X_WB;
      state[*it] = 2;
    }
    state[start] = 2;
  }
}

int ModelBuilder::body_index(const std::string& name, const std::string& element,
                             const SourceLocation& where) {
  if (const int found = model_.body_index_.find(name, model_.bodies_); found >= 0) return found;
  if (may_tell() && body_names_.empty()) {
    for (const Body& body : model_.bodies_) body_names_.push_back(body.name);
  }
  error(where, fmt::format("{} names no such body '{}'", element, name),
        may_tell() ? suggestion(name, body_names_, "bodies") : "");
  return -1;
}

void ModelBuilder::add_joints() {
  model_.joints_.reserve(description_.joints.size());
  model_.joint_index_.reserve(description_.joints.size());
  for (const JointDescription& joint : description_.joints) add_joint(joint);
}

void ModelBuilder::add_joint(const JointDescription& description) {
  Joint joint;
  joint.name = description.name;
  joint.kind = make_kind(description);
  joint.cut = description.cut;
  joint.where = description.source.element;
  joint.first_freedom = model_.freedom_count_;
  joint.reference = VecUpTo6::Zero(joint.nv());
  for (const Hold& hold : holds(description, description.reference, "reference"))
    joint.reference[hold.freedom] = hold.value;
  joint.start = holds(description, description.start, "start");
  joint.speed = holds(description, description.speed, "speed");
  const bool sound = check_joint(description, joint);
  if (sound) place_joint(description, joint);
  model_.freedom_count_ += joint.nv();
  const int index = static_cast<int>(model_.joints_.size());
  if (!joint.name.empty() && !model_.joint_index_.insert(joint.name, index, model_.joints_))
    error(description.source.at("name"), fmt::format("there are two joints named '{}'", joint.name),
          "names must differ");
  model_.joints_.push_back(std::move(joint));
}

bool ModelBuilder::check_joint(const JointDescription& description, Joint& joint) {
  const std::size_t before = mistakes_;
  const std::string element = fmt::format("joint '{}'", description.name);
  const Source& source = description.source;
  if (description.name.empty()) error(source.element, "a joint has no name");
  joint.a = BodyId{body_index(description.body_a, element, source.at("bodies[0]"))};
  joint.b = BodyId{body_index(description.body_b, element, source.at("bodies[1]"))};
  if (joint.a.valid() && joint.a == joint.b)
    error(source.at("bodies[1]"),
          fmt::format("{} joins '{}' to itself", element, description.body_a),
          "a joint has two different bodies");
  if (description.frame_a.has_value() != description.frame_b.has_value())
    error(source.at("frames"), fmt::format("{} has a frame in one body only", element),
          "give both frames, or 'at' in the world");
  if (description.frame_a && !description.reference.empty())
    error(source.at("reference"),
          fmt::format("{} has frames in both bodies, which fix its coordinates already", element),
          "drop 'reference', or place the joint with 'at'");
  if (!finite(description.at) || (description.frame_a && !finite(*description.frame_a)) ||
      (description.frame_b && !finite(*description.frame_b)))
    error(source.at("at"), fmt::format("{} has a frame that is not finite", element));
  if (description.type == JointType::kHelical &&
      (!std::isfinite(description.lead) || description.lead == 0))
    error(source.at("lead"),
          fmt::format("{} is helical but its lead is {}", element, description.lead),
          "lead is the advance in metres a turn; without advance use 'revolute'");
  if (description.type != JointType::kHelical && description.lead != 0)
    error(source.at("lead"),
          fmt::format("{} is {} and has no lead", element, name_of(description.type)),
          "lead belongs to 'helical'");
  return mistakes_ == before;
}

void ModelBuilder::place_joint(const JointDescription& description, Joint& joint) {
  if (description.frame_a) {
    joint.X_AF = *description.frame_a;
    joint.X_BM = *description.frame_b;
    joint.X_AF.q.normalize();
    joint.X_BM.q.normalize();
  } else {
    Transform at = description.at;
    at.q.normalize();
    const Transform X_FM = transform_from_coordinates(joint.kind, joint.reference.data());
    joint.X_AF = model_.body(joint.a).X_WB.inverse() * at * X_FM.inverse();
    joint.X_BM = model_.body(joint.b).X_WB.inverse() * at;
  }
  const std::string element = fmt::format("joint '{}'", description.name);
  joint.attachment_a = attachment(joint.a.index, description.node_a, joint.X_AF, element,
                                  description.source.at("nodes[0]"));
  joint.attachment_b = attachment(joint.b.index, description.node_b, joint.X_BM, element,
                                  description.source.at("nodes[1]"));
}

std::vector<Hold> ModelBuilder::holds(const JointDescription& description,
                                      const CoordinateValues& values, std::string_view field) {
  const auto& names = joint_coordinate_names(description.type);
  std::vector<Hold> result;
  for (const auto& [name, value] : values) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      error(description.source.at(field),
            fmt::format("joint '{}' is {} and has no coordinate '{}'", description.name,
                        name_of(description.type), name),
            suggestion(name, names, "coordinates"));
    } else if (!std::isfinite(value)) {
      error(description.source.at(field),
            fmt::format("joint '{}' has a {} that is not finite", description.name, field));
    } else {
      result.push_back({static_cast<int>(found - names.begin()), value});
    }
  }
  return result;
}

void ModelBuilder::check_simulation() {
  const SimulationDescription& s = description_.simulation;
  const auto positive = [&](const std::optional<double>& number, const char* key) {
    if (number && !(*number > 0 && std::isfinite(*number)))
      error(s.source.at(key),
            fmt::format("simulation: '{}' is {}, not a positive number", key, *number));
  };
  positive(s.every, "every");
  positive(s.step, "step");
  positive(s.tolerance, "tolerance");
  if (s.until && !(*s.until >= 0 && std::isfinite(*s.until)))
    error(s.source.at("until"), fmt::format("simulation: 'until' is {}, not a time ≥ 0", *s.until));
}

void ModelBuilder::collect_breakpoints() { model_.collect_breakpoints(); }

}  // namespace sarrus
