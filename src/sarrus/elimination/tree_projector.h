#pragma once

#include <functional>

#include "sarrus/elimination/elimination.h"

namespace sarrus {

/// Brings positions and velocities to the constraint manifold with the least change in the kinetic
/// metric, as Projector does, by elimination over the assembly tree.
class TreeProjector {
 public:
  explicit TreeProjector(Elimination& elimination) : elimination_(&elimination) {}

  /// Newton steps with the Jacobian of the start, refreshed where they converge slowly. Leaves no
  /// factorisation of the pose it ends at.  [projection-position]
  Status project_positions(double t, Configuration& c);

  /// Needs factor() at this pose, with φ̇; leaves φ̇ at the new velocities.
  /// [projection-velocity]
  Status project_velocities(double t, Configuration& c);

  /// Is there nothing left to project but rounding? Needs no factor(), and leaves φ and φ̇.
  bool is_closed(double t, const Configuration& c);

  /// From a rough pose, without knowing ranks, until at most `enough` is left of φ [m], or as little
  /// as rounding leaves.  [closing-lm]
  Status close(double t, Configuration& c, double enough = 0);

  /// From a pose near the one of the last factor(), with its matrices; false when that converges
  /// slowly.
  bool close_with_old_matrices(double t, Configuration& c, double enough);

  int most_iterations = 10;
  double position_tolerance = 1e-14;  ///< ‖δ‖ of the last correction
  double velocity_tolerance = 1e-12;
  double velocity_residual = 1e-16;  ///< of the largest speed: so little left of φ̇ is enough
  long position_iterations = 0, velocity_iterations = 0, factorizations = 0;

 private:
  double norm_of_phi() const;
  double scaled_norm_of_phi() const;  ///< all rows as lengths
  void displace(Configuration& c) const;

  Elimination* elimination_;
  Configuration before_;
  std::vector<double> g_;
};

/// Of all rows, and the elimination is left there. −1 where the rows of a single joint depend on each
/// other.
int rank_at(Elimination& elimination, const Configuration& c);

/// Joints whose rows have a share in a dependency, at the pose of the last factor().
std::vector<JointId> dependent_joints(Elimination& elimination);

/// Shows `look` the assembled pose and then closed poses a few short random steps of `step` [rad, or
/// typical lengths] away: a singular position is left with probability one. At each the elimination
/// stands factorised and has the rank given, as rank_at() tells it. It should be without prescribed
/// motions and in the geometric metric.  [mobility-generic]
void visit_generic_poses(Elimination& elimination, const Configuration& assembled, double step,
                         const std::function<void(const Configuration&, int rank)>& look);

/// How many directions each node of the plan fixes at generic poses, and how far from losing one
/// such a pose is.  [dca-nominal-rank]
struct NominalRanks {
  std::vector<int> ranks;  ///< per node
  int rank = 0;            ///< of the whole system
  double smallest_pivot = 1;

  /// How far the pose of the last factor() is from a singular one: 1 at generic poses. Pivots are squares
  /// of what the direct factors of the reference see.
  double strength(const Elimination& elimination) const;
};

/// Of the nodes at the last factor().
NominalRanks ranks_of(const Elimination& elimination);

/// `poses` are closed. `expected`: the rank of the whole system where it is known otherwise, else −1.
/// Sets the elimination's nominal ranks, too.
NominalRanks find_nominal_ranks(Elimination& elimination, const std::vector<Configuration>& poses,
                                int expected);

}  // namespace sarrus
