// Trial steps that are rejected: for their error, because something failed, for turning too far.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "sarrus/integration/make_stepper.h"
#include "unit/integration/stepping.h"

namespace sarrus {
namespace {

using namespace toys;
using ::testing::HasSubstr;

TEST(TrialStep, ThrowsAwayStepsAcrossADiscontinuity) {
  const double jump = 1.0 / 3;
  const Toy toy = scalar([=](double t, double) { return t < jump ? 0.0 : 1.0; });
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {.interval = 1});
  const Outcome run = run_to(*stepper, 1);
  EXPECT_TRUE(run.status.ok());
  EXPECT_GT(run.rejected, 2);
  // An error estimate made for smooth motion is off by some tens at a jump.
  EXPECT_NEAR(state(*stepper)[0], 1 - jump, 1e-6);
}

TEST(TrialStep, StopsWhereTheMotionGrowsWithoutBound) {
  const Toy toy = scalar([](double, double x) { return x * x; });  // x = 1 / (1 − t)
  const auto stepper = make_stepper(toy, {1, 0}, {}, 0, {.interval = 2});
  const Outcome run = run_to(*stepper, 2);
  EXPECT_TRUE(run.status.code == Status::Code::kDiverged ||
              run.status.code == Status::Code::kNotFinite);
  EXPECT_THAT(run.status.reason, HasSubstr("t = 1"));
  EXPECT_NEAR(stepper->time(), 1, 1e-6);
  EXPECT_TRUE(std::isfinite(state(*stepper)[0]));
  EXPECT_GT(state(*stepper)[0], 1e6);

  // A fixed step runs over the pole, and then out of numbers.
  const auto fixed = make_stepper(toy, {1, 0}, {}, 0, {"rk4", 0.01});
  const Outcome blind = run_to(*fixed, 2);
  EXPECT_EQ(blind.status.code, Status::Code::kNotFinite);
  EXPECT_TRUE(std::isfinite(state(*fixed)[0]));
}

// Steps of 1e-12 s, for ever.
TEST(TrialStep, StopsWhereStepsDoNotGetOn) {
  const Toy toy = scalar([](double t, double) { return 1e12 * std::cos(1e12 * t); });
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {.interval = 1});
  const Outcome run = run_to(*stepper, 1);
  EXPECT_EQ(run.status.code, Status::Code::kDiverged);
  EXPECT_THAT(run.status.reason, HasSubstr("steps that do not get on"));
  EXPECT_EQ(run.steps, 1000);
  EXPECT_EQ(run_to(*stepper, 1).steps, 0);  // until it is restarted
  stepper->restart();
  EXPECT_EQ(run_to(*stepper, 1).steps, 1000);
}

TEST(TrialStep, GetsOnAfterAHardStart) {
  // Thousands of steps in the first nanosecond.
  const Toy toy = scalar([](double t, double) { return t < 1e-9 ? 1e13 * std::cos(1e13 * t) : 1; });
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {.interval = 1e-3});
  const Outcome run = run_to(*stepper, 1e-3);
  EXPECT_TRUE(run.status.ok()) << run.status.reason;
  EXPECT_GT(run.steps, 1000);
}

// [step-over-singularity]  What is spoilt by rounding at t = 0.5 is left out where a step of another length
// leaves it out, and kept where none does.
TEST(TrialStep, GoesAroundInstantsThatRoundingSpoils) {
  for (const double width : {0.004, 0.4}) {
    bool is_spoilt = false;
    Toy toy = scalar([&](double t, double) {
      const bool here = std::abs(t - 0.5) < width;
      is_spoilt = is_spoilt || here;
      return here ? 1 + 1e-3 * std::sin(1e6 * t) : 1;
    });
    toy.trust = [&](std::span<double>) {
      const bool was_spoilt = std::exchange(is_spoilt, false);
      return was_spoilt ? ErrorTrust(ErrorTrust::kRounding, 1) : ErrorTrust{};
    };
    const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {.max_step = 0.1, .interval = 1});
    const Outcome run = run_to(*stepper, 1);
    EXPECT_TRUE(run.status.ok()) << run.status.reason;
    if (width < 0.1)
      EXPECT_NEAR(state(*stepper)[0], 1, 1e-12);
    else
      EXPECT_GT(std::abs(state(*stepper)[0] - 1), 1e-6);
    EXPECT_GT(run.rejected, 0);
    EXPECT_LT(run.steps, 25);  // it is not frightened
  }
}

