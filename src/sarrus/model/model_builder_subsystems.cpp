#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sarrus/model/model_builder.h"

namespace sarrus {
namespace {

constexpr int kMostSubSteps = 1'000'000;

}  // namespace

// Kinds are known to the method that has them.
void ModelBuilder::add_subsystems() {
  std::map<std::string_view, const SubsystemDescription*> owner;
  std::vector<std::string_view> names;
  for (const SubsystemDescription& group : description_.subsystems) {
    const Source& source = group.source;
    const std::string element = fmt::format("subsystem '{}'", group.name);
    if (group.name.empty()) error(source.element, "a subsystem has no name");
    if (!group.name.empty() && std::ranges::find(names, group.name) != names.end())
      error(source.at("name"), fmt::format("there are two subsystems named '{}'", group.name),
            "names must differ");
    names.push_back(group.name);
    if (group.bodies.empty())
      error(source.at("bodies"), fmt::format("{} has no bodies", element),
            "list them: 'bodies: [crank, rod]'");
    for (const std::string& name : group.bodies) {
      const int body = body_index(name, element, source.at("bodies"));
      if (body == 0)
        error(source.at("bodies"), fmt::format("{} has ground among its bodies", element),
              "joints hold subsystems to ground");
      if (body <= 0) continue;
      const auto [at, is_first] = owner.emplace(name, &group);
      if (is_first) continue;
      const bool twice = at->second == &group;
      error(source.at("bodies"),
            twice ? fmt::format("{} names body '{}' twice", element, name)
                  : fmt::format("body '{}' is in two subsystems, '{}' and '{}'", name,
                                at->second->name, group.name),
            twice ? "once is enough" : "a body belongs to one at most");
    }
    if (group.kind.empty())
      error(source.at("kind"), fmt::format("{} has an empty kind", element),
            "'bodies' is what it is without one");
    if (group.steps < 1 || group.steps > kMostSubSteps)
      error(source.at("steps"), fmt::format("{} takes {} steps", element, group.steps),
            fmt::format("a whole number from 1 to {}: its steps within one of the others",
                        kMostSubSteps));
  }
  model_.subsystems_ = description_.subsystems;
}

void ModelBuilder::regroup() {
  add_subsystems();
  if (!problems_.empty()) throw ModelError(std::move(problems_));
}

Model Model::with_subsystems(std::vector<SubsystemDescription> subsystems) const {
  Model model = *this;
  Description groups;
  groups.subsystems = std::move(subsystems);
  ModelBuilder(groups, model).regroup();
  return model;
}

}  // namespace sarrus
