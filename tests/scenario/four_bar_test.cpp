// Scenario four-bar: a crank-rocker falling from rest; reference.csv from other code, see README.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(FourBar, FollowsItsReference) {
  // Errors of 1e-12 a step add up over a thousand steps; speeds reach 5 rad/s, accelerations
  // 20 rad/s². The crank goes beyond −π: turns are compared too.
  const double kAngle = 1e-10;
  const double kSpeed = 1e-9;
  const double kAcceleration = 1e-9;
  const double kEnergy = 1e-9;  // of 79 J
  const Reference table("four-bar");
  const ScenarioRun run = run_scenario("four-bar", table.numbers("t"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto expected = [&](const char* column) { return table.number(row, column); };
    const Sample& sample = run.samples[row];
    SCOPED_TRACE(sample.motion.time);
    EXPECT_NEAR(coordinate(run, sample, "J1"), expected("q1"), kAngle);
    EXPECT_NEAR(coordinate(run, sample, "J2"), expected("q2"), kAngle);
    EXPECT_NEAR(coordinate(run, sample, "J3"), expected("q3"), kAngle);
    EXPECT_NEAR(coordinate(run, sample, "J4"), expected("q4"), kAngle);
    const BodyMotion crank = body_motion(run, sample, "crank");
    const BodyMotion coupler = body_motion(run, sample, "coupler");
    const BodyMotion rocker = body_motion(run, sample, "rocker");
    EXPECT_NEAR(crank.w.z(), expected("u1"), kSpeed);
    EXPECT_NEAR(coupler.w.z() - crank.w.z(), expected("u2"), kSpeed);
    EXPECT_NEAR(rocker.w.z() - coupler.w.z(), expected("u3"), kSpeed);
    EXPECT_NEAR(-rocker.w.z(), expected("u4"), kSpeed);
    EXPECT_NEAR(crank.alpha.z(), expected("udot1"), kAcceleration);
    EXPECT_NEAR(coupler.alpha.z() - crank.alpha.z(), expected("udot2"), kAcceleration);
    EXPECT_NEAR(rocker.alpha.z() - coupler.alpha.z(), expected("udot3"), kAcceleration);
    EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
  }
}

}  // namespace
}  // namespace sarrus::tests
