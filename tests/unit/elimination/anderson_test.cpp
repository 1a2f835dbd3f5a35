#include "sarrus/elimination/anderson.h"

#include <gtest/gtest.h>

namespace sarrus {
namespace {

/// Rounds until g(z) = A z + b stands still.
int rounds_to_rest(const MatX& A, const VecX& b, VecX& z) {
  Anderson anderson;
  anderson.resize(b.size());
  anderson.start();
  for (int i = 0; i < 40; ++i) {
    anderson.g() = A * anderson.z() + b;
    if (anderson.defect().norm() < 1e-12) {
      z = anderson.z();
      return i;
    }
    anderson.advance();
  }
  return -1;
}

// A linear fixed point in n directions takes n rounds, even where the plain iteration would run away.
TEST(Anderson, ALinearFixedPointIsFoundInAsManyRoundsAsThereAreDirections) {
  const MatX A = Eigen::Vector3d(0.5, -2, 3).asDiagonal();
  const VecX b = Eigen::Vector3d(1, 2, 3);
  VecX z;
  const int rounds = rounds_to_rest(A, b, z);
  EXPECT_GE(rounds, 3);
  EXPECT_LE(rounds, 5);
  const VecX expected = (MatX::Identity(3, 3) - A).lu().solve(b);
  EXPECT_LE((z - expected).norm(), 1e-11);
}

// Directions in which nothing has changed say nothing; they must not be divided by.
TEST(Anderson, DependentChangesDoNoHarm) {
  MatX A = MatX::Zero(6, 6);
  A(0, 0) = 0.9;
  A.row(3) = A.row(0);
  const VecX b = VecX::Ones(6);
  VecX z;
  EXPECT_GE(rounds_to_rest(A, b, z), 0);
  EXPECT_NEAR(z[0], 10, 1e-9);
}

}  // namespace
}  // namespace sarrus
