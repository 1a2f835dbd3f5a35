#include "sarrus/simulation/options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sarrus {
namespace {

// In the order of Projection.
const std::vector<std::string> kProjectionNames = {"auto", "off", "step", "stage"};

Projection projection_or_throw(const std::string& name) {
  if (const auto projection = projection_from(name)) return *projection;
  throw UsageError(fmt::format("there is no projection '{}'; {}", name,
                               suggestion(name, kProjectionNames, "projections")));
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

SimulationOptions resolved(const SimulationOptions& asked, const SimulationDescription& model) {
  if (asked.step && asked.tolerance)
    throw UsageError("a fixed step and a tolerance exclude each other; give one of them");
  SimulationOptions o = asked;
  if (!o.method) o.method = model.method.value_or("auto");
  if (!o.integrator) o.integrator = model.integrator.value_or("dopri5");
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