TEST(TrialStep, GivesTheFormulationsReasonWhereItsRatesFail) {
  const Toy toy(vector_layout(1), [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = 1;
    if (x[0] > 0.7) return Status{Status::Code::kSingular, "joint 'elbow' has locked"};
    return Status{};
  });
  for (const IntegratorOptions& options :
       {IntegratorOptions{}, IntegratorOptions{.step = 0.1}, IntegratorOptions{"rk4", 0.1}}) {
    const auto stepper = make_stepper(toy, {0, 0}, {}, 0, options);
    const Outcome run = run_to(*stepper, 2);
    EXPECT_EQ(run.status.code, Status::Code::kSingular);
    EXPECT_THAT(run.status.reason, HasSubstr("joint 'elbow' has locked"));
    EXPECT_THAT(run.status.reason, HasSubstr("t = 0.7"));
    EXPECT_NEAR(stepper->time(), 0.7, 1e-14);  // it came as near as round-off lets it
    EXPECT_NEAR(state(*stepper)[0], 0.7, 1e-14);
    EXPECT_NEAR(state(*stepper, stepper->previous_time())[0], 0.7, 0.1);  // dense output survives
  }
}

TEST(TrialStep, CutsFixedStepsThatFailAndReturnsToTheGrid) {
  int failures = 2;
  Toy toy = scalar([](double, double) { return 1.0; });
  toy.hook = [&](double, std::span<double> x, Discrete&) {
    if (x[0] > 0.23 && failures-- > 0) {
      x[0] = 99;  // what a failed projection leaves behind must not count
      return AfterStep{
          .status = {Status::Code::kDiverged, "no convergence"}, .changed = false, .notes = {}};
    }
    return AfterStep{};
  };
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {"rk4", 0.1});
  EXPECT_EQ(run_to(*stepper, 0.2).rejected, 0);
  EXPECT_EQ(stepper->advance(1).rejected, 2);
  EXPECT_NEAR(stepper->time(), 0.225, 1e-15);
  EXPECT_NEAR(state(*stepper)[0], 0.225, 1e-15);
  stepper->advance(1);
  EXPECT_DOUBLE_EQ(stepper->time(), 0.3);
}

TEST(TrialStep, NotANumberIsAFailedTrialStep) {
  const Toy toy = scalar([](double, double x) { return -std::sqrt(x); });  // ends at zero, t = 2
  const auto stepper = make_stepper(toy, {1, 0}, {}, 0, {.interval = 5});
  const Outcome run = run_to(*stepper, 5);
  EXPECT_EQ(run.status.code, Status::Code::kNotFinite);
  EXPECT_NEAR(stepper->time(), 2, 1e-2);
  EXPECT_GE(state(*stepper)[0], 0);
}

TEST(TrialStep, StopsAtOnceWhenInterrupted) {
  const Toy toy(vector_layout(1), [](double t, std::span<const double>, std::span<double> dx) {
    dx[0] = 1;
    return t > 0.5 ? Status{Status::Code::kInterrupted, "stopped"} : Status{};
  });
  const auto stepper = make_stepper(toy, {0, 0}, {}, 0, {"rk4", 0.2});
  const Outcome run = run_to(*stepper, 1);
  EXPECT_EQ(run.status.code, Status::Code::kInterrupted);
  EXPECT_EQ(run.status.reason, "stopped");
  EXPECT_DOUBLE_EQ(stepper->time(), 0.4);
}

TEST(TrialStep, NeverTurnsABodyFarInOneStep) {
  const Toy toy(attitude_layout(), [](double, std::span<const double>, std::span<double> dx) {
    dx[0] = dx[1] = 0;
    dx[2] = 50;  // rad/s, and no error at all: only the chart limits the step
    return Status{};
  });
  const Quat one = Quat::Identity();
  const auto stepper = make_stepper(toy, numbers(one, {0.0}), {}, 0, {.interval = 10});
  int rejected = 0;
  while (stepper->time() < 10) {
    const StepReport report = stepper->advance(10);
    ASSERT_TRUE(report.status.ok());
    EXPECT_LT(50 * report.step, 1.5);
    rejected += report.rejected;
  }
  EXPECT_EQ(rejected, 0);  // the first stage foresees it

  const auto fixed = make_stepper(toy, numbers(one, {0.0}), {}, 0, {"rk4", 0.1});
  EXPECT_EQ(fixed->advance(10).rejected, 2);
  EXPECT_DOUBLE_EQ(fixed->time(), 0.025);
}

}  // namespace
}  // namespace sarrus
