#pragma once

#include <functional>

#include "sarrus/formulations/modular/interface_system.h"
#include "sarrus/formulations/modular/settings.h"

namespace sarrus::modular {

/// How a solution of the joints' equations ended.
struct Solved {
  int iterations = 0;
  double residual = 0;       ///< √(rᵀD⁻¹r) over that of b
  bool converged = true;     ///< or as good as rounding lets it be
  bool has_next = false;     ///< the next start is `next()`, not λ
  bool contradicts = false;  ///< joints ask for what cannot be; regularised
};

/// Finds λ with K λ + b = 0 by messages between boxes and joints. Holds all its scratch.
class InterfaceSolver {
 public:
  /// `elimination` is needed for `tree`, else may be null; `least_eigenvalue` of D⁻¹K for chebyshev.
  InterfaceSolver(const Interface& interface, const JointElimination* elimination,
                  const UzawaOptions& options, double least_eigenvalue = 0);

  /// What InterfaceSystem::prepare must do.
  InterfaceSystem::Blocks wanted() const {
    if (options_.iteration == Iteration::kTree) return InterfaceSystem::Blocks::kOnlyK;
    return options_.iteration == Iteration::kPcg ? InterfaceSystem::Blocks::kPlain
                                                 : InterfaceSystem::Blocks::kSplit;
  }

  /// From the λ given; `system` is prepared. `compliance` is added to that of the options.
  Solved solve(InterfaceSystem& system, Multipliers& lambda, double compliance = 0);

  /// From nothing, by elimination or else by pcg: for projections.
  Solved project(InterfaceSystem& system, Multipliers& lambda, double tolerance);

  /// Of the rows of the last elimination: their pivots as parts of their diagonal entries, the one that
  /// has `smaller` below it. Squares of sines; those of dependent rows are the compliance.
  double pivot(const InterfaceSystem& system, int smaller);

  const Multipliers& next() const { return best_; }

  /// An estimate of the least eigenvalue of D⁻¹K on its range, by Lanczos.  [modular-chebyshev]
  double least_eigenvalue(InterfaceSystem& system, int steps);

  /// Called after each update of λ, for those who study the iteration.
  std::function<void(const Multipliers& lambda, const Multipliers& residual)> watch;

 private:
  Solved stationary(InterfaceSystem& system, Multipliers& lambda);
  Solved chebyshev(InterfaceSystem& system, Multipliers& lambda);
  enum class Start {
    kGiven,
    kRefined,     ///< from a solution with compliance: the residual is that without
    kProjection,  ///< which repeats itself
  };
  Solved conjugate_gradients(InterfaceSystem& system, Multipliers& lambda, double tolerance,
                             Start start);
  void precondition(const InterfaceSystem& system, Multipliers& x) const;
  void residual(InterfaceSystem& system, const Multipliers& lambda);
  bool increments_are_small(const Multipliers& lambda) const;

  UzawaOptions options_;
  const JointElimination* elimination_;
  double compliance_;  ///< δ of the elimination
  double least_;
  JointElimination::Numbers numbers_;
  std::vector<double> pivots_;
  Multipliers r_, z_, p_, q_, best_;
};

}  // namespace sarrus::modular
