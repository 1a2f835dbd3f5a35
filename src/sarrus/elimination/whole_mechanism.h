#pragma once

#include <utility>

#include "sarrus/elimination/plan.h"

namespace sarrus {

/// All constraint rows of a model with the plan of eliminating them. Not moved: its parts refer to
/// each other, and to the model.
struct WholeMechanism {
  WholeMechanism(const Model& model, const Topology& topology,
                 std::vector<PrescribedMotion> motions, const AssemblyOptions& options = {},
                 bool everything_iterates = false)
      : system(model, std::move(motions)),
        tree(plan_assembly(model, topology, options)),
        plan(system, topology, tree, everything_iterates) {}
  WholeMechanism(const WholeMechanism&) = delete;
  WholeMechanism& operator=(const WholeMechanism&) = delete;

  const ConstraintSystem system;
  const AssemblyTree tree;
  const EliminationPlan plan;
};

}  // namespace sarrus
