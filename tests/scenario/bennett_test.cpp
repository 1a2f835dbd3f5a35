// Scenario bennett: four revolute joints in space that move only because of their proportions.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(Bennett, MovesTheSameAtAnyTolerance) {
  const double kAgreement = 1e-5;  // ten times the coarse tolerance
  const std::vector<double> times = times_from(0.5, 3, 0.5);
  const ScenarioRun coarse = run_scenario("bennett", times, {.tolerance = 1e-6});
  const ScenarioRun fine = run_scenario("bennett", times, {.tolerance = 1e-11});
  for (std::size_t i = 0; i < times.size(); ++i) {
    SCOPED_TRACE(times[i]);
    const LargestDifferences difference =
        differences(coarse.samples[i].motion.configuration, fine.samples[i].motion.configuration);
    EXPECT_LT(difference.position, kAgreement);
    EXPECT_LT(difference.orientation, kAgreement);
    EXPECT_LT(difference.velocity, kAgreement);
  }
}

TEST(Bennett, KeepsItsClosureEquations) {
  // Angles from poses closed to rounding.
  const double kClosed = 1e-12;
  const double alpha = 50 * std::numbers::pi / 180;
  const double beta = 80 * std::numbers::pi / 180;
  const double product = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
  const ScenarioRun run = run_scenario("bennett", times_from(0, 3, 0.25), {.tolerance = 1e-8});
  for (const Sample& sample : run.samples) {
    SCOPED_TRACE(sample.motion.time);
    const double q1 = coordinate(run, sample, "J1");
    const double q2 = coordinate(run, sample, "J2");
    EXPECT_NEAR(coordinate(run, sample, "J3"), -q1, kClosed);
    EXPECT_NEAR(coordinate(run, sample, "J4"), -q2, kClosed);
    // tan(q1/2) tan(q2/2) = product, without the poles
    EXPECT_NEAR(std::sin(q1 / 2) * std::sin(q2 / 2), product * std::cos(q1 / 2) * std::cos(q2 / 2),
                kClosed);
  }
}

}  // namespace
}  // namespace sarrus::tests
