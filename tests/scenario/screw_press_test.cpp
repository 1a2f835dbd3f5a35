// Scenario screw-press: a motor and the platen's weight turn a screw against viscous friction.
//
// The platen stands still in rotation, so the thread's angle is −θ and the platen sinks by hθ with
// h = lead/2π. Virtual work: (J + m h²) θ̈ = τ + m g h − c θ̇, from rest.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

constexpr double kLead = 0.01;
constexpr double kScrewInertia = 0.02;
constexpr double kPlatenMass = 50;
constexpr double kTorque = 0.5;
constexpr double kFriction = 0.01;
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kAdvance = kLead / kTurn;

/// The bearing's angle and speed.
struct Exact {
  explicit Exact(double t) {
    const double inertia = kScrewInertia + kPlatenMass * kAdvance * kAdvance;
    const double torque = kTorque + kPlatenMass * kGravity * kAdvance;
    const double lag = inertia / kFriction;  // [s]
    const double last_speed = torque / kFriction;
    angle = last_speed * (t + lag * std::expm1(-t / lag));
    speed = -last_speed * std::expm1(-t / lag);
  }
  double angle, speed;
};

TEST(ScrewPress, TurnsAsTheClosedFormSaysOverHundredsOfTurns) {
  // Relative to the angle: the tolerance, added up over the steps of 20 s.
  const double kRelative = 1e-10;
  const double kHeight = 1e-10;  // [m], of 2 m
  const std::vector<double> times = {0, 0.01, 0.1, 0.5, 1, 2, 5, 8, 12, 16, 20};
  const ScenarioRun run = run_scenario("screw-press", times);
  for (const Sample& sample : run.samples) {
    SCOPED_TRACE(sample.motion.time);
    const Exact exact(sample.motion.time);
    const double angle = coordinate(run, sample, "bearing");
    EXPECT_NEAR(angle, exact.angle, kRelative * exact.angle);
    EXPECT_NEAR(body_motion(run, sample, "screw").w.z(), exact.speed, kRelative * exact.speed);

    // The other joints follow, turn by turn.
    const double sunk = kAdvance * angle;
    EXPECT_NEAR(coordinate(run, sample, "thread"), -angle, kRelative * angle);
    EXPECT_NEAR(coordinate(run, sample, "guide"), -sunk, kHeight);
    EXPECT_NEAR(body_motion(run, sample, "platen").p.z(), 2 - sunk, kHeight);
  }
  const double turns = coordinate(run, run.last(), "bearing") / kTurn;
  EXPECT_GT(turns, 100);
  EXPECT_EQ(std::floor(turns), std::floor(Exact(20).angle / kTurn));
}

}  // namespace
}  // namespace sarrus::tests
