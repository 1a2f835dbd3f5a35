// Scenario delta-robot: a platform that never turns, with redundant constraints or without.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

constexpr double kThird = 2 * std::numbers::pi / 3;

TEST(DeltaRobot, HasSixRedundantConstraintsOrNone) {
  EXPECT_EQ(mobility_of("delta-robot").generic.redundant, 6);
  const Mobility balls = mobility_of("delta-robot", {{"ends", "spherical"}});
  EXPECT_EQ(balls.generic.redundant, 0);
  EXPECT_EQ(balls.generic.freedoms, 3);
}

TEST(DeltaRobot, PlatformStandsWhereTheRodsOfPrescribedArmsMeet) {
  constexpr double kBase = 0.2, kPlatform = 0.08, kArm = 0.25, kRod = 0.6;
  constexpr double kStart = std::numbers::pi / 9, kSwing = 0.3, kRate = 4;
  const double kClosed = 1e-12;  // rounding: nothing is free, so nothing is integrated
  const std::vector<double> times = times_from(0, 1.5, 0.25);
  for (const char* ends : {"universal", "spherical"}) {
    SCOPED_TRACE(ends);
    const ScenarioRun run =
        run_scenario("delta-robot", times,
                     {.overrides = {{"ends", ends}, {"drive", "motion"}}, .tolerance = 1e-8});
    for (const Sample& sample : run.samples) {
      SCOPED_TRACE(sample.motion.time);
      const BodyMotion platform = body_motion(run, sample, "platform");
      EXPECT_LT(platform.pose.q.vec().norm(), kClosed);
      for (int i = 1; i <= 3; ++i) {
        const double phase = kThird * i;
        const double angle =
            kStart + kSwing * (std::sin(kRate * sample.motion.time + phase) - std::sin(phase));
        const Vec3 out(std::cos(phase), std::sin(phase), 0);
        const Vec3 elbow =
            (kBase + kArm * std::cos(angle)) * out - kArm * std::sin(angle) * Vec3::UnitZ();
        EXPECT_NEAR((elbow - platform.p - kPlatform * out).norm(), kRod, kClosed) << i;
      }
    }
  }
}

TEST(DeltaRobot, MovesAlikeWithEitherKindOfEnds) {
  // Errors of 1e-10 a step over some thousand, with motors that damp them.
  const double kSame = 1e-7;
  const std::vector<double> times = times_from(0, 1, 0.25);
  const ScenarioRun universal = run_scenario("delta-robot", times, {.tolerance = 1e-10});
  for (const char* method : {"coordinate-reduction", "augmented-dca"})
    for (const char* ends : {"universal", "spherical"}) {
      SCOPED_TRACE(fmt::format("{}, {}", method, ends));
      const ScenarioRun run =
          run_scenario("delta-robot", times,
                       {.overrides = {{"ends", ends}}, .method = method, .tolerance = 1e-10});
      for (std::size_t i = 0; i < times.size(); ++i) {
        const LargestDifferences between = differences(universal.samples[i].motion.configuration,
                                                       run.samples[i].motion.configuration);
        EXPECT_LT(between.position, kSame) << times[i];
        EXPECT_LT(between.orientation, kSame) << times[i];
      }
    }
}

}  // namespace
}  // namespace sarrus::tests
