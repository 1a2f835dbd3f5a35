// Scenario pendulum: IFToMM benchmark A01, a simple pendulum released from the horizontal.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

// Published solution of the benchmark after 10 s, from elliptic functions.
constexpr double kBobX = -0.27508746257611686;
constexpr double kBobY = -0.961419205099125064;

// Ten seconds are thousands of steps with errors of 1e-12 at speeds up to 4.4 m/s; about twenty times
// what a run is off.
constexpr double kBob = 1e-10;

TEST(Pendulum, EndsWhereTheBenchmarkSays) {
  const ScenarioRun run = run_scenario("pendulum", {10});
  const BodyMotion bob = body_motion(run, run.last(), "bob");
  EXPECT_NEAR(bob.p.x(), kBobX, kBob);
  EXPECT_NEAR(bob.p.y(), kBobY, kBob);
  EXPECT_LT(run.statistics().largest.position, 1e-14);  // rounding of a length of 1 m
  EXPECT_LT(run.statistics().energy_drift, kBob);
}

}  // namespace
}  // namespace sarrus::tests
