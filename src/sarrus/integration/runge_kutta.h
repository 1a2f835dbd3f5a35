#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/chart_polynomial.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/step_control.h"
#include "sarrus/integration/stepper.h"
#include "sarrus/integration/tableau.h"

namespace sarrus {

/// An explicit Runge–Kutta method on the blocks of a formulation's state, in the way of
/// Munthe-Kaas: a step lives in the chart x = x₀ ⊞ u around its start, so unit quaternions stay
/// unit and the order is that of the method.  [rk-stages]
///
/// A trial step is rejected, and a shorter one tried, when its error is too large, when the rates
/// or `after_step` fail in it, or when it turns a body by more than 1.5 rad. Allocates nothing in a
/// step, save for the text of notes and failures. Made by `make_stepper`.
class RungeKutta final : public Stepper {
 public:
  struct Start {
    double time = 0;
    std::vector<double> x;
    Discrete discrete;
  };

  /// `formulation` and `tableau` must outlive the stepper; `start.x` must fit the layout.
  RungeKutta(const Formulation& formulation, Start start, const Tableau& tableau,
             const IntegratorOptions& options);

  double time() const override { return time_; }
  double previous_time() const override { return previous_time_; }
  StepReport advance(double limit) override;
  Status begin() override { return update_first_stage(); }
  Status evaluate(double t, Motion& motion, bool with_reactions) override;
  void configuration(double t, Configuration& configuration) override;
  double supplied() const override { return x_.back(); }
  void restart() override;
  void restart(double t, const Configuration& configuration) override;
  Counters counters() const override;

  /// At `time()`: what a checkpoint keeps.
  std::span<const double> state() const { return x_; }
  const Discrete& discrete() const { return discrete_; }

 private:
  using Vector = std::vector<double>;
  struct Sample {
    std::span<const double> x;
    const Discrete& discrete;
  };

  Status rates(double t, std::span<const double> x, const Discrete& discrete, Vector& dx);
  Status update_first_stage();
  void choose_first_step(double limit);

  Status attempt(double end, bool at_limit);
  Status displace(const Tableau::Row& weights, int count, double step);
  void combine(const Tableau::Row& weights, int count, double scale, std::span<double> sum) const;
  Status after_step(double end, StepReport& report);
  void accept(double end);
  Status failure(Status cause) const;

  Sample sample(double t);
  void complete_polynomial();
  std::span<double> slope(int stage);
  std::span<const double> slope(int stage) const;

  const Formulation& formulation_;
  const StateLayout& layout_;
  const Tableau& tableau_;
  double rtol_;
  double atol_;
  StepControl control_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Workspace> output_workspace_;  // made when first needed
  long evaluations_ = 0;

  // The present, and the start of the last step, which dense output is based on.
  double time_;
  double previous_time_;
  Vector x_, start_;
  Discrete discrete_, start_discrete_;

  // First stage of the next step.
  Vector first_;
  bool first_is_valid_ = false;
  double first_time_;  // time_, or just before it where the last step met its limit

  // The step on trial.
  Vector trial_;
  Discrete trial_discrete_;
  Vector rate_;          // of the last stage
  Vector displacement_;  // in the chart around x_
  Vector slopes_;        // rates of the chart at the stages, one after another
  Vector error_;
  double error_norm_ = 0;
  ErrorTrust trust_ = ErrorTrust::kReliable;  // of that norm
  bool excuses_error_ = false;                // was the norm replaced?
  int excused_ = 0;                           // accepted steps in a row for which it was
  double last_stage_time_ = 0;
  bool changed_ = false;  // by after_step

  // Dense output over the last step.
  ChartPolynomial polynomial_;
  bool polynomial_is_complete_ = true;
  bool polynomial_ends_in_state_ = false;
  double polynomial_end_time_ = 0;  // of the last rate
  Vector sample_, sample_displacement_;
};

}  // namespace sarrus
