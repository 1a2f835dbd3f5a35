#include "sarrus/testing/range.h"

#include <Eigen/QR>
#include <cmath>
#include <limits>

namespace sarrus::testing {

Range range_of(const MatX& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatX> qr(A);
  qr.setThreshold(threshold);
  MatX Q = MatX::Identity(A.rows(), A.rows());
  Q.applyOnTheLeft(qr.householderQ());
  return {Q, qr.matrixQR().diagonal().cwiseAbs() / qr.maxPivot(), qr.rank()};
}

MatX complement_of(const MatX& A, double threshold) {
  const Range range = range_of(A, threshold);
  return range.Q.rightCols(A.rows() - range.rank);
}

VecX solve_least_squares(const MatX& A, const VecX& b) {
  const Eigen::ColPivHouseholderQR<MatX> qr(A);
  MatX x = b;
  x.applyOnTheLeft(qr.householderQ().transpose());
  x.conservativeResize(A.cols(), 1);
  qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>().solveInPlace(x);
  return qr.colsPermutation() * x;
}

// By Jacobi's rotations, each of which takes one pair of entries to zero.
VecX symmetric_eigenvalues(MatX A) {
  const double nothing = std::numeric_limits<double>::epsilon() * A.norm();
  constexpr int kMostSweeps = 50;  // ten are many
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (Eigen::Index p = 0; p < A.rows(); ++p) {
      for (Eigen::Index q = p + 1; q < A.rows(); ++q) {
        if (std::abs(A(p, q)) <= nothing) continue;
        const double cotangent = (A(q, q) - A(p, p)) / (2 * A(p, q));  // of twice the angle
        const double tangent =
            std::copysign(1 / (std::abs(cotangent) + std::hypot(1, cotangent)), cotangent);
        const double c = 1 / std::hypot(1, tangent), s = c * tangent;
        for (Eigen::Index k = 0; k < A.rows(); ++k) {
          const double a = A(k, p), b = A(k, q);
          A(k, p) = c * a - s * b;
          A(k, q) = s * a + c * b;
        }
        for (Eigen::Index k = 0; k < A.rows(); ++k) {
          const double a = A(p, k), b = A(q, k);
          A(p, k) = c * a - s * b;
          A(q, k) = s * a + c * b;
        }
        rotated = true;
      }
    }
  }
  return A.diagonal();
}

}  // namespace sarrus::testing
