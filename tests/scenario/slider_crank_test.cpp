// Scenario slider-crank: equal rods, so that it passes singular positions with its crank upright;
// reference.csv from other code, see README.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(SliderCrank, FollowsItsReferenceThroughSingularPositions) {
  // The energy drifts by some 1e-11 J, which changes the period: the phase error grows with the
  // square of the time, to 5e-11 rad after 10 s; no jump at the singular positions. Twenty times that,
  // with speeds of 5 m/s and accelerations of 30 m/s².
  const double kPosition = 1e-9;
  const double kSpeed = 1e-8;
  const double kAcceleration = 1e-7;
  const double kEnergy = 1e-9;
  const Reference table("slider-crank");
  const ScenarioRun run = run_scenario("slider-crank", table.numbers("t"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto expected = [&](const char* column) { return table.number(row, column); };
    const Sample& sample = run.samples[row];
    SCOPED_TRACE(sample.motion.time);
    const BodyMotion crank = body_motion(run, sample, "crank");
    const BodyMotion slider = body_motion(run, sample, "slider");
    EXPECT_NEAR(coordinate(run, sample, "J1"), expected("theta"), kPosition);
    EXPECT_NEAR(coordinate(run, sample, "J2"), -2 * expected("theta"), kPosition);
    EXPECT_NEAR(coordinate(run, sample, "J4"), expected("x"), kPosition);
    EXPECT_NEAR(crank.p.x(), expected("x_pin"), kPosition);
    EXPECT_NEAR(crank.p.y(), expected("y_pin"), kPosition);
    EXPECT_NEAR(crank.w.z(), expected("omega"), kSpeed);
    EXPECT_NEAR(crank.alpha.z(), expected("alpha"), kAcceleration);
    EXPECT_NEAR(slider.p.x(), expected("x"), kPosition);
    EXPECT_NEAR(slider.v.x(), expected("vx"), kSpeed);
    EXPECT_NEAR(slider.a.x(), expected("ax"), kAcceleration);
    EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
  }
}

TEST(SliderCrank, IsSingularWithItsCrankUpright) {
  const Mobility mobility = mobility_of("slider-crank", {{"angle", "pi/2"}});
  EXPECT_TRUE(mobility.singular());
  EXPECT_EQ(mobility.generic.freedoms, 1);
  EXPECT_EQ(mobility.instantaneous.freedoms, 2);
}

// What is left at 1e-12 is the integrator's error alone: it falls with the tolerance, here to 8e-13.
TEST(SliderCrank, ComesTenTimesNearerWithATighterTolerance) {
  const double kPosition = 8e-12;
  const Reference table("slider-crank");
  const ScenarioRun run = run_scenario("slider-crank", table.numbers("t"), {.tolerance = 3e-14});
  for (std::size_t row = 0; row < table.size(); ++row) {
    const BodyMotion moved = body_motion(run, run.samples[row], "slider");
    EXPECT_NEAR(moved.p.x(), table.number(row, "x"), kPosition) << run.samples[row].motion.time;
  }
}

}  // namespace
}  // namespace sarrus::tests
