#include "unit/constraints/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sarrus::tests {

namespace {

using MatL = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using VecL = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// A V = W with orthonormal columns in V, and orthogonal ones in W, the longest first: their
/// lengths are the singular values.
struct Svd {
  MatL W, V;
  VecL sigma;

  Eigen::Index rank() const {
    Eigen::Index rank = 0;
    while (rank < sigma.size() && sigma[rank] > kNoSingularValue * sigma[0]) ++rank;
    return rank;
  }
};

void rotate(MatL& A, Eigen::Index p, Eigen::Index q, long double cosine, long double sine) {
  const VecL column = A.col(p);
  A.col(p) = cosine * column - sine * A.col(q);
  A.col(q) = sine * column + cosine * A.col(q);
}

/// By one-sided Jacobi rotations: Eigen's decomposition of the same name takes eight seconds to
/// compile, for each type of numbers.
Svd decompose(const MatL& A) {
  const Eigen::Index n = A.cols();
  MatL W = A, V = MatL::Identity(n, n);
  const long double rounding = 8 * std::numeric_limits<long double>::epsilon();
  const long double nothing = rounding * A.norm();
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 50; ++sweep) {  // ten are many
    rotated = false;
    for (Eigen::Index p = 0; p < n; ++p) {
      for (Eigen::Index q = p + 1; q < n; ++q) {
        const long double a = W.col(p).norm(), b = W.col(q).norm(), ab = W.col(p).dot(W.col(q));
        if (a <= nothing || b <= nothing || std::abs(ab) <= rounding * a * b) continue;
        const long double cotangent = (b + a) * (b - a) / (2 * ab);  // of twice the angle
        const long double tangent = std::copysign(1, cotangent) /
                                    (std::abs(cotangent) + std::sqrt(1 + cotangent * cotangent));
        const long double cosine = 1 / std::sqrt(1 + tangent * tangent);
        rotate(W, p, q, cosine, cosine * tangent);
        rotate(V, p, q, cosine, cosine * tangent);
        rotated = true;
      }
    }
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, [&](auto i, auto j) { return W.col(i).norm() > W.col(j).norm(); });
  Svd svd{MatL(A.rows(), n), MatL(n, n), VecL(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    svd.W.col(i) = W.col(order[static_cast<std::size_t>(i)]);
    svd.V.col(i) = V.col(order[static_cast<std::size_t>(i)]);
    svd.sigma[i] = svd.W.col(i).norm();
  }
  return svd;
}

}  // namespace

VecX singular_values(const MatX& A) {
  return decompose(A.cast<long double>()).sigma.head(std::min(A.rows(), A.cols())).cast<double>();
}

MatX null_space(const MatX& A) {
  const Svd svd = decompose(A.cast<long double>());
  return svd.V.rightCols(A.cols() - svd.rank()).cast<double>();
}

MatX product(const MatX& A, const MatX& B) { return A * B; }

MatX block_diagonal(const std::vector<Mat6>& blocks) {
  const auto n = static_cast<Eigen::Index>(6 * blocks.size());
  MatX M = MatX::Zero(n, n);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    M.block<6, 6>(6 * static_cast<Eigen::Index>(i), 6 * static_cast<Eigen::Index>(i)) = blocks[i];
  return M;
}

DenseSolution solve_densely(const MatX& M, const MatX& J, const VecX& row_scale, const VecX& f,
                            const VecX& g) {
  const Eigen::Index n = M.rows(), m = J.rows();
  const MatX scaled = row_scale.asDiagonal() * J;
  MatL K = MatL::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = M.cast<long double>();
  K.topRightCorner(n, m) = scaled.transpose().cast<long double>();
  K.bottomLeftCorner(m, n) = scaled.cast<long double>();
  VecL right(n + m);
  right.head(n) = f.cast<long double>();
  right.tail(m) = row_scale.cwiseProduct(g).cast<long double>();
  const Svd svd = decompose(K);
  VecL solution = VecL::Zero(n + m);
  for (Eigen::Index i = 0; i < svd.rank(); ++i)
    solution += svd.W.col(i).dot(right) / (svd.sigma[i] * svd.sigma[i]) * svd.V.col(i);
  return {solution.head(n).cast<double>(),
          row_scale.cwiseProduct(VecX(solution.tail(m).cast<double>()))};
}

std::vector<Mat6> mass_blocks(const ConstraintSystem& system, const Configuration& c) {
  std::vector<Mat6> blocks;
  for (const BodyId id : system.column_bodies()) {
    const Inertia& inertia = system.model().body(id).inertia;
    const Mat3 R = c.poses[static_cast<std::size_t>(id.index)].R();
    const Vec3 arm = R * inertia.center;
    Mat6 M = Mat6::Zero();
    // Columns: the wrench at the origin that gives unit accelerations.
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = Vec3::Unit(k);
      M.col(k) << R * inertia.central * R.transpose() * e + inertia.mass * arm.cross(e.cross(arm)),
          inertia.mass * e.cross(arm);
      M.col(k + 3) << inertia.mass * arm.cross(e), inertia.mass * e;
    }
    blocks.push_back(M);
  }
  return blocks;
}

}  // namespace sarrus::tests
