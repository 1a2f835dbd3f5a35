#pragma once

#include <vector>

#include "sarrus/base/executor.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/elimination/assembly_tree.h"
#include "sarrus/elimination/kernels/system.h"

namespace sarrus {

/// An assembly tree with everything an elimination over it looks up: which rows of a constraint
/// system are closed where, whose boundary meets whose, and where each number is kept. Symbolic:
/// made once for a model.
struct EliminationPlan {
  /// A joint closed inside a part: `body` hangs on `parent`.
  struct Step {
    int body = 0;
    int parent = 0;  ///< 0: ground
    int joint = 0;
    int first_row = 0, rows = 0;
    int absorbed = -1;      ///< the node that hangs here whole; −1: a body of the part itself
    bool body_is_b = true;  ///< of the joint's two bodies
    bool on_path = false;   ///< between the part's tip and its root
  };

  /// What a part or a node shows: a_h = β − Λ F over its boundary bodies.  [dca-flexibility]
  struct Slot {
    int bodies = 0;
    std::size_t Lambda = 0;  ///< where its 6 bodies rows begin, each of 8 bodies numbers
    int stride() const { return 8 * bodies; }
    std::size_t vectors = 0;  ///< where its 6 bodies numbers begin, in β and in F
  };

  struct Part {
    int first_step = 0, step_count = 0;
    int root = 0;  ///< body
    int tip = -1;  ///< body
    bool grounded = false, shows_root = false;
    int slot = 0;
  };

  /// One boundary body of the pieces that meet at a node.
  struct Stacked {
    int slot = 0;
    int place = 0;  ///< in that slot
  };

  struct Node {
    int part = -1;
    int slot = 0;
    std::vector<Stacked> stack;  ///< those that stay on the boundary come first
    std::vector<elimination::ClosingRow> rows;
    bool loop = false;  ///< closes a loop, perhaps through ground: its rows may depend on others
    bool core = false;  ///< takes part in the iteration over loops
    std::size_t U = 0, L = 0, vectors = 0;
  };

  /// `everything_iterates`: also joins that close no loop are corrected by iteration, because they
  /// carry a penalty.
  EliminationPlan(const ConstraintSystem& system, const Topology& topology,
                  const AssemblyTree& tree, bool everything_iterates = false);

  const ConstraintSystem* system;
  std::vector<Step> steps;
  std::vector<Part> parts;
  std::vector<Slot> slots;
  std::vector<Node> nodes;
  TaskTree tasks;
  bool iterates = false;
  std::vector<int> core_nodes;  ///< rising
  std::vector<int> joint_of_row;

  std::size_t Lambda_size = 0, vector_size = 0;          ///< of all slots
  std::size_t U_size = 0, L_size = 0, closing_size = 0;  ///< of all nodes
  int most_rows = 0;                                     ///< closed at one node
};

}  // namespace sarrus
