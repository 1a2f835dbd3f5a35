#include "sarrus/spatial/dense.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;

// Matrices of numbers up to 1 and six to nine rows: a few dozen roundings.
constexpr double kMatrixRounding = 1e-13;

MatX random_definite(Random& random, int n) {
  const MatX A = random.matrix(n, n);
  return A * A.transpose() + MatX::Identity(n, n);
}

template <class Matrix>
void expect_cholesky_solves(const Matrix& A) {
  const Cholesky<Matrix> factor(A);
  ASSERT_TRUE(factor.ok());
  const Matrix unit = Matrix::Identity(A.rows(), A.cols());
  EXPECT_LT((A * factor.solve(unit) - unit).norm(), kMatrixRounding);
  EXPECT_LT((A * factor.solve(A.col(0)) - A.col(0)).norm(), kMatrixRounding * A.norm());
  EXPECT_GT(factor.pivots().minCoeff(), 0);
  // bᵀ A⁻¹ b = |L⁻¹ b|²
  EXPECT_NEAR(factor.solve_lower(A.col(0)).squaredNorm(), A(0, 0), kMatrixRounding * A.norm());
}

TEST(SymmetricEigen, VectorsAreOrthonormalAndOnlyStretched) {
  Random random(21);
  const MatX A = random_definite(random, 9);
  const SymmetricEigen eigen = symmetric_eigen(A);
  EXPECT_LT((A * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm(),
            kMatrixRounding * A.norm());
  EXPECT_LT((eigen.vectors.transpose() * eigen.vectors - MatX::Identity(9, 9)).norm(),
            kMatrixRounding);
  EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
  EXPECT_LT((symmetric_eigenvalues(A) - eigen.values).norm(), kMatrixRounding * A.norm());
}

TEST(SymmetricEigen, OfAChainOfSpringsIsKnown) {
  // 2 on the diagonal, −1 beside it: 2 − 2 cos(k π / (n + 1)).
  constexpr int n = 7;
  const VecX values = tridiagonal_eigenvalues(VecX::Constant(n, 2), VecX::Constant(n - 1, -1));
  for (int k = 1; k <= n; ++k)
    EXPECT_NEAR(values[k - 1], 2 - 2 * std::cos(k * std::numbers::pi / (n + 1)), kMatrixRounding);
}

TEST(PrincipalAxes, DiagonaliseATensor) {
  Random random(22);
  const Mat3 R = random.rotation().toRotationMatrix();
  const Mat3 A = R * Vec3(3, 1, 2).asDiagonal() * R.transpose();
  const PrincipalAxes axes = principal_axes(A);
  EXPECT_LT((axes.values - Vec3(1, 2, 3)).norm(), kMatrixRounding);
  EXPECT_LT((A * axes.vectors - axes.vectors * axes.values.asDiagonal()).norm(), kMatrixRounding);
}

TEST(Cholesky, Solves) {
  Random random(23);
  expect_cholesky_solves<MatX>(random_definite(random, 9));
  expect_cholesky_solves<MatUpTo6>(random_definite(random, 4));
  expect_cholesky_solves<Mat6>(random_definite(random, 6));
  expect_cholesky_solves<Mat3>(random_definite(random, 3));
}

TEST(Cholesky, RefusesWhatIsNotDefinite) {
  EXPECT_FALSE(Cholesky<Mat3>(Vec3(1, -1, 1).asDiagonal()).ok());
}

TEST(Complement, IsOrthonormalAndOrthogonal) {
  Random random(24);
  const MatUpTo6 A = random.matrix(6, 2);
  for (const MatX& N : {MatX(complement_of(A)), complement_of(MatX(A), 1e-10)}) {
    ASSERT_EQ(N.cols(), 4);
    EXPECT_LT((A.transpose() * N).norm(), kMatrixRounding);
    EXPECT_LT((N.transpose() * N - MatX::Identity(4, 4)).norm(), kMatrixRounding);
  }
}

TEST(Triangularise, KeepsLengthsAndSolutions) {
  Random random(25);
  const MatX A = random.matrix(9, 6);
  const VecX x = random.vector(6);
  MatX R = A;
  VecX b = A * x;
  triangularise(R, b);
  EXPECT_TRUE(R.isUpperTriangular(0));
  EXPECT_LT((R.transpose() * R - A.transpose() * A).norm(), kMatrixRounding);
  EXPECT_LT((R * x - b).norm(), kMatrixRounding);
}

TEST(Range, CountsIndependentColumns) {
  Random random(26);
  MatX A = random.matrix(8, 4);
  A.col(2) = 2 * A.col(0) - A.col(3);
  const Range range = range_of(A, 1e-10);
  ASSERT_EQ(range.rank, 3);
  const MatX reached = range.Q.leftCols(3);
  EXPECT_LT((A - reached * (reached.transpose() * A)).norm(), kMatrixRounding);
}

TEST(LeastSquares, LeaveWhatIsOrthogonalToTheColumns) {
  Random random(27);
  const MatX A = random.matrix(9, 4), B = random.matrix(9, 2);
  const MatX left = A * solve_least_squares(A, B) - B;
  EXPECT_LT((A.transpose() * left).norm(), kMatrixRounding);
  const MatX square = random.matrix(6, 6) + 3 * MatX::Identity(6, 6);
  const MatX unit = MatX::Identity(6, 6);
  EXPECT_LT((square * solve_least_squares(square, unit) - unit).norm(), kMatrixRounding);
  EXPECT_LT((square * solve_square(square, unit) - unit).norm(), kMatrixRounding);
}

}  // namespace
}  // namespace sarrus
