#pragma once

#include "sarrus/elimination/assembly_tree.h"

namespace sarrus {

/// The spanning tree in pieces: the first step of plan_assembly.
struct TreeParts {
  /// What becomes of the parent joint of a part's root.
  enum class Hang {
    kNot,       ///< there is none, or it goes to ground
    kOpen,      ///< it is closed at a join
    kAbsorbed,  ///< all that hangs there is absorbed into the part above
  };
  std::vector<AssemblyTree::Part>
      parts;                 ///< a part before those that hang on it; `absorbed` is empty
  std::vector<Hang> hang;    ///< per part
  std::vector<int> part_of;  ///< per body; −1 for ground
};

/// Parts of at most `part_bodies` bodies that show at most two to the rest. With 1, every body for
/// itself, nothing grounded and nothing absorbed.  [assembly-tree]
TreeParts cut_into_parts(const Model& model, const Topology& topology, int part_bodies);

}  // namespace sarrus
