#pragma once

// All bodies, one after the other: where they are, and their accelerations once the joints' are known.

#include "sarrus/formulations/coordinate_reduction/kernels/motion.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

inline void place(const System& system, const Inputs& in, Scratch& scratch, int count) {
  JointInWorld joint;
  for (int i = 0; i < count; ++i) place_body(system, in, system.order[i], scratch, joint);
}

/// Returns Σ (M a + gyroscopic − loads)·V over all bodies.  [reduction-power]
inline double accelerate(const System& system, const Inputs& in, Scratch& scratch,
                         const double* unknowns) {
  double sum = 0;
  JointInWorld joint;
  for (int slot = 0; slot < system.body_count; ++slot) {
    place_body(system, in, slot, scratch, joint);
    V6<double> a{joint.bias_ang, joint.bias_lin};
    if (const int parent = system.parents[slot]; parent >= 0) {
      const double* base = scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(parent);
      const Real3 ang = get3(base);
      a.ang = a.ang + ang;
      a.lin = add_cross(a.lin + get3(base + 3), ang, joint.s);
    }
    const tree::JointConstants& constants = system.joints[slot];
    for (int k = 0; k < constants.columns; ++k) {
      const int unknown = constants.column + k;
      a = add_scaled(a, joint.S[k], unknowns[unknown] / system.scales[unknown]);
    }
    put3(scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(slot), a.ang);
    put3(scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(slot) + 3, a.lin);
    const BodyMotion& motion = scratch.motions[slot];
    const OwnInertia own = own_inertia(system, in, slot, motion);
    sum += dot(own.J * a.ang + own.n, get3(motion.w)) +
           dot(add_scaled(own.f, a.lin, own.m), get3(motion.v));
  }
  return sum;
}

}  // namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS
