// CVODE behind the interface of integrators: toy problems with exact solutions, and stiff ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sarrus/base/diagnostics.h"
#include "sarrus/integration/make_stepper.h"
#include "unit/integration/stepping.h"

namespace sarrus {
namespace {

using namespace toys;
using ::testing::HasSubstr;

IntegratorOptions cvode_to(double tolerance) {
  return {.method = "cvode", .rtol = tolerance, .atol = tolerance};
}

/// After two seconds.
double cvode_error(const Problem& problem, double tolerance) {
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(tolerance));
  EXPECT_TRUE(run_to(*stepper, 2).status.ok());
  EXPECT_EQ(stepper->time(), 2);
  return distance(problem.toy, state(*stepper), problem.exact(2));
}

// Errors of all steps add up: some hundred of them, each within the tolerance.
TEST(Cvode, ErrorFallsWithTheTolerance) {
  for (const Problem& problem : {oscillator(), bell(), free_top()}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
      EXPECT_LT(cvode_error(problem, tolerance), 100 * tolerance) << tolerance;
    EXPECT_LT(cvode_error(problem, 1e-9), 0.05 * cvode_error(problem, 1e-5));
  }
}

TEST(Cvode, TurnsManyTurnsWithoutStartingAnew) {
  const Problem problem = free_top();
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
  // Starting anew would take steps of order one, as short as the first few, again and again.
  double shortest = 1;
  while (stepper->time() < 20) {
    const StepReport report = stepper->advance(20);
    ASSERT_TRUE(report.status.ok());
    if (stepper->time() > 1 && stepper->time() < 20) shortest = std::min(shortest, report.step);
    const std::vector<double> x = state(*stepper);
    ASSERT_NEAR(attitude(x).norm(), 1, 1e-15);
  }
  EXPECT_GT(shortest, 1e-3);
  EXPECT_LT(distance(problem.toy, state(*stepper), problem.exact(20)), 1e-5);
}

TEST(Cvode, LandsOnLimitsExactly) {
  const Problem problem = oscillator();
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
  EXPECT_EQ(stepper->advance(0).step, 0);
  EXPECT_EQ(stepper->counters().evaluations, 0);
  for (const double limit : {0.1, 0.1 + 1e-15, 0.35, 1.0 / 3 + 0.1, 2.0}) {
    while (stepper->time() < limit) {
      const StepReport report = stepper->advance(limit);
      ASSERT_TRUE(report.status.ok()) << report.status.reason;
      ASSERT_LE(report.time, limit);
      EXPECT_EQ(report.step, stepper->time() - stepper->previous_time());
    }
    EXPECT_EQ(stepper->time(), limit);
  }
  EXPECT_LT(distance(problem.toy, state(*stepper), problem.exact(2)), 1e-6);
}

TEST(Cvode, DenseOutputIsAsGoodAsTheSteps) {
  for (const Problem& problem : {oscillator(), free_top()}) {
    const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
    while (stepper->time() < 2) {
      ASSERT_TRUE(stepper->advance(2).status.ok());
      for (const double part : {0.0, 0.3, 0.7, 1.0}) {
        const double t = (1 - part) * stepper->previous_time() + part * stepper->time();
        EXPECT_LT(
            distance(problem.toy, state(*stepper, std::min(t, stepper->time())), problem.exact(t)),
            1e-6);
      }
    }
    Motion motion;
    EXPECT_THROW(static_cast<void>(stepper->evaluate(2.5, motion)), UsageError);
  }
}

TEST(Cvode, GivesTheSameBitsTwiceWhateverIsAsked) {
  const Problem problem = free_top();
  const auto quiet = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
  const auto asked = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
  Motion motion;
  while (quiet->time() < 3) {
    quiet->advance(3);
    asked->advance(3);
    ASSERT_TRUE(asked->evaluate(0.5 * (asked->previous_time() + asked->time()), motion).ok());
    ASSERT_EQ(state(*quiet), state(*asked));
  }
  EXPECT_EQ(quiet->counters().evaluations, asked->counters().evaluations);
}

TEST(Cvode, ProjectionKeepsItsHistory) {
  Problem problem = oscillator();
  const auto free = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
  const int steps = run_to(*free, 10).steps;
  problem.toy.hook = [](double, std::span<double> x, Discrete&) {
    const double size = std::hypot(x[0], x[1]);  // back to the circle
    x[0] /= size;
    x[1] /= size;
    return AfterStep{.status = {}, .changed = true, .notes = {{0.5, "moved"}}};
  };
  const auto held = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-8));
  EXPECT_EQ(held->advance(10).notes.at(0).what, "moved");
  EXPECT_LT(run_to(*held, 10).steps, 1.2 * steps);
  const auto x = state(*held);
  EXPECT_NEAR(std::hypot(x[0], x[1]), 1, 1e-15);
  EXPECT_LT(distance(problem.toy, x, problem.exact(10)), 1e-5);
}

