#pragma once

#include <span>
#include <vector>

#include "sarrus/model/state_layout.h"
#include "sarrus/tree/tree_motion.h"

namespace sarrus::tree {

/// x = [coordinates | speeds | modes | their rates | supplied work] of a spanning tree, and what others
/// know a mechanism's state by. Joints outside the tree have no numbers in x: their coordinates follow
/// from the poses. Modes are those of flexible bodies, if any.  [order-n-state]
class TreeState {
 public:
  explicit TreeState(const Tree& tree);

  const StateLayout& layout() const { return layout_; }

  /// "joint 'J1'", "body 'base'" or "modes" for a component of a tangent; empty for the supplied work.
  std::string element_of(int tangent_index) const;

  /// Everything but the supplied work.
  void encode(const Configuration& from, std::span<double> x) const;

  /// Rates of the coordinates at the head of `dx`. Of several states side by side, number i of state
  /// l stands at [stride·i + l].
  void write_position_rates(std::span<const double> q, std::span<const double> v, int stride,
                            std::span<double> dx) const;

  /// Coordinates of all joints at the poses of `to`; it holds those near by, rotation vectors and
  /// turns go on from there.
  void decode_coordinates(std::span<const double> x, Configuration& to) const;

  /// Poses and velocities as well.
  void decode(std::span<const double> x, const TreeMotion& motion, Configuration& to) const;

  /// The same from the state alone, flexible bodies and all.
  void decode(std::span<const double> x, Configuration& to) const;

  /// Those of the tree's joints only.
  void read_coordinates(std::span<const double> x, std::vector<double>& coordinates) const;

 private:
  const Tree* tree_;
  StateLayout layout_;
  std::vector<int> with_quaternion_;  ///< slots
  std::vector<JointId> cut_joints_;
};

}  // namespace sarrus::tree
