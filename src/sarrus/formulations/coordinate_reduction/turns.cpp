// Turns of joints outside the tree.

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "sarrus/formulations/coordinate_reduction/scratch.h"

namespace sarrus {

using tree::TreeBody;

namespace {

/// A step that may have turned a joint outside the tree by so much could have lost a turn of it.
constexpr double kMostTurn = 0.75 * std::numbers::pi;

}  // namespace

// The angles of joints outside the tree follow from the poses, which do not tell turns.
Status CoordinateReduction::check_turns(const Discrete& discrete, const Scratch& scratch) const {
  for (const TurnPath& path : turn_paths_) {
    double turned = 0;
    for (const auto& [place, freedom] : path.angles)
      turned += std::abs(scratch.q[to_index(place)] - discrete.coordinates[to_index(freedom)]);
    if (turned > kMostTurn)
      return {Status::Code::kDiverged,
              fmt::format("joint '{}' may turn by more than half a turn within a step",
                          model_.joint(path.joint).name)};
  }
  return {};
}

// Angles of the tree between the two bodies of each joint outside it that has angles itself.
void CoordinateReduction::find_turn_paths(const Topology& topology) {
  for (const JointId id : topology.cut_joints) {
    const Joint& joint = model_.joint(id);
    bool has_angle = false;
    for (int k = 0; k < joint.nv(); ++k) has_angle = has_angle || joint.is_angle(k);
    if (!has_angle) continue;
    TurnPath path{id, {}};
    BodyId a = joint.a, b = joint.b;
    while (a != b) {
      BodyId& deeper = topology.depth[a.slot()] >= topology.depth[b.slot()] ? a : b;
      const JointId by = topology.parent_joint[deeper.slot()];
      if (by.valid()) {
        const TreeBody& body = tree_.bodies()[to_index(tree_.slot_of(by))];
        for (int k = 0; k < body.nv; ++k)
          if (model_.joint(by).is_angle(k))
            path.angles.push_back({body.q + k, model_.joint(by).first_freedom + k});
      }
      deeper = topology.parent[deeper.slot()];
    }
    turn_paths_.push_back(std::move(path));
  }
}

}  // namespace sarrus
