// Scenario parallel-robot: a platform on telescopic legs. Legs that move alike lift it in a closed form;
// springs of the right force hold it in place.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

/// The platform lifted by legs of equal length L, for the scenario's default parameters: everything a
/// function of L, a prime for the derivative by it.
struct Lift {
  Lift(int legs, double L) {
    const double turn = 40 * std::numbers::pi / 180;
    const double reach = std::sqrt(1 + 0.36 - 1.2 * std::cos(turn));
    const double part = 0.6 * std::hypot(reach, 1);  // length of cylinder and rod
    const double lower = 2, upper = 1;               // their masses
    const double out = L - part / 2;                 // foot to the middle of the rod
    z = std::sqrt(L * L - reach * reach);
    dz = L / z;
    ddz = 1 / z - L * L / (z * z * z);
    // inclination of a leg: cos = reach/L
    const double turning = reach / (L * z);
    const double dturning = -reach * (z + L * dz) / (L * L * z * z);
    const auto across = [&](double m, double radius) {
      return m * (3 * radius * radius + part * part) / 12;
    };
    const double inertia = across(lower, 0.03) + lower * part * part / 4 + across(upper, 0.02) +
                           upper * out * out;  // about the foot
    mass = 20 * dz * dz + legs * (inertia * turning * turning + upper);
    dmass = 40 * dz * ddz +
            legs * (2 * upper * out * turning * turning + 2 * inertia * turning * dturning);
    const double dsine = 1 / z - z / (L * L);  // of sin = z/L
    weight =
        kGravity * (20 * dz + legs * (lower * part / 2 * dsine + upper * (dz - part / 2 * dsine)));
  }

  double z, dz, ddz;   // height of the platform
  double mass, dmass;  // T = ½ mass L̇²
  double weight;       // V′
};

TEST(ParallelRobot, IsLiftedByLegsThatMoveAlike) {
  // Everything is prescribed: rounding only.
  const double kPosition = 1e-12;
  const double kForce = 1e-10;  // of some hundred newtons
  const double stroke = 0.1, rate = 2;
  for (const int legs : {6, 9})
    for (const std::string method : {"reference", "augmented-dca"}) {
      if (legs > 6 && method == "reference") continue;  // dense
      SCOPED_TRACE(method + ", legs: " + std::to_string(legs));
      const ScenarioRun run =
          run_scenario("parallel-robot", {0, 0.2},
                       {.overrides = {{"legs", std::to_string(legs)}, {"lag", "0"}},
                        .method = method,
                        .tolerance = 1e-10});
      const double turn = 40 * std::numbers::pi / 180;
      const double start = std::sqrt(1 + 0.36 - 1.2 * std::cos(turn) + 1);
      for (const Sample& sample : run.samples) {
        const double phase = rate * sample.motion.time;
        SCOPED_TRACE(sample.motion.time);
        const double L = start + stroke * std::sin(phase);
        const double v = stroke * rate * std::cos(phase);
        const double a = -stroke * rate * rate * std::sin(phase);
        const Lift lift(legs, L);
        const BodyMotion platform = body_motion(run, sample, "platform");
        EXPECT_NEAR((platform.p - Vec3(0, 0, lift.z)).norm(), 0, kPosition);
        EXPECT_NEAR((platform.v - Vec3(0, 0, lift.dz * v)).norm(), 0, kPosition);
        EXPECT_NEAR((platform.a - Vec3(0, 0, lift.dz * a + lift.ddz * v * v)).norm(), 0, kPosition);
        EXPECT_NEAR(platform.pose.q.vec().norm(), 0, kPosition);
        EXPECT_NEAR(platform.w.norm(), 0, kPosition);
        // What all drives do together, by virtual work; forces of too many legs share it somehow.
        double force = 0;
        for (int k = 1; k <= legs; ++k) {
          const std::string i = std::to_string(k);
          const Vec3 along = body_motion(run, sample, "lower" + i).pose.q * Vec3::UnitX();
          force += reaction(run, sample, "P" + i).force.dot(along);
        }
        EXPECT_NEAR(force, lift.mass * a + lift.dmass * v * v / 2 + lift.weight, kForce);
      }
    }
}

TEST(ParallelRobot, HasLegsOfThePrescribedLengths) {
  const double kLength = 1e-12;  // rounding of lengths of some metres
  const double kWork = 1e-6;     // of tens of joules, at the default tolerance
  const double stroke = 0.1, rate = 2, lag = 120 * std::numbers::pi / 180;
  for (const std::string& method : methods_for("parallel-robot")) {
    SCOPED_TRACE(method);
    const double until = method == "reference" ? 0.1 : 2;  // the dense method is slow
    const ScenarioRun run =
        run_scenario("parallel-robot", {0, until}, {.method = method, .tolerance = 1e-8});
    for (const Sample& sample : run.samples) {
      const double half = 0.3 * std::sqrt(1 + 0.36 - 1.2 * std::cos(lag / 3) + 1);
      for (int k = 1; k <= 6; ++k) {
        SCOPED_TRACE(k);
        const double behind = lag * ((k - 1) / 2);
        const std::string i = std::to_string(k);
        const Vec3 foot = body_motion(run, sample, "lower" + i).pose * Vec3(-half, 0, 0);
        const Vec3 head = body_motion(run, sample, "upper" + i).pose * Vec3(half, 0, 0);
        EXPECT_NEAR((head - foot).norm() - half / 0.3,
                    stroke * (std::sin(rate * sample.motion.time - behind) + std::sin(behind)),
                    kLength);
        EXPECT_NEAR(foot.z(), 0, kLength);
      }
      EXPECT_NEAR(energy_error(run.samples.front(), sample), 0, kWork);
    }
    // It does not only rise.
    EXPECT_GT(body_motion(run, run.last(), "platform").pose.q.vec().norm(), 0.01);
  }
}

TEST(ParallelRobot, HangsStillInItsSprings) {
  const double kAcceleration = 1e-11;  // rounding of forces of some tens of newtons, with room
  for (const char* legs : {"4", "6", "12"})
    for (const std::string method : {"reference", "augmented-dca"}) {
      SCOPED_TRACE(method + ", legs: " + legs);
      const ScenarioRun run = run_scenario(
          "parallel-robot", {0},
          {.overrides = {{"legs", legs}, {"drive", "springs"}, {"kick", "0"}}, .method = method});
      const BodyMotion platform = body_motion(run, run.last(), "platform");
      EXPECT_NEAR(platform.a.norm(), 0, kAcceleration);
      EXPECT_NEAR(platform.alpha.norm(), 0, kAcceleration);
    }
}

TEST(ParallelRobot, HasSixFreedomsLessOneForEachMotion) {
  for (const int legs : {3, 5, 6, 7, 30}) {
    SCOPED_TRACE(legs);
    const std::string text = std::to_string(legs);
    const Mobility driven = mobility_of("parallel-robot", {{"legs", text}});
    EXPECT_EQ(driven.generic.freedoms, std::max(0, 6 - legs));
    EXPECT_EQ(driven.generic.redundant, std::max(0, legs - 6));
    EXPECT_EQ(driven.generic_without_motions.freedoms, 6);
    const Mobility loose = mobility_of("parallel-robot", {{"legs", text}, {"drive", "free"}});
    EXPECT_EQ(loose.generic.freedoms, 6);
    EXPECT_EQ(loose.generic.redundant, 0);
  }
}

}  // namespace
}  // namespace sarrus::tests
