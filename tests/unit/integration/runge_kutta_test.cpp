// How steps are taken, counted and interpolated; order_test.cpp has the orders, trial_step_test.cpp
// what happens to steps that fail.

#include "sarrus/integration/runge_kutta.h"

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

TEST(RungeKutta, LandsOnLimitsExactly) {
  const Problem problem = oscillator();
  for (const IntegratorOptions& options :
       {IntegratorOptions{}, IntegratorOptions{.step = 0.03}, IntegratorOptions{"rk4", 0.03}}) {
    const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, options);
    for (const double limit : {0.1, 0.1 + 1e-15, 0.35, 1.0 / 3 + 0.1, 2.0}) {
      while (stepper->time() < limit) {
        const StepReport report = stepper->advance(limit);
        ASSERT_TRUE(report.status.ok());
        ASSERT_LE(report.time, limit);
        EXPECT_EQ(report.time, stepper->time());
        EXPECT_EQ(report.step, stepper->time() - stepper->previous_time());
      }
      EXPECT_EQ(stepper->time(), limit);
    }
    EXPECT_LT(distance(problem.toy, state(*stepper), problem.exact(2)), 1e-6);
  }
}

TEST(RungeKutta, DoesNothingWhenTheLimitIsNotAhead) {
  const Problem problem = oscillator();
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, {});
  const StepReport report = stepper->advance(0);
  EXPECT_TRUE(report.status.ok());
  EXPECT_EQ(report.step, 0);
  EXPECT_EQ(stepper->counters().evaluations, 0);
}

TEST(RungeKutta, FixedStepsLieOnAGridThatRoundOffDoesNotMove) {
  const Problem problem = oscillator();
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, {"rk4", 0.1});
  for (int i = 1; i <= 999; ++i) {
    ASSERT_TRUE(stepper->advance(100).status.ok());
    ASSERT_EQ(stepper->time(), i * 0.1);
  }
  stepper->advance(100);
  EXPECT_EQ(stepper->time(), 100);  // no sliver is left over
}

TEST(RungeKutta, SharesTheLastStepsBeforeALimitEvenly) {
  const Toy toy = scalar([](double, double) { return 1.0; });  // no error: the limit is max_step
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {.max_step = 1});
  while (stepper->time() < 20) ASSERT_TRUE(stepper->advance(20).status.ok());
  const double limit = 20 + 2.2;
  stepper->advance(limit);
  EXPECT_DOUBLE_EQ(stepper->time(), 21);
  stepper->advance(limit);
  EXPECT_DOUBLE_EQ(stepper->time(), 21.6);
  stepper->advance(limit);
  EXPECT_EQ(stepper->time(), limit);
}

TEST(RungeKutta, StepsStayBelowATenthOfTheIntervalAndTheUsersLimit) {
  const Toy toy = scalar([](double, double) { return 1.0; });
  const auto tenth = make_stepper(toy, {0, 0}, {}, 0, {.interval = 5});
  const auto users = make_stepper(toy, {0, 0}, {}, 0, {.max_step = 0.125, .interval = 5});
  double longest_tenth = 0, longest_users = 0;
  while (tenth->time() < 5) longest_tenth = std::max(longest_tenth, tenth->advance(5).step);
  while (users->time() < 5) longest_users = std::max(longest_users, users->advance(5).step);
  EXPECT_NEAR(longest_tenth, 0.5, 1e-14);
  EXPECT_NEAR(longest_users, 0.125, 1e-14);
}

TEST(RungeKutta, ReusesItsLastStage) {
  const Problem problem = oscillator();
  const auto fixed = make_stepper(problem.toy, problem.exact(0), {}, 0, {.step = 0.1});
  const Outcome run = run_to(*fixed, 5);
  EXPECT_EQ(run.steps, 50);
  EXPECT_EQ(fixed->counters().evaluations, 6 * run.steps + 1);

  // Adaptive: one more for the first step's size, and six for each step thrown away.
  const auto adaptive = make_stepper(problem.toy, problem.exact(0), {}, 0, {});
  const Outcome other = run_to(*adaptive, 5);
  EXPECT_EQ(adaptive->counters().evaluations, 6 * (other.steps + other.rejected) + 2);

  const auto classical = make_stepper(problem.toy, problem.exact(0), {}, 0, {"rk4", 0.1});
  run_to(*classical, 5);
  EXPECT_EQ(classical->counters().evaluations, 4 * 50);
}

