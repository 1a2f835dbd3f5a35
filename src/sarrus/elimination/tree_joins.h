#pragma once

#include <utility>

#include "sarrus/elimination/assembly_tree.h"

namespace sarrus {

/// Parts and the joints between them, all of which hang together: what is to be put together two
/// by two. Only bodies at which joints are open matter.
struct PartGraph {
  struct Body {
    BodyId id;
    int part;  ///< in this graph
    int open;  ///< joints
  };
  struct Edge {
    int a, b;  ///< bodies, in this graph
    JointId joint;
    int rows;
  };
  struct Part {
    int height = 1;
    int bodies = 1;
  };
  std::vector<Part> parts;
  std::vector<Body> bodies;
  std::vector<Edge> edges;
};

/// Two pieces to be put together: parts of the graph, or (number of parts) + i for what the i-th
/// join made.
using JoinList = std::vector<std::pair<int, int>>;

/// In rounds: many disjoint pairs at a time, those with the smallest boundary first.
/// [assembly-compress]
JoinList join_in_rounds(const PartGraph& graph);

/// The nodes of these joins, without `begin`, `up` and the cost of their halves; halves are
/// numbered as in JoinList.
std::vector<AssemblyTree::Node> nodes_of_joins(const PartGraph& graph, const JoinList& joins);

/// Rough: expected time [ns] to close `rows` rows between pieces that show `boundary` bodies
/// together.  [assembly-cost]
double join_cost(int boundary, int rows);

}  // namespace sarrus
