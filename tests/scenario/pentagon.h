#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "scenario/scenario.h"

/// What the tests of five-bar and double-loop share: planar loops of equal links, from rest, with
/// tables of the same columns.
namespace sarrus::tests {

/// How far a run may be from the table.
struct Bars {
  double position;  // [m, rad]
  double velocity;
  double acceleration;
  double force;   // [N]
  double energy;  // [J]
};

// At the start nothing has been integrated: only the roundings of one linear solve.
inline constexpr Bars kAtStart = {1e-12, 1e-12, 1e-12, 1e-12, 1e-12};

// Up to one second at tolerance 1e-12: each derivative loses about a digit, and forces of some tens
// of newtons one more. Some hundred times what a run is off.
inline constexpr Bars kAfterOneSecond = {1e-11, 1e-10, 1e-9, 1e-8, 1e-10};

// Out of the plane nothing ever acts: only the rounding of forces of some tens of newtons.
inline constexpr double kOutOfPlane = 1e-12;

/// Angle of the body's x axis in the plane.
inline double direction(const BodyMotion& body) {
  const Vec3 x = body.pose.q * Vec3::UnitX();
  return std::atan2(x.y(), x.x());
}

inline void expect_body(const BodyMotion& body, const Reference& table, std::size_t row,
                        const Bars& bars) {
  const auto expected = [&](const char* column) { return table.number(row, column); };
  EXPECT_NEAR(body.p.x(), expected("x"), bars.position);
  EXPECT_NEAR(body.p.y(), expected("y"), bars.position);
  EXPECT_NEAR(body.p.z(), 0, kOutOfPlane);
  EXPECT_NEAR(std::remainder(direction(body) - expected("angle"), 2 * std::numbers::pi), 0,
              bars.position);
  EXPECT_NEAR(body.v.x(), expected("vx"), bars.velocity);
  EXPECT_NEAR(body.v.y(), expected("vy"), bars.velocity);
  EXPECT_NEAR(body.w.z(), expected("omega"), bars.velocity);
  EXPECT_NEAR(std::hypot(body.v.z(), body.w.x(), body.w.y()), 0, kOutOfPlane);
  EXPECT_NEAR(body.a.x(), expected("ax"), bars.acceleration);
  EXPECT_NEAR(body.a.y(), expected("ay"), bars.acceleration);
  EXPECT_NEAR(body.alpha.z(), expected("alpha"), bars.acceleration);
  EXPECT_NEAR(std::hypot(body.a.z(), body.alpha.x(), body.alpha.y()), 0, kOutOfPlane);
}

inline void expect_joint(const Reaction& joint, const Reference& table, std::size_t row,
                         const Bars& bars) {
  EXPECT_NEAR(joint.force.x(), table.number(row, "fx"), bars.force);
  EXPECT_NEAR(joint.force.y(), table.number(row, "fy"), bars.force);
  EXPECT_NEAR(joint.force.z(), 0, kOutOfPlane);
  EXPECT_NEAR(joint.torque.norm(), 0, kOutOfPlane);
}

/// Every row of the table, at the times it has.
inline void expect_follows_reference(const std::string& scenario,
                                     const std::string& method = "reference") {
  const Reference table(scenario);
  std::vector<double> times = table.numbers("t");
  times.erase(std::unique(times.begin(), times.end()), times.end());
  ASSERT_EQ(times.front(), 0);
  ASSERT_EQ(times.back(), 1);
  const ScenarioRun run = run_scenario(scenario, times, {.method = method});

  for (std::size_t row = 0; row < table.size(); ++row) {
    const double time = table.number(row, "t");
    const std::string& name = table.text(row, "name");
    SCOPED_TRACE(name + " at " + std::to_string(time) + " s");
    const Sample& sample =
        *std::ranges::find(run.samples, time, [](const Sample& s) { return s.motion.time; });
    const Bars& bars = time == 0 ? kAtStart : kAfterOneSecond;
    const std::string& kind = table.text(row, "kind");
    if (kind == "body") {
      expect_body(body_motion(run, sample, name), table, row, bars);
    } else if (kind == "joint") {
      expect_joint(reaction(run, sample, name), table, row, bars);
    } else {
      EXPECT_NEAR(sample.total(), table.number(row, "energy"), bars.energy);
    }
  }
}

/// Turned with its base, but not with gravity, it is another mechanism in all but its figures.
inline void expect_runs_on_an_inclined_base(const std::string& scenario) {
  const Overrides inclined = {{"base_angle", "37"}};
  const Mobility upright = mobility_of(scenario);
  const Mobility mobility = mobility_of(scenario, inclined);
  EXPECT_EQ(mobility.generic.freedoms, upright.generic.freedoms);
  EXPECT_EQ(mobility.generic.redundant, upright.generic.redundant);
  EXPECT_FALSE(mobility.singular());

  // The default tolerance times some joules of moving energy, over some hundred steps.
  const double kEnergy = 1e-6;
  const ScenarioRun run = run_scenario(scenario, {1}, {.overrides = inclined, .tolerance = 1e-8});
  EXPECT_LT(run.statistics().energy_drift, kEnergy);
}

}  // namespace sarrus::tests
