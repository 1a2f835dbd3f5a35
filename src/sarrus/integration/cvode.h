#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/stepper.h"

namespace sarrus {

/// CVODE of SUNDIALS: backward differentiation formulas of order 1 to 5 with Newton's method, for stiff
/// motion, where explicit steps are short because of what has long died away.  [cvode-steps]
///
/// CVODE works on the embedded state. What `after_step` does to it enters as CVODE's projection: into
/// the last state alone, so that the history goes on; it is thrown away, and orders start from one,
/// where a formulation switches coordinates. Jacobians are differences of rates, dense: one evaluation
/// a number of the state. Made by `make_stepper`.
class Cvode final : public Stepper {
 public:
  struct Start {
    double time = 0;
    std::vector<double> x;
    Discrete discrete;
  };

  /// `formulation` must outlive the stepper; `start.x` must fit the layout.
  Cvode(const Formulation& formulation, Start start, const IntegratorOptions& options);
  ~Cvode() override;

  double time() const override { return time_; }
  double previous_time() const override { return previous_time_; }
  StepReport advance(double limit) override;
  Status evaluate(double t, Motion& motion, bool with_reactions) override;
  void configuration(double t, Configuration& configuration) override;
  double supplied() const override { return x_.back(); }
  void restart() override;
  void restart(double t, const Configuration& configuration) override;
  Counters counters() const override;

 private:
  class Solver;  // all that is SUNDIALS
  using Vector = std::vector<double>;
  struct Sample {
    std::span<const double> x;
    const Discrete& discrete;
  };

  // What CVODE asks for; a bad status is kept in `failure_`.
  bool embedded_rates(double t, std::span<const double> y, std::span<double> rate);
  bool project(double t, std::span<const double> y, std::span<double> correction);
  void weigh(std::span<const double> y, std::span<double> weights) const;
  Status failure(const char* cause) const;
  Sample sample(double t);

  const Formulation& formulation_;
  const StateLayout& layout_;
  double rtol_;
  double atol_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Workspace> output_workspace_;  // made when first needed
  long evaluations_ = 0;
  long iterations_ = 0;
  long factorizations_ = 0;

  double time_;
  double previous_time_;
  Vector x_, start_;
  Discrete discrete_, start_discrete_;
  bool has_history_ = false;  // does CVODE stand at x_?

  // The step on trial.
  double before_limit_ = 0;
  Status failure_;
  Vector normalised_, tangent_;
  Vector trial_;
  Discrete trial_discrete_;
  bool switched_ = false;  // other coordinates, by after_step
  std::vector<Note> notes_;

  Vector sample_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace sarrus
