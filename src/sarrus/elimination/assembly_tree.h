#pragma once

#include <vector>

#include "sarrus/topology/topology.h"

namespace sarrus {

/// In which order the pieces of a mechanism are put together: the plan of every divide-and-conquer
/// method. Depends on the graph and the options only, never on the number of threads: a fixed tree
/// gives the same bits however many there are.  [assembly-tree]
///
/// A *part* is an open piece of the mechanism, swept one body after the other. Ground is not a body
/// here: a joint to ground belongs to the part of its other body. Parts are put together two by two
/// at *joins*, which close all joints between them. What a node shows to the rest is its *boundary*:
/// the bodies that still have open joints, each once however many these are.
struct AssemblyTree {
  /// A leaf of the tree. Its bodies hang together by their parent joints (of the Topology); the last
  /// one is its root.
  struct Part {
    std::vector<BodyId> bodies;  ///< children before parents
    bool grounded = false;       ///< the root's parent joint goes to ground and is closed in here
    /// Nodes without loops that hang whole on a body of this part: their boundary is one body, the
    /// top of what they hold, and its parent joint is closed in here.
    std::vector<int> absorbed;
    /// The body, other than the root of a part that is not grounded, that has joints that are not
    /// parent joints in here (the "hole" through which the rest hangs on); invalid: there is none.
    BodyId tip;
    bool shows_root = false;  ///< not grounded, and the root has such joints
  };

  struct Node {
    int part = -1;                ///< a leaf: which part
    int first = -1, second = -1;  ///< a join: its halves
    int begin = 0;                ///< the nodes [begin, this one] are this one's subtree
    int up = -1;                  ///< the node that takes this one in; −1: a root
    /// Closed here: all joints between the halves; for a leaf, those to ground and between boundary
    /// bodies of its own that are not parent joints inside the part.
    std::vector<JointId> joints;
    /// A leaf: [root if shown, tip if there is one], also when the joints closed at the leaf were
    /// the last of such a body; so a leaf that closes loops may show more than is open. A
    /// join: what is still open of its first half, then of its second.
    std::vector<BodyId> boundary;
    int height = 1;   ///< nodes on the longest way down
    double cost = 0;  ///< of the whole subtree: expected time of one sweep [ns]
  };

  std::vector<Part> parts;   ///< in the order of their nodes
  std::vector<Node> nodes;   ///< those below a node before it, a subtree together
  std::vector<int> roots;    ///< boundary empty; one a component of the graph without ground
  std::vector<int> part_of;  ///< per body; −1 for ground

  int width() const;   ///< largest boundary
  int height() const;  ///< of the tallest root
  double cost() const;
};

struct AssemblyOptions {
  /// Bodies a part may have. 1: every body for itself, and every joint (also those to ground) is
  /// closed at a node. 0: a sixteenth of all, but 128 at least and 512 at most: enough parts for
  /// the cores of a machine, and no more joins than that takes.
  int part_bodies = 0;
};

/// Cuts the spanning tree into parts with at most two boundary bodies, absorbs light subtrees into the
/// part they hang on, compresses what is left along paths and over loops with the least boundary,
/// by nested dissection where that would become wide.
AssemblyTree plan_assembly(const Model& model, const Topology& topology,
                           const AssemblyOptions& options = {});

}  // namespace sarrus
