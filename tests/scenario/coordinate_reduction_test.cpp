// coordinate-reduction with its settings: how far the loops are enforced, independent coordinates, and
// the recursion as it was published.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>
#include <utility>

#include "scenario/pentagon.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

constexpr const char* kReduction = "coordinate-reduction";

/// Which columns of a scenario's table are whose. Bodies have x, y, vx, vy, w and a number.
struct TableColumns {
  std::string scenario;
  std::vector<std::pair<std::string, std::string>> bodies;
  struct Coordinate {
    std::string joint;
    int index;
    std::string column;
  };
  std::vector<Coordinate> coordinates;
};

const TableColumns kFourBar = {
    "four-bar", {}, {{"J1", 0, "q1"}, {"J2", 0, "q2"}, {"J3", 0, "q3"}, {"J4", 0, "q4"}}};
const TableColumns kDeadPoint = {
    "four-bar-dead-point", {{"crank", "1"}, {"coupler", "2"}, {"rocker", "3"}}, {}};
const TableColumns kLadder = {"ladder", {}, {{"H0", 0, "q1"}, {"H0", 1, "q2"}}};
const TableColumns kSixBar = {
    "six-bar",
    {{"crank", "1"}, {"coupler", "2"}, {"rocker", "3"}, {"left", "4"}, {"right", "5"}},
    {{"A", 0, "q"}}};
const TableColumns kParallelFiveBar = {"parallel-five-bar", {}, {{"F1", 0, "q1"}, {"E1", 0, "q2"}}};
const TableColumns kUnequalFourBars = {
    "unequal-four-bars",
    {},
    {{"A0", 0, "q0"}, {"A1", 0, "q1"}, {"A2", 0, "q2"}, {"A3", 0, "q3"}, {"A4", 0, "q4"}}};
const TableColumns kFloatingFourBar = {
    "floating-four-bar", {{"base", "1"}, {"crank", "2"}, {"coupler", "3"}, {"rocker", "4"}}, {}};

/// Runs with the settings along the table, as the scenario's own test does.
ScenarioRun expect_follows_table(const TableColumns& columns,
                                 const std::vector<MethodSetting>& settings, double until) {
  // As with the default settings: tolerance 1e-12 over some seconds.
  const double kPosition = 1e-10;
  const double kSpeed = 1e-9;
  const double kEnergy = 1e-9;
  const Reference table(columns.scenario);
  std::vector<double> times = table.numbers("t");
  std::erase_if(times, [&](double time) { return time > until; });
  ScenarioRun run =
      run_scenario(columns.scenario, times, {.method = kReduction, .settings = settings});
  for (std::size_t row = 0; row < times.size(); ++row) {
    const auto expected = [&](const std::string& column) { return table.number(row, column); };
    const Sample& sample = run.samples[row];
    SCOPED_TRACE(fmt::format("{} at {} s", columns.scenario, times[row]));
    for (const TableColumns::Coordinate& c : columns.coordinates) {
      const Joint& joint = run.model().joint(run.model().find_joint(c.joint));
      const double* q = sample.motion.configuration.coordinates.data() + joint.first_freedom;
      EXPECT_NEAR(q[c.index], expected(c.column), kPosition) << c.joint;
    }
    for (const auto& [name, number] : columns.bodies) {
      SCOPED_TRACE(name);
      const BodyMotion body = body_motion(run, sample, name);
      EXPECT_NEAR(body.p.x(), expected("x" + number), kPosition);
      EXPECT_NEAR(body.p.y(), expected("y" + number), kPosition);
      EXPECT_NEAR(body.v.x(), expected("vx" + number), kSpeed);
      EXPECT_NEAR(body.v.y(), expected("vy" + number), kSpeed);
      EXPECT_NEAR(body.w.z(), expected("w" + number), kSpeed);
    }
    EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
  }
  return run;
}

/// The four-bar for ten seconds in steps of 0.01 s.
struct FourBarRun {
  std::vector<Sample> samples;  ///< every 0.1 s
  double position(int second) const {
    return samples[static_cast<std::size_t>(10 * second)].constraints.position;
  }
};

FourBarRun run_four_bar(const std::vector<MethodSetting>& settings) {
  SimulationOptions options;
  options.method = kReduction;
  options.settings = settings;
  options.integrator = "rk4";
  options.step = 0.01;
  options.until = 10;
  Simulation simulation(load_model("four-bar"), options);
  FourBarRun run;
  for (int i = 0; i <= 100; ++i) {
    EXPECT_TRUE(simulation.advance_to(0.1 * i).ok());
    run.samples.push_back(simulation.sample());
  }
  return run;
}

TEST(CoordinateReductionLevels, AtAccelerationsLoopsDriftWithTheSquareOfTime) {
  // Errors of the steps add up in φ̇, which grows like t, and φ like t²: a factor of 4 in twice the
  // time, and the swinging of the mechanism on top. Anderson and Critchley have 1e-4 after 10 s.
  const FourBarRun run = run_four_bar({{"level", "acceleration"}});
  EXPECT_GT(run.position(10), 0.5e-4);
  EXPECT_LT(run.position(10), 3e-4);
  EXPECT_GT(run.position(10) / run.position(5), 2.5);
  EXPECT_LT(run.position(10) / run.position(5), 7);
}

