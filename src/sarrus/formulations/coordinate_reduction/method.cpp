#include "sarrus/formulations/method.h"

#include <fmt/format.h>

#include "sarrus/formulations/coordinate_reduction/coordinate_reduction.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus {
namespace {

CoordinateReductionOptions coordinate_reduction_options(const FormulationOptions& options) {
  CoordinateReductionOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  for (const MethodSetting& setting : options.settings) {
    if (setting.name == "level") {
      if (setting.value == "acceleration")
        result.enforced = Enforced::kAcceleration;
      else if (setting.value == "velocity")
        result.enforced = Enforced::kVelocity;
      else if (setting.value != "position")
        throw UsageError(
            fmt::format("there is no level '{}'\n  hint: position, velocity or acceleration: how "
                        "far the constraints of loops are enforced",
                        setting.value));
    } else if (setting.name == "state") {
      if (setting.value == "independent")
        result.state = StateChoice::kIndependent;
      else if (setting.value == "projected" && !result.preferred.empty())
        throw UsageError("method.independent asks for the state 'independent', not 'projected'");
      else if (setting.value != "projected")
        throw UsageError(
            fmt::format("there is no state '{}'\n  hint: projected (all joint coordinates) or "
                        "independent (as many as there are freedoms)",
                        setting.value));
    } else if (setting.name == "independent") {
      result.preferred = parts_of(setting.value);
      result.state = StateChoice::kIndependent;
    } else if (setting.name == "variant") {
      if (setting.value != "paper" && setting.value != "fronts")
        throw UsageError(fmt::format(
            "there is no variant '{}'\n  hint: fronts, or paper: the recursion as it was published",
            setting.value));
      result.paper = setting.value == "paper";
    } else if (setting.name == "grain") {
      result.grain = positive_number(setting, true);
    }
  }
  return result;
}

bool suits_coordinate_reduction(const RankStudy& study) { return study.model().mode_count() == 0; }

std::unique_ptr<Formulation> make_coordinate_reduction(const FormulationOptions& options,
                                                       RankStudy& study) {
  auto reduction =
      std::make_unique<CoordinateReduction>(study, coordinate_reduction_options(options));
  if (!reduction->too_wide()) return reduction;
  throw NotForThisModel(fmt::format(
      "the loops of '{}' are so interwoven that more than 255 joint accelerations would be "
      "open at once\n  hint: augmented-dca takes such meshes",
      study.model().name()));
}

}  // namespace

Method coordinate_reduction_method() {
  return {
      .info = {.name = "coordinate-reduction",
               .summary = "joint coordinates; loops reduce them where they close: linear cost in "
                          "bodies and loops",
               .literature = "Anderson, Critchley 2003",
               .settings = {"level", "state", "independent", "variant", "grain"}},
      .make = make_coordinate_reduction,
      .suits = suits_coordinate_reduction};
}

}  // namespace sarrus
