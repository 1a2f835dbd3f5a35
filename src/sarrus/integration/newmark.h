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
class Newmark final : public Stepper {
 public:
  struct Start {
    double time = 0;
    std::vector<double> x;
    Discrete discrete;
  };

  /// `formulation` must outlive the stepper and have velocity pairs.
  Newmark(const Formulation& formulation, Start start, NewmarkPredictor predictor,
          const IntegratorOptions& options);

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

  /// At `time()`: what a checkpoint keeps, beside the acceleration of the last step.
  std::span<const double> state() const { return x_; }
  const Discrete& discrete() const { return discrete_; }

 private:
  struct Sample {
    std::span<const double> x;
    const Discrete& discrete;
  };

  Status rates(double t, std::span<const double> x, std::vector<double>& dx);
  Status attempt(double end, bool at_limit, StepReport& report);
  void displace(double step, double position, double velocity);
  Sample sample(double t);

  const Formulation& formulation_;
  const StateLayout& layout_;
  NewmarkPredictor predictor_;
  std::vector<VelocityPair> pairs_;
  StepControl control_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Workspace> output_workspace_;  // made when first needed
  long evaluations_ = 0;

  double time_;
  double previous_time_;
  std::vector<double> x_, start_, trial_;
  Discrete discrete_, start_discrete_, trial_discrete_;
  std::vector<double> rate_;  // velocities, accelerations and power at the present
  std::vector<double> next_;  // the same at the end of the step
  bool rate_is_valid_ = false;
  std::vector<double> displacement_, last_rate_;

  ChartPolynomial polynomial_;
  std::vector<double> sample_, sample_displacement_;
};

}  // namespace sarrus
