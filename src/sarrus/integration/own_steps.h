#pragma once

#include <vector>

#include "sarrus/integration/one_step.h"

namespace sarrus {

/// The grid, the output and the restarts of a method that takes its steps itself.
///
/// A step that fails is not tried shorter: steps are fixed. Between the ends of a step positions are the
/// cubic of Hermite, velocities go in straight lines. Made by `make_stepper`.
class OwnSteps final : public OneStep {
 public:
  /// `formulation` must outlive the stepper, step itself and have velocity pairs.
  OwnSteps(const Formulation& formulation, Start start, const IntegratorOptions& options);

  bool takes_one_evaluation() const override { return true; }

 private:
  void forget() override;
  Status attempt(double end, double last) override;
  Status after_step(double /*end*/) override { return {}; }  // part of the step itself
  void accept(double end, double last, StepReport& report) override;

  std::vector<int> velocity_place_;  ///< per component of a tangent: of its rate in x; −1: none
};

}  // namespace sarrus
