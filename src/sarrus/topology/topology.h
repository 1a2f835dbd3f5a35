#pragma once

#include <vector>

#include "sarrus/model/model.h"

namespace sarrus {

/// Questions about constraints are answered densely, by orthogonal factors, for up to so many joints
/// that hang together; beyond, by elimination over an assembly tree, whose time does not grow with
/// the cube but which sees only squares.
inline constexpr int kDenseJoints = 40;

/// The graph of a model: bodies are vertices, joints are edges, ground is a vertex too.
///
/// Which joints are in the spanning tree and which are cut is the engine's business: nothing in a
/// description depends on it. Cost: linear in bodies and joints.
struct Topology {
  std::vector<JointId> parent_joint;   ///< per body; invalid for ground and for floating roots
  std::vector<BodyId> parent;          ///< per body; ground for floating roots
  std::vector<int> depth;              ///< joints between the body and its component's root
  std::vector<BodyId> order;           ///< all moving bodies, parents before children
  std::vector<JointId> cut_joints;     ///< those outside the tree that close loops, one each
  std::vector<BodyId> floating_roots;  ///< one per component that no joint ties to ground

  /// Joints of each biconnected part that has a loop. Constraints can only depend on each other
  /// inside one of these.  [topology-blocks]
  std::vector<std::vector<JointId>> loop_blocks;

  /// Loop blocks of up to so many joints are judged densely, larger ones by elimination: quicker, and
  /// less sharp about what is nearly dependent.  [mobility-tree]
  int dense_joints = kDenseJoints;

  /// How far away generic poses are looked for [rad, or typical lengths]: the nearer, the quicker they
  /// are found.  [mobility-generic]
  double step_to_generic = 0.1;

  int loop_count() const { return static_cast<int>(cut_joints.size()); }
  bool is_tree() const { return cut_joints.empty(); }
  int largest_block() const;  ///< in joints; 0 without loops
};

/// Short, balanced spanning trees: breadth first from ground (from the middle of a floating
/// component), joints that forbid cutting first, joints that prefer it last, and after them free
/// joints that only measure: these close no loop.  [topology-tree]
/// @throws ModelError when every joint of a loop forbids being cut.
Topology analyse_topology(const Model& model);

}  // namespace sarrus
