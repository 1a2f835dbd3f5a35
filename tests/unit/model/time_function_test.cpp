#include "sarrus/model/time_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/spatial/differences.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using F = TimeFunction;

// A few roundings.
constexpr double kFunctionRounding = 1e-13;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Pieces are polynomials of low degree or sines: differences with this step stay inside a piece.
constexpr double kStep = 1e-3;

// Rounding of a second difference with that step, times ten.
constexpr double kSecondError = 1e-8;

void expect_derivatives(const F& f, std::initializer_list<double> times) {
  const auto value = [&](double t) { return f(t).value; };
  for (const double t : times) {
    EXPECT_NEAR(f(t).rate, derivative(value, t, kStep), kDifferenceError) << t;
    EXPECT_NEAR(f(t).acceleration, second_derivative(value, t, kStep), kSecondError) << t;
  }
}

TEST(Constant, StaysTheSame) {
  const F f = 2.5;
  EXPECT_EQ(f(-1).value, 2.5);
  EXPECT_EQ(f(7).value, 2.5);
  EXPECT_EQ(f(7).rate, 0);
  EXPECT_THAT(f.breakpoints(), IsEmpty());
}

TEST(Sine, HasItsDerivatives) {
  const F f(F::Sine{.amplitude = 1.2, .angular_frequency = 3, .phase = 0.4, .offset = -1});
  EXPECT_NEAR(f(0.7).value, -1 + 1.2 * std::sin(2.5), kFunctionRounding);
  expect_derivatives(f, {-1, 0, 0.3, 2});
  EXPECT_THAT(f.smoothness_defect(), IsEmpty());
}

TEST(Ramp, RisesBetweenStartAndStop) {
  const F f(F::Ramp{.from = 1, .rate = 2, .start = 0.5, .stop = 2});
  EXPECT_EQ(f(0).value, 1);
  EXPECT_NEAR(f(1).value, 2, kFunctionRounding);
  EXPECT_NEAR(f(5).value, 4, kFunctionRounding);
  expect_derivatives(f, {0, 1, 1.9, 3});
  EXPECT_THAT(f.breakpoints(), ElementsAre(0.5, 2));
}

TEST(Ramp, IsSmoothOnlyWithoutCornersAfterTheStart) {
  EXPECT_THAT(F(F::Ramp{.rate = 1}).smoothness_defect(), IsEmpty());
  EXPECT_THAT(F(F::Ramp{.rate = 1, .start = 1}).smoothness_defect(), HasSubstr("start, t = 1"));
  EXPECT_THAT(F(F::Ramp{.rate = 1, .stop = 2}).smoothness_defect(), HasSubstr("stop, t = 2"));
  EXPECT_THAT(F(F::Ramp{.rate = 0, .start = 1, .stop = 2}).smoothness_defect(), IsEmpty());
  EXPECT_THAT(F(F::Ramp{.rate = 1, .start = -3, .stop = -1}).smoothness_defect(), IsEmpty());
}

TEST(Step, JumpsWithoutADuration) {
  const F f(F::Step{.from = 1, .to = 3, .at = 0.5});
  EXPECT_EQ(f(0.499).value, 1);
  EXPECT_EQ(f(0.5).value, 3);
  EXPECT_THAT(f.breakpoints(), ElementsAre(0.5));
  EXPECT_THAT(f.smoothness_defect(), HasSubstr("jumps"));
  EXPECT_THAT(F(F::Step{.from = 1, .to = 3, .at = 0}).smoothness_defect(), IsEmpty());
}

TEST(Step, BlendsSmoothlyOverItsDuration) {
  const F f(F::Step{.from = 1, .to = 3, .at = 0.5, .duration = 2});
  EXPECT_NEAR(f(1.5).value, 2, kFunctionRounding);  // symmetric about the middle
  EXPECT_NEAR(f(1.0).value + f(2.0).value, 4, kFunctionRounding);
  expect_derivatives(f, {0.2, 0.6, 1, 1.5, 2.4, 3});
  EXPECT_THAT(f.breakpoints(), ElementsAre(0.5, 2.5));
  EXPECT_THAT(f.smoothness_defect(), IsEmpty());
  // Value, rate and acceleration join the constants at both ends.
  for (const double t : {0.5, 2.5})
    for (const double side : {-1e-9, 1e-9}) {
      EXPECT_NEAR(f(t + side).value, t < 1 ? 1 : 3, 1e-12);
      EXPECT_NEAR(f(t + side).rate, 0, 1e-12);
      EXPECT_NEAR(f(t + side).acceleration, 0, 1e-7);
    }
}

