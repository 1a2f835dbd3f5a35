#pragma once

#include <array>

#include "sarrus/integration/one_step.h"

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
class Collocation final : public OneStep {
 public:
  /// `formulation` and `tableau` must outlive the stepper.
  Collocation(const Formulation& formulation, Start start, const GaussTableau& tableau,
              const IntegratorOptions& options);

 private:
  void forget() override;
  Status attempt(double end, double last) override;
  void accept(double end, double last, StepReport& report) override;
  void guess_slopes(double step);
  Status find_slopes(double step);
  Status displace(const std::array<double, 2>& weights, double step);

  const GaussTableau& tableau_;
  std::array<Vector, 2> slopes_;  // rates of the chart at the stages
  Vector change_;

  // Of the last step, to guess the next one's slopes from.
  std::array<Vector, 2> last_slopes_;
  Vector last_first_;
  double last_step_ = 0;  // 0: there is none
};

}  // namespace sarrus
