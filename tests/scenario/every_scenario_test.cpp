// What holds for every mechanism that comes with the program.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

struct Figures {
  int freedoms;
  int redundant;
};

// As each scenario's README says: freedoms and redundant constraints at a generic pose.
const std::map<std::string, Figures> kFigures = {
    {"beam-with-tip-mass", {3, 0}},
    {"bennett", {1, 3}},
    {"bricard", {1, 1}},
    {"chain", {8, 0}},
    {"chain8", {14, 0}},
    {"cut-chain", {10, 3}},
    {"delta-robot", {3, 6}},
    {"double-loop", {4, 6}},
    {"double-pendulum", {2, 0}},
    {"driven-slider-crank", {0, 3}},
    {"falling-chain", {229, 0}},
    {"five-bar", {2, 3}},
    {"flexible-slider-crank", {2, 3}},
    {"floating-four-bar", {7, 3}},
    {"four-bar", {1, 3}},
    {"four-bar-dead-point", {1, 3}},
    {"grid", {2, 12}},
    {"ladder", {2, 6}},
    {"mmsev", {87, 0}},
    {"modular-double-pendulum", {2, 0}},
    {"modular-slider-crank", {1, 0}},
    {"n-four-bar", {1, 6}},
    {"nested-loops", {2, 15}},
    {"pantograph", {1, 9}},
    {"parallel-five-bar", {2, 6}},
    {"parallel-robot", {0, 0}},
    {"parallelogram", {1, 3}},
    {"pendulum", {1, 0}},
    {"rhombus", {1, 3}},
    {"rotating-beam", {10, 0}},
    {"sarrus-linkage", {1, 1}},
    {"screw-press", {1, 4}},
    {"six-bar", {1, 6}},
    {"slider-crank", {1, 3}},
    {"small-flexible-tree", {19, 0}},
    {"spin-up-beam", {3, 0}},
    {"star", {9, 0}},
    {"tree", {15, 0}},
    {"unequal-four-bars", {1, 12}},
};

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const ScenarioInfo& scenario : list_scenarios()) names.push_back(scenario.name);
  return names;
}

class EveryScenario : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, IsDescribed) {
  const std::filesystem::path folder = find_model_file(GetParam()).parent_path();
  EXPECT_TRUE(std::filesystem::exists(folder / "README.md"));
  EXPECT_FALSE(load_model(GetParam()).name().empty());
}

TEST_P(EveryScenario, HasTheFreedomsItsReadmeSays) {
  const auto figures = kFigures.find(GetParam());
  ASSERT_NE(figures, kFigures.end()) << "a new scenario: add its figures here";
  const Mobility mobility = mobility_of(GetParam());
  EXPECT_EQ(mobility.generic.freedoms, figures->second.freedoms);
  EXPECT_EQ(mobility.generic.redundant, figures->second.redundant);
  EXPECT_FALSE(mobility.singular());
}

TEST_P(EveryScenario, StartsAsDrawnAndRunsByDefault) {
  const double kDrawn = 1e-12;   // the model files place everything by closed formulas
  const double kClosed = 1e-12;  // rounding of lengths of some metres, with room
  const double kEnergy = 1e-6;   // a hundred times the default tolerance
  Simulation simulation(load_model(GetParam()));
  EXPECT_LT(simulation.assembly().moved, kDrawn);
  // The judge takes a fiftieth of a second for one look at mmsev's 322 coordinates.
  const double end = GetParam() == "mmsev" ? 2e-4 : 0.2;
  const Status status = simulation.advance_to(end);
  ASSERT_TRUE(status.ok()) << status.reason;
  EXPECT_EQ(simulation.time(), end);
  EXPECT_LT(simulation.statistics().largest.position, kClosed);
  EXPECT_LT(simulation.statistics().energy_drift, kEnergy);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EveryScenario, ::testing::ValuesIn(scenario_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sarrus::tests
