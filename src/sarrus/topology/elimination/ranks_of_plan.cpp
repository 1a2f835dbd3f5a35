#include "sarrus/topology/elimination/ranks_of_plan.h"

#include <algorithm>

namespace sarrus {

// The rank of all together is known from dense factors where loops are small; else the pivots of the
// elimination decide, which see only squares.
NominalRanks nominal_ranks_of(const EliminationPlan& plan, const Topology& topology,
                              const Executor& executor, RankStudy& study) {
  NominalRanks nominal;
  if (topology.is_tree()) {
    nominal.rank = plan.system->rows();
    for (const EliminationPlan::Node& node : plan.nodes)
      nominal.ranks.push_back(static_cast<int>(node.rows.size()));
    return nominal;
  }
  const bool exact = topology.largest_block() <= topology.dense_joints;
  const int rank = exact ? study.mobility().generic.rank : -1;
  const std::vector<Configuration>& poses = study.poses();
  const Configuration& assembled = poses.front();
  Elimination geometric(plan, executor, assembled, Metric::kGeometric);
  nominal = find_nominal_ranks(geometric, poses, rank);
  Elimination kinetic(plan, executor, assembled);
  kinetic.regularisation().nominal_ranks = nominal.ranks;
  kinetic.regularisation().penalty = 0;
  double pivot = 0;
  for (const Configuration& pose : poses)
    if (kinetic.factor(0, pose).ok()) pivot = std::max(pivot, kinetic.smallest_pivot());
  nominal.smallest_pivot = pivot > 0 ? pivot : 1;
  return nominal;
}

NominalRanks nominal_ranks_of(const EliminationPlan& plan, const Topology& topology,
                              const Executor& executor, const Configuration& assembled) {
  RankStudy study(plan.system->model(), topology, assembled);
  return nominal_ranks_of(plan, topology, executor, study);
}

}  // namespace sarrus
