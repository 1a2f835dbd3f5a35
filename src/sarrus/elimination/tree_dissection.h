#pragma once

#include "sarrus/elimination/tree_joins.h"

namespace sarrus {

/// By halving: cuts the graph in two where few bodies are at the cut, and each half again; small
/// pieces in rounds. For graphs whose boundary grows with their size.  [assembly-dissection]
JoinList join_by_dissection(const PartGraph& graph);

}  // namespace sarrus
