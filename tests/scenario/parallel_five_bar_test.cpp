// Scenario parallel-five-bar: three legs of two rods that share a pin; two freedoms, two loops.
// Reference: reference.csv; see the scenario's README.

#include <gtest/gtest.h>

#include <numbers>

#include "scenario/pentagon.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(ParallelFiveBar, FollowsItsReference) {
  // Five seconds at tolerance 1e-12; ten to a hundred times what a run is off.
  const double kPosition = 1e-10;
  const double kSpeed = 1e-9;
  const double kAcceleration = 1e-8;
  const double kEnergy = 1e-10;
  const Reference table("parallel-five-bar");
  for (const std::string& method : methods_for("parallel-five-bar")) {
    SCOPED_TRACE(method);
    const ScenarioRun run =
        run_scenario("parallel-five-bar", table.numbers("t"), {.method = method});
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto expected = [&](const std::string& column) { return table.number(row, column); };
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      EXPECT_NEAR(coordinate(run, sample, "F1"), expected("q1"), kPosition);
      EXPECT_NEAR(coordinate(run, sample, "E1"), expected("q2"), kPosition);
      for (const std::string leg : {"1", "2", "3"}) {
        SCOPED_TRACE("leg " + leg);
        const BodyMotion upper = body_motion(run, sample, "upper" + leg);
        const BodyMotion lower = body_motion(run, sample, "lower" + leg);
        const auto angle = [](double difference) {
          return std::remainder(difference, 2 * std::numbers::pi);
        };
        EXPECT_NEAR(angle(direction(upper) - expected("th" + leg + "1")), 0, kPosition);
        EXPECT_NEAR(angle(direction(lower) - expected("th" + leg + "2")), 0, kPosition);
        EXPECT_NEAR(upper.w.z(), expected("w" + leg + "1"), kSpeed);
        EXPECT_NEAR(lower.w.z(), expected("w" + leg + "2"), kSpeed);
      }
      const BodyMotion upper = body_motion(run, sample, "upper1");
      const BodyMotion lower = body_motion(run, sample, "lower1");
      EXPECT_NEAR(upper.alpha.z(), expected("udot1"), kAcceleration);
      EXPECT_NEAR(lower.alpha.z() - upper.alpha.z(), expected("udot2"), kAcceleration);
      EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
    }
  }
}

}  // namespace
}  // namespace sarrus::tests
