// The modular methods through singular positions, and around loops in space whose joints depend on each
// other, against another method.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sarrus/analysis/assembly.h"
#include "sarrus/io/model_file.h"
#include "sarrus/io/scenario_directory.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

class ModularMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(ModularMethod, PassesSingularPositionsAsOthersDo) {
  // Ten times what `reference` is off at the same tolerance: 5e-10 m and 3e-9 m.
  struct Case {
    const char* scenario;
    double position;
  };
  const std::vector<double> times = times_from(0.5, 10, 0.5);
  for (const Case& one : {Case{"rhombus", 5e-9}, Case{"n-four-bar", 3e-8}}) {
    const ScenarioRun expected =
        run_scenario(one.scenario, times, {.method = "coordinate-reduction", .tolerance = 1e-13});
    const ScenarioRun run =
        run_scenario(one.scenario, times, {.method = GetParam(), .tolerance = 1e-10});
    // Of angular velocities some ten rad/s, and of the steps beside a singular position.
    const double velocity = 20 * one.position;
    for (std::size_t i = 0; i < times.size(); ++i) {
      SCOPED_TRACE(std::string(one.scenario) + " at " + std::to_string(times[i]));
      const LargestDifferences difference = differences(run.samples[i].motion.configuration,
                                                        expected.samples[i].motion.configuration);
      EXPECT_LT(difference.position, one.position);
      EXPECT_LT(difference.orientation, 10 * one.position);  // rods of 0.2 m and of 1 m
      EXPECT_LT(difference.velocity, velocity);
    }
    // Steps stay as long as they are elsewhere: some seven hundred, and two thousand.
    EXPECT_LT(run.statistics().steps, 3000);
    EXPECT_LT(run.statistics().rejected, 300);
  }
}

TEST_P(ModularMethod, PassesSingularPositionsWithoutRedundantJoints) {
  // The rhombus with a ball joint and a cylindrical one has as many rows as it needs, and moves as it
  // did. Stages are then projected near the flat position only.
  constexpr double kPosition = 5e-9;  // as above
  Description description = load_description(scenario_directory() / "rhombus" / "model.yaml");
  for (JointDescription& joint : description.joints) {
    if (joint.name != "J2" && joint.name != "J3") continue;
    joint.type = joint.name == "J2" ? JointType::kSpherical : JointType::kCylindrical;
    joint.reference = {};
  }
  const Model model(description);
  ASSERT_EQ(compute_mobility(model, analyse_topology(model), assemble(model).configuration)
                .generic.redundant,
            0);
  Simulation run(model, {.method = GetParam(), .tolerance = 1e-10, .until = 10.0});
  Simulation expected(model, {.method = "coordinate-reduction", .tolerance = 1e-13, .until = 10.0});
  for (const double t : times_from(0.5, 10, 0.5)) {
    SCOPED_TRACE(t);
    ASSERT_TRUE(expected.advance_to(t).ok());
    const Status status = run.advance_to(t);
    ASSERT_TRUE(status.ok()) << status.reason;
    const LargestDifferences difference =
        differences(run.sample().motion.configuration, expected.sample().motion.configuration);
    EXPECT_LT(difference.position, kPosition);
    EXPECT_LT(difference.velocity, 20 * kPosition);
  }
}

TEST(ModularLarge, PassesSingularPositionsByItsElimination) {
  // Above forty joints uzawa has no dense factors. Ten times what `augmented-dca` is off.
  constexpr double kPosition = 5e-10;
  const Overrides loops = {{"loops", "14"}};
  const std::vector<double> times = times_from(0.5, 2, 0.5);
  const ScenarioRun expected =
      run_scenario("n-four-bar", times,
                   {.overrides = loops, .method = "coordinate-reduction", .tolerance = 1e-13});
  const ScenarioRun run = run_scenario("n-four-bar", times,
                                       {.overrides = loops, .method = "uzawa", .tolerance = 1e-10});
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_LT(
        differences(run.samples[i].motion.configuration, expected.samples[i].motion.configuration)
            .position,
        kPosition)
        << times[i];
}

TEST_P(ModularMethod, MovesRedundantLoopsInSpaceAtFixedSteps) {
  // Ten times what `baumgarte` is off, whose orthogonal factors know the rank.
  struct Case {
    const char* scenario;
    const char* integrator;
    double position;
  };
  constexpr double kStep = 1e-3;
  constexpr double kUntil = 5;
  for (const Case& one : {Case{"bennett", "rk4", 4e-5}, Case{"bennett", "newmark", 2e-3},
                          Case{"bricard", "rk4", 1e-6}, Case{"bricard", "newmark", 8e-5}}) {
    SCOPED_TRACE(std::string(one.scenario) + " by " + one.integrator);
    Simulation expected(load_model(one.scenario),
                        {.method = "coordinate-reduction", .tolerance = 1e-11, .until = kUntil});
    Simulation run(
        load_model(one.scenario),
        {.method = GetParam(), .integrator = one.integrator, .step = kStep, .until = kUntil});
    for (const double t : times_from(0.5, kUntil, 0.5)) {
      SCOPED_TRACE(t);
      ASSERT_TRUE(expected.advance_to(t).ok());
      const Status status = run.advance_to(t);
      ASSERT_TRUE(status.ok()) << status.reason;
      const LargestDifferences difference =
          differences(run.sample().motion.configuration, expected.sample().motion.configuration);
      EXPECT_LT(difference.position, one.position);
      EXPECT_LT(difference.velocity, 20 * one.position);
    }
    EXPECT_TRUE(run.statistics().notes.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Modular, ModularMethod,
                         ::testing::Values("uzawa", "baumgarte", "augmented-lagrangian"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sarrus::tests
