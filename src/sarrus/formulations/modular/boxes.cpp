#include "sarrus/formulations/modular/boxes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/modular/bodies_subsystem.h"
#include "sarrus/formulations/modular/point_link.h"

namespace sarrus::modular {
namespace {

std::unique_ptr<Subsystem> make_subsystem(const Model& model, const Configuration& assembled,
                                          const std::string& kind,
                                          const std::vector<BodyId>& bodies,
                                          const SubsystemKinds& kinds) {
  if (kind == "bodies") return std::make_unique<BodiesSubsystem>(model, bodies, assembled);
  if (kind == "point-link") return std::make_unique<PointLink>(model, bodies);
  if (const auto found = kinds.find(kind); found != kinds.end())
    return found->second(model, bodies, assembled);
  std::vector<std::string> names = {"bodies", "point-link"};
  for (const auto& [name, factory] : kinds) names.push_back(name);
  throw UsageError(fmt::format("there is no kind of subsystem '{}'\n  hint: {}", kind,
                               suggestion(kind, names, "kinds")));
}

}  // namespace

std::vector<FilledBox> make_boxes(const Model& model, const Configuration& assembled,
                                  const UzawaOptions& options, const SubsystemKinds& kinds) {
  std::vector<FilledBox> boxes;
  std::vector<char> taken(model.bodies().size(), 0);
  for (const SubsystemChoice& choice : options.subsystems) {
    std::vector<BodyId> bodies;
    for (const std::string& name : choice.bodies) {
      const BodyId body = model.find_body(name);
      if (body == kGround)
        throw UsageError("ground cannot be part of a subsystem\n  hint: joints hold boxes to it");
      if (taken[body.slot()] != 0)
        throw UsageError(fmt::format("body '{}' stands in two subsystems", name));
      taken[body.slot()] = 1;
      bodies.push_back(body);
    }
    std::ranges::sort(bodies);
    Box box{.bodies = {}, .is_body = false};
    for (const BodyId body : bodies) box.bodies.push_back(body.index);
    boxes.push_back({box, make_subsystem(model, assembled, choice.kind, bodies, kinds)});
  }
  for (int i = 1; i < model.body_count(); ++i) {
    if (taken[static_cast<std::size_t>(i)] != 0) continue;
    boxes.push_back({{.bodies = {i}, .is_body = true}, nullptr});
    if (!BodyAdmittance(model.body(BodyId{i}).inertia).exists)
      throw UsageError(fmt::format(
          "uzawa cannot take body '{}' by itself: it has no inertia against some motion\n  hint: "
          "give it mass and a full tensor, or group it with what holds it, as in "
          "method.subsystems=first+second",
          model.body(BodyId{i}).name));
  }
  return boxes;
}

}  // namespace sarrus::modular
