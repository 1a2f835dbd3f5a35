#include "sarrus/model/state_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sarrus/spatial/rotation.h"

namespace sarrus {
namespace {

// A handful of products and square roots.
constexpr double kRoundOff = 1e-14;

StateLayout mixed_layout() {
  StateLayout layout;
  layout.add_vector(2);
  layout.add_quaternion();
  layout.add_vector(1, /*strictness=*/0);
  layout.add_quaternion();
  return layout;
}

std::vector<double> random_vector(std::mt19937& random, int size, double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> v(static_cast<std::size_t>(size));
  for (double& value : v) value = uniform(random);
  return v;
}

std::vector<double> random_state(std::mt19937& random, const StateLayout& layout) {
  std::vector<double> x = random_vector(random, layout.size(), 1);
  for (const auto& block : layout.blocks()) {
    if (block.kind != StateLayout::Kind::kQuaternion) continue;
    Eigen::Map<Eigen::Vector4d>(x.data() + block.offset).normalize();
  }
  return x;
}

TEST(StateLayout, CountsNumbersAndTangents) {
  const StateLayout layout = mixed_layout();
  EXPECT_EQ(layout.size(), 11);
  EXPECT_EQ(layout.tangent_size(), 9);
  EXPECT_EQ(layout.blocks()[3].offset, 7);
  EXPECT_EQ(layout.blocks()[3].tangent_offset, 6);
}

TEST(StateLayout, DifferenceUndoesRetract) {
  const StateLayout layout = mixed_layout();
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const auto x0 = random_state(random, layout);
    const auto u = random_vector(random, layout.tangent_size(), 1.5);
    std::vector<double> x(x0.size()), back(u.size());
    layout.retract(x0, u, x);
    layout.difference(x, x0, back);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(back[i], u[i], kRoundOff);
  }
}

TEST(StateLayout, RetractUndoesDifferenceUpToTheQuaternionsSign) {
  const StateLayout layout = mixed_layout();
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const auto x0 = random_state(random, layout);
    const auto x = random_state(random, layout);
    std::vector<double> u(9), there(x.size()), rest(9);
    layout.difference(x, x0, u);
    layout.retract(x0, u, there);
    layout.difference(there, x, rest);
    for (const double r : rest) EXPECT_NEAR(r, 0, kRoundOff);
  }
}

TEST(StateLayout, TurnsQuaternionsOnTheLeft) {
  StateLayout layout;
  layout.add_quaternion();
  const Quat q0 = exp_rotation({0.4, 0.1, -0.7});
  const std::vector<double> x0{q0.w(), q0.x(), q0.y(), q0.z()}, u{0, 0, 0.3};
  std::vector<double> x(4);
  layout.retract(x0, u, x);
  const Quat expected = exp_rotation({0, 0, 0.3}) * q0;
  EXPECT_NEAR(x[0], expected.w(), kRoundOff);
  EXPECT_NEAR(x[3], expected.z(), kRoundOff);
}

TEST(StateLayout, ChartRateIsTheDerivativeOfTheDifference) {
  const StateLayout layout = mixed_layout();
  std::mt19937 random(3);
  constexpr double kStep = 1e-5;
  constexpr double kFiniteDifference = 1e-9;  // kStep² times a third derivative of order 1
  for (int trial = 0; trial < 20; ++trial) {
    const auto x0 = random_state(random, layout);
    const auto u = random_vector(random, 9, 0.8);
    const auto dx = random_vector(random, 9, 1);
    std::vector<double> x(11), moved(11), after(9), before(9), by(9), du(dx);
    layout.retract(x0, u, x);
    for (std::size_t i = 0; i < 9; ++i) by[i] = kStep * dx[i];
    layout.retract(x, by, moved);
    layout.difference(moved, x0, after);
    for (double& b : by) b = -b;
    layout.retract(x, by, moved);
    layout.difference(moved, x0, before);
    layout.chart_rate(u, du, du);  // in place
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(du[i], (after[i] - before[i]) / (2 * kStep), kFiniteDifference);
  }
}

TEST(StateLayout, FindsTheLargestRotation) {
  const StateLayout layout = mixed_layout();
  const std::vector<double> u{9, 9, 0.3, 0, 0.4, 9, 0, -0.2, 0};
  EXPECT_DOUBLE_EQ(layout.largest_rotation(u), 0.5);
}

TEST(StateLayout, ErrorNormIsMatlabs) {
  StateLayout layout;
  layout.add_vector(2);
  const std::vector<double> x{100, 1e-9}, y{-200, 0};
  const std::vector<double> relative{2e-4, 0}, absolute{0, 3e-6};
  EXPECT_DOUBLE_EQ(layout.error_norm(relative, x, y, {}, 1e-6, 1e-6), 1.0);
  EXPECT_DOUBLE_EQ(layout.error_norm(absolute, x, y, {}, 1e-6, 1e-6), 3.0);
}

TEST(StateLayout, ErrorNormTakesHalfOfARotationAndSkipsUncontrolledBlocks) {
  const StateLayout layout = mixed_layout();
  std::mt19937 random(4);
  const auto x = random_state(random, layout);
  const std::vector<double> e{0, 0, 0, 3e-6, 4e-6, 1e9, 0, 0, 0};
  EXPECT_DOUBLE_EQ(layout.error_norm(e, x, x, {}, 1e-6, 1e-8), 2.5);
  EXPECT_DOUBLE_EQ(layout.error_norm(e, x, x, {}, 1e-8, 1e-5), 0.25);
}

TEST(StateLayout, ErrorsOfMomentaCountAgainstSpeeds) {
  StateLayout layout;
  layout.add_vector(2);
  layout.add_momenta(2, /*moved=*/0, /*strictness=*/4);
  const std::vector<double> x{1, 1, 5000, 3000}, e{0, 0, 1e-4, 1e-7}, rates{50, 1e-3, 9, 9};
  EXPECT_DOUBLE_EQ(layout.error_norm(e, x, x, rates, 1e-6, 1e-6), 8.0);  // 4 · 1e-4 / 5e-5
}

TEST(StateLayout, NotANumberIsNeverASmallError) {
  const StateLayout layout = mixed_layout();
  std::mt19937 random(5);
  const auto x = random_state(random, layout);
  for (const std::size_t place : {0u, 3u}) {
    std::vector<double> e(9, 0.0);
    e[place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isinf(layout.error_norm(e, x, x, {}, 1e-6, 1e-6)));
  }
}

}  // namespace
}  // namespace sarrus
