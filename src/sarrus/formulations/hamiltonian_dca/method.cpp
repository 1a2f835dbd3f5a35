#include "sarrus/formulations/method.h"

#include <fmt/format.h>

#include "sarrus/formulations/hamiltonian_dca/hamiltonian_dca.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus {
namespace {

HamiltonianDcaOptions hamiltonian_dca_options(const FormulationOptions& options) {
  HamiltonianDcaOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  if (options.projection == Projection::kStage)
    throw UsageError(
        "hamiltonian-dca obeys the constraints on velocities at every stage by itself; positions "
        "are "
        "corrected after steps only\n  hint: --projection step");
  for (const MethodSetting& setting : options.settings) {
    if (setting.name == "regauge") {
      if (setting.value != "on" && setting.value != "off")
        throw UsageError(fmt::format(
            "method.regauge is on or off, not '{}'\n  hint: off lets the impulses of loops grow "
            "with time, to show why it is on",
            setting.value));
      result.regauge = setting.value == "on";
    } else if (setting.name == "friction") {
      if (setting.value != "explicit" && setting.value != "implicit")
        throw UsageError(fmt::format(
            "method.friction is explicit or implicit, not '{}'\n  hint: implicit lets steps be "
            "longer than stiff friction of joints allows",
            setting.value));
      if (setting.value == "explicit") continue;
      if (!(options.step > 0))
        throw UsageError(
            "implicit friction goes by the length of the steps and needs a fixed one\n  hint: "
            "--integrator rk4 --step 0.001");
      result.implicit_friction = options.step;
    } else if (setting.name == "position_tolerance") {
      result.position_tolerance = positive_number(setting, true);
    } else if (setting.name == "grain") {
      result.grain = positive_number(setting, true);
    } else if (setting.name == "part_bodies") {
      result.part_bodies = whole_number(setting, 1000000);
    }
  }
  return result;
}

std::unique_ptr<Formulation> make_hamiltonian_dca(const FormulationOptions& options,
                                                  RankStudy& study) {
  return std::make_unique<HamiltonianDca>(study, hamiltonian_dca_options(options));
}

}  // namespace

Method hamiltonian_dca_method() {
  return {
      .info = {.name = "hamiltonian-dca",
               .summary = "canonical momenta of the joints; velocities by divide and conquer, no "
                          "accelerations: constraints hardly drift",
               .literature = "Chadaj, Malczyk, Frączek 2015",
               .settings = {"regauge", "friction", "position_tolerance", "part_bodies", "grain"}},
      .make = make_hamiltonian_dca};
}

}  // namespace sarrus
