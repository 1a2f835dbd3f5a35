#include "sarrus/mobility/block_mobility.h"

#include <algorithm>

#include "sarrus/constraints/closing.h"
#include "sarrus/model/loads.h"

namespace sarrus {

BlockMobility::BlockMobility(const Model& model, const std::vector<JointId>& joints,
                             bool with_motions)
    : model_(model),
      system_(model, joints, with_motions ? model.motions() : std::vector<PrescribedMotion>{}),
      kkt_(system_),
      metric_(system_) {}

int BlockMobility::rank_at(const Configuration& configuration) {
  system_.evaluate(0, configuration, values_);
  kkt_.factor(metric_.bodies, values_.J, system_.rows(), 0, metric_.modes);
  return kkt_.rank();
}

std::vector<JointId> BlockMobility::dependent_joints() const {
  const std::vector<char> dependent = kkt_.dependent_rows();
  std::vector<JointId> joints;
  for (std::size_t r = 0; r < dependent.size(); ++r) {
    const JointId joint = system_.origins()[r].joint;
    if (dependent[r] && (joints.empty() || joints.back() != joint)) joints.push_back(joint);
  }
  return joints;
}

bool BlockMobility::wander(Configuration& configuration, std::mt19937& random) {
  const MatX motions = kkt_.allowed_motions();
  if (motions.cols() == 0) return false;
  VecX weights(motions.cols());
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  for (double& w : weights) w = static_cast<double>(random()) / 2147483648.0 - 1;
  VecX step = motions * weights;
  // A tenth of a radian, or of the typical length, for the body that moves most.
  double largest = 0;
  const auto rigid = 6 * static_cast<Eigen::Index>(metric_.bodies.size());
  for (Eigen::Index i = 0; i < rigid; ++i)
    largest = std::max(largest, std::abs(step[i]) / (i % 6 < 3 ? 1.0 : system_.length()));
  for (Eigen::Index i = rigid; i < step.size(); ++i)
    largest = std::max(largest, std::abs(step[i]) / (system_.column_scale()[i] * system_.length()));
  if (largest == 0) return false;
  system_.displace(0.1 / largest * step, configuration);
  update_coordinates(model_, configuration);
  return close_constraints(system_, 0, configuration).status.ok();
}

BlockRanks analyse_block(const Model& model, const std::vector<JointId>& joints,
                         const Configuration& assembled) {
  BlockMobility free(model, joints, /*with_motions=*/false);
  BlockMobility driven(model, joints, /*with_motions=*/true);
  BlockRanks result;
  result.rows = driven.rows();
  result.free_rows = free.rows();
  result.instantaneous = result.generic = driven.rank_at(assembled);
  result.nonunique = result.redundant = driven.dependent_joints();
  result.free_instantaneous = result.free_generic = free.rank_at(assembled);

  // [mobility-generic]  The largest rank over a few walks on the manifold of the undriven mechanism.
  constexpr int kWalks = 3;
  constexpr int kSteps = 2;
  std::mt19937 random(kMobilitySeed);
  for (int walk = 0; walk < kWalks; ++walk) {
    Configuration pose = assembled;
    for (int step = 0; step < kSteps; ++step) {
      free.rank_at(pose);
      if (!free.wander(pose, random)) break;
      result.free_generic = std::max(result.free_generic, free.rank_at(pose));
      const int rank = driven.rank_at(pose);
      // The dependencies of a generic pose are the fewest: keep those of the largest rank.
      if (rank > result.generic || (rank == result.generic && walk == 0 && step == 0)) {
        result.generic = rank;
        result.redundant = driven.dependent_joints();
      }
    }
  }
  return result;
}

std::vector<Configuration> dense_walk(const Model& model, const Configuration& assembled) {
  constexpr int kSteps = 2;
  std::vector<JointId> joints;
  for (int j = 0; j < model.joint_count(); ++j) joints.push_back(JointId{j});
  BlockMobility whole(model, joints, /*with_motions=*/false);
  std::mt19937 random(kMobilitySeed);
  std::vector<Configuration> poses = {assembled};
  Configuration pose = assembled;
  for (int step = 0; step < kSteps; ++step) {
    whole.rank_at(pose);
    if (!whole.wander(pose, random)) break;
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace sarrus
