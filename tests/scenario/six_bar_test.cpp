// Scenario six-bar: Watt's linkage, whose second loop shares two moving links with the first and does
// not touch the ground. Reference: reference.csv; see the scenario's README.

#include <gtest/gtest.h>

#include <utility>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(SixBar, FollowsItsReference) {
  // Two seconds at tolerance 1e-12; thirty to fifty times what a run is off.
  const double kPosition = 3e-11;
  const double kSpeed = 3e-11;
  const double kAcceleration = 3e-10;
  const double kEnergy = 3e-10;  // of 72 J
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"crank", "1"}, {"coupler", "2"}, {"rocker", "3"}, {"left", "4"}, {"right", "5"}};
  const Reference table("six-bar");
  for (const std::string& method : methods_for("six-bar")) {
    SCOPED_TRACE(method);
    const ScenarioRun run = run_scenario("six-bar", table.numbers("t"), {.method = method});
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto expected = [&](const std::string& column) { return table.number(row, column); };
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      EXPECT_NEAR(coordinate(run, sample, "A"), expected("q"), kPosition);
      for (const auto& [name, number] : bodies) {
        SCOPED_TRACE(name);
        const BodyMotion body = body_motion(run, sample, name);
        EXPECT_NEAR(body.p.x(), expected("x" + number), kPosition);
        EXPECT_NEAR(body.p.y(), expected("y" + number), kPosition);
        EXPECT_NEAR(body.v.x(), expected("vx" + number), kSpeed);
        EXPECT_NEAR(body.v.y(), expected("vy" + number), kSpeed);
        EXPECT_NEAR(body.w.z(), expected("w" + number), kSpeed);
        EXPECT_NEAR(body.a.x(), expected("ax" + number), kAcceleration);
        EXPECT_NEAR(body.a.y(), expected("ay" + number), kAcceleration);
        EXPECT_NEAR(body.alpha.z(), expected("al" + number), kAcceleration);
      }
      // Joint G ends the rod `left`, half its length beyond the middle.
      const BodyMotion left = body_motion(run, sample, "left");
      const Vec3 G = left.pose * Vec3(0.45, 0, 0);
      EXPECT_NEAR(G.x(), expected("gx"), kPosition);
      EXPECT_NEAR(G.y(), expected("gy"), kPosition);
      EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
    }
  }
}

}  // namespace
}  // namespace sarrus::tests
