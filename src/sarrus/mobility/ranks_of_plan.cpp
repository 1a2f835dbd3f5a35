#include "sarrus/mobility/ranks_of_plan.h"

#include <algorithm>
#include <optional>

#include "sarrus/elimination/whole_mechanism.h"

namespace sarrus {
namespace {

/// Of the largest rank, and there of the largest pivot; rank −1 where there is none.
NominalRanks best_of(const std::vector<NominalRanks>& seen) {
  NominalRanks best;
  best.rank = -1;
  for (const NominalRanks& here : seen)
    if (here.rank >= 0 && (here.rank > best.rank ||
                           (here.rank == best.rank && here.smallest_pivot > best.smallest_pivot)))
      best = here;
  return best;
}

/// The smallest pivot in the kinetic metric where the mechanism stands, if someone has factorised there
/// already, and if by its geometry that pose is as good as the random ones. Else 0.
double known_pivot(const EliminationPlan& plan, const NominalRanks& nominal, RankStudy& study) {
  const std::vector<NominalRanks>* seen = study.ranks_at_poses(plan);
  if (!study.kinetic_ranks() || seen == nullptr || study.kinetic_ranks()->ranks != nominal.ranks)
    return 0;
  constexpr double kAsGood = 0.5;
  double best = 0;
  for (const NominalRanks& here : *seen) best = std::max(best, here.smallest_pivot);
  if (seen->front().rank < nominal.rank || seen->front().smallest_pivot < kAsGood * best) return 0;
  return study.kinetic_ranks()->smallest_pivot;
}

}  // namespace

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
  const int rank = exact ? study.generic().rank : -1;
  const std::vector<Configuration>& poses = study.poses();
  const Configuration& assembled = poses.front();
  nominal.rank = -1;
  if (const auto* seen = study.ranks_at_poses(plan); seen != nullptr && !exact)
    nominal = best_of(*seen);
  if (nominal.rank < 0) {
    Elimination geometric(plan, executor, assembled, Metric::kGeometric);
    nominal = find_nominal_ranks(geometric, poses, rank);
  }
  nominal.smallest_pivot = known_pivot(plan, nominal, study);
  if (nominal.smallest_pivot > 0) return nominal;
  std::optional<Elimination> own;
  if (&plan != &study.whole()->plan) own.emplace(plan, executor, assembled);
  Elimination& kinetic = own ? *own : study.elimination(Metric::kKinetic);
  kinetic.regularisation().nominal_ranks = nominal.ranks;
  kinetic.regularisation().penalty = 0;
  double pivot = 0;
  // The first pose is the only one that is not random.
  for (std::size_t i = poses.size() > 1 ? 1 : 0; i < poses.size(); ++i)
    if (kinetic.factor(0, poses[i], Elimination::Values::kPositions).ok())
      pivot = std::max(pivot, kinetic.smallest_pivot());
  nominal.smallest_pivot = pivot > 0 ? pivot : 1;
  return nominal;
}

}  // namespace sarrus
