#pragma once

#include "sarrus/constraints/constraint_system.h"

/// Dense, slow answers by singular value decomposition, for judging the fast ones. Compiled once:
/// these decompositions take long to compile.
namespace sarrus::tests {

/// Singular values below this part of the largest count as zero.
inline constexpr double kNoSingularValue = 1e-11;

VecX singular_values(const MatX& A);

MatX null_space(const MatX& A);

MatX product(const MatX& A, const MatX& B);

MatX block_diagonal(const std::vector<Mat6>& blocks);

struct DenseSolution {
  VecX a, lambda;
};

/// M a + Jᵀ λ = f, J a = g by the pseudo-inverse in long double; ‖λ / row_scale‖ is least.
DenseSolution solve_densely(const MatX& M, const MatX& J, const VecX& row_scale, const VecX& f,
                            const VecX& g);

/// Mass blocks of the column bodies at a configuration, from the definition.
std::vector<Mat6> mass_blocks(const ConstraintSystem& system, const Configuration& c);

}  // namespace sarrus::tests
