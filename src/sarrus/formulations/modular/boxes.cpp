#include "sarrus/formulations/modular/boxes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/modular/bodies_subsystem.h"
#include "sarrus/formulations/modular/flexible_box.h"
#include "sarrus/formulations/modular/point_link.h"

namespace sarrus::modular {
namespace {

const std::string kPointLink = "point-link";

std::unique_ptr<Subsystem> make_subsystem(const Model& model, const Configuration& assembled,
                                          const std::string& kind,
                                          const std::vector<BodyId>& bodies,
                                          const SubsystemKinds& kinds) {
  if (kind == "bodies") return std::make_unique<BodiesSubsystem>(model, bodies, assembled);
  if (kind == kPointLink) return std::make_unique<PointLink>(model, bodies);
  if (const auto found = kinds.find(kind); found != kinds.end())
    return found->second(model, bodies, assembled);
  std::vector<std::string> names = {"bodies", kPointLink};
  for (const auto& [name, factory] : kinds) names.push_back(name);
  throw UsageError(fmt::format("there is no kind of subsystem '{}'\n  hint: {}", kind,
                               suggestion(kind, names, "kinds")));
}

/// A mistake in a subsystem of a model file is told with its place.
Diagnostic told_at(const SubsystemDescription& group, const std::string& message) {
  static constexpr std::string_view kHint = "\n  hint: ";
  const std::size_t cut = message.find(kHint);
  return {group.source.at("kind"),
          fmt::format("subsystem '{}': {}", group.name, message.substr(0, cut)),
          cut == std::string::npos ? "" : message.substr(cut + kHint.size())};
}

bool is_point(const Inertia& inertia) {
  return inertia.mass > 0 && inertia.central.isZero(0) && inertia.center.isZero(0);
}

/// How to group a body that cannot stand by itself.
std::string hint_for(const Model& model, BodyId body) {
  if (is_point(model.body(body).inertia))
    for (const Joint& joint : model.joints()) {
      if (joint.type() != JointType::kFixed || (joint.a != body && joint.b != body)) continue;
      if (joint.a == kGround || !is_point(model.body(joint.a).inertia) ||
          !is_point(model.body(joint.b).inertia))
        continue;
      const std::string& one = model.body(joint.a).name;
      const std::string& other = model.body(joint.b).name;
      return fmt::format(
          "it is one end of a rod between point masses, so make the two a subsystem: --set "
          "method.subsystems={}+{}:point-link, or in the model file 'subsystems: [{{name: rod, "
          "bodies: [{}, {}], kind: point-link}}]'",
          one, other, one, other);
    }
  return "give it mass and a full tensor, or group it with what holds it: under 'subsystems:' of "
         "the model file, or as in --set method.subsystems=first+second";
}

std::vector<BodyId> bodies_of(const Model& model, const SubsystemDescription& group,
                              std::vector<char>& taken) {
  std::vector<BodyId> bodies;
  for (const std::string& name : group.bodies) {
    const BodyId body = model.find_body(name);
    if (body == kGround)
      throw UsageError("ground cannot be part of a subsystem\n  hint: joints hold boxes to it");
    if (taken[body.slot()] != 0)
      throw UsageError(fmt::format("body '{}' stands in two subsystems", name));
    taken[body.slot()] = 1;
    bodies.push_back(body);
  }
  std::ranges::sort(bodies);
  return bodies;
}

}  // namespace

std::vector<FilledBox> make_boxes(const Model& model, const Configuration& assembled,
                                  const UzawaOptions& options, const SubsystemKinds& kinds) {
  std::vector<FilledBox> boxes;
  std::vector<Diagnostic> problems;
  std::vector<char> taken(model.bodies().size(), 0);
  const auto add_body = [&](BodyId body, int steps) {
    if (model.body(body).modal != nullptr) {
      auto inside = std::make_unique<FlexibleBox>(model, body);
      boxes.push_back(
          {{.bodies = {body.index}, .is_body = false, .steps = steps}, std::move(inside)});
      return;
    }
    boxes.push_back({{.bodies = {body.index}, .is_body = true, .steps = steps}, nullptr});
    if (!BodyAdmittance(model.body(body).inertia).exists)
      throw UsageError(
          fmt::format("uzawa cannot take body '{}' by itself: it has no inertia against some "
                      "motion\n  hint: {}",
                      model.body(body).name, hint_for(model, body)));
  };
  for (const SubsystemDescription& group :
       options.subsystems ? *options.subsystems : model.subsystems()) {
    const std::vector<BodyId> bodies = bodies_of(model, group, taken);
    try {
      if (bodies.size() == 1 && group.kind == "bodies") {
        add_body(bodies.front(), group.steps);
        continue;
      }
      for (const BodyId body : bodies)
        if (model.body(body).modal != nullptr)
          throw UsageError(
              fmt::format("body '{}' is flexible, and such a body is a subsystem by itself\n"
                          "  hint: leave it out of this one",
                          model.body(body).name));
      if (group.kind == kPointLink && group.steps > 1)
        throw UsageError(fmt::format(
            "a point-link takes no steps of its own: nothing in it moves but the rod as a whole\n"
            "  hint: leave out its {} steps, or take kind 'bodies'",
            group.steps));
      Box box{.bodies = {}, .is_body = false, .steps = group.steps};
      for (const BodyId body : bodies) box.bodies.push_back(body.index);
      boxes.push_back({box, make_subsystem(model, assembled, group.kind, bodies, kinds)});
    } catch (const UsageError& error) {
      if (group.source.element.file.empty()) throw;
      problems.push_back(told_at(group, error.what()));
    }
  }
  if (!problems.empty()) throw ModelError(std::move(problems));
  for (int i = 1; i < model.body_count(); ++i)
    if (taken[static_cast<std::size_t>(i)] == 0) add_body(BodyId{i}, 1);
  return boxes;
}

}  // namespace sarrus::modular
