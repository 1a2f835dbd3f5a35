#pragma once

#include <vector>

#include "sarrus/base/status.h"
#include "sarrus/formulations/formulation.h"
#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

/// A random configuration in motion. An open mechanism is bent at all its joints and moves at all of
/// them; one with loops or prescribed motions keeps the assembled pose, and the joints of its
/// spanning tree move, so the velocities do not obey the cut joints yet. Linear in bodies.
Configuration random_motion(const Model& model, const Topology& topology,
                            const Configuration& assembled, unsigned seed);

/// A formulation's state.
struct MovingState {
  std::vector<double> x;
  Discrete discrete;
};

/// The state for a configuration, moved onto the constraints as after a step.
Status make_moving_state(const Formulation& formulation, const Configuration& configuration,
                         Workspace& workspace, MovingState& state);

/// A mechanism and a closed pose of it.
struct AssembledModel {
  const Model& model;
  const Topology& topology;
  const Configuration& assembled;
};

/// A random state, always the same for a model, at which rates and output can be had: some are
/// singular by bad luck, then the next is tried.
Status set_in_motion(const Formulation& formulation, const AssembledModel& subject,
                     Workspace& workspace, MovingState& state);

}  // namespace sarrus
