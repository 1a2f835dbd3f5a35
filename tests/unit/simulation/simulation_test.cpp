#include "sarrus/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

// A run at tolerance 1e-11 over a few seconds keeps two digits more than this.
constexpr double kTolerance = 1e-11;
constexpr double kFollowed = 1e-9;

Description wheel() {
  Description d;
  d.gravity.setZero();
  d.add_body({.name = "wheel", .mass = 1, .inertia = 0.5 * Mat3::Identity()});
  return d;
}

TEST(Simulation, SphericalSpringSwingsThroughHalfATurn) {
  // About a fixed axis the rotation vector is an oscillator, here with an amplitude of 4 rad.
  constexpr double kInertia = 0.5, kStiffness = 2, kAmplitude = 4;
  const double frequency = std::sqrt(kStiffness / kInertia);
  const Vec3 axis = Vec3(1, 2, -2) / 3;
  Description d = wheel();
  d.bodies[0].angular_velocity = kAmplitude * frequency * axis;
  d.add_joint({.name = "ball", .type = JointType::kSpherical, .body_b = "wheel"});
  for (const char* coordinate : {"rx", "ry", "rz"})
    d.add_force(
        std::string("spring_") + coordinate,
        JointSpringDescription{.joint = "ball", .coordinate = coordinate, .stiffness = kStiffness});
  Simulation simulation(Model(d), {.tolerance = kTolerance});
  for (const double t : {0.3, 0.6, 0.8, 1.1, 2.0, 3.0}) {
    ASSERT_TRUE(simulation.advance_to(t).ok());
    const Sample now = simulation.sample();
    const double expected = kAmplitude * std::sin(frequency * t);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(now.motion.configuration.coordinates[static_cast<std::size_t>(k)],
                  expected * axis[k], kFollowed)
          << "t = " << t;
  }
  EXPECT_LT(simulation.statistics().energy_drift, kFollowed);
}

TEST(Simulation, DoesNotStepAcrossAJumpOfATorque) {
  Description d = wheel();
  d.add_joint({.name = "pin", .body_b = "wheel"});
  d.add_force("push", JointTorqueDescription{.joint = "pin",
                                             .value = TimeFunction(TimeFunction::Step{
                                                 .from = 0, .to = 2, .at = 0.3})});
  Simulation simulation(Model(d), {.tolerance = kTolerance});
  ASSERT_TRUE(simulation.advance_to(1).ok());
  // ω = τ (t − 0.3) / J, and the work supplied is ½ J ω².
  const Sample now = simulation.sample();
  EXPECT_NEAR(now.motion.configuration.velocities[1][2], 2 * 0.7 / 0.5, kFollowed);
  EXPECT_NEAR(now.motion.supplied, now.kinetic, kFollowed);
  EXPECT_EQ(simulation.statistics().rejected, 0);
}

TEST(Simulation, RecordsAtExactTimesAndStopsWhenAsked) {
  Description d = wheel();
  d.bodies[0].velocity = {1, 0, 0};
  Simulation simulation(Model(d), {});
  const std::vector<double> times = {0, 0.1, 0.25, 0.7};
  std::vector<double> seen;
  const auto record = [&](const Sample& sample) {
    seen.push_back(sample.motion.time);
    EXPECT_NEAR(sample.motion.configuration.poses[1].p.x(), sample.motion.time, kFollowed);
  };
  ASSERT_TRUE(simulation.advance_to(0.7, times, record).ok());
  EXPECT_EQ(seen, times);
  simulation.stop_when([] { return true; });
  EXPECT_EQ(simulation.advance_to(2).code, Status::Code::kInterrupted);
  EXPECT_EQ(simulation.time(), 0.7);
}

TEST(Simulation, TellsWhereADrivenMechanismLocks) {
  // A rod of 1 m cannot follow a crank of 2 m beyond 30°.
  Description d;
  const auto rod = [](const char* name, double length, double from) {
    const double across = length * length / 12;
    return BodyDescription{.name = name,
                           .mass = 1,
                           .inertia = Vec3(0.01, across, across).asDiagonal(),
                           .pose = {Quat::Identity(), {from + length / 2, 0, 0}}};
  };
  d.add_body(rod("crank", 2, 0)).add_body(rod("rod", 1, 2));
  d.add_body({.name = "slider",
              .mass = 1,
              .inertia = Mat3::Identity(),
              .pose = {Quat::Identity(), {3, 0, 0}}});
  const auto at = [](double x) { return Transform{Quat::Identity(), {x, 0, 0}}; };
  d.add_joint({.name = "A", .body_b = "crank", .at = at(0)});
  d.add_joint({.name = "B",
               .type = JointType::kSpherical,
               .body_a = "crank",
               .body_b = "rod",
               .at = at(2)});
  d.add_joint({.name = "C", .body_a = "rod", .body_b = "slider", .at = at(3)});
  d.add_joint({.name = "D",
               .type = JointType::kPrismatic,
               .body_b = "slider",
               .at = {least_turn(Vec3::UnitZ(), Vec3::UnitX()), {3, 0, 0}}});
  d.add_force("turn", MotionDescription{.joint = "A",
                                        .value = TimeFunction(TimeFunction::Ramp{.rate = 1})});
  Simulation simulation(Model(d), {});
  const Status status = simulation.advance_to(2);
  EXPECT_EQ(status.code, Status::Code::kDiverged);
  EXPECT_NE(status.reason.find("singular position"), std::string::npos) << status.reason;
  // The last good state is short of the lock by no more than the run's tolerance asks.
  EXPECT_NEAR(simulation.time(), std::asin(0.5), 1e-6);
  EXPECT_LE(simulation.time(), std::asin(0.5));
  EXPECT_LT(simulation.sample().constraints.position, 1e-9);
}

TEST(Simulation, RefusesAStepBesideATolerance) {
  EXPECT_THROW(Simulation(Model(wheel()), {.step = 0.1, .tolerance = 1e-6}), UsageError);
}

}  // namespace
}  // namespace sarrus
