#pragma once

#include <memory>
#include <span>

#include "sarrus/integration/integrator.h"
#include "sarrus/integration/integrator_options.h"

namespace sarrus {

/// CVODE of SUNDIALS: backward differentiation formulas of order 1 to 5 with Newton's method, for stiff
/// motion, where explicit steps are short because of what has long died away.  [cvode-steps]
///
/// CVODE works on the embedded state. What `after_step` does to it enters as CVODE's projection: into
/// the last state alone, so that the history goes on; it is thrown away, and orders start from one,
/// where a formulation switches coordinates. Jacobians are differences of rates, dense: one evaluation
/// a number of the state. Made by `make_stepper`.
class Cvode final : public Integrator {
 public:
  /// `formulation` must outlive the stepper.
  Cvode(const Formulation& formulation, Start start, const IntegratorOptions& options);
  ~Cvode() override;

  StepReport advance(double limit) override;

 private:
  class Solver;  // all that is SUNDIALS

  // What CVODE asks for; a bad status is kept in `failure_`.
  bool embedded_rates(double t, std::span<const double> y, std::span<double> rate);
  bool project(double t, std::span<const double> y, std::span<double> correction);
  void weigh(std::span<const double> y, std::span<double> weights) const;
  Status failure(const char* cause) const;
  std::span<const double> inside(double t) override;
  void forget() override { has_history_ = false; }

  double rtol_;
  double atol_;
  bool has_history_ = false;  // does CVODE stand at x_?

  // The step on trial.
  double before_limit_ = 0;
  Status failure_;
  Vector normalised_, tangent_;
  bool switched_ = false;  // other coordinates, by after_step

  std::unique_ptr<Solver> solver_;
};

}  // namespace sarrus
