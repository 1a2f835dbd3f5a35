#pragma once

#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

/// A closed pose with consistent velocities, and what it took to get there.
struct Assembly {
  Configuration configuration;
  double moved = 0;  ///< largest displacement of a body's origin from the description [m]
  double position_residual = 0;
  double velocity_residual = 0;
};

/// Closes all joints from the described pose at t = 0: joint coordinates with a `start` are held
/// there (approached in small steps), prescribed motions are obeyed; then the velocities nearest in
/// the kinetic metric to the wished-for ones that satisfy all constraints, prescribed motions and
/// held `speed`s.  [assembly-velocities]
/// @throws ModelError that names the joint that cannot be closed and by how much it fails, or the
///         speed that cannot be had.
Assembly assemble(const Model& model);

/// The same with the topology at hand. Open mechanisms are assembled joint by joint, in time linear
/// in the number of bodies: described bodies stay where they are as far as the joint below allows.
/// Those with loops and more than `dense_joints` joints are closed by elimination over an assembly
/// tree.  [assembly-large]
Assembly assemble(const Model& model, const Topology& topology, int dense_joints = kDenseJoints);

}  // namespace sarrus
