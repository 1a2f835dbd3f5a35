#pragma once

#include "sarrus/constraints/constraint_system.h"

namespace sarrus::hamiltonian {

/// The impulse that constraint rows of one joint carry, Jᵀ λ on its two bodies at their origins, and
/// how it changes with the bodies' motion while λ stays: d/dt about points at rest, reduced to the
/// origins.  [hamilton-carried]
struct CarriedImpulse {
  Vec6 on_a = Vec6::Zero(), on_b = Vec6::Zero();
  Vec6 rate_on_a = Vec6::Zero(), rate_on_b = Vec6::Zero();
};

/// Of the rows of joint number i of the system that `lambda` (per row of the system) weighs; rows
/// that are not `wanted` (per row) are left out.
CarriedImpulse carried_impulse(const ConstraintSystem& system, int i, double t,
                               std::span<const double> lambda, std::span<const char> wanted,
                               const Configuration& c);

}  // namespace sarrus::hamiltonian
