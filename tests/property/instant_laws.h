#pragma once

#include "property/suite.h"

/// All laws that hold at one instant.
namespace sarrus::testing {

/// Sums of some dozens of terms, each rounded: 1e-16 is typical. Where light bodies are driven
/// through heavy ones a few digits more are lost.
inline constexpr double kRefinedRoundOff = 2e-12;

/// The judge refines its solution in extended precision. Methods that solve once in double precision
/// lose what the condition of a random mechanism takes: up to 1e4, with masses up to 1e4 apart, so
/// that 1e-8 of a joint's own small forces may go. How near they come to the judge is asked, more
/// sharply, in tests/agreement.
inline constexpr double kRoundOffOfOneSolve = 1e-8;

/// Second differences over milliseconds: rounding divided by the square of the step.
inline constexpr double kDifferences = 1e-7;

inline void check_instant(Subject& subject, double one_solve = kRoundOffOfOneSolve) {
  const Model& model = subject.model();
  const Motion motion = subject.motion();
  const double kRoundOff =
      subject.formulation().name() == "reference" ? kRefinedRoundOff : one_solve;
  EXPECT_LAW(newton_euler(model, motion), kRoundOff);
  EXPECT_LAW(momentum_balance(model, motion), kRoundOff);
  EXPECT_LAW(virtual_power(model, motion), kRoundOff);
  EXPECT_LAW(dalembert(model, motion), 10 * kRoundOff);  // its basis mixes heavy and light
  EXPECT_LAW(constraint_velocities(model, motion), kRoundOff);
  EXPECT_LAW(constraint_accelerations(model, motion), kRoundOff);
  EXPECT_LAW(constraint_curvature(model, motion), kDifferences);
  EXPECT_LAW(power_balance(model, motion, subject.supplied_power()), kDifferences);
  EXPECT_LAW(reaction_uniqueness(model, motion), 0);
}

}  // namespace sarrus::testing
