// Scenario star: one body with many joints. No reference table; its arms move alike.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(Star, ArmsStayAlikeAndEnergyIsKept) {
  const double kAlike = 1e-11;   // rounding, after a tenth of a second in motion
  const double kEnergy = 1e-10;  // tolerance 1e-12 on 13 J
  const Overrides overrides = {{"arms", "5"}, {"links", "2"}};
  for (const std::string& method : methods_for("star", overrides)) {
    SCOPED_TRACE(method);
    const ScenarioRun run =
        run_scenario("star", {0, 0.1}, {.overrides = overrides, .method = method});
    for (const char* joint : {"J2_1", "J3_1", "J4_1", "J5_1"})
      EXPECT_NEAR(coordinate(run, run.last(), joint), coordinate(run, run.last(), "J1_1"), kAlike);
    EXPECT_GT(std::abs(coordinate(run, run.last(), "J1_1")), 0.01);
    EXPECT_LT(std::abs(energy_error(run.samples[0], run.last())), kEnergy);
  }
}

TEST(Star, HasThreeFreedomsAndOneALink) {
  const Mobility mobility = mobility_of("star", {{"arms", "300"}, {"links", "3"}});
  EXPECT_EQ(mobility.generic.freedoms, 903);
  EXPECT_EQ(mobility.generic.redundant, 0);
}

}  // namespace
}  // namespace sarrus::tests
