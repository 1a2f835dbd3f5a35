// uzawa takes flexible bodies as black boxes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sarrus/base/diagnostics.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

// Joints at nodes, stabilised and not projected.
TEST(FlexibleBoxes, MoveAsTheJudgeDoes) {
  const std::vector<double> times = {0.05, 0.1};
  const ScenarioRun boxes =
      run_scenario("small-flexible-tree", times, {.method = "uzawa", .tolerance = 1e-9});
  const ScenarioRun judge = run_scenario("small-flexible-tree", times, {.tolerance = 1e-10});
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Configuration& one = boxes.samples[i].motion.configuration;
    const Configuration& other = judge.samples[i].motion.configuration;
    // Some hundred steps at 1e-9.
    EXPECT_LT(differences(one, other).position, 1e-6);
    EXPECT_LT(differences(one, other).orientation, 1e-6);
    for (std::size_t k = 0; k < one.modes.size(); ++k)
      EXPECT_NEAR(one.modes[k], other.modes[k], 1e-6);
  }
  EXPECT_LT(boxes.statistics().largest.position, 1e-7);
}

std::string refusal_of_boxes(const std::string& scenario, const SimulationOptions& options) {
  try {
    Simulation simulation(load_model(scenario), options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(FlexibleBoxes, StandByThemselves) {
  EXPECT_EQ(refusal_of_boxes("small-flexible-tree", {.method = "uzawa"}), "");
  EXPECT_THAT(refusal_of_boxes("small-flexible-tree",
                               {.method = "uzawa", .settings = {{"subsystems", "b0+b1"}}}),
              ::testing::HasSubstr("'b1' is flexible"));
  EXPECT_THAT(refusal_of_boxes("rotating-beam", {.method = "uzawa"}),
              ::testing::HasSubstr("polar_inertia"));
  EXPECT_THAT(refusal_of_boxes(
                  "small-flexible-tree",
                  {.method = "uzawa", .settings = {}, .integrator = "multirate", .step = 1e-4}),
              ::testing::HasSubstr("multirate does not take flexible bodies"));
}

}  // namespace
}  // namespace sarrus::tests
