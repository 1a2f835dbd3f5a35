#pragma once

#include "sarrus/spatial/types.h"

/// Linear algebra of the laws, compiled once: these decompositions take long to compile.
namespace sarrus::testing {

/// What a matrix reaches, by Householder reflections with the largest columns first.
struct Range {
  MatX Q;             ///< orthonormal: the first `rank` columns reach what A reaches
  VecX pivots;        ///< sizes, relative to the largest, which comes first
  Eigen::Index rank;  ///< pivots above the threshold
};
Range range_of(const MatX& A, double threshold);

/// What A reaches not: orthonormal columns.
MatX complement_of(const MatX& A, double threshold);

/// x with the least ‖A x − b‖, for independent columns.
VecX solve_least_squares(const MatX& A, const VecX& b);

/// Eigenvalues of a symmetric matrix, in no order.
VecX symmetric_eigenvalues(MatX A);

}  // namespace sarrus::testing
