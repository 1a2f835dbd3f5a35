#pragma once

#include "sarrus/base/status.h"
#include "sarrus/constraints/constraint_system.h"

namespace sarrus {

/// How closing the constraints from a rough pose ended.
struct Closing {
  Status status;
  int iterations = 0;
  double residual = 0;  ///< ‖φ‖ reached
  std::string worst;    ///< whose row is the largest, when not closed
};

/// Moves `configuration` until φ(t) = 0, with small steps that do not need to know the rank:
/// Levenberg–Marquardt with damping μ ∝ ‖φ‖, which ignores the directions that only look
/// constrained because the pose is off the manifold, and still converges quadratically.  [closing-lm]
Closing close_constraints(const ConstraintSystem& system, double t, Configuration& configuration);

/// ‖φ‖ at which a pose counts as closed: a few roundings of the largest coordinate per row.
double closed_residual(const ConstraintSystem& system, const Configuration& configuration);

}  // namespace sarrus
