#include "sarrus/formulations/method.h"

#include <fmt/format.h>

#include "sarrus/formulations/branches/branches.h"
#include "sarrus/formulations/setting_values.h"

namespace sarrus {
namespace {

BranchesOptions branches_options(const FormulationOptions& options) {
  BranchesOptions result;
  result.projection = options.projection;
  result.threads = options.threads;
  for (const MethodSetting& setting : options.settings) {
    if (setting.name == "connections") {
      if (setting.value != "simultaneous" && setting.value != "sequential")
        throw UsageError(fmt::format(
            "method.connections is simultaneous or sequential, not '{}'\n  hint: simultaneous "
            "solves one matrix of all connections, sequential two clusters of branches at a time",
            setting.value));
      result.connections = setting.value == "simultaneous" ? branches::Solution::kSimultaneous
                                                           : branches::Solution::kSequential;
    } else if (setting.name == "cuts") {
      result.cuts = parts_of(setting.value);
    } else if (setting.name == "branches") {
      result.branches = whole_number(setting, 100000);
    } else if (setting.name == "baumgarte") {
      result.baumgarte = positive_number(setting, true);
    } else if (setting.name == "grain") {
      result.grain = positive_number(setting, true);
    }
  }
  if (!result.cuts.empty() && result.branches > 0)
    throw UsageError(
        "method.cuts says where the branches end, method.branches how many to choose\n  hint: give "
        "one of them");
  return result;
}

bool suits_branches(const RankStudy& study) { return study.model().mode_count() > 0; }

std::unique_ptr<Formulation> make_branches(const FormulationOptions& options, RankStudy& study) {
  return std::make_unique<Branches>(study, branches_options(options));
}

std::unique_ptr<Formulation> make_mass_matrix(const FormulationOptions& options, RankStudy& study) {
  BranchesOptions chosen = branches_options(options);
  chosen.mass_matrix = true;
  return std::make_unique<Branches>(study, chosen);
}

}  // namespace

Method branches_method() {
  return {
      .info = {.name = "branches",
               .summary = "order-N branches, rigid or flexible, and the forces that connect them; "
                          "in parallel",
               .literature = "NASA JSC",
               .settings = {"connections", "cuts", "branches", "baumgarte", "grain"},
               .flexible_bodies = true},
      .make = make_branches,
      .suits = suits_branches};
}

Method mass_matrix_method() {
  return {
      .info = {.name = "mass-matrix",
               .summary = "joint and modal coordinates, one mass matrix of composite bodies: the "
                          "classical baseline",
               .literature = "Walker, Orin 1982",
               .settings = {"baumgarte"},
               .flexible_bodies = true},
      .make = make_mass_matrix};
}

}  // namespace sarrus
