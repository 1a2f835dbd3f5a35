// The triangle of dense matrices by every kernel that this processor has, against Eigen's.

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>

#include "sarrus/articulated/kernels/kernels.h"
#include "sarrus/spatial/types.h"
#include "sarrus/testing/random.h"

namespace sarrus::order_n {
namespace {

constexpr double kRankToleranceHere = 1e-9;

MatX random_matrix(testing::Random& random, int rows, int columns) {
  MatX Z(rows, columns);
  for (double& x : Z.reshaped()) x = random.uniform(-1, 1);
  return Z;
}

struct Triangle {
  int rank = 0;
  std::vector<int> order;
  MatX R;  // of the columns taken
};

Triangle triangle_of(const Kernel& kernel, const MatX& Z, int most) {
  const Eigen::Index stride = (Z.rows() + 3) / 4 * 4;
  MatX padded = MatX::Zero(stride, Z.cols());
  padded.topRows(Z.rows()) = Z;
  Triangle made;
  made.order.resize(static_cast<std::size_t>(Z.cols()));
  std::vector<double> scratch(static_cast<std::size_t>(stride + 2 * Z.cols()));
  made.rank =
      kernel.triangularise({padded.data(), static_cast<int>(stride), static_cast<int>(Z.cols())},
                           most, kRankToleranceHere, made.order.data(), scratch.data());
  made.R = MatX::Zero(made.rank, made.rank);
  for (int k = 0; k < made.rank; ++k)
    made.R.col(k).head(k + 1) = padded.col(made.order[static_cast<std::size_t>(k)]).head(k + 1);
  return made;
}

void expect_triangle(const Kernel& kernel, const MatX& Z, int rank) {
  const int most = static_cast<int>(std::min(Z.rows(), Z.cols()));
  const Triangle made = triangle_of(kernel, Z, most);
  EXPECT_EQ(made.rank, rank);
  std::vector<int> sorted = made.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(sorted[k], static_cast<int>(k));
  MatX taken(Z.rows(), made.rank);
  for (int k = 0; k < made.rank; ++k) taken.col(k) = Z.col(made.order[static_cast<std::size_t>(k)]);
  // Sums of some dozen products of numbers up to one.
  EXPECT_LE((made.R.transpose() * made.R - taken.transpose() * taken).norm(), 1e-12);
  for (int k = 1; k < made.rank; ++k)
    EXPECT_LE(std::abs(made.R(k, k)), std::abs(made.R(k - 1, k - 1)) * (1 + 1e-12));
  const Eigen::ColPivHouseholderQR<MatX> qr(Z);
  for (int k = 0; k < rank; ++k)
    EXPECT_NEAR(std::abs(made.R(k, k)), std::abs(qr.matrixQR()(k, k)), 1e-10);
}

TEST(OrderNTriangle, SquaresToTheMatrixOfTheRows) {
  for (const Kernel* kernel : available_kernels()) {
    SCOPED_TRACE(kernel->name);
    testing::Random random(7);
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 5}, {6, 4}, {17, 30}, {40, 33}})
      expect_triangle(*kernel, random_matrix(random, rows, columns), std::min(rows, columns));
  }
}

TEST(OrderNTriangle, LeavesOutColumnsThatDependOnOthers) {
  for (const Kernel* kernel : available_kernels()) {
    SCOPED_TRACE(kernel->name);
    testing::Random random(8);
    MatX Z = random_matrix(random, 20, 9) * random_matrix(random, 9, 26);
    Z.col(3).setZero();
    expect_triangle(*kernel, Z, 9);
    EXPECT_EQ(triangle_of(*kernel, Z, 5).rank, 5);
    EXPECT_EQ(triangle_of(*kernel, MatX::Zero(5, 3), 3).rank, 0);
  }
}

}  // namespace
}  // namespace sarrus::order_n
