#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "sarrus/spatial/types.h"

/// Dense decompositions whose templates are instantiated here once: Eigen's take a compiler seconds in
/// every file that names them. For cold code, and for hot code where a call does not count.
namespace sarrus {

/// Eigenvalues, rising, and orthonormal eigenvectors of a symmetric matrix; its lower triangle is read.
struct SymmetricEigen {
  VecX values;
  MatX vectors;
};
SymmetricEigen symmetric_eigen(const MatX& A);
VecX symmetric_eigenvalues(const MatX& A);
VecX tridiagonal_eigenvalues(const VecX& diagonal, const VecX& beside);

/// The same of a tensor.
struct PrincipalAxes {
  Vec3 values;
  Mat3 vectors;
};
PrincipalAxes principal_axes(const Mat3& A);

/// A = L Lᵀ of a symmetric matrix, of which the lower triangle is read.
/// Of MatX, MatUpTo6, Mat6 and Mat3.
template <class Matrix>
class Cholesky {
 public:
  using Column =
      Eigen::Matrix<double, Matrix::RowsAtCompileTime, 1, 0, Matrix::MaxRowsAtCompileTime, 1>;

  Cholesky() = default;
  explicit Cholesky(const Matrix& A) { compute(A); }
  void compute(const Matrix& A);

  /// Is A positive definite, but for rounding?
  bool ok() const { return factor_.info() == Eigen::Success; }
  /// The diagonal of L.
  auto pivots() const { return factor_.matrixLLT().diagonal(); }
  Matrix lower() const;

  /// A⁻¹ B: a column of one, a matrix of others.
  template <class B>
  auto solve(const Eigen::MatrixBase<B>& right) const {
    if constexpr (B::ColsAtCompileTime == 1) {
      Column x = right;
      solve_in_place(x);
      return x;
    } else {
      Matrix X = right;
      solve_in_place(X);
      return X;
    }
  }
  void solve_in_place(Column& b) const;
  void solve_in_place(Matrix& B) const;
  /// L⁻¹ b.
  Column solve_lower(const Column& b) const;

 private:
  Eigen::LLT<Matrix> factor_;
};

extern template class Cholesky<MatX>;
extern template class Cholesky<MatUpTo6>;
extern template class Cholesky<Mat6>;
extern template class Cholesky<Mat3>;

/// What a matrix reaches, by Householder reflections with the largest columns first.
struct Range {
  MatX Q;             ///< orthonormal: the first `rank` columns reach what A reaches
  VecX pivots;        ///< sizes, relative to the largest, which comes first
  Eigen::Index rank;  ///< pivots above the threshold
};
Range range_of(const MatX& A, double threshold);

/// What A reaches not: orthonormal columns.
MatX complement_of(const MatX& A, double threshold);
/// The same for independent columns, without heap.
MatUpTo6 complement_of(const MatUpTo6& A);
/// X with A X = B for a regular A, without heap.
MatUpTo6 solve_square(const MatUpTo6& A, const MatUpTo6& B);

/// X with the least ‖A X − B‖, for independent columns.
MatX solve_least_squares(const MatX& A, const MatX& B);

/// Reflects A to an upper triangle, and b with it.
void triangularise(MatX& A, VecX& b);

}  // namespace sarrus

extern template class Eigen::HouseholderQR<sarrus::MatX>;
extern template class Eigen::ColPivHouseholderQR<sarrus::MatX>;
