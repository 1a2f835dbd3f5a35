#include "sarrus/formulations/method.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarrus/formulations/modular/centralised.h"
#include "sarrus/formulations/modular/uzawa.h"

namespace sarrus {
namespace {

std::unique_ptr<Formulation> make_uzawa(const FormulationOptions& options, RankStudy& study) {
  modular::UzawaOptions chosen = modular::uzawa_options(options.settings, options.tolerance);
  chosen.projection = options.projection;
  chosen.step = options.step;
  chosen.own_steps = options.own_steps;
  return std::make_unique<modular::Uzawa>(study, chosen, options.subsystems);
}

std::unique_ptr<Formulation> make_centralised(modular::Centralised::Solver solver,
                                              const FormulationOptions& options, RankStudy& study) {
  modular::CentralisedOptions chosen = modular::centralised_options(options.settings);
  chosen.projection = options.projection;
  chosen.step = options.step;
  return std::make_unique<modular::Centralised>(solver, study.model(), study.mobility(),
                                                study.conditioning(), chosen);
}

std::unique_ptr<Formulation> make_baumgarte(const FormulationOptions& options, RankStudy& study) {
  return make_centralised(modular::Centralised::Solver::kBaumgarte, options, study);
}

std::unique_ptr<Formulation> make_augmented_lagrangian(const FormulationOptions& options,
                                                       RankStudy& study) {
  return make_centralised(modular::Centralised::Solver::kAugmentedLagrangian, options, study);
}

/// The setting `subsystems` instead of the model's own, so that edits can name them.
Model regrouped(Model model, std::vector<MethodSetting>& settings) {
  const auto found = std::ranges::find(settings, "subsystems", &MethodSetting::name);
  if (found == settings.end()) return model;
  std::vector<SubsystemDescription> groups = modular::subsystems_of(*found);
  settings.erase(found);
  try {
    return model.with_subsystems(std::move(groups));
  } catch (const ModelError& error) {
    std::string told;
    for (const Diagnostic& problem : error.diagnostics())
      told += fmt::format("{}method.subsystems: {}{}", told.empty() ? "" : "\n", problem.what,
                          problem.hint.empty() ? "" : "\n  hint: " + problem.hint);
    throw UsageError(told);
  }
}

}  // namespace

Method uzawa_method() {
  return {.info = {.name = "uzawa",
                   .summary =
                       "subsystems that show only how they respond, glued by joints that iterate; "
                       "edit while it runs",
                   .literature = "Joli, Séguy, Feng 2008",
                   .settings = {"iteration", "tolerance", "max-iterations", "stopping", "start",
                                "rho", "regularisation", "subsystems", "omega", "damping"},
                   .contends = false,
                   .flexible_bodies = true,
                   .body_states = true,
                   .own_steps = true},
          .make = make_uzawa,
          .prepare = regrouped};
}

Method baumgarte_method() {
  return {
      .info = {.name = "baumgarte",
               .summary = "maximal coordinates, one dense system; constraints stabilised at fixed "
                          "steps (omega h = 0.63, a tenth of critical damping), projected at "
                          "adaptive ones",
               .literature = "Baumgarte 1972",
               .settings = {"omega", "damping"},
               .contends = false,
               .body_states = true},
      .make = make_baumgarte};
}

Method augmented_lagrangian_method() {
  return {.info = {.name = "augmented-lagrangian",
                   .summary = "the same with a penalty and a few iterations instead of ranks",
                   .literature = "Bayo, García de Jalón, Serna 1988",
                   .settings = {"omega", "damping", "alpha", "tolerance", "max-iterations"},
                   .contends = false,
                   .body_states = true},
          .make = make_augmented_lagrangian};
}

}  // namespace sarrus