TEST(CoordinateReductionLevels, AtVelocitiesPositionsDriftSlowly) {
  // What is left in φ is the steps' own errors, of some 1e-9 each.
  const FourBarRun run = run_four_bar({{"level", "velocity"}});
  for (const Sample& sample : run.samples) {
    EXPECT_LE(sample.constraints.position, 1e-6) << sample.motion.time;
    // Speeds of 5 rad/s at lengths of 3.5 m.
    EXPECT_LE(sample.constraints.velocity, 1e-13) << sample.motion.time;
  }
  EXPECT_GT(run.position(10), 1e-10);  // they are not enforced
}

TEST(CoordinateReductionLevels, AtPositionsNothingDrifts) {
  // It is 3.5 m long: some ten roundings of that.
  for (const std::vector<MethodSetting>& settings :
       {std::vector<MethodSetting>{}, {{"level", "position"}}, {{"state", "independent"}}}) {
    const FourBarRun run = run_four_bar(settings);
    for (const Sample& sample : run.samples) {
      EXPECT_LE(sample.constraints.position, 1e-14) << sample.motion.time;
      EXPECT_LE(sample.constraints.velocity, 1e-13) << sample.motion.time;
    }
  }
}

TEST(CoordinateReductionLevels, ARobotStaysClosedInFixedSteps) {
  SimulationOptions options;
  options.method = kReduction;
  options.integrator = "rk4";
  options.step = 1e-3;
  options.until = std::getenv("SARRUS_LONG") ? 10 : 2;
  for (const char* drive : {"motion", "springs", "free"}) {
    SCOPED_TRACE(drive);
    Simulation simulation(load_model("parallel-robot", {{"drive", drive}}), options);
    ASSERT_TRUE(simulation.advance_to(*options.until).ok());
    // Thirteen bodies and forty rows, some metres in size.
    EXPECT_LE(simulation.statistics().largest.position, 1e-12);
    EXPECT_LE(simulation.statistics().largest.velocity, 1e-12);
  }
}

TEST(CoordinateReductionLadder, MovesAlikeWithAnyNumberOfCells) {
  // Tolerance 1e-12 over one second, as in the ladder's own test.
  const double kPosition = 1e-10;
  const Reference table("ladder");
  const std::size_t row = 3;
  ASSERT_EQ(table.number(row, "t"), 1);
  for (const char* cells : {"1", "2", "4", "16", "64", "128"}) {
    SCOPED_TRACE(cells);
    const ScenarioRun run =
        run_scenario("ladder", {1}, {.overrides = {{"cells", cells}}, .method = kReduction});
    const Joint& hinge = run.model().joint(run.model().find_joint("H0"));
    const double* q = run.last().motion.configuration.coordinates.data() + hinge.first_freedom;
    EXPECT_NEAR(q[0], table.number(row, "q1"), kPosition);
    EXPECT_NEAR(q[1], table.number(row, "q2"), kPosition);
  }
}

const std::vector<MethodSetting> kIndependent = {{"state", "independent"}};

TEST(CoordinateReductionIndependent, FollowsTheReferences) {
  expect_follows_table(kLadder, kIndependent, 5);
  expect_follows_table(kSixBar, kIndependent, 2);
  expect_follows_table(kFourBar, kIndependent, 5);
}

std::string notes_of(const ScenarioRun& run) {
  std::string all;
  for (const Note& note : run.statistics().notes) all += note.what + "\n";
  return all;
}

TEST(CoordinateReductionIndependent, SwitchesAtDeadPoints) {
  const ScenarioRun run = expect_follows_table(kDeadPoint, kIndependent, 2);
  EXPECT_THAT(notes_of(run), ::testing::HasSubstr("switched"));
}

// The crank of this four-bar turns all the way round and never loses the motion.
TEST(CoordinateReductionIndependent, KeepsAPreferredJointThatTellsTheMotion) {
  const ScenarioRun run = expect_follows_table(kFourBar, {{"independent", "J1"}}, 5);
  EXPECT_THAT(notes_of(run), ::testing::Not(::testing::HasSubstr("switched from J1")));
}

// The crank of this one comes to dead points, preferred or not.
TEST(CoordinateReductionIndependent, LeavesAPreferredJointThatDoesNot) {
  const ScenarioRun run = expect_follows_table(kDeadPoint, {{"independent", "A"}}, 2);
  EXPECT_THAT(notes_of(run), ::testing::HasSubstr("switched from A"));
}

TEST(CoordinateReductionPaper, FollowsTheReferences) {
  const std::vector<MethodSetting> paper = {{"variant", "paper"}};
  expect_follows_table(kFourBar, paper, 5);
  expect_follows_table(kParallelFiveBar, paper, 5);
  expect_follows_table(kUnequalFourBars, paper, 1);
  expect_follows_table(kLadder, paper, 5);
  expect_follows_table(kFloatingFourBar, paper, 5);
}

}  // namespace
}  // namespace sarrus::tests
