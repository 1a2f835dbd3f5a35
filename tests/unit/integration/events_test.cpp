#include "sarrus/integration/events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sarrus/integration/make_stepper.h"
#include "unit/integration/toy_formulations.h"

namespace sarrus {
namespace {

using namespace toys;

constexpr double kTime = 1e-12;  // ten times what the finder promises for steps of about a second

TEST(ZeroCrossing, IsLocatedToRoundOffOnItsFarSide) {
  const auto cubic = [](double t) { return t * t * t - 0.2; };
  ZeroCrossing finder;
  const auto t = finder.find(cubic, 0, 1);
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, std::cbrt(0.2), kTime);
  EXPECT_GE(cubic(*t), 0);
}

TEST(ZeroCrossing, NeedsFewCallsAndIsNeverMuchSlowerThanBisection) {
  int calls = 0;
  const auto smooth = [&](double t) { return ++calls, std::exp(t) - 1.7; };
  ASSERT_TRUE(ZeroCrossing().find(smooth, 0, 1));
  EXPECT_LT(calls, 20);
  calls = 0;
  const auto nasty = [&](double t) { return ++calls, t < 0.6180339887 ? -1e-12 : 1e6; };
  const auto t = ZeroCrossing().find(nasty, 0, 1);
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, 0.6180339887, kTime);
  EXPECT_LT(calls, 60);
}

TEST(ZeroCrossing, HeedsDirection) {
  const auto wave = [](double t) { return std::sin(t - 0.5); };  // up at 0.5, down at 0.5 + π
  ZeroCrossing rising({.direction = Direction::kRising});
  ZeroCrossing falling({.direction = Direction::kFalling});
  EXPECT_NEAR(rising.find(wave, 0, 5).value(), 0.5, 5 * kTime);
  EXPECT_NEAR(falling.find(wave, 0, 5).value(), 0.5 + std::numbers::pi, 5 * kTime);
  EXPECT_FALSE(falling.find(wave, 0, 1));
}

TEST(ZeroCrossing, FindsADoubleCrossingBetweenSamplesInOrder) {
  // Below zero for two thousandths of the step, away from all samples, also near the ends.
  for (const double centre : {0.07, 0.4, 0.62, 0.93}) {
    const auto visit = [=](double t) { return (t - centre) * (t - centre) - 1e-6; };
    ZeroCrossing finder;
    const auto in = finder.find(visit, 0, 1);
    ASSERT_TRUE(in) << centre;
    EXPECT_NEAR(*in, centre - 1e-3, kTime);
    const auto out = finder.find(visit, *in, 1);
    ASSERT_TRUE(out) << centre;
    EXPECT_NEAR(*out, centre + 1e-3, kTime);
    EXPECT_FALSE(finder.find(visit, *out, 1)) << centre;
  }
}

TEST(ZeroCrossing, GrazingIsNoCrossing) {
  for (const double centre : {0.07, 0.5, 0.62}) {  // 0.5 is a sample
    const auto touch = [=](double t) { return (t - centre) * (t - centre); };
    const auto miss = [=](double t) { return -1e-9 - (t - centre) * (t - centre); };
    EXPECT_FALSE(ZeroCrossing().find(touch, 0, 1)) << centre;
    EXPECT_FALSE(ZeroCrossing().find(miss, 0, 1)) << centre;
  }
}

TEST(ZeroCrossing, AZeroAtTheStartDoesNotCountButOneAtTheEndDoes) {
  const auto line = [](double t) { return t; };
  ZeroCrossing finder;
  EXPECT_EQ(finder.find(line, -1, 0), 0.0);
  EXPECT_FALSE(finder.find(line, 0, 1));
}

TEST(ZeroCrossing, TheOneJustFoundDoesNotFireAgainThoughRoundOffPutsItBack) {
  ZeroCrossing finder;
  const auto t = finder.find([](double s) { return s - 0.3; }, 0, 1);
  ASSERT_TRUE(t);
  // After the restart the state was projected, and the function lies on the near side again.
  EXPECT_FALSE(finder.find([&](double s) { return s - *t - 1e-11; }, *t, 1));
}

TEST(ZeroCrossing, NotANumberIsPassedOver) {
  const auto log = [](double t) { return std::log(t - 0.3); };  // undefined below 0.3, zero at 1.3
  EXPECT_NEAR(ZeroCrossing().find(log, 0, 2).value(), 1.3, 2 * kTime);
}

// A ball that falls from 1 m and bounces with half its speed, g = 10 m/s².
TEST(ZeroCrossing, FollowsABouncingBall) {
  const Toy toy(vector_layout(2), [](double, std::span<const double> x, std::span<double> dx) {
    dx[0] = x[1];
    dx[1] = -10;
    return Status{};
  });
  const auto stepper = make_stepper(toy, {1, 0, 0}, {}, 0, {.interval = 2});
  ZeroCrossing ground({.direction = Direction::kFalling});
  Configuration at;
  const auto height = [&](double t) {
    stepper->configuration(t, at);
    return at.coordinates[0];
  };
  double expected = std::sqrt(0.2);
  double flight = std::sqrt(0.2);
  for (int bounce = 0; bounce < 6; ++bounce) {
    std::optional<double> hit;
    while (!hit) {
      ASSERT_TRUE(stepper->advance(2).status.ok());
      ASSERT_LT(stepper->time(), 2);
      hit = ground.find(height, stepper->previous_time(), stepper->time());
    }
    EXPECT_NEAR(*hit, expected, kTime);
    stepper->configuration(*hit, at);
    at.coordinates[1] *= -0.5;
    stepper->restart(*hit, at);
    expected += flight;  // 2 · v/2 / g, where the flight down took v / g
    flight *= 0.5;
  }
}

TEST(ZeroCrossing, MeetsTheMotionsOwnAccuracyByDenseOutput) {
  const Problem problem = oscillator();
  const auto stepper =
      make_stepper(problem.toy, problem.exact(0), {}, 0, {.rtol = 1e-12, .atol = 1e-12});
  ZeroCrossing falling({.direction = Direction::kFalling});
  Configuration at;
  std::optional<double> hit;
  while (!hit && stepper->time() < 5) {
    ASSERT_TRUE(stepper->advance(5).status.ok());
    hit = falling.find(
        [&](double t) {
          stepper->configuration(t, at);
          return at.coordinates[0];
        },
        stepper->previous_time(), stepper->time());
  }
  ASSERT_TRUE(hit);
  EXPECT_NEAR(*hit, std::numbers::pi, 1e-10);  // tens of steps of 1e-12 each
}

}  // namespace
}  // namespace sarrus
