#pragma once

#include <optional>
#include <string>

#include "sarrus/io/model_file.h"
#include "sarrus/mobility/mobility.h"
#include "sarrus/simulation/simulation.h"
#include "sarrus/simulation/verification.h"

namespace sarrus {

/// What a Simulation does not know about its own run.
struct RunInfo {
  std::string model;  ///< as the user named it
  double every = 0;   ///< between samples [s]
  int threads = 1;
  Overrides overrides;            ///< parameters that were set
  Status status;                  ///< how the run ended
  double setup_wall_seconds = 0;  ///< reading, assembling, building the formulation
  double wall_seconds = 0;        ///< the motion itself, output included
  double cpu_seconds = 0;
  int bodies = 0, joints = 0, loops = 0;           ///< at the start; a timeline may change them
  std::optional<Mobility::Figures> mobility = {};  ///< at the start, where known
  std::optional<Verification> verification = {};   ///< where it was asked for
};

/// Fills in what the mechanism is at the start. Generic freedoms and redundancy are left out where a
/// loop is so large that finding them takes long.
void note_start(const Simulation& simulation, RunInfo& info);

/// "done", "interrupted", "singular", "diverged", "not finite", "not to be trusted".
std::string_view name_of(Status::Code code);

/// `summary.json`. Its keys: docs/reference/results.md.
std::string summary_json(const Simulation& simulation, const RunInfo& info);

}  // namespace sarrus