TEST(RungeKutta, EvaluatesTheFirstStageAnewWhenTheStateWasMoved) {
  Problem problem = oscillator();
  problem.toy.hook = [](double, std::span<double> x, Discrete&) {
    const double size = std::hypot(x[0], x[1]);  // back to the circle
    x[0] /= size;
    x[1] /= size;
    return AfterStep{.status = {}, .changed = true, .notes = {{0.5, "moved"}}};
  };
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, {.step = 0.1});
  EXPECT_EQ(stepper->advance(5).notes.at(0).what, "moved");
  const Outcome run = run_to(*stepper, 5);
  EXPECT_EQ(stepper->counters().evaluations, 7 * (run.steps + 1));
  const auto x = state(*stepper);
  EXPECT_NEAR(std::hypot(x[0], x[1]), 1, 1e-15);
  // Projection to the right radius cannot worsen the phase by more than the step's own error.
  EXPECT_LT(distance(problem.toy, x, problem.exact(5)), 1e-7);
}

TEST(RungeKutta, OutputDoesNotChangeTheRun) {
  const Problem problem = free_top();
  for (const IntegratorOptions& options : {IntegratorOptions{}, IntegratorOptions{"rk4", 0.1}}) {
    const auto quiet = make_stepper(problem.toy, problem.exact(0), {}, 0, options);
    const auto asked = make_stepper(problem.toy, problem.exact(0), {}, 0, options);
    Motion motion;
    while (quiet->time() < 3) {
      quiet->advance(3);
      asked->advance(3);
      const double middle = 0.5 * (asked->previous_time() + asked->time());
      ASSERT_TRUE(asked->evaluate(middle, motion).ok());
      EXPECT_EQ(motion.time, middle);
    }
    EXPECT_EQ(state(*quiet), state(*asked));
  }
}

TEST(RungeKutta, RefusesOutputOutsideTheLastStep) {
  const Problem problem = oscillator();
  const auto stepper = make_stepper(problem.toy, problem.exact(0), {}, 0, {.step = 0.1});
  stepper->advance(1);
  stepper->advance(1);
  Motion motion;
  EXPECT_THROW(static_cast<void>(stepper->evaluate(0.05, motion)), UsageError);
  EXPECT_THROW(static_cast<void>(stepper->evaluate(0.25, motion)), UsageError);
  EXPECT_TRUE(stepper->evaluate(0.1, motion).ok());
}

TEST(RungeKutta, AJumpAtTheLimitBelongsToTheNextStep) {
  const double jump = 0.5;
  const Toy toy = scalar([=](double t, double) { return t < jump ? 0.0 : 1.0; });
  for (const IntegratorOptions& options :
       {IntegratorOptions{.interval = 1}, IntegratorOptions{"rk4", 0.25}}) {
    const auto stepper = make_stepper(toy, {0, 0}, {}, 0, options);
    EXPECT_EQ(run_to(*stepper, jump).rejected, 0);
    EXPECT_EQ(state(*stepper)[0], 0);
    stepper->restart();
    EXPECT_EQ(state(*stepper, jump - 0.01)[0], 0);  // the dense output saw nothing of it either
    EXPECT_EQ(run_to(*stepper, 1).rejected, 0);
    EXPECT_NEAR(state(*stepper)[0], 0.5, 1e-15);
  }
}

TEST(RungeKutta, RestartEvaluatesTheRatesAnew) {
  double force = 0;
  const Toy toy(vector_layout(2), [&](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[1];
    dx[1] = force;
    return Status{};
  });
  for (const bool restarted : {false, true}) {
    force = 0;
    const auto stepper = make_stepper(toy, {0, 0, 0}, {}, 0, {.step = 0.5});
    stepper->advance(0.5);
    force = 8;
    if (restarted) stepper->restart();
    stepper->advance(1);
    const auto x = state(*stepper);
    if (restarted) {
      EXPECT_NEAR(x[0], 1, 1e-15);
      EXPECT_NEAR(x[1], 4, 1e-15);
    } else {
      EXPECT_GT(std::abs(x[1] - 4), 0.1);  // the stale first stage shows
    }
  }
}

