// Scenario n-four-bar: IFToMM benchmark A02, N coupled four-bar loops of equal rods. Every pass
// through the flat position is singular: the mechanism there has N freedoms more.

#include <gtest/gtest.h>

#include <cmath>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

// Published tip B0 of the first crank for N = 2 after 10 s.
const Vec3 kTip(0.3284581115408154, 0.944518538178601, 0);

/// End of the first crank, which turns about the origin.
Vec3 tip(const ScenarioRun& run) { return 2 * body_motion(run, run.last(), "crank0").p; }

TEST(NFourBar, TwoLoopsEndWhereTheBenchmarkSays) {
  // A run is off by 1e-11 and passes ten singular positions, each of which may cost a digit where
  // rounding falls otherwise.
  const double kPosition = 1e-9;
  // The tolerance on 36 J, over 4000 steps.
  const double kEnergy = 1e-9;
  const ScenarioRun run = run_scenario("n-four-bar", {10});
  EXPECT_NEAR(tip(run).x(), kTip.x(), kPosition);
  EXPECT_NEAR(tip(run).y(), kTip.y(), kPosition);
  EXPECT_LT(run.statistics().energy_drift, kEnergy);
  EXPECT_LT(run.statistics().largest.position, 1e-14);  // rounding of lengths of some metres
  EXPECT_EQ(run.statistics().notes.size(), 10u);        // one for each singular position passed
}

struct Coarse {
  double tolerance;
  double position;
};
class NFourBarCoarse : public ::testing::TestWithParam<Coarse> {};

TEST_P(NFourBarCoarse, TwoLoopsPassSingularPositionsAtAnyTolerance) {
  const ScenarioRun run = run_scenario("n-four-bar", {10}, {.tolerance = GetParam().tolerance});
  EXPECT_LT((tip(run) - kTip).norm(), GetParam().position);
  EXPECT_LT(run.statistics().energy_drift, GetParam().position);
}

// A thousand times the tolerance: errors of all steps of ten seconds add up.
INSTANTIATE_TEST_SUITE_P(Tolerance, NFourBarCoarse,
                         ::testing::Values(Coarse{1e-8, 1e-5}, Coarse{1e-10, 1e-7}),
                         [](const auto& test) {
                           return test.param.tolerance == 1e-8 ? "Default" : "Fine";
                         });

class NFourBarLoops : public ::testing::TestWithParam<const char*> {};

TEST_P(NFourBarLoops, RunsTenSecondsWithLittleDrift) {
  const double kEnergy = 1e-7;  // a thousand times the tolerance
  const ScenarioRun run =
      run_scenario("n-four-bar", {10}, {.overrides = {{"loops", GetParam()}}, .tolerance = 1e-10});
  EXPECT_LE(run.statistics().energy_drift, kEnergy);
}

INSTANTIATE_TEST_SUITE_P(Loops, NFourBarLoops, ::testing::Values("1", "3"),
                         [](const auto& test) { return std::string(test.param); });

TEST(NFourBar, HasOneFreedomWhateverTheNumberOfLoops) {
  for (const int loops : {1, 2, 3, 5}) {
    SCOPED_TRACE(loops);
    const Mobility mobility = mobility_of("n-four-bar", {{"loops", std::to_string(loops)}});
    EXPECT_EQ(mobility.generic.freedoms, 1);
    EXPECT_EQ(mobility.generic.redundant, 3 * loops);
    EXPECT_EQ(mobility.instantaneous.freedoms, 1);
    EXPECT_EQ(mobility.instantaneous.redundant, 3 * loops);
    EXPECT_FALSE(mobility.singular());
  }
}

TEST(NFourBar, IsSingularWhenFlat) {
  for (const int loops : {1, 2, 3, 5}) {
    SCOPED_TRACE(loops);
    const Mobility mobility =
        mobility_of("n-four-bar", {{"loops", std::to_string(loops)}, {"angle", "0"}});
    EXPECT_EQ(mobility.generic.freedoms, 1);
    EXPECT_EQ(mobility.instantaneous.freedoms, loops + 1);
    EXPECT_TRUE(mobility.singular());
  }
}

}  // namespace
}  // namespace sarrus::tests
