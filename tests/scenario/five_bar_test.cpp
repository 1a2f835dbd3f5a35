// Scenario five-bar: a pentagon of four links on a fixed side; two freedoms.
// Reference: reference.csv, made by other code in 36 digits; see the scenario's README.

#include <gtest/gtest.h>

#include "scenario/pentagon.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(FiveBar, FollowsItsReference) { expect_follows_reference("five-bar"); }

TEST(FiveBar, RunsOnAnInclinedBase) { expect_runs_on_an_inclined_base("five-bar"); }

TEST(FiveBar, HasTwoFreedomsOnAnyBase) {
  for (const char* angle : {"0", "37", "180"})
    EXPECT_EQ(mobility_of("five-bar", {{"base_angle", angle}}).generic.freedoms, 2) << angle;
}

// Samples taken on the way lie at the times asked for, to the bit, and agree with a run that ends
// its steps there.
TEST(FiveBar, DenseSamplesAgreeWithARunThatLandsOnThem) {
  // Dense output is one order below the integrator; ten times its tolerance.
  const double kDense = 1e-9;
  const double kTolerance = 1e-10;
  const std::vector<double> times = {0, 0.05, 0.123456789, 1. / 3, 0.5, 0.77, 0.9999};
  std::vector<Sample> dense;
  Simulation simulation(load_model("five-bar"),
                        {.method = "reference", .tolerance = kTolerance, .until = 1});
  ASSERT_TRUE(simulation.advance_to(1, times, [&](const Sample& s) { dense.push_back(s); }).ok());
  EXPECT_EQ(simulation.time(), 1);
  const ScenarioRun landing = run_scenario("five-bar", times, {.tolerance = kTolerance});

  ASSERT_EQ(dense.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    SCOPED_TRACE(times[i]);
    EXPECT_EQ(dense[i].motion.time, times[i]);
    EXPECT_EQ(landing.samples[i].motion.time, times[i]);
    const LargestDifferences difference =
        differences(dense[i].motion.configuration, landing.samples[i].motion.configuration);
    EXPECT_LT(difference.position, kDense);
    EXPECT_LT(difference.orientation, kDense);
    EXPECT_LT(difference.velocity, kDense);
  }
}

}  // namespace
}  // namespace sarrus::tests
