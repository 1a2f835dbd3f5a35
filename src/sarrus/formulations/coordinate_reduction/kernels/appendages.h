#pragma once

// Bodies outside all loops: the articulated-body recursion about mass centres.

#include <algorithm>

#include "sarrus/formulations/coordinate_reduction/kernels/motion.h"

namespace sarrus::coordinate_reduction::SARRUS_INSTRUCTIONS {

constexpr int kColumnNumbers = 13;  ///< S, W, k
constexpr int kCarriedNumbers = 9;  ///< shift, bias

inline void place_all(const System& system, const Inputs& in, Scratch& scratch) {
  JointInWorld joint;
  int next = 0;
  for (int slot = 0; slot < system.body_count; ++slot) {
    place_body(system, in, slot, scratch, joint);
    if (next == system.appendage_count || system.appendages[next].body != slot) continue;
    const Appendage& appendage = system.appendages[next++];
    double* carried = scratch.carried + kCarriedNumbers * static_cast<std::ptrdiff_t>(slot);
    put3(carried, joint.s);
    put3(carried + 3, joint.bias_ang);
    put3(carried + 6, joint.bias_lin);
    for (int k = 0; k < system.joints[slot].columns; ++k) {
      double* column =
          scratch.columns + kColumnNumbers * static_cast<std::ptrdiff_t>(appendage.column + k);
      put3(column, joint.S[k].ang);
      put3(column + 3, joint.S[k].lin);
    }
  }
}

SARRUS_INLINE Articulated<double> get_articulated(const double* from) {
  Articulated<double> a;
  for_each_number_of(a, [&](int k, double& number) { number = from[k]; });
  return a;
}

/// Articulated inertias towards the loops.  [reduction-appendages]
inline bool gather(const System& system, const Inputs& in, Scratch& scratch) {
  for (int slot = 0; slot < system.body_count; ++slot) {
    const OwnInertia own = own_inertia(system, in, slot, scratch.motions[slot]);
    Articulated<double> a{};
    add_rigid(a, own.J, Real3{0, 0, 0}, own.m, own.n, own.f);
    double* to = scratch.articulated + 27 * static_cast<std::ptrdiff_t>(slot);
    for_each_number_of(a, [&](int k, double& number) { to[k] = number; });
  }
  for (int i = system.appendage_count - 1; i >= 0; --i) {
    const Appendage& appendage = system.appendages[i];
    const int slot = appendage.body;
    Articulated<double> a =
        get_articulated(scratch.articulated + 27 * static_cast<std::ptrdiff_t>(slot));
    for (int k = system.joints[slot].columns - 1; k >= 0; --k) {
      double* column =
          scratch.columns + kColumnNumbers * static_cast<std::ptrdiff_t>(appendage.column + k);
      if (in.held != nullptr && in.held[system.joints[slot].column + k]) {
        std::fill(column + 6, column + kColumnNumbers, 0.0);
        continue;
      }
      const V6<double> S{get3(column), get3(column + 3)};
      const double moved = dot(S, times(a, S));
      if (!(moved > 0)) {
        scratch.bad_body = slot;
        return false;
      }
      const Eliminated<double> out = eliminate(a, S, 0.0);
      put3(column + 6, out.W.ang);
      put3(column + 9, out.W.lin);
      column[12] = out.k;
    }
    const int parent = system.parents[slot];
    if (parent < 0) continue;
    const double* carried = scratch.carried + kCarriedNumbers * static_cast<std::ptrdiff_t>(slot);
    const V6<double> c{get3(carried + 3), get3(carried + 6)};
    const V6<double> more = times(a, c);
    const Real3 s = get3(carried);
    const V6<double> wrench = shifted_wrench(V6<double>{a.n + more.ang, a.f + more.lin}, s);
    shift_inertia(a, s);
    a.n = wrench.ang;
    a.f = wrench.lin;
    double* to = scratch.articulated + 27 * static_cast<std::ptrdiff_t>(parent);
    for_each_number_of(a, [&](int k, double& number) { to[k] += number; });
  }
  return true;
}

/// And their accelerations outward.
inline void spread(const System& system, Scratch& scratch, double* unknowns) {
  for (int i = 0; i < system.appendage_count; ++i) {
    const Appendage& appendage = system.appendages[i];
    const int slot = appendage.body, parent = system.parents[slot];
    const double* carried = scratch.carried + kCarriedNumbers * static_cast<std::ptrdiff_t>(slot);
    V6<double> a{get3(carried + 3), get3(carried + 6)};
    if (parent >= 0) {
      const double* base = scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(parent);
      const Real3 ang = get3(base);
      a.ang = a.ang + ang;
      a.lin = add_cross(a.lin + get3(base + 3), ang, get3(carried));
    }
    const order_n::JointConstants& joint = system.joints[slot];
    for (int k = 0; k < joint.columns; ++k) {
      const double* column =
          scratch.columns + kColumnNumbers * static_cast<std::ptrdiff_t>(appendage.column + k);
      const V6<double> W{get3(column + 6), get3(column + 9)};
      const double y = less_dot(column[12], W, a);
      a = add_scaled(a, V6<double>{get3(column), get3(column + 3)}, y);
      unknowns[joint.column + k] = y * system.scales[joint.column + k];
    }
    put3(scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(slot), a.ang);
    put3(scratch.accelerations + 6 * static_cast<std::ptrdiff_t>(slot) + 3, a.lin);
  }
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
    const order_n::JointConstants& constants = system.joints[slot];
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
