#include "sarrus/integration/make_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/integration/collocation.h"
#include "sarrus/integration/newmark.h"
#include "sarrus/integration/runge_kutta.h"

namespace sarrus {
namespace {

NewmarkPredictor predictor(const std::string& method) {
  return method == "newmark" ? NewmarkPredictor::kTaylor : NewmarkPredictor::kPaper;
}

void check_name(const std::string& method) {
  if (std::ranges::find(integrator_names(), method) == integrator_names().end())
    throw UsageError(fmt::format("no integrator is named '{}'; {}", method,
                                 suggestion(method, integrator_names(), "integrators")));
}

bool is_newmark(const std::string& method) {
  return method == "newmark" || method == "newmark-paper";
}

/// [newmark-stability]
void check_newmark(const Formulation& formulation, const IntegratorOptions& options) {
  if (formulation.velocity_pairs().empty())
    throw UsageError(
        fmt::format("{} needs positions and velocities of bodies, which the state of {} has not\n"
                    "  hint: uzawa, baumgarte, augmented-lagrangian, augmented-dca and reference "
                    "have them",
                    options.method, formulation.name()));
  const auto stabilisation = formulation.stabilisation();
  if (!stabilisation) return;
  const double limit = newmark_stability_limit(predictor(options.method), stabilisation->damping);
  if (stabilisation->omega * options.step <= limit) return;
  throw UsageError(fmt::format(
      "with {} the constraints would be unstable: omega times the step is {:.3g}, and at a damping "
      "of {:.3g} it may be {:.3g} at most\n  hint: a step of {:.3g} s, or method.omega={:.4g}",
      options.method, stabilisation->omega * options.step, stabilisation->damping, limit,
      limit / stabilisation->omega, std::floor(1e3 * limit / options.step) / 1e3));
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
  if (options.method != "dopri5" && options.step == 0)
    throw UsageError(
        fmt::format("{} has no error control and needs a fixed step: give --step", options.method));
  if (!(std::isfinite(options.rtol) && options.rtol >= kSmallestTolerance))
    throw UsageError(fmt::format("the relative tolerance is {}; it must be at least {:.1e}",
                                 options.rtol, kSmallestTolerance));
  if (!(std::isfinite(options.atol) && options.atol > 0))
    throw UsageError(
        fmt::format("the absolute tolerance is {}; it must be positive", options.atol));
}

}  // namespace

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{"dopri5",   "rk4",     "gauss4",
                                              "midpoint", "newmark", "newmark-paper"};
  return names;
}

std::unique_ptr<Stepper> make_stepper(const Formulation& formulation, std::vector<double> x,
                                      Discrete discrete, double t0,
                                      const IntegratorOptions& options) {
  check_name(options.method);
  check(options);
  const auto size = static_cast<std::size_t>(formulation.layout().size());
  if (x.size() != size)
    throw UsageError(fmt::format("the initial state has {} numbers; the formulation '{}' needs {}",
                                 x.size(), formulation.name(), size));
  if (!std::isfinite(t0) || !std::ranges::all_of(x, [](double v) { return std::isfinite(v); }))
    throw UsageError("the initial time or state is not finite");
  if (is_newmark(options.method)) {
    check_newmark(formulation, options);
    return std::make_unique<Newmark>(
        formulation, Newmark::Start{.time = t0, .x = std::move(x), .discrete = std::move(discrete)},
        predictor(options.method), options);
  }
  if (options.method == "gauss4" || options.method == "midpoint")
    return std::make_unique<Collocation>(
        formulation,
        Collocation::Start{.time = t0, .x = std::move(x), .discrete = std::move(discrete)},
        options.method == "gauss4" ? kGauss4 : kMidpoint, options);
  const Tableau& chosen = options.method == "rk4" ? kRk4 : kDopri5;
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
