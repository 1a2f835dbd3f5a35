#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#define SARRUS_INSTRUCTIONS under_test
#include "sarrus/formulations/branches/kernels/angles.h"
#undef SARRUS_INSTRUCTIONS

namespace sarrus {
namespace {

using branches::under_test::V4;

void expect_sines_and_cosines(const double (&angle)[4]) {
  V4 sine, cosine;
  branches::under_test::sines_and_cosines(V4{angle[0], angle[1], angle[2], angle[3]}, sine, cosine);
  // The series are good to a unit in the last place; so is what is left of the angle.
  constexpr double kTwoUnits = 2 * std::numeric_limits<double>::epsilon();
  for (int k = 0; k < 4; ++k) {
    const double s = std::sin(angle[k]), c = std::cos(angle[k]);
    EXPECT_LE(std::abs(sine[k] - s), kTwoUnits * std::abs(s)) << "of " << angle[k];
    EXPECT_LE(std::abs(cosine[k] - c), kTwoUnits * std::abs(c)) << "of " << angle[k];
  }
}

TEST(BranchesAngles, AreThoseOfTheLibraryFromNothingToManyTurns) {
  std::mt19937_64 random(7);
  for (const double size : {1e-300, 1e-8, 0.5, 3.0, 7.0, 100.0, 1e4, 9e5}) {
    std::uniform_real_distribution<double> angle(-size, size);
    for (int round = 0; round < 20000; ++round)
      expect_sines_and_cosines({angle(random), angle(random), angle(random), angle(random)});
  }
}

TEST(BranchesAngles, AreGoodNearTheirZeros) {
  for (int quarter = -2000; quarter <= 2000; ++quarter) {
    const double x = quarter * std::acos(0.0);
    expect_sines_and_cosines({x, std::nextafter(x, 1e9), x + 1e-9, x - 1e-5});
  }
}

TEST(BranchesAngles, BeyondAMillionTheyAreTheLibrarysOwn) {
  expect_sines_and_cosines({1e7, -3e12, 1e300, 0.3});
  V4 sine, cosine;
  branches::under_test::sines_and_cosines(V4{NAN, 1, INFINITY, -2}, sine, cosine);
  EXPECT_TRUE(std::isnan(sine[0]) && std::isnan(cosine[0]));
  EXPECT_TRUE(std::isnan(sine[2]) && std::isnan(cosine[2]));
  EXPECT_EQ(sine[1], std::sin(1.0));
}

}  // namespace
}  // namespace sarrus
