// Gauss's collocation: what makes it worth its iterations, and how it fails.

#include <gtest/gtest.h>

#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/integration/make_stepper.h"
#include "unit/integration/stepping.h"

namespace sarrus {
namespace {

using namespace toys;

/// A pendulum in canonical coordinates: H = p²/2 − cos q.
Toy pendulum_toy() {
  return Toy(vector_layout(2), [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[1];
    dx[1] = -std::sin(x[0]);
    return Status{};
  });
}

struct EnergyError {
  double early = 0;  // largest over the first tenth of the run
  double late = 0;   // and over the last
};

EnergyError energy_error(const std::string& method, double step, int steps) {
  const Toy toy = pendulum_toy();
  const auto stepper = make_stepper(toy, {1.5, 0.0, 0.0}, {}, 0, {.method = method, .step = step});
  const auto energy = [&] {
    const std::vector<double> x = state(*stepper);
    return 0.5 * x[1] * x[1] - std::cos(x[0]);
  };
  const double start = energy();
  EnergyError error;
  for (int i = 1; i <= steps; ++i) {
    EXPECT_TRUE(stepper->advance(1e9).status.ok());
    double& worst = i <= steps / 10 ? error.early : error.late;
    if (i <= steps / 10 || i > steps - steps / 10)
      worst = std::max(worst, std::abs(energy() - start));
  }
  return error;
}

TEST(Collocation, KeepsTheEnergyOfAPendulumForever) {
  for (const char* method : {"gauss4", "midpoint"}) {
    const EnergyError error = energy_error(method, 0.1, 20000);
    EXPECT_LT(error.late, 1.01 * error.early) << method;
  }
  // While an explicit method loses it step by step.
  const EnergyError explicit_error = energy_error("rk4", 0.1, 20000);
  EXPECT_GT(explicit_error.late, 5 * explicit_error.early);
}

// h³/12 p³ and so on: the size of the oscillation, as the order says.
TEST(Collocation, EnergyErrorFollowsTheOrder) {
  const double ratio4 =
      energy_error("gauss4", 0.1, 1000).late / energy_error("gauss4", 0.05, 2000).late;
  EXPECT_NEAR(std::log2(ratio4), 4, 0.2);
  const double ratio2 =
      energy_error("midpoint", 0.1, 1000).late / energy_error("midpoint", 0.05, 2000).late;
  EXPECT_NEAR(std::log2(ratio2), 2, 0.2);
}

// Quadratic invariants are kept to rounding, which shows that the stages are solved to rounding.
TEST(Collocation, KeepsQuadraticInvariantsToRounding) {
  const Problem problem = oscillator();
  for (const char* method : {"gauss4", "midpoint"}) {
    const auto stepper =
        make_stepper(problem.toy, problem.exact(0), {}, 0, {.method = method, .step = 0.1});
    for (int i = 0; i < 10000; ++i) ASSERT_TRUE(stepper->advance(1e9).status.ok());
    const std::vector<double> x = state(*stepper);
    EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1, 1e-13) << method;
  }
}

TEST(Collocation, TellsWhenTheStepIsTooLongForItsIteration) {
  const Toy stiff = scalar([](double, double x) { return -1e4 * x; });
  const auto stepper = make_stepper(stiff, {1.0, 0.0}, {}, 0, {.method = "gauss4", .step = 0.01});
  const StepReport report = stepper->advance(1);
  EXPECT_EQ(report.status.code, Status::Code::kDiverged);
  EXPECT_NE(report.status.reason.find("shorter step"), std::string::npos) << report.status.reason;
  EXPECT_EQ(stepper->time(), 0);
  EXPECT_EQ(state(*stepper)[0], 1.0);
}

TEST(Collocation, NeedsAStep) {
  const Problem problem = oscillator();
  EXPECT_THROW(make_stepper(problem.toy, problem.exact(0), {}, 0, {.method = "gauss4"}),
               UsageError);
}

}  // namespace
}  // namespace sarrus
