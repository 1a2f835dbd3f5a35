#include "sarrus/formulations/method.h"

#include <fmt/format.h>

#include "sarrus/formulations/augmented_dca/augmented_dca.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus {
namespace {

AugmentedDcaOptions augmented_dca_options(const FormulationOptions& options) {
  AugmentedDcaOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  for (const MethodSetting& setting : options.settings) {
    const std::string& name = setting.name;
    if (name == "penalty") {
      if (setting.value != "uniform" && setting.value != "deficient")
        throw UsageError(
            fmt::format("there is no penalty '{}'\n  hint: deficient (only directions "
                        "that are nearly lost) or uniform (every joint)",
                        setting.value));
      result.uniform_penalty = setting.value == "uniform";
    } else if (name == "alpha") {
      result.alpha = positive_number(setting);
    } else if (name == "omega") {
      result.omega = positive_number(setting, true);
    } else if (name == "mu") {
      result.mu = positive_number(setting, true);
    } else if (name == "grain") {
      result.grain = positive_number(setting, true);
    } else if (name == "part_bodies") {
      result.part_bodies = whole_number(setting, 1000000);
    } else if (name == "iterations") {
      result.most_iterations = whole_number(setting, 1000);
    } else if (name == "position_tolerance") {
      result.position_tolerance = positive_number(setting);
    } else if (name == "velocity_tolerance") {
      result.velocity_tolerance = positive_number(setting);
    } else if (name == "acceleration_tolerance") {
      result.acceleration_tolerance = positive_number(setting);
    }
  }
  return result;
}

bool suits_augmented_dca(const RankStudy& study) { return study.model().mode_count() == 0; }

std::unique_ptr<Formulation> make_augmented_dca(const FormulationOptions& options,
                                                RankStudy& study) {
  return std::make_unique<AugmentedDca>(study, augmented_dca_options(options));
}

}  // namespace

Method augmented_dca_method() {
  return {
      .info = {.name = "augmented-dca",
               .summary = "divide and conquer over any graph, in parallel; redundant and singular "
                          "systems",
               .literature = "Malczyk, Frączek 2012",
               .settings = {"penalty", "alpha", "omega", "mu", "iterations", "position_tolerance",
                            "velocity_tolerance", "acceleration_tolerance", "part_bodies", "grain"},
               .body_states = true},
      .make = make_augmented_dca,
      .suits = suits_augmented_dca};
}

}  // namespace sarrus
