#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/formulations/modular/gains.h"
#include "sarrus/model/description.h"

namespace sarrus::modular {

/// What `baumgarte` and `augmented-lagrangian` may be told.
struct CentralisedOptions {
  Projection projection = Projection::kAuto;
  double step = 0;                ///< fixed step of the integrator [s]; 0: adaptive
  std::optional<double> omega;    ///< [rad/s]
  std::optional<double> damping;  ///< ε, 1 is critical
  double alpha = 1e8;             ///< penalty of augmented-lagrangian over 1/K_jj
  double tolerance = 1e-11;       ///< on its residual
  int most_iterations = 100;
};

/// How the joints' multipliers are found.
enum class Iteration { kRichardson, kBlockJacobi, kChebyshev, kPcg, kTree };

/// When they are good enough.
enum class Stopping {
  kResidual,   ///< the error of accelerations and the residual of the joints are small
  kIncrement,  ///< no multiplier changes by more than its part: the paper's test
};

struct UzawaOptions {
  Projection projection = Projection::kAuto;
  double step = 0;
  std::optional<double> omega;
  std::optional<double> damping;
  Iteration iteration = Iteration::kPcg;
  Stopping stopping = Stopping::kResidual;
  double tolerance = 1e-10;  ///< of the iteration
  int most_iterations = 20000;
  bool warm = true;         ///< start from the multipliers of the last step
  std::vector<double> rho;  ///< richardson: one for all joints, or one each; empty: a safe one
  std::optional<std::vector<SubsystemDescription>> subsystems;  ///< instead of the model's
  double regularisation = 1e-3;  ///< δ where joints contradict each other
  double compliance = 0;         ///< δ that is always there
  bool own_steps = false;        ///< multirate: subsystems take steps of their own
};

/// ω h and ε of the paper at fixed steps unless told otherwise. Under adaptive steps nothing where
/// the constraints are projected, else ω = 50 rad/s, critically damped.
Gains gains_for(std::optional<double> omega, std::optional<double> damping, double step,
                Projection projection);

/// Fixed steps are stabilised, adaptive ones projected, unless told otherwise.
Projection projection_for(Projection asked, double step);

/// δ that keeps dependent rows from locking a mechanism that is off the manifold; `off`: how far, as its
/// rows see it, over its length.  [modular-drift]
double drift_compliance(double off);
/// Is that the most it may be, so that it shows in the motion?
bool gives_way(double compliance);

/// Are joints that are off by this part of the length lost for good?
bool are_apart(double off);
/// The end of such a run.
Status apart_status(double off, double length, const std::string& worst);

/// What a run tells about an iteration that was cut.
std::string cut_note(const char* whose, int rounds, double left);

/// @throws UsageError for words and numbers that mean nothing.
CentralisedOptions centralised_options(const std::vector<MethodSetting>& settings);
/// "crank+rod*8,link:point-link": subsystems, each with its kind and its steps where they differ.
std::vector<SubsystemDescription> subsystems_of(const MethodSetting& setting);

/// `tolerance`: of the integrator, 0 at fixed steps. Iterations leave no more than that, within bounds.
UzawaOptions uzawa_options(const std::vector<MethodSetting>& settings, double tolerance);

}  // namespace sarrus::modular
