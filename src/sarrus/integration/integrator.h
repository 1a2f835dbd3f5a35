#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/stepper.h"

namespace sarrus {

/// Is none of them a NaN or infinite?
bool all_finite(std::span<const double> values);

/// An integrator over a formulation: keeps the present and the last step, and serves output and
/// restarts from them. What derives from it takes the steps.
class Integrator : public Stepper {
 public:
  struct Start {
    double time = 0;
    std::vector<double> x;  ///< as long as the layout says
    Discrete discrete;
  };

  double time() const final { return time_; }
  double previous_time() const final { return previous_time_; }
  Status evaluate(double t, Motion& motion, bool with_reactions) final;
  void configuration(double t, Configuration& configuration) final;
  double supplied() const final { return x_.back(); }
  void restart() final { forget(); }
  void restart(double t, const Configuration& configuration) final;
  Counters counters() const final;

  const Discrete& discrete() const { return discrete_; }  ///< at `time()`

 protected:
  using Vector = std::vector<double>;

  /// A trial step that turns a body further [rad] is rejected: the chart is singular at 2π, and turns
  /// of a joint can be counted only while its angle changes by less than π in a step, half by each
  /// body.
  static constexpr double kLargestRotation = 1.5;

  /// `formulation` must outlive the integrator.
  Integrator(const Formulation& formulation, Start start);

  /// Nothing computed before is good for the next step.
  virtual void forget() = 0;

  /// The state inside the last step, which begins with `start_`.
  virtual std::span<const double> inside(double t) = 0;

  /// Counted, and a failure where one of them is not finite.
  Status rates(double t, std::span<const double> x, const Discrete& discrete, std::span<double> dx);

  /// What the formulation does to the trial step once it is good.
  virtual Status after_step(double end);

  /// The trial step becomes the last one.
  void accept_trial(double end, StepReport& report);

  const Formulation& formulation_;
  const StateLayout& layout_;
  std::unique_ptr<Workspace> workspace_;
  Counters work_;  // all evaluations, and what else the workspace does not count

  // The present, and the start of the last step, which dense output is based on.
  double time_;
  double previous_time_;
  Vector x_, start_;
  Discrete discrete_, start_discrete_;

  // The step on trial.
  Vector trial_;
  Discrete trial_discrete_;
  bool changed_ = false;  // by `after_step`
  std::vector<Note> notes_;

  Vector sample_;

 private:
  struct Sample {
    std::span<const double> x;
    const Discrete& discrete;
  };
  Sample sample(double t);

  std::unique_ptr<Workspace> output_workspace_;  // made when first needed
};

}  // namespace sarrus
