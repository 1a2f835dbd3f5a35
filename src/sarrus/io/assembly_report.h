#pragma once

#include <string>

#include "sarrus/elimination/assembly_tree.h"

namespace sarrus {

/// "4 parts, 3 joins; height 3, width 2; about 6.0 µs a sweep"
std::string assembly_figures(const AssemblyTree& tree);

/// The figures, then a line a node, indented by depth: what it holds, closes and shows. Of large
/// trees the top.
std::string assembly_text(const Model& model, const AssemblyTree& tree);

}  // namespace sarrus
