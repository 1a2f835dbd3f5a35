#pragma once

#include <span>
#include <vector>

#include "sarrus/articulated/recursion.h"
#include "sarrus/base/status.h"
#include "sarrus/constraints/constraint_system.h"

namespace sarrus::order_n {

using namespace articulated;

/// What closes the loops of a spanning tree: the rows of its cut joints, and of motions prescribed on
/// these, at the level of accelerations. Written to be read, like plain.h.
///
/// The rows act on the tree as loads Jᵀ λ, with λ such that φ̈ = J A + γ vanishes on all of them. The
/// cost is that of a dense system: n m² + m³ for m rows.  [order-n-closures]
class Closures {
 public:
  /// `rank`: how many rows are independent of each other and of the tree, at a generic pose.
  /// `baumgarte`: the ω of φ̈ + 2 ω φ̇ + ω² φ = 0 [1/s].  [order-n-baumgarte]
  Closures(const Tree& tree, const Topology& topology, int rank, double baumgarte);

  /// One row at one instant; `a` and `b` are slots, −1 for ground.
  struct ClosureRow {
    int a = -1, b = -1;
    Vec6 J_A, J_B;
    double phi = 0, phi_rate = 0, gamma = 0;
    double motion_rate = 0;  ///< of a prescribed motion, 0 for a joint's own row
  };

  /// What one thread needs, and what it has found.
  struct Scratch {
    Configuration configuration;
    Loads loads;  ///< through the cut joints
    std::vector<ClosureRow> rows;
    std::vector<ArticulatedBody> bodies;
    std::vector<int> first_unknown;
    int unknowns = 0;
    MatX Z;                  ///< then R; rows are filled up with zeros
    std::vector<int> order;  ///< of its columns
    std::vector<double> reflection;
    int rank = 0;      ///< at this pose
    double pivot = 0;  ///< the smallest of R; 0 where the rank is less than usual
    VecX lambda, missing;
    std::vector<Vec6> A;
  };

  /// The rates of all speeds under `tau`, `external` and `drives`, as forward_dynamics, and under the
  /// closures; what acts through the cut joints is added to `external`. `near` are joint coordinates
  /// near by, in the model's order. Returns the power of loads without a potential and of motions
  /// on cut joints [W].
  double accelerate(double t, const TreeMotion& motion, std::span<const double> near,
                    std::span<const double> tau, std::span<const DrivenJoint> drives,
                    std::vector<Vec6>& external, Scratch& scratch, std::span<double> v_rate) const;

  /// At a pose like others: sets what is the usual size of the smallest pivot, to the largest of all calls.
  void learn_strength(const TreeMotion& motion, std::span<const double> near,
                      std::span<const DrivenJoint> drives, Scratch& scratch);

  /// How far the loops are open: the largest φ, in typical lengths.
  double gap(double t, const TreeMotion& motion, std::span<const double> near,
             Scratch& scratch) const;

  /// Right after `accelerate`, in a step that began with this gap: fails where the gap decides between
  /// branches.  [order-n-turns-off]
  Status judge_gap(double gap, const Scratch& scratch) const;

  /// Reactions of the cut joints as in Motion, right after `accelerate`.
  void write_reactions(const Scratch& scratch, std::vector<Vec6>& reactions) const;

 private:
  void evaluate_rows(double t, const TreeMotion& motion, std::span<const double> near,
                     Scratch& scratch) const;
  void spread_rows(const TreeMotion& motion, Scratch& scratch) const;
  void factor(const TreeMotion& motion, std::span<const DrivenJoint> drives,
              Scratch& scratch) const;
  void triangularise(Scratch& scratch) const;
  void solve(const VecX& missing, const Scratch& scratch, VecX& change) const;

  const Tree& tree_;
  std::vector<JointId> joints_;
  ConstraintSystem system_;
  std::vector<char> is_cut_;  ///< per joint
  bool has_loads_ = false;
  int rank_;
  double baumgarte_;
  double usual_pivot_ = 0;
};

}  // namespace sarrus::order_n
