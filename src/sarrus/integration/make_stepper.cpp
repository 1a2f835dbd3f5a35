#include "sarrus/integration/make_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/integration/collocation.h"
#include "sarrus/integration/cvode.h"
#include "sarrus/integration/newmark.h"
#include "sarrus/integration/own_steps.h"
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

/// Growth of φ over one step of an explicit method of fourth or fifth order.  [stabilised-step]
double growth_of_runge_kutta(bool fifth, double omega_h, double damping) {
  using Complex = std::complex<double>;
  const Complex root = std::sqrt(Complex(damping * damping - 1));
  double largest = 0;
  for (const double sign : {-1.0, 1.0}) {
    const Complex z = omega_h * (-damping + sign * root);
    Complex sum = 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)));
    if (fifth) sum += z * z * z * z * z * (1.0 / 120 + z / 600.0);
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

void check_runge_kutta(const Formulation& formulation, const IntegratorOptions& options) {
  const auto stabilisation = formulation.stabilisation();
  if (!stabilisation || options.step == 0) return;
  const auto stable = [&](double omega_h) {
    return growth_of_runge_kutta(options.method != "rk4", omega_h, stabilisation->damping) <=
           1 + 1e-12;
  };
  const double asked = stabilisation->omega * options.step;
  if (stable(asked)) return;
  double limit = 0;
  for (double factor = 1; factor > 1e-3 && limit == 0; factor *= 0.9)
    if (stable(factor * asked)) limit = factor * asked;
  throw UsageError(fmt::format(
      "with {} the constraints would be unstable: omega times the step is {:.3g}, too much at a "
      "damping of {:.3g}\n  hint: {}",
      options.method, asked, stabilisation->damping,
      limit > 0 ? fmt::format("a step of {:.2g} s, or method.omega={:.3g}",
                              limit / stabilisation->omega, limit / options.step)
                : "less method.damping"));
}

/// [newmark-stability]
void check_newmark(const Formulation& formulation, const IntegratorOptions& options) {
  if (formulation.velocity_pairs().empty())
    throw UsageError(
        fmt::format("{} needs positions and velocities of bodies, which the state of {} has not\n"
                    "  hint: these have them: {}",
                    options.method, formulation.name(), methods_that(&MethodInfo::body_states)));
  const auto stabilisation = formulation.stabilisation();
  if (!stabilisation) return;
  const double limit = newmark_stability_limit(predictor(options.method), stabilisation->damping);
  if (stabilisation->omega * options.step <= limit) return;
  if (limit == 0)
    throw UsageError(
        fmt::format("with {} the constraints would be unstable at any step with a damping of {:.3g}"
                    "\n  hint: less method.damping; 1 is critical",
                    options.method, stabilisation->damping));
  throw UsageError(fmt::format(
      "with {} the constraints would be unstable: omega times the step is {:.3g}, and at a damping "
      "of {:.3g} it may be {:.3g} at most\n  hint: a step of {:.3g} s, or method.omega={:.4g}",
      options.method, stabilisation->omega * options.step, stabilisation->damping, limit,
      limit / stabilisation->omega, std::floor(1e3 * limit / options.step) / 1e3));
}

void check_own_steps(const Formulation& formulation, const IntegratorOptions& options) {
  if (formulation.steps_itself() != (options.method == kMultirate))
    throw UsageError(
        fmt::format("the integrator {} and a method that was made to step itself belong together: "
                    "{} with {} do not\n  hint: --method {} --integrator {}, or another integrator "
                    "for both",
                    kMultirate, formulation.name(), options.method,
                    methods_that(&MethodInfo::own_steps), kMultirate));
  const std::string impatient = formulation.wants_own_steps();
  if (formulation.steps_itself() || impatient.empty()) return;
  throw UsageError(fmt::format(
      "{}, and {} gives all of them the same\n  hint: --integrator {} with a --step, or "
      "leave out the steps of subsystems",
      impatient, options.method, kMultirate));
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
  if (options.method == "cvode" && options.step != 0)
    throw UsageError(
        "cvode chooses its steps by their errors and takes no fixed one\n"
        "  hint: give --tolerance instead of a step");
  if (options.method != "dopri5" && options.method != "cvode" && options.step == 0)
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
  static const std::vector<std::string> names{"dopri5", "rk4",     "gauss4",        "midpoint",
                                              "cvode",  "newmark", "newmark-paper", kMultirate};
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
  if (!std::isfinite(t0) || !all_finite(x))
    throw UsageError("the initial time or state is not finite");
  check_own_steps(formulation, options);
  Integrator::Start start{.time = t0, .x = std::move(x), .discrete = std::move(discrete)};
  if (formulation.steps_itself())
    return std::make_unique<OwnSteps>(formulation, std::move(start), options);
  if (is_newmark(options.method)) {
    check_newmark(formulation, options);
    return std::make_unique<Newmark>(formulation, std::move(start), predictor(options.method),
                                     options);
  }
  if (options.method == "gauss4" || options.method == "midpoint")
    return std::make_unique<Collocation>(formulation, std::move(start),
                                         options.method == "gauss4" ? kGauss4 : kMidpoint, options);
  if (options.method == "cvode" && formulation.redefines_state())
    throw UsageError(fmt::format(
        "cvode remembers states of many steps, and {} gives its numbers another meaning "
        "after each of them\n  hint: dopri5, or another method",
        formulation.name()));
  if (options.method == "cvode")
    return std::make_unique<Cvode>(formulation, std::move(start), options);
  check_runge_kutta(formulation, options);
  return std::make_unique<RungeKutta>(formulation, std::move(start),
                                      options.method == "rk4" ? kRk4 : kDopri5, options);
}

std::unique_ptr<Stepper> make_stepper(const Formulation& formulation, const Configuration& initial,
                                      double t0, const IntegratorOptions& options) {
  std::vector<double> x(static_cast<std::size_t>(formulation.layout().size()));
  Discrete discrete;
  formulation.encode(initial, x, discrete);
  return make_stepper(formulation, std::move(x), std::move(discrete), t0, options);
}

}  // namespace sarrus
