#pragma once

#include <span>
#include <vector>

#include "sarrus/model/model.h"
#include "sarrus/topology/topology.h"

namespace sarrus {

/// How an open mechanism is asked to accelerate.
struct JointAccelerations {
  std::vector<double> joints;  ///< rates of all joint speeds, in the order of the coordinates
  std::vector<Vec6> roots;     ///< [ω̇; v̇ of the origin] of each of Topology::floating_roots
};

/// What it takes.
struct InverseDynamics {
  /// Forces along the joint speeds beyond those of the model's own springs, friction, torques and
  /// motors. At a coordinate with a prescribed motion: what its drive supplies.
  std::vector<double> forces;
  std::vector<Vec6>
      roots;  ///< [τ; f] beyond the model's loads on each floating root, at its origin
  std::vector<Vec6> reactions;  ///< per joint, as in Motion: everything that passes through it
};

/// Inverse dynamics of an open mechanism by the Newton–Euler recursion, in time linear in the number
/// of bodies.  [order-n-newton-euler]
/// @throws UsageError when there are loops, or the numbers of accelerations do not fit.
InverseDynamics inverse_dynamics(const Model& model, const Topology& topology, double t,
                                 const Configuration& configuration,
                                 const JointAccelerations& accelerations);

}  // namespace sarrus
