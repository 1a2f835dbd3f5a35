#include "unit/constraints/dense.h"

#include <Eigen/SVD>

namespace sarrus::tests {

namespace {

using MatL = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using VecL = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

}  // namespace

VecX singular_values(const MatX& A) { return Eigen::JacobiSVD<MatX>(A).singularValues(); }

MatX null_space(const MatX& A) {
  const Eigen::JacobiSVD<MatX> svd(A, Eigen::ComputeFullV);
  const VecX& sigma = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < sigma.size() && sigma[rank] > kNoSingularValue * sigma[0]) ++rank;
  return svd.matrixV().rightCols(A.cols() - rank);
}

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
  VecX right(n + m);
  right << f, row_scale.cwiseProduct(g);
  Eigen::JacobiSVD<MatL> svd(K, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(kNoSingularValue);
  const VecL solution = svd.solve(VecL(right.cast<long double>()));
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
