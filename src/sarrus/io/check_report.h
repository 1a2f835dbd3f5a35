#pragma once

#include <string>

#include "sarrus/elimination/assembly_tree.h"
#include "sarrus/mobility/mobility.h"

namespace sarrus {

/// What `sarrus check` tells about a model; all of it at the assembled pose.
struct CheckReport {
  const Model& model;
  const Topology& topology;
  const Mobility& mobility;
  const AssemblyTree& assembly;
  double moved = 0;  ///< how far the assembly had to move a body [m]
};

/// For reading: a screen of text.
std::string check_text(const CheckReport& report);

/// For programs; on demand with the spanning tree. Its keys: docs/reference/command_line.md.
std::string check_json(const CheckReport& report, bool with_tree = false);

/// The spanning tree, a line a body, indented by depth, with the cut joints where they end.
std::string tree_text(const Model& model, const Topology& topology);

}  // namespace sarrus
