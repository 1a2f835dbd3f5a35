#pragma once

#include "sarrus/topology/elimination/tree_projector.h"

namespace sarrus {

/// Rank and dependencies of all constraints of a large mechanism, by elimination over its assembly
/// tree, and the way to other poses of it.  [mobility-tree]
class TreeRank {
 public:
  TreeRank(const Model& model, const Topology& topology, const Configuration& assembled,
           bool with_motions);
  TreeRank(const TreeRank&) = delete;
  TreeRank& operator=(const TreeRank&) = delete;

  int rows() const { return system_.rows(); }

  /// −1 where the rows of a single joint depend on each other.
  int rank_at(const Configuration& c) { return sarrus::rank_at(elimination_, c); }

  /// Joints whose rows have a share in a dependency, at the pose of the last rank_at().
  std::vector<JointId> dependent_joints();

  /// Only without motions.
  void visit_generic_poses(const Configuration& assembled, double step,
                           const std::function<void(const Configuration&, int rank)>& look) {
    sarrus::visit_generic_poses(elimination_, assembled, step, look);
  }

 private:
  ConstraintSystem system_;
  AssemblyTree tree_;
  EliminationPlan plan_;
  Executor executor_;
  Elimination elimination_;
};

}  // namespace sarrus
