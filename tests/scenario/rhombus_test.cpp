// Scenario rhombus: a parallelogram of equal sides through its flat position, where it could turn
// into another linkage; exact solution in reference.csv.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(Rhombus, SwingsLikeTheExactSolutionThroughItsFlatPosition) {
  // Errors of 1e-12 a step add up over two thousand steps, some of them over the singular position.
  const double kPosition = 1e-10;
  const double kSpeed = 1e-9;
  const double kAcceleration = 1e-9;
  const Reference table("rhombus");
  const ScenarioRun run = run_scenario("rhombus", table.numbers("t"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto expected = [&](const char* column) { return table.number(row, column); };
    const Sample& sample = run.samples[row];
    SCOPED_TRACE(sample.motion.time);
    for (const char* joint : {"J1", "J4"})
      EXPECT_NEAR(coordinate(run, sample, joint), expected("theta"), kPosition) << joint;
    for (const char* body : {"crank", "rocker"}) {
      const BodyMotion it = body_motion(run, sample, body);
      EXPECT_NEAR(it.w.z(), expected("omega"), kSpeed) << body;
      EXPECT_NEAR(it.alpha.z(), expected("alpha"), kAcceleration) << body;
    }
    // The parallelogram's coupler never turns.
    const BodyMotion coupler = body_motion(run, sample, "coupler");
    EXPECT_NEAR(coupler.w.norm(), 0, kSpeed);
  }
}

TEST(Rhombus, IsSingularWhenFlat) {
  const Mobility mobility = mobility_of("rhombus", {{"start", "0"}});
  EXPECT_TRUE(mobility.singular());
  EXPECT_EQ(mobility.generic.freedoms, 1);
  EXPECT_EQ(mobility.instantaneous.freedoms, 2);
}

}  // namespace
}  // namespace sarrus::tests
