#pragma once

#include <vector>

#include "sarrus/formulations/coordinate_reduction/fronts.h"

namespace sarrus::coordinate_reduction {

/// Forces of all joints, from the last solve with details. Wrenches are [τ; f] at mass centres.
struct Reactions {
  std::vector<double> lambda;  ///< per closing row, in the row's own unit
  std::vector<Vec6> through;   ///< per slot: what its joint of the tree does to the body
};

/// `needed` per slot: what must act on the body beyond its loads, M a + gyroscopic − loads; used up.
/// `configuration`: where everything is.  [reduction-reactions]
void find_reactions(const Fronts& fronts, const FrontSolver& solver, double t,
                    const Configuration& configuration, std::span<Vec6> needed, Reactions& to);

}  // namespace sarrus::coordinate_reduction
