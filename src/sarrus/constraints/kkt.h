#pragma once

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/spatial/dense.h"

namespace sarrus {

/// Inertia of a flexible body beside its 6×6 block: how its modes move with it, and their own.
struct ModalMass {
  int block = 0;   ///< of the body, among the 6×6 blocks
  int column = 0;  ///< first of its modes
  Mat6X coupling;  ///< M_re, world axes
  MatX modal;      ///< M_ee
};

/// The equations  M a + Jᵀ λ = f,  J a = g  for any J (redundant, rank-deficient) and any M that is
/// positive definite on the motions J allows.
///
/// Null-space method with two orthogonal factorisations: pivoted QR of Jᵀ splits motions into
/// allowed and constrained ones and decides the rank; a second QR of its triangle gives the
/// minimum-norm λ (torques measured against the system's length).  [kkt-nullspace]
class Kkt {
 public:
  explicit Kkt(const ConstraintSystem& system);

  /// `masses`: one 6×6 block per column body, world axes. `rank_limit` caps the rank: directions
  /// beyond the nominal rank are noise of a state off the manifold.  [kkt-rank]
  /// `conditioning` is the smallest pivot of generic poses, as a part of the largest; constrained
  /// directions with a pivot well below it are weak, far below it faint: the pose is nearly
  /// singular. 0 means that it never is.  [kkt-weak]
  /// `modal`: of flexible bodies.
  /// False when a free direction has no inertia; `massless_body()` then tells where.
  bool factor(const std::vector<Mat6>& masses, const MatX& J, int rank_limit,
              double conditioning = 0, const std::vector<ModalMass>& modal = {});

  int rank() const { return rank_; }
  int weak_count() const { return weak_count_; }
  bool faint() const { return faint_; }
  BodyId massless_body() const { return massless_body_; }

  /// The smallest pivot kept, as a part of the largest; 1 without constraints.
  double smallest_pivot() const;

  /// Solves with `refinements` rounds of iterative refinement, residuals in extended precision.
  /// [kkt-refinement]
  void solve(const VecX& f, const VecX& g, VecX& a, VecX& lambda, int refinements);

  /// The motions, M-orthogonal to all allowed ones, that violate only the weak directions.
  MatX weak_motions();

  /// ⟨a, b⟩ in the kinetic metric.
  double kinetic_product(const VecX& a, const VecX& b);

  /// Orthonormal basis of the constraint dependencies: scaled multipliers that do nothing.
  MatX dependencies() const;

  /// Per row: does it take part in a dependency, so that its multiplier is not unique?
  std::vector<char> dependent_rows() const;

  /// A basis of the allowed motions, columns [ω; v] per body, then modes.
  MatX allowed_motions() const;

 private:
  void solve_once(const VecX& f, const VecX& g, VecX& a, VecX& lambda);
  void constrained_part(const VecX& g);
  void complete_motion(const VecX& f, VecX& a);
  void apply_masses(const VecX& a, VecX& out) const;
  bool factor_reduced_mass();
  void add_modal_rows(const MatX& N, MatX& MN) const;
  void modal_forces(const VecX& a);

  const ConstraintSystem* system_;
  VecX column_scale_;  ///< a = column_scale ∘ z: z has one unit
  VecX row_scale_;
  std::vector<Mat6> masses_;
  std::vector<ModalMass> modal_;
  MatX J_;
  MatX scaled_transpose_;
  Eigen::ColPivHouseholderQR<MatX> qr_;
  Eigen::HouseholderQR<MatX> triangle_qr_;
  Cholesky<MatX> reduced_mass_;
  MatX free_;  ///< N, orthonormal in scaled columns
  int rank_ = 0;
  int weak_count_ = 0;
  bool faint_ = false;
  BodyId massless_body_;
  // Scratch of solve().
  VecX b_, y_, z_, work_, da_, dlambda_, residual_f_, residual_g_;
  std::vector<long double> modal_force_, residual_rows_;
};

}  // namespace sarrus
