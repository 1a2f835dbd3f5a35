#pragma once

#include "sarrus/elimination/elimination.h"
#include "sarrus/model/loads.h"

/// What methods that solve for accelerations by elimination have in common.
namespace sarrus {

/// Loads at a configuration, and into `Q` what they leave of them for M a + Jᵀ λ = Q: less the
/// gyroscopic wrenches. Per body, ground first.
void gather_loads(const Model& model, double t, const Configuration& c, Loads& loads,
                  std::vector<Vec6>& Q);

/// Reactions as in Motion, right after the elimination has solved for accelerations at `c`.
void write_reactions(Elimination& elimination, const Loads& loads, const Configuration& c,
                     Motion& motion);

}  // namespace sarrus
