#pragma once

#include <span>

#include "sarrus/integration/one_step.h"
#include "sarrus/integration/tableau.h"

namespace sarrus {

/// An explicit Runge–Kutta method on the blocks of a formulation's state, in the way of
/// Munthe-Kaas: a step lives in the chart x = x₀ ⊞ u around its start, so unit quaternions stay
/// unit and the order is that of the method.  [rk-stages]
///
/// A trial step is rejected, and a shorter one tried, when its error is too large, when the rates
/// or `after_step` fail in it, or when it turns a body by more than 1.5 rad. Allocates nothing in a
/// step, save for the text of notes and failures. Made by `make_stepper`.
class RungeKutta final : public OneStep {
 public:
  /// `formulation` and `tableau` must outlive the stepper.
  RungeKutta(const Formulation& formulation, Start start, const Tableau& tableau,
             const IntegratorOptions& options);

  StepReport advance(double limit) override;
  Status begin() override { return update_first_rate(); }

 private:
  void choose_first_step(double limit);

  Status attempt(double end, double last) override;
  void accept(double end, double last, StepReport& report) override;
  Status displace(const Tableau::Row& weights, int count, double step);
  void combine(const Tableau::Row& weights, int count, double scale, std::span<double> sum) const;
  Status failure(Status cause) const;

  std::span<double> slope(int stage);
  std::span<const double> slope(int stage) const;

  const Tableau& tableau_;
  double rtol_;
  double atol_;

  // The step on trial.
  Vector slopes_;  // rates of the chart at the stages, one after another
  Vector error_;
  double error_norm_ = 0;
  double estimate_ = 0;         // that norm, whatever is excused
  ErrorTrust trust_;            // of that norm
  bool excuses_error_ = false;  // was the norm replaced?
  int excused_ = 0;             // accepted steps in a row for which it was
};

}  // namespace sarrus
