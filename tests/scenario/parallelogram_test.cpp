// Scenario parallelogram: cranks that turn over through both flat positions; exact solution in
// reference.csv.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(Parallelogram, TurnsLikeTheExactSolutionThroughItsFlatPositions) {
  // Errors of 1e-10 a step add up over thousands of them, at fifteen radians a second.
  const double kAngle = 1e-7;
  const double kSpeed = 1e-6;
  const Reference table("parallelogram");
  for (const char* method : {"reference", "hamiltonian-dca"}) {
    SCOPED_TRACE(method);
    const ScenarioRun run = run_scenario("parallelogram", {0, 0.05, 0.1, 0.2, 0.5, 1},
                                         {.method = method, .tolerance = 1e-10});
    for (std::size_t row = 0; row < run.samples.size(); ++row) {
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      ASSERT_EQ(sample.motion.time, table.number(row, "t"));
      for (const char* joint : {"J1", "J4"})
        EXPECT_NEAR(coordinate(run, sample, joint), table.number(row, "theta"), kAngle) << joint;
      EXPECT_NEAR(body_motion(run, sample, "right").w.z(), table.number(row, "omega"), kSpeed);
      // The coupler never turns.
      EXPECT_NEAR(body_motion(run, sample, "coupler").w.norm(), 0, kSpeed);
    }
  }
}

TEST(Parallelogram, IsSingularWhenFlat) {
  const Mobility mobility = mobility_of("parallelogram", {{"start", "0"}});
  EXPECT_TRUE(mobility.singular());
  EXPECT_EQ(mobility.generic.freedoms, 1);
  EXPECT_EQ(mobility.instantaneous.freedoms, 2);
}

}  // namespace
}  // namespace sarrus::tests