TEST(Table, DrawsStraightLinesAndHoldsTheEnds) {
  const F f(F::Table{.times = {0, 1, 3}, .values = {2, 4, -2}});
  EXPECT_EQ(f(-1).value, 2);
  EXPECT_NEAR(f(0.5).value, 3, kFunctionRounding);
  EXPECT_NEAR(f(2).value, 1, kFunctionRounding);
  EXPECT_EQ(f(9).value, -2);
  expect_derivatives(f, {-1, 0.5, 2, 4});
  EXPECT_THAT(f.breakpoints(), ElementsAre(0, 1, 3));
  EXPECT_THAT(f.smoothness_defect(), HasSubstr("smooth: true"));
}

TEST(Table, OfOneEntryIsConstant) {
  const F f(F::Table{.times = {1}, .values = {5}});
  EXPECT_EQ(f(0).value, 5);
  EXPECT_EQ(f(1).value, 5);
  EXPECT_EQ(f(2).value, 5);
}

TEST(SmoothTable, PassesThroughItsPointsWithoutCorners) {
  const F f(F::Table{.times = {0, 1, 1.5, 3}, .values = {2, 4, -2, 0}, .smooth = true});
  EXPECT_NEAR(f(0).value, 2, kFunctionRounding);
  EXPECT_NEAR(f(1).value, 4, kFunctionRounding);
  EXPECT_NEAR(f(1.5).value, -2, kFunctionRounding);
  EXPECT_NEAR(f(3).value, 0, kFunctionRounding);
  expect_derivatives(f, {0.3, 0.7, 1.2, 1.4, 2, 2.7});
  constexpr double kGap = 1e-9;
  for (const double t : {1.0, 1.5}) {
    EXPECT_NEAR(f(t - kGap).rate, f(t + kGap).rate, 1e-6);
    EXPECT_NEAR(f(t - kGap).acceleration, f(t + kGap).acceleration, 1e-5);
  }
  EXPECT_NEAR(f(kGap).rate, 0, 1e-6);  // level where it joins the constants
  EXPECT_NEAR(f(3 - kGap).rate, 0, 1e-6);
  EXPECT_THAT(f.smoothness_defect(), IsEmpty());
}

TEST(SmoothTable, OfTwoEntriesIsTheCubicBlend) {
  const F f(F::Table{.times = {0, 2}, .values = {1, 3}, .smooth = true});
  const double s = 0.3;
  EXPECT_NEAR(f(2 * s).value, 1 + 2 * s * s * (3 - 2 * s), kFunctionRounding);
}

TEST(TimeFunctionDefect, TellsWhatIsWrong) {
  EXPECT_THAT(F(kNotANumber).defect(), HasSubstr("not finite"));
  EXPECT_THAT(F(F::Step{.to = kNotANumber}).defect(), HasSubstr("not finite"));
  EXPECT_THAT(F(F::Step{.to = 1, .duration = -1}).defect(), HasSubstr("duration is negative"));
  EXPECT_THAT(F(F::Ramp{.rate = kNotANumber}).defect(), HasSubstr("not finite"));
  EXPECT_THAT(F(F::Ramp{.rate = 1, .start = 2, .stop = 1}).defect(), HasSubstr("stops before"));
  EXPECT_THAT(F(F::Sine{.amplitude = kNotANumber}).defect(), HasSubstr("not finite"));
  EXPECT_THAT(F(F::Table{}).defect(), HasSubstr("empty"));
  EXPECT_THAT(F(F::Table{.times = {0}, .values = {1}, .smooth = true}).defect(),
              HasSubstr("at least two"));
  EXPECT_THAT(F(F::Table{.times = {0, 1}, .values = {1}}).defect(),
              HasSubstr("2 times but 1 values"));
  EXPECT_THAT(F(F::Table{.times = {0, 1, 1}, .values = {1, 2, 3}}).defect(),
              HasSubstr("do not rise at entry 3"));
  EXPECT_THAT(F(F::Table{.times = {0, kNotANumber}, .values = {1, 2}}).defect(),
              HasSubstr("not finite"));
}

TEST(TimeFunctionDefect, IsEmptyForSoundOnes) {
  EXPECT_THAT(F(3.0).defect(), IsEmpty());
  EXPECT_THAT(F(F::Step{.to = 1, .duration = 1}).defect(), IsEmpty());
  EXPECT_THAT(F(F::Ramp{.rate = 1}).defect(), IsEmpty());
  EXPECT_THAT(F(F::Table{.times = {0, 1}, .values = {1, 2}, .smooth = true}).defect(), IsEmpty());
}

}  // namespace
}  // namespace sarrus
