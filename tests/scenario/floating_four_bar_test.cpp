// Scenario floating-four-bar: a loop whose base moves, without gravity.
// Reference: reference.csv; see the scenario's README.

#include <gtest/gtest.h>

#include <numbers>
#include <utility>

#include "scenario/pentagon.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(FloatingFourBar, FollowsItsReference) {
  // Five seconds at tolerance 1e-12; ten to a hundred times what a run is off.
  const double kPosition = 1e-10;
  const double kSpeed = 1e-10;
  const double kAcceleration = 1e-9;
  const double kEnergy = 1e-10;
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"base", "1"}, {"crank", "2"}, {"coupler", "3"}, {"rocker", "4"}};
  const Reference table("floating-four-bar");
  for (const std::string& method : methods_for("floating-four-bar")) {
    SCOPED_TRACE(method);
    const ScenarioRun run =
        run_scenario("floating-four-bar", table.numbers("t"), {.method = method});
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto expected = [&](const std::string& column) { return table.number(row, column); };
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      for (const auto& [name, number] : bodies) {
        SCOPED_TRACE(name);
        const BodyMotion body = body_motion(run, sample, name);
        EXPECT_NEAR(body.p.x(), expected("x" + number), kPosition);
        EXPECT_NEAR(body.p.y(), expected("y" + number), kPosition);
        EXPECT_NEAR(std::remainder(direction(body) - expected("th" + number), 2 * std::numbers::pi),
                    0, kPosition);
        EXPECT_NEAR(body.v.x(), expected("vx" + number), kSpeed);
        EXPECT_NEAR(body.v.y(), expected("vy" + number), kSpeed);
        EXPECT_NEAR(body.w.z(), expected("w" + number), kSpeed);
        EXPECT_NEAR(body.a.x(), expected("ax" + number), kAcceleration);
        EXPECT_NEAR(body.a.y(), expected("ay" + number), kAcceleration);
        EXPECT_NEAR(body.alpha.z(), expected("al" + number), kAcceleration);
      }
      EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
    }
  }
}

}  // namespace
}  // namespace sarrus::tests