TEST(RungeKutta, GoesOnFromAnotherConfigurationAndKeepsTheSuppliedWork) {
  const Problem problem = oscillator();
  const auto stepper =
      make_stepper(problem.toy, problem.exact(0), {}, 0, {.rtol = 1e-10, .atol = 1e-10});
  run_to(*stepper, 1);
  const double t = 0.5 * (stepper->previous_time() + stepper->time());
  Configuration turned;
  stepper->configuration(t, turned);
  turned.coordinates[1] *= -1;   // back the way it came
  turned.coordinates[2] = 1e30;  // not ours to set
  stepper->restart(t, turned);
  EXPECT_EQ(stepper->time(), t);
  EXPECT_EQ(stepper->previous_time(), t);
  EXPECT_NEAR(state(*stepper)[2], std::sin(t), 1e-8);
  run_to(*stepper, 2 * t);
  EXPECT_NEAR(state(*stepper)[0], 0, 1e-8);
  EXPECT_NEAR(state(*stepper)[1], -1, 1e-8);
}

TEST(RungeKutta, DenseOutputUsesTheDiscreteStateOfTheStepsStart) {
  // The formulation switches its coordinate after each step: afterwards x means minus x.
  struct Switching : Toy {
    using Toy::Toy;
    void decode(std::span<const double> x, const Discrete& discrete,
                Configuration& to) const override {
      to.coordinates = {(discrete.integers[0] % 2 ? -1 : 1) * x[0]};
    }
  };
  Switching toy(vector_layout(1), [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[0];  // the same equation for x and −x
    return Status{};
  });
  toy.hook = [](double, std::span<double> x, Discrete& discrete) {
    ++discrete.integers[0];
    x[0] = -x[0];
    return AfterStep{.status = {}, .changed = true, .notes = {}};
  };
  const Discrete discrete{.coordinates = {}, .integers = {0}};
  for (const char* method : {"rk4", "dopri5"}) {
    const auto stepper = make_stepper(toy, {1, 0}, discrete, 0, {.method = method, .step = 0.05});
    while (stepper->time() < 1) {
      stepper->advance(1);
      const double t = 0.3 * stepper->previous_time() + 0.7 * stepper->time();
      EXPECT_NEAR(state(*stepper, t)[0], std::exp(t), 1e-6) << method;
      EXPECT_NEAR(state(*stepper)[0], std::exp(stepper->time()), 1e-6) << method;
    }
  }
}

std::string refusal(const IntegratorOptions& options) {
  const Problem problem = oscillator();
  try {
    make_stepper(problem.toy, problem.exact(0), {}, 0, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(MakeStepper, SaysWhatWouldDo) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_THAT(refusal({.method = "dopri"}), HasSubstr("did you mean 'dopri5'?"));
  EXPECT_THAT(refusal({.method = "rk4"}), HasSubstr("--step"));
  EXPECT_THAT(refusal({.step = -1}), HasSubstr("step"));
  EXPECT_THAT(refusal({.rtol = 0}), HasSubstr("relative tolerance"));
  EXPECT_THAT(refusal({.atol = 0}), HasSubstr("absolute tolerance"));
  for (const char* name : {"dopri5", "rk4"}) EXPECT_EQ(refusal({.method = name, .step = 0.1}), "");
  for (const char* name : {"newmark", "newmark-paper"})
    EXPECT_THAT(refusal({.method = name, .step = 0.1}), HasSubstr("positions and velocities"));
}

TEST(MakeStepper, StartsFromAConfiguration) {
  const Problem problem = oscillator();
  Configuration initial;
  initial.coordinates = problem.exact(0);
  const auto stepper = make_stepper(problem.toy, initial, 3, {});
  EXPECT_EQ(stepper->time(), 3);
  EXPECT_EQ(state(*stepper), problem.exact(0));
}

}  // namespace
}  // namespace sarrus
