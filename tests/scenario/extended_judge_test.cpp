// The judge in extended precision against published numbers and the judge in doubles.

#include "sarrus/testing/extended_judge.h"

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

using testing::ExtendedJudge;

struct Judged {
  const char* scenario;
  double until;
  double poses;  ///< how far `reference` at 1e-12 may be off
  int detours;   ///< at least: singular positions that are passed
};

class TwoJudges : public ::testing::TestWithParam<Judged> {};

// `reference` errs by a thousand tolerances in a run, and by what the mechanism makes of them.
TEST_P(TwoJudges, TellTheSameMotion) {
  const auto& [scenario, until, poses, detours] = GetParam();
  const ScenarioRun run = run_scenario(scenario, {until});
  ASSERT_EQ(ExtendedJudge::refusal(run.model()), "");
  const Simulation at_start(load_model(scenario), {.tolerance = 1e-12, .until = until});
  ExtendedJudge judge(run.model(), mobility_of(scenario).generic.rank,
                      at_start.assembly().configuration);
  const long double energy = judge.energy();
  const Status status = judge.advance_to(until);
  ASSERT_TRUE(status.ok()) << status.reason;
  const LargestDifferences d = differences(judge.configuration(), run.last().motion.configuration);
  EXPECT_LE(d.position, poses);
  EXPECT_LE(d.orientation, poses);
  EXPECT_GE(judge.detours(), detours);
  // Some dozens of steps err by 1e-15 each; where rows depend on each other doubles have left 1e-16 between
  // them, and the judge takes now some, now others (most on the Bennett linkage, 2e-13).
  EXPECT_LE(std::abs(judge.energy() - energy), 1e-12L * (1 + std::abs(energy)));
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios, TwoJudges,
    ::testing::Values(Judged{"pendulum", 2, 1e-10, 0}, Judged{"bricard", 1, 1e-10, 0},
                      Judged{"bennett", 1, 1e-10, 0}, Judged{"parallel-five-bar", 1, 1e-10, 0},
                      Judged{"rhombus", 1, 1e-9, 1}, Judged{"n-four-bar", 1, 1e-9, 1}),
    [](const auto& judged) {
      std::string name = judged.param.scenario;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace sarrus::tests
