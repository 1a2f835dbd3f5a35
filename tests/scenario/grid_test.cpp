// Scenario grid: loops that meet on all sides. No reference table; nets of different widths move
// alike.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(Grid, MovesAlikeWhateverTheNumberOfColumns) {
  // Tolerance 1e-12; a hundred times what two runs differ by.
  const double kAngle = 1e-10;
  const std::vector<double> times = {0.2};
  const ScenarioRun narrow = run_scenario("grid", times, {.overrides = {{"columns", "1"}}});
  for (const std::string& method : methods_for("grid")) {
    SCOPED_TRACE(method);
    const ScenarioRun wide = run_scenario("grid", times, {.method = method});
    for (std::size_t i = 0; i < times.size(); ++i)
      for (const char* joint : {"H1_0", "H2_0"})
        EXPECT_NEAR(coordinate(wide, wide.samples[i], joint),
                    coordinate(narrow, narrow.samples[i], joint), kAngle);
    // It has moved, and not as a rigid net.
    EXPECT_GT(std::abs(coordinate(wide, wide.last(), "H1_0")), 0.1);
    EXPECT_GT(std::abs(coordinate(wide, wide.last(), "H2_0")), 0.001);
  }
}

TEST(Grid, HasOneFreedomARowAndThreeRedundantConstraintsACell) {
  for (const auto& [rows, columns] : {std::pair{1, 3}, {3, 2}, {12, 9}}) {
    const Mobility mobility =
        mobility_of("grid", {{"rows", std::to_string(rows)}, {"columns", std::to_string(columns)}});
    EXPECT_EQ(mobility.generic.freedoms, rows);
    EXPECT_EQ(mobility.generic.redundant, 3 * rows * columns);
    EXPECT_FALSE(mobility.singular());
    EXPECT_EQ(mobility.redundant_joints.size(),
              static_cast<std::size_t>(3 * rows * columns + rows));
  }
}

}  // namespace
}  // namespace sarrus::tests
