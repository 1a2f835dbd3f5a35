#pragma once

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/constraints/kkt.h"
#include "sarrus/model/loads.h"

namespace sarrus {

/// What acts on the columns of a system beside its joints: loads, less what inertia asks for at zero
/// accelerations, of bodies and of the modes of flexible ones.  [flexible-bias]
void gather_forces(const ConstraintSystem& system, const Configuration& configuration,
                   const Loads& loads, VecX& f);

/// A metric for which all bodies are alike, whatever their masses: turns count times the system's length,
/// modes move on their own and count by their units.
struct GeometricMetric {
  explicit GeometricMetric(const ConstraintSystem& system);

  std::vector<Mat6> bodies;
  std::vector<ModalMass> modes;
};

}  // namespace sarrus
