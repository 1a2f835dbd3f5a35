#include "sarrus/mobility/mobility.h"

#include <algorithm>

#include "sarrus/mobility/block_mobility.h"
#include "sarrus/mobility/rank_study.h"

namespace sarrus {

double generic_conditioning(const Model& model, const Configuration& assembled) {
  std::vector<JointId> joints;
  for (int j = 0; j < model.joint_count(); ++j) joints.push_back(JointId{j});
  BlockMobility whole(model, joints, /*with_motions=*/false);
  int rank = whole.rank_at(assembled);
  double best = whole.smallest_pivot();
  std::mt19937 random(kMobilitySeed);
  Configuration pose = assembled;
  for (int step = 0; step < 3; ++step) {
    if (!whole.wander(pose, random)) break;
    const int here = whole.rank_at(pose);
    if (here < rank) continue;
    const bool is_regular = here == rank;
    best = is_regular ? std::max(best, whole.smallest_pivot()) : whole.smallest_pivot();
    rank = here;
    // Each step takes several dense factors: where these are large, one regular pose will do.
    if (is_regular && static_cast<int>(joints.size()) > kDenseJoints) break;
  }
  return best;
}

Mobility compute_mobility(const Model& model, const Topology& topology,
                          const Configuration& assembled) {
  return RankStudy(model, topology, assembled).mobility();
}

Mobility compute_mobility(const Model& model, const Topology& topology,
                          const Configuration& assembled, int dense_joints) {
  Topology other = topology;
  other.dense_joints = dense_joints;
  return compute_mobility(model, other, assembled);
}

}  // namespace sarrus
