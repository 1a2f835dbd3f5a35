#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/chart_polynomial.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/step_control.h"
#include "sarrus/integration/stepper.h"

namespace sarrus {

/// The grid, the output and the restarts of a method that takes its steps itself.
///
/// A step that fails is not tried shorter: steps are fixed. Between the ends of a step positions are the
/// cubic of Hermite, velocities go in straight lines. Made by `make_stepper`.
class OwnSteps final : public Stepper {
 public:
  struct Start {
    double time = 0;
    std::vector<double> x;
    Discrete discrete;
  };

  /// `formulation` must outlive the stepper, step itself and have velocity pairs.
  OwnSteps(const Formulation& formulation, Start start, const IntegratorOptions& options);

  double time() const override { return time_; }
  double previous_time() const override { return previous_time_; }
  StepReport advance(double limit) override;
  Status evaluate(double t, Motion& motion, bool with_reactions) override;
  void configuration(double t, Configuration& configuration) override;
  double supplied() const override { return x_.back(); }
  bool takes_one_evaluation() const override { return true; }
  void restart() override;
  void restart(double t, const Configuration& configuration) override;
  Counters counters() const override;

  /// At `time()`: what a checkpoint keeps.
  std::span<const double> state() const { return x_; }
  const Discrete& discrete() const { return discrete_; }

 private:
  struct Sample {
    std::span<const double> x;
    const Discrete& discrete;
  };

  Status attempt(double end, bool at_limit, StepReport& report);
  void interpolate(double step);
  Sample sample(double t);

  const Formulation& formulation_;
  const StateLayout& layout_;
  std::vector<VelocityPair> pairs_;
  std::vector<int> velocity_place_;  ///< per component of a tangent: of its rate in x; −1: none
  StepControl control_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Workspace> output_workspace_;  // made when first needed
  Counters counters_before_;                     // of workspaces that restarts have replaced

  double time_;
  double previous_time_;
  std::vector<double> x_, start_, trial_;
  Discrete discrete_, start_discrete_, trial_discrete_;
  std::vector<double> displacement_, first_rate_, last_rate_;
  ChartPolynomial polynomial_;
  std::vector<double> sample_, sample_displacement_;
};

}  // namespace sarrus
