#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sarrus/simulation/engine.h"

namespace sarrus {

/// A new engine that goes on from where `now` stands, changed by the transaction; `now` is not touched.
/// [edit-new-model]
///
/// Poses stay (a closed soft joint snaps), velocities jump where joints have closed, energy that the
/// change brings or takes counts as supplied. Never throws for what a user may ask for.
struct EditOutcome {
  std::unique_ptr<Engine> engine;  ///< null when refused
  EditReport report;
};
EditOutcome make_edit(Engine& now, const Transaction& transaction,
                      const SimulationOptions& options);

/// What soft joints ask for after a step: one that has closed becomes a joint; one whose inertia has
/// changed much is tuned anew. No engine where there is nothing to do.  [soft-joint-harden]
EditOutcome tend_soft_joints(Engine& now, const SimulationOptions& options);

}  // namespace sarrus
