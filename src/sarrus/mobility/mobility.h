#pragma once

#include <vector>

#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

/// Freedoms and redundancy of a mechanism.
///
/// Generic figures hold at almost every pose the mechanism can reach from the given one;
/// instantaneous ones at the given pose. Where they differ the pose is singular.  [mobility-generic]
struct Mobility {
  struct Figures {
    int rows = 0;
    int rank = 0;
    int freedoms = 0;   ///< 6·bodies + modes − rank
    int redundant = 0;  ///< rows − rank
  };
  Figures generic;
  Figures instantaneous;
  Figures generic_without_motions;  ///< as if nothing were prescribed
  Figures instantaneous_without_motions;
  bool singular() const { return generic.rank != instantaneous.rank; }

  std::vector<JointId> redundant_joints;     ///< take part in a dependency at a generic pose
  std::vector<JointId> nonunique_reactions;  ///< undetermined by the laws of motion at this pose
};

/// `assembled` must be closed. Only loops are looked into: constraints of open parts are always
/// independent. Loop blocks of up to `topology.dense_joints` joints are judged one by one, densely;
/// where there is a larger one, the whole mechanism by elimination.  [mobility-tree]
Mobility compute_mobility(const Model& model, const Topology& topology,
                          const Configuration& assembled);

/// The same with another number of joints.
Mobility compute_mobility(const Model& model, const Topology& topology,
                          const Configuration& assembled, int dense_joints);

/// How far apart constraint directions are at a generic pose: the smallest pivot kept, as a part of
/// the largest, at its best over the given pose and a few others. Far below this a pose is nearly
/// singular.
double generic_conditioning(const Model& model, const Configuration& assembled);

}  // namespace sarrus
