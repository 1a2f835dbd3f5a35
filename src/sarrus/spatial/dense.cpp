#include "sarrus/spatial/dense.h"

#include <Eigen/Eigenvalues>

template class Eigen::HouseholderQR<sarrus::MatX>;
template class Eigen::ColPivHouseholderQR<sarrus::MatX>;

namespace sarrus {

using SymmetricSolver = Eigen::SelfAdjointEigenSolver<MatX>;

SymmetricEigen symmetric_eigen(const MatX& A) {
  const SymmetricSolver solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VecX symmetric_eigenvalues(const MatX& A) {
  return SymmetricSolver(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VecX tridiagonal_eigenvalues(const VecX& diagonal, const VecX& beside) {
  SymmetricSolver solver;
  solver.computeFromTridiagonal(diagonal, beside, Eigen::EigenvaluesOnly);
  return solver.eigenvalues();
}

PrincipalAxes principal_axes(const Mat3& A) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

template <class Matrix>
void Cholesky<Matrix>::compute(const Matrix& A) {
  factor_.compute(A);
}

template <class Matrix>
void Cholesky<Matrix>::solve_in_place(Column& b) const {
  factor_.solveInPlace(b);
}

template <class Matrix>
void Cholesky<Matrix>::solve_in_place(Matrix& B) const {
  factor_.solveInPlace(B);
}

template <class Matrix>
Matrix Cholesky<Matrix>::lower() const {
  return factor_.matrixL();
}

template <class Matrix>
typename Cholesky<Matrix>::Column Cholesky<Matrix>::solve_lower(const Column& b) const {
  return factor_.matrixL().solve(b);
}

template class Cholesky<MatX>;
template class Cholesky<MatUpTo6>;
template class Cholesky<Mat6>;
template class Cholesky<Mat3>;

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

MatX solve_least_squares(const MatX& A, const MatX& B) {
  const Eigen::ColPivHouseholderQR<MatX> qr(A);
  MatX X = B;
  X.applyOnTheLeft(qr.householderQ().transpose());
  X.conservativeResize(A.cols(), B.cols());
  qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>().solveInPlace(X);
  return qr.colsPermutation() * X;
}

MatUpTo6 complement_of(const MatUpTo6& A) {
  const Eigen::HouseholderQR<MatUpTo6> qr(A);
  MatUpTo6 Q = MatUpTo6::Identity(A.rows(), A.rows());
  Q.applyOnTheLeft(qr.householderQ());
  return Q.rightCols(A.rows() - A.cols());
}

MatUpTo6 solve_square(const MatUpTo6& A, const MatUpTo6& B) {
  const Eigen::HouseholderQR<MatUpTo6> qr(A);
  MatUpTo6 X = B;
  X.applyOnTheLeft(qr.householderQ().transpose());
  qr.matrixQR().triangularView<Eigen::Upper>().solveInPlace(X);
  return X;
}

void triangularise(MatX& A, VecX& b) {
  const Eigen::HouseholderQR<MatX> qr(A);
  MatX column = b;
  column.applyOnTheLeft(qr.householderQ().transpose());
  b = column;
  A = qr.matrixQR().triangularView<Eigen::Upper>();
}

}  // namespace sarrus
