#pragma once

#include <random>
#include <vector>

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/constraints/dense_forces.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

/// Of random walks.
inline constexpr std::uint32_t kMobilitySeed = 20120;

/// One loop block, with and without its prescribed motions, by dense factors.
class BlockMobility {
 public:
  BlockMobility(const Model& model, const std::vector<JointId>& joints, bool with_motions);

  int rows() const { return system_.rows(); }

  /// At the pose of the last rank_at().
  double smallest_pivot() const { return kkt_.smallest_pivot(); }

  int rank_at(const Configuration& configuration);

  /// Joints whose rows have a share in a dependency, at the pose of the last rank_at().
  std::vector<JointId> dependent_joints() const;

  /// A step along a random allowed motion (from the last rank_at()), brought back to the manifold.
  /// False when it could not be closed again.
  bool wander(Configuration& configuration, std::mt19937& random);

 private:
  const Model& model_;
  ConstraintSystem system_;
  Kkt kkt_;
  ConstraintValues values_;
  GeometricMetric metric_;
};

/// Ranks of a loop block, or of all of them together.
struct BlockRanks {
  int rows = 0, free_rows = 0;
  int generic = 0, instantaneous = 0;
  int free_generic = 0, free_instantaneous = 0;
  std::vector<JointId> redundant, nonunique;
};

BlockRanks analyse_block(const Model& model, const std::vector<JointId>& joints,
                         const Configuration& assembled);

/// The assembled pose, and two after it a random step apart.  [mobility-generic]
std::vector<Configuration> dense_walk(const Model& model, const Configuration& assembled);

}  // namespace sarrus