// Afterwards x means minus x, every half second.
TEST(Cvode, StartsAnewWhereCoordinatesAreSwitched) {
  Toy toy(vector_layout(1), [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[0];
    return Status{};
  });
  toy.hook = [](double t, std::span<double> x, Discrete& discrete) {
    const auto wanted = static_cast<std::int64_t>(2 * t);
    if (discrete.integers[0] == wanted) return AfterStep{};
    if ((wanted - discrete.integers[0]) % 2 != 0) x[0] = -x[0];
    discrete.integers[0] = wanted;
    return AfterStep{.status = {}, .changed = true, .notes = {}};
  };
  const Discrete discrete{.coordinates = {}, .integers = {0}};
  const auto stepper = make_stepper(toy, {1, 0}, discrete, 0, cvode_to(1e-9));
  ASSERT_TRUE(run_to(*stepper, 2).status.ok());
  EXPECT_NEAR(std::abs(state(*stepper)[0]), std::exp(2), 1e-6);
}

TEST(Cvode, AJumpAtTheLimitBelongsToTheNextStep) {
  const Toy toy = scalar([](double t, double) { return t < 0.5 ? 0.0 : 1.0; });
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, cvode_to(1e-8));
  ASSERT_TRUE(run_to(*stepper, 0.5).status.ok());
  EXPECT_EQ(state(*stepper)[0], 0);
  stepper->restart();
  ASSERT_TRUE(run_to(*stepper, 1).status.ok());
  EXPECT_NEAR(state(*stepper)[0], 0.5, 1e-14);
}

TEST(Cvode, GoesOnFromAnotherConfigurationAndKeepsTheSuppliedWork) {
  const Problem problem = oscillator();
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, cvode_to(1e-10));
  run_to(*stepper, 1);
  const double t = 0.5 * (stepper->previous_time() + stepper->time());
  Configuration turned;
  stepper->configuration(t, turned);
  turned.coordinates[1] *= -1;   // back the way it came
  turned.coordinates[2] = 1e30;  // not ours to set
  stepper->restart(t, turned);
  EXPECT_EQ(stepper->time(), t);
  EXPECT_NEAR(state(*stepper)[2], std::sin(t), 1e-7);
  run_to(*stepper, 2 * t);
  EXPECT_NEAR(state(*stepper)[0], 0, 1e-7);
  EXPECT_NEAR(state(*stepper)[1], -1, 1e-7);
}

TEST(Cvode, FailuresAreToldAndLeaveTheStateAsItWas) {
  // y' = y² has a pole at t = 1; rates that fail beyond a wall never let it through.
  const Toy pole = scalar([](double, double y) { return y * y; });
  const auto grows = make_stepper(pole, {1, 0}, {}, 0, cvode_to(1e-8));
  const Outcome run = run_to(*grows, 2);
  EXPECT_FALSE(run.status.ok());
  EXPECT_LT(grows->time(), 1 + 1e-6);
  EXPECT_TRUE(std::isfinite(state(*grows)[0]));
  const Toy wall(vector_layout(1), [](double t, std::span<const double>, std::span<double> dx) {
    dx[0] = 1;
    return t < 0.5 ? Status{} : Status{Status::Code::kRefused, "a wall"};
  });
  const auto stopped = make_stepper(wall, {0, 0}, {}, 0, cvode_to(1e-8));
  const Outcome end = run_to(*stopped, 1);
  EXPECT_THAT(end.status.reason, HasSubstr("a wall"));
  EXPECT_NEAR(stopped->time(), 0.5, 1e-6);
  EXPECT_NEAR(state(*stopped)[0], stopped->time(), 1e-12);
}

TEST(Cvode, TakesNoFixedStep) {
  const Problem problem = oscillator();
  try {
    make_stepper(problem.toy, problem.exact(0), {}, 0, {.method = "cvode", .step = 0.1});
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--tolerance"));
  }
}

// Van der Pol's oscillator with μ = 1000: explicit steps are bound by stability.
TEST(Cvode, NeedsFewEvaluationsWhereMotionIsStiff) {
  const Toy toy(vector_layout(2), [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return Status{};
  });
  const auto stiff = make_stepper(toy, {2, 0, 0}, {}, 0, cvode_to(1e-6));
  const auto plain = make_stepper(toy, {2, 0, 0}, {}, 0, {.rtol = 1e-6, .atol = 1e-6});
  ASSERT_TRUE(run_to(*stiff, 100).status.ok());
  ASSERT_TRUE(run_to(*plain, 100, 1000000).status.ok());
  EXPECT_NEAR(state(*stiff)[0], state(*plain)[0], 1e-4);
  EXPECT_LT(100 * stiff->counters().evaluations, plain->counters().evaluations);
}

}  // namespace
}  // namespace sarrus
