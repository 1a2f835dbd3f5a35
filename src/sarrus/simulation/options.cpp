#include "sarrus/simulation/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/integration/make_stepper.h"

namespace sarrus {
namespace {

// In the order of Projection.
const std::vector<std::string> kProjectionNames = {"auto", "off", "step", "stage"};

Projection projection_or_throw(const std::string& name) {
  if (const auto projection = projection_from(name)) return *projection;
  throw UsageError(fmt::format("there is no projection '{}'; {}", name,
                               suggestion(name, kProjectionNames, "projections")));
}

/// What nobody has asked for: `multirate` belongs to methods that step by themselves, and to subsystems
/// with steps of their own.
std::string integrator_for(const std::string& method, const Model& model) {
  const bool steps_itself = can_step_itself(method);
  const auto& said = model.simulation().integrator;
  if (said && (steps_itself || *said != kMultirate)) return *said;
  const bool own_steps =
      std::ranges::any_of(model.subsystems(), [](const auto& group) { return group.steps > 1; });
  return steps_itself && own_steps ? std::string(kMultirate) : "dopri5";
}

void check_positive(const std::optional<double>& number, const char* what) {
  if (number && !(*number > 0 && std::isfinite(*number)))
    throw UsageError(fmt::format("{} must be a positive number, not {}", what, *number));
}

}  // namespace

std::optional<Projection> projection_from(std::string_view name) {
  for (std::size_t i = 0; i < kProjectionNames.size(); ++i)
    if (kProjectionNames[i] == name) return static_cast<Projection>(i);
  return std::nullopt;
}

std::string_view name_of(Projection projection) {
  return kProjectionNames[static_cast<std::size_t>(projection)];
}

std::string method_of(const SimulationOptions& asked, const Model& model) {
  return asked.method.value_or(model.simulation().method.value_or("auto"));
}

SimulationOptions resolved(const SimulationOptions& asked, const Model& described) {
  const SimulationDescription& model = described.simulation();
  if (asked.step && asked.tolerance)
    throw UsageError("a fixed step and a tolerance exclude each other; give one of them");
  SimulationOptions o = asked;
  o.method = method_of(asked, described);
  if (!o.integrator) o.integrator = integrator_for(*o.method, described);
  if (!o.projection) o.projection = projection_or_throw(model.projection.value_or("auto"));
  if (!o.until) o.until = model.until.value_or(10.0);
  if (!o.step && !asked.tolerance) o.step = model.step;
  if (!o.tolerance) o.tolerance = model.tolerance.value_or(1e-8);
  check_positive(o.step, "the step");
  check_positive(o.tolerance, "the tolerance");
  if (!(*o.until >= 0 && std::isfinite(*o.until)))
    throw UsageError(fmt::format("the end time must be a number ≥ 0, not {}", *o.until));
  return o;
}

}  // namespace sarrus
