#include "sarrus/formulations/modular/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus::modular {
namespace {

/// Without projection and without a step to go by: slow enough for any adaptive step, quick enough
/// to bring an error of the usual tolerance back within a few hundredths of a second.
constexpr double kAdaptiveOmega = 50;
constexpr double kAdaptiveDamping = 1;

/// "crank+rod", "n1+n2:point-link", "arm*8".
SubsystemDescription subsystem_of(const std::string& text) {
  SubsystemDescription subsystem;
  subsystem.name = text;
  std::string names = text;
  if (const std::size_t star = names.find('*'); star != std::string::npos) {
    subsystem.steps = whole_number({"subsystems (steps)", names.substr(star + 1)}, 1'000'000);
    names.resize(star);
  }
  if (const std::size_t colon = names.find(':'); colon != std::string::npos) {
    subsystem.kind = names.substr(colon + 1);
    names.resize(colon);
  }
  for (std::size_t first = 0; first <= names.size();) {
    const std::size_t end = std::min(names.find('+', first), names.size());
    subsystem.bodies.push_back(names.substr(first, end - first));
    first = end + 1;
  }
  return subsystem;
}

double tolerance_of(const MethodSetting& setting) {
  const double tolerance = positive_number(setting);
  if (tolerance >= 1)
    throw UsageError(fmt::format(
        "method.tolerance is {}: nothing would be solved\n  hint: 1e-3 is coarse, 1e-10 fine",
        setting.value));
  return tolerance;
}

/// Measured on Bennett's and Bricard's linkages: at a hundredth of it they are locked by some
/// thousandths, at ten times as much the compliance itself begins to show.  [modular-drift]
constexpr double kDriftMargin = 1e7;
/// With more the joints would not hold.
constexpr double kMostCompliance = 1e-3;
/// Of the length: joints that are as far apart will not come together again.
constexpr double kApart = 0.1;

/// Rounding of some thousand rows keeps iterations from going much below.
constexpr double kFinestIteration = 1e-12;

}  // namespace

double drift_compliance(double off) { return std::min(kMostCompliance, kDriftMargin * off * off); }

bool gives_way(double compliance) { return compliance >= kMostCompliance; }

bool are_apart(double off) { return off > kApart; }

Status apart_status(double off, double length, const std::string& worst) {
  return {Status::Code::kDiverged,
          fmt::format("{} has come apart, by some {:.2g} m\n  hint: a shorter --step, or "
                      "--projection stage",
                      worst, off * length)};
}

std::string cut_note(const char* whose, int rounds, double left) {
  return fmt::format(
      "the {} iteration was cut after {} rounds with {:.1e} of the residual left; more are had "
      "with "
      "method.max-iterations",
      whose, rounds, left);
}

Projection projection_for(Projection asked, double step) {
  if (asked != Projection::kAuto) return asked;
  return step > 0 ? Projection::kOff : Projection::kStep;
}

Gains gains_for(std::optional<double> omega, std::optional<double> damping, double step,
                Projection projection) {
  if (step > 0)
    return gains_of(omega.value_or(kPaperOmegaTimesStep / step), damping.value_or(kPaperDamping));
  const double usual = projection == Projection::kOff ? kAdaptiveOmega : 0;
  return gains_of(omega.value_or(usual), damping.value_or(kAdaptiveDamping));
}

CentralisedOptions centralised_options(const std::vector<MethodSetting>& settings) {
  CentralisedOptions options;
  for (const MethodSetting& setting : settings) {
    if (setting.name == "omega") options.omega = positive_number(setting, true);
    if (setting.name == "damping") options.damping = positive_number(setting, true);
    if (setting.name == "alpha") options.alpha = positive_number(setting);
    if (setting.name == "tolerance") options.tolerance = tolerance_of(setting);
    if (setting.name == "max-iterations") options.most_iterations = whole_number(setting, 1000000);
  }
  return options;
}

std::vector<SubsystemDescription> subsystems_of(const MethodSetting& setting) {
  std::vector<SubsystemDescription> subsystems;
  for (const std::string& part : parts_of(setting.value)) subsystems.push_back(subsystem_of(part));
  return subsystems;
}

UzawaOptions uzawa_options(const std::vector<MethodSetting>& settings, double tolerance) {
  UzawaOptions options;
  if (tolerance > 0 && tolerance < options.tolerance)
    options.tolerance = std::max(tolerance, kFinestIteration);
  for (const MethodSetting& setting : settings) {
    const std::string& name = setting.name;
    if (name == "omega") options.omega = positive_number(setting, true);
    if (name == "damping") options.damping = positive_number(setting, true);
    if (name == "tolerance") options.tolerance = tolerance_of(setting);
    if (name == "max-iterations") options.most_iterations = whole_number(setting, 1000000);
    if (name == "regularisation") options.regularisation = positive_number(setting, true);
    if (name == "iteration")
      options.iteration = static_cast<Iteration>(
          one_of(setting, {"richardson", "block-jacobi", "chebyshev", "pcg", "tree"}));
    if (name == "stopping")
      options.stopping = static_cast<Stopping>(one_of(setting, {"residual", "increment"}));
    if (name == "start") options.warm = one_of(setting, {"cold", "warm"}) == 1;
    if (name == "subsystems") options.subsystems = subsystems_of(setting);
    if (name == "rho")
      for (const std::string& part : parts_of(setting.value))
        options.rho.push_back(positive_number({name, part}));
  }
  const bool stationary =
      options.iteration == Iteration::kRichardson || options.iteration == Iteration::kBlockJacobi;
  if (!options.rho.empty() && options.iteration != Iteration::kRichardson)
    throw UsageError("method.rho is for method.iteration=richardson alone");
  if (options.stopping == Stopping::kIncrement && !stationary)
    throw UsageError(
        "method.stopping=increment is for method.iteration=richardson and block-jacobi alone");
  return options;
}

}  // namespace sarrus::modular
