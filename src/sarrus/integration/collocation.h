#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "sarrus/formulations/formulation.h"
#include "sarrus/integration/chart_polynomial.h"
#include "sarrus/integration/integrator_options.h"
#include "sarrus/integration/step_control.h"
#include "sarrus/integration/stepper.h"

namespace sarrus {

/// Coefficients of Gauss's collocation with one or two stages.  [gauss-stages]
struct GaussTableau {
  int stages = 0;
  std::array<double, 2> c{};
  std::array<std::array<double, 2>, 2> a{};
  std::array<double, 2> b{};
};

/// The implicit midpoint rule, order 2.
inline constexpr GaussTableau kMidpoint{.stages = 1, .c = {0.5}, .a = {{{0.5}}}, .b = {1}};

/// Order 4: c = ½ ∓ √3/6.
inline constexpr double kRootThreeSixth = 0.28867513459481288225;
inline constexpr GaussTableau kGauss4{
    .stages = 2,
    .c = {0.5 - kRootThreeSixth, 0.5 + kRootThreeSixth},
    .a = {{{0.25, 0.25 - kRootThreeSixth}, {0.25 + kRootThreeSixth, 0.25}}},
    .b = {0.5, 0.5}};

/// Gauss's collocation at fixed steps: implicit, symmetric, symplectic on canonical equations, so that
/// energy errors stay bounded over long runs.  [gauss-stages]
///
/// A step lives in the chart x = x₀ ⊞ u around its start. Its stages are found by fixed-point
/// iteration down to rounding; where that does not converge the step fails and says so: a step
/// taken shorter here and there would no longer be symplectic. Made by `make_stepper`.
class Collocation final : public Stepper {
 public:
  struct Start {
    double time = 0;
    std::vector<double> x;
    Discrete discrete;
  };

  /// `formulation` and `tableau` must outlive the stepper.
  Collocation(const Formulation& formulation, Start start, const GaussTableau& tableau,
              const IntegratorOptions& options);

  double time() const override { return time_; }
  double previous_time() const override { return previous_time_; }
  StepReport advance(double limit) override;
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
  Status update_first_rate();
  void guess_slopes(double step);
  Status find_slopes(double step);
  Status displace(const std::array<double, 2>& weights, double step);
  Status attempt(double end, StepReport& report);
  void complete_polynomial();
  Sample sample(double t);

  const Formulation& formulation_;
  const StateLayout& layout_;
  const GaussTableau& tableau_;
  StepControl control_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Workspace> output_workspace_;  // made when first needed
  long evaluations_ = 0;
  long iterations_ = 0;

  double time_;
  double previous_time_;
  Vector x_, start_, trial_;
  Discrete discrete_, start_discrete_, trial_discrete_;
  Vector first_;  // rate at the present
  bool first_is_valid_ = false;
  double first_time_;             // time_, or just before it where the last step met its limit
  std::array<Vector, 2> slopes_;  // rates of the chart at the stages
  Vector rate_, displacement_, change_;

  // Of the last step, to guess the next one's slopes from.
  std::array<Vector, 2> last_slopes_;
  Vector last_first_;
  double last_step_ = 0;  // 0: there is none

  ChartPolynomial polynomial_;
  bool polynomial_is_complete_ = true;
  bool polynomial_ends_in_state_ = false;
  double polynomial_end_time_ = 0;
  Vector sample_, sample_displacement_;
};

}  // namespace sarrus
