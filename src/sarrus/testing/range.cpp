#include "sarrus/testing/range.h"

#include <Eigen/QR>

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

}  // namespace sarrus::testing
