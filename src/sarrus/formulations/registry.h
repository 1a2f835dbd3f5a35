#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/subsystem.h"
#include "sarrus/model/model.h"
#include "sarrus/topology/rank_study.h"

namespace sarrus {

struct MethodInfo {
  std::string name;
  std::string summary;
  std::string literature;
  std::vector<std::string> settings;  ///< names that MethodSetting may have
  bool projects = true;               ///< loops that have drifted back onto the constraints
  bool contends = true;               ///< in comparisons of all methods; else only when named
  bool flexible_bodies = false;       ///< does it take them?
};

/// The methods there are, in the order in which `auto` prefers them where they can represent the
/// model.
const std::vector<MethodInfo>& methods();

struct FormulationOptions {
  std::string method = "auto";
  Projection projection = Projection::kAuto;
  std::vector<MethodSetting> settings;
  int threads = 1;
  double step = 0;  ///< fixed step of the integrator [s], which stabilisation goes by; 0: adaptive
  SubsystemKinds subsystems = {};  ///< kinds of the user's own, for uzawa
  bool own_steps = false;          ///< the method is to take steps itself, as uzawa can
};

/// The nominal rank is found by `study` where the method needs it, from a closed pose. The model must
/// outlive the formulation; the study need not.
/// @throws UsageError when no method has that name, it cannot represent the model (the message lists
///         those that would do), or a setting means nothing to it.
std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, RankStudy& study);

/// The same with a study of its own.
std::unique_ptr<Formulation> make_formulation(const FormulationOptions& options, const Model& model,
                                              const Topology& topology,
                                              const Configuration& assembled);

}  // namespace sarrus
