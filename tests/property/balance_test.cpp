// Laws that hold at every instant, for random mechanisms of all kinds.

#include "property/suite.h"

namespace sarrus::testing {
namespace {

/// Sums of some dozens of terms, each rounded: 1e-16 is typical. Where light bodies are driven
/// through heavy ones a few digits more are lost.
constexpr double kRefinedRoundOff = 2e-12;

/// The judge refines its solution in extended precision. Methods that solve once in double precision
/// lose what the condition of a random mechanism takes: up to 1e4, with masses up to 1e4 apart, so
/// that 1e-8 of a joint's own small forces may go. How near they come to the judge is asked, more
/// sharply, in tests/agreement.
constexpr double kRoundOffOfOneSolve = 1e-8;

/// Second differences over milliseconds: rounding divided by the square of the step.
constexpr double kDifferences = 1e-7;

void check_instant(Subject& subject) {
  const Model& model = subject.model();
  const Motion motion = subject.motion();
  const double kRoundOff =
      subject.formulation().name() == "reference" ? kRefinedRoundOff : kRoundOffOfOneSolve;
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

class Balance : public EveryMethod {};

TEST_P(Balance, HoldsAtTheStart) {
  for_each_seed(
      Seeds{.first = 1, .share = 600, .all = 5000}.of(GetParam()), [](std::uint32_t seed) {
        if (const auto subject = taken(random_mechanism(seed, any_kind(seed)), GetParam()))
          check_instant(*subject);
      });
}

TEST_P(Balance, HoldsInFullMotion) {
  for_each_seed(
      Seeds{.first = 10001, .share = 60, .all = 1000}.of(GetParam()), [](std::uint32_t seed) {
        const auto subject = taken(random_mechanism(seed, any_smooth_kind(seed)), GetParam());
        if (!subject) return;
        subject->advance_to(0.2);
        check_instant(*subject);
      });
}

INSTANTIATE_TEST_SUITE_P(Method, Balance, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
