// Measured orders of the integrators on vectors and on quaternions, and of their dense output.

#include <gtest/gtest.h>

#include <cmath>

#include "sarrus/integration/make_stepper.h"
#include "sarrus/integration/runge_kutta.h"
#include "unit/integration/toy_formulations.h"

namespace sarrus {
namespace {

using namespace toys;

struct Errors {
  double end = 0;     // at the end of the run
  double inside = 0;  // largest between the steps
};

constexpr double kEnd = 2.0;

Errors run(const Problem& problem, const std::string& method, int steps) {
  const auto stepper =
      make_stepper(problem.toy, problem.exact(0), {}, 0, {.method = method, .step = kEnd / steps});
  Errors errors;
  Configuration at;
  while (stepper->time() < kEnd) {
    EXPECT_TRUE(stepper->advance(kEnd).status.ok());
    for (const double part : {0.15, 0.4, 0.75, 0.9}) {
      const double t =
          stepper->previous_time() + part * (stepper->time() - stepper->previous_time());
      stepper->configuration(t, at);
      errors.inside =
          std::max(errors.inside, distance(problem.toy, at.coordinates, problem.exact(t)));
    }
  }
  stepper->configuration(kEnd, at);
  errors.end = distance(problem.toy, at.coordinates, problem.exact(kEnd));
  return errors;
}

struct Case {
  const char* name;
  Problem (*problem)();
  const char* method;
  int steps;     // enough for the leading term, few enough that errors stay far above round-off
  double order;  // of the end point, and of the largest error of dense output
};

class Order : public ::testing::TestWithParam<Case> {};

TEST_P(Order, IsNominal) {
  const Case& c = GetParam();
  const Problem problem = c.problem();
  const Errors coarse = run(problem, c.method, c.steps);
  const Errors fine = run(problem, c.method, 2 * c.steps);
  ASSERT_GT(fine.end, 1e-13);  // else round-off is measured
  EXPECT_NEAR(std::log2(coarse.end / fine.end), c.order, 0.2);
  EXPECT_NEAR(std::log2(coarse.inside / fine.inside), c.order, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Runs, Order,
                         ::testing::Values(Case{"Rk4Oscillator", oscillator, "rk4", 80, 4},
                                           Case{"Rk4Bell", bell, "rk4", 80, 4},
                                           Case{"Rk4FixedAxis", fixed_axis, "rk4", 80, 4},
                                           Case{"Rk4Coning", coning, "rk4", 80, 4},
                                           Case{"Rk4FreeTop", free_top, "rk4", 80, 4},
                                           Case{"Gauss4Oscillator", oscillator, "gauss4", 40, 4},
                                           Case{"Gauss4Bell", bell, "gauss4", 40, 4},
                                           Case{"Gauss4FixedAxis", fixed_axis, "gauss4", 20, 4},
                                           Case{"Gauss4Coning", coning, "gauss4", 80, 4},
                                           Case{"Gauss4FreeTop", free_top, "gauss4", 80, 4},
                                           Case{"MidpointOscillator", oscillator, "midpoint", 40,
                                                2},
                                           Case{"MidpointBell", bell, "midpoint", 80, 2},
                                           Case{"MidpointFreeTop", free_top, "midpoint", 80, 2},
                                           Case{"Dopri5Oscillator", oscillator, "dopri5", 40, 5},
                                           Case{"Dopri5Bell", bell, "dopri5", 80, 5},
                                           Case{"Dopri5FixedAxis", fixed_axis, "dopri5", 10, 5},
                                           Case{"Dopri5Coning", coning, "dopri5", 80, 5},
                                           Case{"Dopri5FreeTop", free_top, "dopri5", 40, 5}),
                         [](const auto& each) { return each.param.name; });

TEST(RungeKutta, KeepsQuaternionsUnitOverManySteps) {
  const Problem problem = free_top();
  for (const char* method : {"rk4", "dopri5"}) {
    const auto stepper =
        make_stepper(problem.toy, problem.exact(0), {}, 0, {.method = method, .step = 0.01});
    for (int i = 0; i < 100000; ++i) ASSERT_TRUE(stepper->advance(1e9).status.ok());
    Configuration at;
    stepper->configuration(stepper->time(), at);
    EXPECT_NEAR(attitude(at.coordinates).norm(), 1, 1e-15) << method;
  }
}

TEST(RungeKutta, ErrorFollowsTheTolerance) {
  for (const auto make : {oscillator, free_top}) {
    const Problem problem = make();
    double previous = 1;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0,
                                        {.rtol = tolerance, .atol = tolerance, .interval = 20});
      while (stepper->time() < 20) ASSERT_TRUE(stepper->advance(20).status.ok());
      Configuration at;
      stepper->configuration(20, at);
      const double error = distance(problem.toy, at.coordinates, problem.exact(20));
      // Twenty seconds gather the errors of some tens of steps; a hundredth of the tolerance brings
      // about a hundredth of the error.
      EXPECT_LT(error, 100 * tolerance);
      EXPECT_LT(error, previous / 20);
      previous = error;
    }
  }
}

TEST(RungeKutta, DenseOutputIsContinuousInValueAcrossSteps) {
  const Problem problem = free_top();
  for (const char* method : {"rk4", "dopri5"}) {
    const auto stepper =
        make_stepper(problem.toy, problem.exact(0), {}, 0, {.method = method, .step = 0.1});
    Configuration before, at;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(stepper->advance(10).status.ok());
      stepper->configuration(std::nextafter(stepper->time(), 0.0), before);
      stepper->configuration(stepper->time(), at);
      EXPECT_LT(distance(problem.toy, before.coordinates, at.coordinates), 1e-14) << method;
    }
  }
}

}  // namespace
}  // namespace sarrus
