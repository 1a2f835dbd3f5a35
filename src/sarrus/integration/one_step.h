#pragma once

#include <span>

#include "sarrus/integration/chart_polynomial.h"
#include "sarrus/integration/integrator.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/step_control.h"

namespace sarrus {

/// A one-step method: a step lives in the chart x = x₀ ⊞ u around its start, and so does its dense
/// output.
///
/// Steps go by the plan, and one that fails is not tried shorter, unless the method has an `advance`
/// of its own.
class OneStep : public Integrator {
 public:
  StepReport advance(double limit) override;

 protected:
  OneStep(const Formulation& formulation, Start start, const IntegratorOptions& options);

  void forget() override;

  /// Fills `trial_` and `displacement_`. The equations are asked for at `last` where the end is meant.
  virtual Status attempt(double end, double last) = 0;

  /// Ends a good trial step: its polynomial, and what the next one begins with.
  virtual void accept(double end, double last, StepReport& report);

  /// `end`, or just before it where it is the limit.
  double last_time(double end, double limit) const;

  Status update_first_rate();

  /// x = x₀ ⊞ u, into `trial_`, where u is finite and turns no body too far; `remedy` is for the latter.
  Status retract(const char* remedy = "; take a shorter one");

  /// Tells the polynomial the rate in the chart at the end of the last step.
  void complete_polynomial(std::span<const double> last_rate);

  StepControl control_;
  Vector displacement_;  // in the chart around x_
  Vector rate_;

  // Rate at the start of the next step.
  Vector first_;
  bool first_is_valid_ = false;
  double first_time_;  // time_, or just before it where the last step met its limit

  // Dense output over the last step.
  ChartPolynomial polynomial_;

 private:
  std::span<const double> inside(double t) final;
  void find_last_rate();

  bool polynomial_is_complete_ = false;
  bool polynomial_ends_in_state_ = false;
  double polynomial_end_time_ = 0;  // of the last rate
  Vector sample_displacement_;
};

}  // namespace sarrus
