// Scenario four-bar-dead-point: coupler and rocker come into line again and again, and there the
// crank's rate says nothing about the motion. Reference: reference.csv; see the scenario's README.

#include <gtest/gtest.h>

#include <numbers>
#include <utility>

#include "scenario/pentagon.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

const std::vector<std::pair<std::string, std::string>> kDeadPointBodies = {
    {"crank", "1"}, {"coupler", "2"}, {"rocker", "3"}};

void expect_dead_point_rows(const std::string& method, double until, double tolerance,
                            const Bars& bars) {
  const Reference table("four-bar-dead-point");
  std::vector<double> times = table.numbers("t");
  std::erase_if(times, [&](double time) { return time > until; });
  const ScenarioRun run =
      run_scenario("four-bar-dead-point", times, {.method = method, .tolerance = tolerance});
  for (std::size_t row = 0; row < times.size(); ++row) {
    const auto expected = [&](const std::string& column) { return table.number(row, column); };
    const Sample& sample = run.samples[row];
    SCOPED_TRACE(sample.motion.time);
    for (const auto& [name, number] : kDeadPointBodies) {
      SCOPED_TRACE(name);
      const BodyMotion body = body_motion(run, sample, name);
      EXPECT_NEAR(body.p.x(), expected("x" + number), bars.position);
      EXPECT_NEAR(body.p.y(), expected("y" + number), bars.position);
      EXPECT_NEAR(std::remainder(direction(body) - expected("th" + number), 2 * std::numbers::pi),
                  0, bars.position);
      EXPECT_NEAR(body.v.x(), expected("vx" + number), bars.velocity);
      EXPECT_NEAR(body.v.y(), expected("vy" + number), bars.velocity);
      EXPECT_NEAR(body.w.z(), expected("w" + number), bars.velocity);
      EXPECT_NEAR(body.a.x(), expected("ax" + number), bars.acceleration);
      EXPECT_NEAR(body.a.y(), expected("ay" + number), bars.acceleration);
      EXPECT_NEAR(body.alpha.z(), expected("al" + number), bars.acceleration);
    }
    EXPECT_NEAR(sample.total(), expected("energy"), bars.energy);
  }
}

TEST(FourBarDeadPoint, FollowsItsReferenceThroughTheDeadPoints) {
  // Tolerance 1e-12 and a table good to 1.2e-10; speeds reach 10 rad/s, accelerations 130 rad/s². Some
  // forty times what a run is off.
  const Bars kFine = {
      .position = 1e-10, .velocity = 1e-9, .acceleration = 3e-8, .force = 0, .energy = 1e-9};
  for (const std::string& method : methods_for("four-bar-dead-point")) {
    SCOPED_TRACE(method);
    expect_dead_point_rows(method, 2, 1e-12, kFine);
  }
}

TEST(FourBarDeadPoint, TakesTheRightBranchAtTheDefaultTolerance) {
  // Four dead points of the crank in five seconds. Some thirty times what a run is off; on the wrong
  // branch it would be off by tenths.
  const Bars kDefault = {
      .position = 2e-6, .velocity = 2e-5, .acceleration = 3e-4, .force = 0, .energy = 1e-5};
  for (const std::string& method : methods_for("four-bar-dead-point")) {
    SCOPED_TRACE(method);
    expect_dead_point_rows(method, 5, 1e-8, kDefault);
  }
}

}  // namespace
}  // namespace sarrus::tests
