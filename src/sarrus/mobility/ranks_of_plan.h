#pragma once

#include "sarrus/elimination/tree_projector.h"
#include "sarrus/mobility/rank_study.h"

namespace sarrus {

/// Ranks of the nodes of a plan at generic poses, a matter of geometry alone, and the smallest pivot
/// there in the kinetic metric; `study` is of the same mechanism.  [dca-nominal-rank]
NominalRanks nominal_ranks_of(const EliminationPlan& plan, const Topology& topology,
                              const Executor& executor, RankStudy& study);

}  // namespace sarrus
