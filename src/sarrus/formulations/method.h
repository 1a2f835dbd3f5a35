#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/subsystem.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/model/model.h"

namespace sarrus {

struct MethodInfo {
  std::string name;
  std::string summary;
  std::string literature;
  std::vector<std::string> settings;  ///< names that MethodSetting may have
  bool projects = true;               ///< loops that have drifted back onto the constraints
  bool contends = true;               ///< in comparisons of all methods; else only when named
  bool flexible_bodies = false;       ///< does it take them?
  bool body_states = false;           ///< positions and velocities of bodies, as Newmark needs
  bool own_steps = false;             ///< can step by itself, its subsystems each at their own pace
  bool judges = false;                ///< dense and obvious: the others are held to it
};

struct FormulationOptions {
  std::string method = "auto";
  Projection projection = Projection::kAuto;
  std::vector<MethodSetting> settings;
  int threads = 1;
  double step = 0;  ///< fixed step of the integrator [s], which stabilisation goes by; 0: adaptive
  SubsystemKinds subsystems = {};  ///< kinds of the user's own, for methods that have subsystems
  bool own_steps = false;          ///< the method is to take steps itself
  double tolerance = 0;            ///< of the integrator, which iterations go by; 0: fixed steps
};

/// A method as the rest of the engine knows it. Each defines one in its own folder, in method.cpp, and
/// `all_methods.cpp` lists them.
struct Method {
  MethodInfo info;

  /// Reads the settings, all of which are known, and makes it. The model has bodies that the method takes.
  /// @throws UsageError when a setting means nothing, or NotForThisModel
  std::unique_ptr<Formulation> (*make)(const FormulationOptions& options, RankStudy& study);

  /// Does `auto` take it for this mechanism? Null: never.
  bool (*suits)(const RankStudy& study) = nullptr;

  /// The model as settings change it before anything is made of it; they are taken out. Null: not at all.
  Model (*prepare)(Model model, std::vector<MethodSetting>& settings) = nullptr;
};

/// A method cannot represent the model, as shows only where it is made. `auto` takes the next that suits.
class NotForThisModel : public UsageError {
 public:
  using UsageError::UsageError;
};

/// In the order in which `auto` prefers them.
const std::vector<Method>& all_methods();

}  // namespace sarrus
