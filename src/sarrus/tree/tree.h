#pragma once

#include <vector>

#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus::tree {

/// A copy in a plain loop: libc's own takes another way for another length, and some processors wait
/// for it before they read what it wrote.
inline void copy_numbers(const double* from, int count, double* to) {
  Eigen::Map<VecX>(to, count) = Eigen::Map<const VecX>(from, count);
}

/// A moving body, the joint that it hangs on, and where their numbers stand in the state.
struct TreeBody {
  BodyId body;
  JointId joint;          ///< invalid for a floating root, which is free in the world
  int parent = -1;        ///< slot; −1: ground
  bool reversed = false;  ///< the body is the joint's first one
  JointType type = JointType::kFree;
  int q = 0, nq = 0;  ///< coordinates, from the start of the state
  int v = 0, nv = 0;  ///< speeds, from the first speed

  /// Is coordinate k a component of a rotation vector, rather than a number of q?
  bool is_on_rotation_vector(int k) const { return has_quaternion() && k < 3; }
  bool has_quaternion() const { return type == JointType::kSpherical || type == JointType::kFree; }
};

/// How the bodies are gone through.
enum class Traversal {
  kChains,  ///< rows of bodies, neighbours side by side
  kLevels,  ///< bodies of equal depth side by side
};

/// A mechanism as the recursions see it: moving bodies in slots, parents first, hanging on the joints
/// of the spanning tree; cut joints are not in it.
///
/// The state is x = [coordinates | speeds | supplied work], slot by slot: coordinates as the joint
/// kinds define them (spherical and free ones with quaternions), speeds likewise. A floating root is
/// a body on a free joint to the world.  [order-n-state]
class Tree {
 public:
  Tree(const Model& model, const Topology& topology);

  const Model& model() const { return *model_; }
  const std::vector<TreeBody>& bodies() const { return bodies_; }
  int slot_of(BodyId body) const { return slot_of_[body.slot()]; }  ///< −1 for ground
  /// −1 for a cut joint.
  int slot_of(JointId joint) const { return slot_of_joint_[joint.slot()]; }
  /// Are there joints that the tree does not have: of loops, or free ones that only measure? Their
  /// coordinates follow from the poses.
  bool has_joints_outside() const { return has_joints_outside_; }
  int nq() const { return nq_; }
  int nv() const { return nv_; }

  Traversal traversal() const { return traversal_; }

  /// Slots of each chain's first body and one past its last, or of each block of a level.
  struct Run {
    int first = 0;
    int end = 0;
    int parent_run = -1;  ///< of a block: that of its parents; −1: ground
  };
  const std::vector<Run>& runs() const { return runs_; }

  /// The kind of a slot's joint; a floating root has a free one.
  const JointKind& kind(const TreeBody& body) const;

  /// The joint's frames: X_AF and X_BM, or the world and the body for a floating root.
  Transform frame_on_parent(const TreeBody& body) const;
  Transform frame_on_body(const TreeBody& body) const;

 private:
  void order_by_chains(const std::vector<std::vector<int>>& children,
                       const std::vector<char>& alone);
  void order_by_levels(const std::vector<std::vector<int>>& children);
  void number_the_state(const Topology& topology);

  const Model* model_;
  std::vector<int> order_;  ///< body index per slot
  std::vector<Run> runs_;
  std::vector<TreeBody> bodies_;
  std::vector<int> slot_of_;
  std::vector<int> slot_of_joint_;
  bool has_joints_outside_ = false;
  int nq_ = 0;
  int nv_ = 0;
  Traversal traversal_ = Traversal::kChains;
};

}  // namespace sarrus::tree
