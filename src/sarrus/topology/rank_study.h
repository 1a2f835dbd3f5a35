#pragma once

#include <optional>
#include <vector>

#include "sarrus/topology/mobility.h"

namespace sarrus {

/// What the constraints of a mechanism fix and what they say twice: found by looking at it where it
/// stands and, by elimination, at a few poses near by. Each thing is found once, when it is first
/// asked for.
class RankStudy {
 public:
  /// `assembled` must be closed; all three must outlive the study.
  RankStudy(const Model& model, const Topology& topology, const Configuration& assembled)
      : model_(model), topology_(topology), assembled_(assembled) {}

  const Mobility& mobility();

  /// `assembled` and, after it, poses a few short random steps away.  [mobility-generic]
  const std::vector<Configuration>& poses();

  /// Of a loop block, or of all of them together.
  struct BlockResult {
    int rows = 0, free_rows = 0;
    int generic = 0, instantaneous = 0;
    int free_generic = 0, free_instantaneous = 0;
    std::vector<JointId> redundant, nonunique;
  };

 private:
  struct Seen {
    int rank = 0;  ///< of the rows without motions
    std::vector<JointId> dependent;
  };
  void look_around();
  bool analyse_whole(BlockResult& result);

  const Model& model_;
  const Topology& topology_;
  const Configuration& assembled_;
  std::vector<Configuration> poses_;
  std::vector<Seen> seen_;  ///< at the poses
  std::optional<Mobility> mobility_;
};

}  // namespace sarrus
