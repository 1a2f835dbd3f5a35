#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <vector>

#include "sarrus/formulations/branches/kernels/kernels.h"

namespace sarrus {
namespace {

MatX random_matrix(Eigen::Index rows, Eigen::Index columns, std::mt19937& random) {
  std::normal_distribution<double> number;
  MatX A(rows, columns);
  for (double& a : A.reshaped()) a = number(random);
  return A;
}

/// A frontal matrix H = A Aᵀ with `closed` of its rows to be eliminated, as the kernels see it.
struct FrontOfRows {
  FrontOfRows(const MatX& H, int closed_rows)
      : rows(static_cast<int>(H.rows())), closed(closed_rows), stride((rows + 3) & ~3) {
    const auto count = static_cast<std::size_t>(stride);
    // Vectors of four want their alignment.
    const auto aligned = [&](std::size_t numbers) {
      memory.emplace_back(numbers + 4, 0.0);
      void* at = memory.back().data();
      std::size_t room = (numbers + 4) * sizeof(double);
      return static_cast<double*>(std::align(32, numbers * sizeof(double), at, room));
    };
    memory.reserve(8);
    data.rows = rows;
    data.closed = data.most = closed;
    data.stride = stride;
    data.F = aligned(count * count);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j <= i; ++j) data.F[i * stride + j] = H(i, j);
    data.pivots = aligned(count);
    data.left = aligned(count);
    data.live = aligned(count);
    double* scale = aligned(count);
    for (int i = 0; i < closed; ++i) scale[i] = 1 / H(i, i);
    data.inverse_scale = scale;
    order.assign(count, 0);
    data.order = order.data();
    vector = aligned(count);
    result = aligned(count);
  }

  VecX solve(const VecX& h) {
    std::fill_n(vector, stride, 0.0);
    std::copy_n(h.data(), rows, vector);
    std::fill_n(result, stride, 0.0);
    branches::best_kernel().reduce(data, vector);
    branches::best_kernel().expand(data, vector, result);
    return Eigen::Map<VecX>(result, closed);
  }

  int rows, closed, stride;
  std::vector<std::vector<double>> memory;
  std::vector<int> order;
  branches::FrontData data;
  double *vector, *result;
};

constexpr double kDependentRow = 1e-11;
/// A solve with a matrix whose condition is some 1e4 at the most.
constexpr double kSolved = 1e-10;

TEST(BranchesFront, ForcesAreThoseOfADenseSolve) {
  std::mt19937 random(5);
  for (int rows = 1; rows <= 23; ++rows) {
    SCOPED_TRACE(rows);
    const MatX A = random_matrix(rows, rows + 8, random);
    const MatX H = A * A.transpose();
    const VecX h = random_matrix(rows, 1, random);
    FrontOfRows made(H, rows);
    branches::best_kernel().factor(made.data, kDependentRow);
    ASSERT_EQ(made.data.rank, rows);
    // H λ + h = 0
    const VecX expected = -H.ldlt().solve(h);
    EXPECT_LE((made.solve(h) - expected).norm(), kSolved * expected.norm());
  }
}

TEST(BranchesFront, OpenRowsKeepWhatTheClosedOnesLeave) {
  std::mt19937 random(6);
  for (const auto& [rows, closed] : {std::pair{5, 2}, {9, 4}, {14, 6}, {24, 18}}) {
    SCOPED_TRACE(rows);
    const int open = rows - closed;
    const MatX A = random_matrix(rows, rows + 8, random);
    const MatX H = A * A.transpose();
    FrontOfRows made(H, closed);
    branches::best_kernel().factor(made.data, kDependentRow);
    ASSERT_EQ(made.data.rank, closed);
    const MatX left =
        H.bottomRightCorner(open, open) -
        H.bottomLeftCorner(open, closed) *
            H.topLeftCorner(closed, closed).ldlt().solve(H.topRightCorner(closed, open));
    for (int i = 0; i < open; ++i)
      for (int j = 0; j <= i; ++j)
        EXPECT_NEAR(made.data.F[(closed + i) * made.stride + closed + j], left(i, j),
                    kSolved * H.norm());
  }
}

TEST(BranchesFront, RowsThatSayWhatOthersSaidGetNoForce) {
  std::mt19937 random(7);
  constexpr int kRows = 12, kRank = 7;
  const MatX A = random_matrix(kRows, kRank, random);
  const MatX H = A * A.transpose();
  const VecX h =
      A * random_matrix(kRank, 1, random);  // what can be asked for without contradiction
  FrontOfRows made(H, kRows);
  branches::best_kernel().factor(made.data, kDependentRow);
  EXPECT_EQ(made.data.rank, kRank);
  const VecX lambda = made.solve(h);
  EXPECT_EQ((lambda.array() == 0).count(), kRows - kRank);
  EXPECT_LE((H * lambda + h).norm(), kSolved * h.norm());
}

TEST(BranchesFront, NoMoreRowsThanCanBeIndependent) {
  std::mt19937 random(8);
  const MatX A = random_matrix(8, 12, random);
  FrontOfRows made(A * A.transpose(), 8);
  made.data.most = 5;
  branches::best_kernel().factor(made.data, kDependentRow);
  EXPECT_EQ(made.data.rank, 5);
}

}  // namespace
}  // namespace sarrus
