#pragma once

#include <vector>

#include "sarrus/integration/one_step.h"

namespace sarrus {

/// How far ahead positions and velocities are thought to be when the accelerations are asked for.
enum class NewmarkPredictor {
  kPaper,   ///< q + h q̇ + h²/4 q̈, q̇ + h/2 q̈: as Joli, Séguy and Feng do; first order
  kTaylor,  ///< q + h q̇ + h²/2 q̈, q̇ + h q̈: second order at the same cost
};

/// The largest ω h at which constraints that return with this damping are stable.
/// [newmark-stability]
double newmark_stability_limit(NewmarkPredictor predictor, double damping);

/// Newmark's method (β = ¼, γ = ½) as predictor and corrector with one evaluation a step, at fixed
/// steps, for states that say where their velocities stand.  [newmark-step]
///
/// A step that fails is not tried shorter: stabilisation goes by the step. Made by `make_stepper`.
class Newmark final : public OneStep {
 public:
  /// `formulation` must outlive the stepper and have velocity pairs.
  Newmark(const Formulation& formulation, Start start, NewmarkPredictor predictor,
          const IntegratorOptions& options);

  bool takes_one_evaluation() const override { return true; }

 private:
  Status attempt(double end, double last) override;
  void accept(double end, double last, StepReport& report) override;
  void displace(double step, double position, double velocity);

  NewmarkPredictor predictor_;
  std::vector<VelocityPair> pairs_;
  Vector next_;  // velocities, accelerations and power at the end of the step
};

}  // namespace sarrus
