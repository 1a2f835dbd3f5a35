// Scenario double-pendulum: point masses on massless rods; reference.csv from other code.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(DoublePendulum, FollowsItsReference) {
  // The motion amplifies errors of 1e-12 fiftyfold in 10 s; speeds reach 8 rad/s, forces 60 N. About
  // ten times what a run is off.
  const double kPosition = 1e-10;
  const double kSpeed = 1e-9;
  const double kForce = 1e-8;
  const double kEnergy = 1e-9;
  const Reference table("double-pendulum");
  const ScenarioRun run = run_scenario("double-pendulum", table.numbers("t"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto expected = [&](const char* column) { return table.number(row, column); };
    const Sample& sample = run.samples[row];
    SCOPED_TRACE(sample.motion.time);
    const BodyMotion one = body_motion(run, sample, "link1");
    const BodyMotion two = body_motion(run, sample, "link2");
    EXPECT_NEAR(coordinate(run, sample, "J1"), expected("theta1"), kPosition);
    EXPECT_NEAR(coordinate(run, sample, "J2"), expected("theta2"), kPosition);
    EXPECT_NEAR(one.p.x(), expected("x1"), kPosition);
    EXPECT_NEAR(one.p.y(), expected("y1"), kPosition);
    EXPECT_NEAR(two.p.x(), expected("x2"), kPosition);
    EXPECT_NEAR(two.p.y(), expected("y2"), kPosition);
    EXPECT_NEAR(one.w.z(), expected("omega1"), kSpeed);
    EXPECT_NEAR(two.w.z() - one.w.z(), expected("omega2"), kSpeed);
    EXPECT_NEAR(two.v.x(), expected("vx2"), kSpeed);
    EXPECT_NEAR(two.v.y(), expected("vy2"), kSpeed);
    const Reaction ground = reaction(run, sample, "J1");
    const Reaction rod = reaction(run, sample, "J2");
    EXPECT_NEAR(ground.force.x(), expected("fx1"), kForce);
    EXPECT_NEAR(ground.force.y(), expected("fy1"), kForce);
    EXPECT_NEAR(rod.force.x(), expected("fx2"), kForce);
    EXPECT_NEAR(rod.force.y(), expected("fy2"), kForce);
    EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
  }
}

// What is left at 1e-12 is the integrator's error alone: it falls with the tolerance, here to 3e-13.
TEST(DoublePendulum, ComesTenTimesNearerWithATighterTolerance) {
  const double kPosition = 2e-12;
  const Reference table("double-pendulum");
  const ScenarioRun run = run_scenario("double-pendulum", table.numbers("t"), {.tolerance = 3e-14});
  for (std::size_t row = 0; row < table.size(); ++row) {
    const BodyMotion moved = body_motion(run, run.samples[row], "link2");
    EXPECT_NEAR(moved.p.x(), table.number(row, "x2"), kPosition) << run.samples[row].motion.time;
  }
}

}  // namespace
}  // namespace sarrus::tests
