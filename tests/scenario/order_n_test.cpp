// order-n on a loop: nothing holds the constraints but their second derivative.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

/// Position norms of the four-bar at 5 s and at 10 s, by the classical Runge–Kutta method.
struct Drift {
  double half = 0, whole = 0, largest = 0;
};

Drift four_bar_drift(const std::vector<MethodSetting>& settings) {
  SimulationOptions options;
  options.method = "order-n";
  options.settings = settings;
  options.integrator = "rk4";
  options.step = 0.01;
  options.until = 10;
  Simulation simulation(load_model("four-bar"), options);
  Drift drift;
  EXPECT_TRUE(simulation.advance_to(5).ok());
  drift.half = simulation.sample().constraints.position;
  EXPECT_TRUE(simulation.advance_to(10).ok());
  drift.whole = simulation.sample().constraints.position;
  drift.largest = simulation.statistics().largest.position;
  return drift;
}

TEST(OrderNLoops, ConstraintsDriftWithTheSquareOfTime) {
  // Errors of the steps add up in φ̇, which grows like t, and φ like t²: a factor of 4 in twice the
  // time, and the swinging of the mechanism on top. Anderson and Critchley have 1e-4 after 10 s.
  const Drift drift = four_bar_drift({});
  EXPECT_GT(drift.whole, 0.3e-4);
  EXPECT_LT(drift.whole, 4e-4);
  EXPECT_GT(drift.whole / drift.half, 2.5);
  EXPECT_LT(drift.whole / drift.half, 7);
}

TEST(OrderNLoops, BaumgartesTermsKeepThemBounded) {
  // Forgotten within a tenth of a second, so what is left is what ten steps add: a hundredth.
  EXPECT_LT(four_bar_drift({{"baumgarte", "10"}}).largest, 1e-5);
}

TEST(OrderNLoops, FollowTheReferenceOfTheFourBar) {
  // At tolerance 1e-12 the drift over some seconds is as small as the other errors.
  const Reference table("four-bar");
  std::vector<double> times = table.numbers("t");
  std::erase_if(times, [](double time) { return time > 5; });
  const ScenarioRun run = run_scenario("four-bar", times, {.method = "order-n"});
  for (std::size_t row = 0; row < times.size(); ++row) {
    SCOPED_TRACE(times[row]);
    // J4 or another one is cut: turns are counted there too.
    for (const char* number : {"1", "2", "3", "4"})
      EXPECT_NEAR(coordinate(run, run.samples[row], std::string("J") + number),
                  table.number(row, std::string("q") + number), 1e-9);
  }
}

Status end_of(const char* scenario, double tolerance) {
  SimulationOptions options;
  options.method = "order-n";
  options.tolerance = tolerance;
  options.until = 10;
  return Simulation(load_model(scenario), options).advance_to(10);
}

// Drift grows with the square of time whatever the steps, so a tolerance is kept for a while only.
TEST(OrderNLoops, DriftOfMoreThanTenTolerancesEndsTheRun) {
  for (const auto& [scenario, tolerance] :
       {std::pair("bricard", 1e-4), std::pair("bricard", 1e-6), std::pair("delta-robot", 1e-12)}) {
    const Status status = end_of(scenario, tolerance);
    EXPECT_EQ(status.code, Status::Code::kDoubtful) << scenario << " " << status.reason;
    EXPECT_NE(status.reason.find("does not bring drifting joints back"), std::string::npos);
  }
}

// Where two branches cross, drift has opened a gap of the tolerance's size between them, and the method
// follows it around the corner on a way of its root.
TEST(OrderNLoops, BranchesThatDriftHasOpenedEndTheRun) {
  for (const double tolerance : {1e-4, 1e-5, 1e-7, 1e-10}) {
    const Status status = end_of("n-four-bar", tolerance);
    SCOPED_TRACE(status.reason);
    // The method says so before it turns off [order-n-turns-off], or the guard after that [guard-turn].
    if (status.code == Status::Code::kSingular) {
      EXPECT_NE(status.reason.find("loops that have drifted"), std::string::npos) << tolerance;
    } else {
      EXPECT_EQ(status.code, Status::Code::kDoubtful) << tolerance;
      EXPECT_NE(status.reason.find("taken a branch"), std::string::npos) << tolerance;
    }
  }
}

}  // namespace
}  // namespace sarrus::tests
