#pragma once

#include "sarrus/formulations/modular/joint_elimination.h"
#include "sarrus/formulations/modular/subsystem.h"

namespace sarrus::modular {

using Multipliers = std::vector<Vec6>;  ///< per link; rows that a link lacks are zero

/// The joints' equations at one instant,  K λ + b = 0  with  K = Σ G W Gᵀ,  b = G a_free + g.
/// [modular-interface]
///
/// K is never needed as a whole: its product with p is a sweep through the boxes, wrenches in and
/// accelerations out. Sums run in the order of links and bodies: the same bits every time.
class InterfaceSystem {
 public:
  explicit InterfaceSystem(const Interface& interface);

  // What the owner fills in, before prepare().
  std::vector<Mat6> W;                       ///< per body, for boxes that are one rigid body
  std::vector<Vec6> free;                    ///< per body: accelerations under the loads alone
  std::vector<Mat6> G_A, G_B;                ///< per link: one row each, zero where it has fewer
  std::vector<Vec6> g;                       ///< per link: γ + k_v φ̇ + k_p φ
  std::vector<SubsystemResponse> responses;  ///< per box that is more than a body

  const Interface& interface() const { return *interface_; }
  std::size_t links() const { return interface_->links.size(); }

  /// What the diagonal blocks are wanted for: as they are and factorised; weighted by the degrees of
  /// the boxes, so that they bound K, and factorised [modular-split]; or only as part of K.
  enum class Blocks { kPlain, kSplit, kOnlyK };
  void prepare(Blocks blocks);

  const Multipliers& b() const { return b_; }
  const std::vector<Mat6>& diagonal() const { return diagonal_; }

  /// Σ over joints of the sizes of the terms of b: what b can be trusted to, times a rounding.
  double term_size() const { return term_size_; }

  /// Σ r²/K_rr over all rows.
  double size(const Multipliers& r) const;

  double row_size = 0;  ///< size of terms that a row was made of beside those, for rounding

  double regularisation = 0;  ///< δ: K + δ D instead of K  [modular-regularised]

  /// q = K p.
  void apply(const Multipliers& p, Multipliers& q);

  /// x ← D⁻¹ x, block by block.
  void precondition(Multipliers& x) const;

  /// Fills K into the places of an elimination; not after kSplit.
  void fill(const JointElimination& elimination, JointElimination::Numbers& numbers) const;

  /// a = free + W Gᵀ λ, and the wrenches Gᵀ λ, per body.
  void accelerate(const Multipliers& lambda, std::vector<Vec6>& a);
  const std::vector<Vec6>& wrenches() const { return wrench_; }

  /// The wrenches on the bodies of a box, in its order.
  void wrenches_on(int box, VecX& w) const;

 private:
  void update_b();
  void sweep(const Multipliers& p);

  const Interface* interface_;
  std::vector<int> compound_;    ///< boxes that are more than a body
  std::vector<Mat6> T_A_, T_B_;  ///< G W of links on single bodies
  std::vector<Mat6> diagonal_;
  std::vector<Mat6> inverse_;  ///< of the diagonal blocks
  Multipliers b_;
  double term_size_ = 0;
  std::vector<Vec6> wrench_, a_;
  VecX w_, response_;
};

}  // namespace sarrus::modular
