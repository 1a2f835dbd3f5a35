#include "sarrus/integration/make_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/integration/runge_kutta.h"

namespace sarrus {
namespace {

const Tableau& tableau(const std::string& method) {
  if (method == "rk4") return kRk4;
  if (method == "dopri5") return kDopri5;
  throw UsageError(fmt::format("no integrator is named '{}'; {}", method,
                               suggestion(method, integrator_names(), "integrators")));
}

// Below this the error estimate drowns in round-off (MATLAB's bound).
constexpr double kSmallestTolerance = 100 * std::numeric_limits<double>::epsilon();

void check(const IntegratorOptions& options) {
  const auto length = [](double value, const char* what) {
    if (!(std::isfinite(value) && value >= 0))
      throw UsageError(
          fmt::format("{} is {} s; it must be a finite number, 0 or more", what, value));
  };
  length(options.step, "the integrator's step");
  length(options.max_step, "the integrator's largest step");
  length(options.interval, "the integrator's interval");
  if (options.method == "rk4" && options.step == 0)
    throw UsageError("rk4 has no error control and needs a fixed step: give --step");
  if (!(std::isfinite(options.rtol) && options.rtol >= kSmallestTolerance))
    throw UsageError(fmt::format("the relative tolerance is {}; it must be at least {:.1e}",
                                 options.rtol, kSmallestTolerance));
  if (!(std::isfinite(options.atol) && options.atol > 0))
    throw UsageError(
        fmt::format("the absolute tolerance is {}; it must be positive", options.atol));
}

}  // namespace

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{"dopri5", "rk4"};
  return names;
}

std::unique_ptr<Stepper> make_stepper(const Formulation& formulation, std::vector<double> x,
                                      Discrete discrete, double t0,
                                      const IntegratorOptions& options) {
  const Tableau& chosen = tableau(options.method);
  check(options);
  const auto size = static_cast<std::size_t>(formulation.layout().size());
  if (x.size() != size)
    throw UsageError(fmt::format("the initial state has {} numbers; the formulation '{}' needs {}",
                                 x.size(), formulation.name(), size));
  if (!std::isfinite(t0) || !std::ranges::all_of(x, [](double v) { return std::isfinite(v); }))
    throw UsageError("the initial time or state is not finite");
  return std::make_unique<RungeKutta>(
      formulation,
      RungeKutta::Start{.time = t0, .x = std::move(x), .discrete = std::move(discrete)}, chosen,
      options);
}

std::unique_ptr<Stepper> make_stepper(const Formulation& formulation, const Configuration& initial,
                                      double t0, const IntegratorOptions& options) {
  std::vector<double> x(static_cast<std::size_t>(formulation.layout().size()));
  Discrete discrete;
  formulation.encode(initial, x, discrete);
  return make_stepper(formulation, std::move(x), std::move(discrete), t0, options);
}

}  // namespace sarrus
