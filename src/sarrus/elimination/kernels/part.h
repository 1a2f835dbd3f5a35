#pragma once

// The sweeps for accelerations, from the state of every body.

#include "sarrus/elimination/kernels/sweep.h"

namespace sarrus::elimination::SARRUS_INSTRUCTIONS {

/// Poses and what follows from the velocities, parents first.  [dca-part-kinematics]
inline void kinematics(const PartSystem& system, const double* x, const double* gravity,
                       const double* loads, PartRecord* records, PartScratch* scratch) {
  for (int i = system.count - 1; i >= 0; --i) {
    const PartBody& body = system.bodies[i];
    const PartShape& shape = system.shapes[body.shape];
    PartRecord& r = records[i];
    PartScratch& own = scratch[i];
    const double* state = x + 13 * body.body;
    const M3<double> R = rotation_of(state);
    for_each_number(R, [&](int k, double number) { own.R[k] = number; });
    const Real3 s = R * get3(shape.s);
    const Real3 w = get3(state + 7);
    put3(r.s, s);
    put3(r.axis, R * get3(shape.axis));
    Real3 alpha{0, 0, 0}, acc{0, 0, 0};
    own.gathers = 0;
    if (body.parent >= 0) {
      const PartRecord& p = records[body.parent];
      const double* R_p = scratch[body.parent].R;
      const M3<double> parent{R_p[0], R_p[1], R_p[2], R_p[3], R_p[4],
                              R_p[5], R_p[6], R_p[7], R_p[8]};
      const Real3 w_p = get3(x + 13 * system.bodies[body.parent].body + 7);
      const Real3 d = parent * get3(shape.s_parent) - get3(p.s);
      put3(r.d, d);
      const Real3 alpha_p = get3(p.zeta);
      alpha = add_cross(alpha_p, w_p, w);
      acc = add_cross(get3(p.zeta + 3), alpha_p, d);
      acc = add_cross(acc, w_p, cross(w_p, d));
    }
    put3(r.zeta, alpha);
    put3(r.zeta + 3, acc);
    // Moments about the point.
    const double m = shape.mass;
    const Real3 c = R * get3(shape.center) - s;
    const Real3 h = c * m;
    S3<double> J = rotated(R, S3<double>{shape.inertia[0], shape.inertia[1], shape.inertia[2],
                                         shape.inertia[3], shape.inertia[4], shape.inertia[5]});
    J.xx += h.y * c.y + h.z * c.z;
    J.yy += h.x * c.x + h.z * c.z;
    J.zz += h.x * c.x + h.y * c.y;
    J.xy -= h.x * c.y;
    J.xz -= h.x * c.z;
    J.yz -= h.y * c.z;
    V6<double> bias = bias_wrench(J, h, m, w, alpha, acc - get3(gravity));
    if (loads) {  // [τ; f] at the origin
      const Real3 f = get3(loads + 6 * body.body + 3);
      bias.lin = bias.lin - f;
      bias.ang = bias.ang - get3(loads + 6 * body.body) + cross(s, f);
    }
    put3(own.h, h);
    store_s3(own.J, 1, J);
    put3(own.n, bias.ang);
    put3(own.f, bias.lin);
  }
}

/// The acceleration of a body's origin at which all unknowns are zero: angular and linear.
SARRUS_INLINE V6<double> zeta_at_origin(const PartRecord& r, const Real3& w) {
  const Real3 alpha = get3(r.zeta);
  const Real3 back = get3(r.s) * -1.0;
  const Real3 acc = add_cross(get3(r.zeta + 3), alpha, back);
  return {alpha, add_cross(acc, w, cross(w, back))};
}

/// The bodies of a part with six coordinates each.
struct StateBodies {
  const PartSystem& system;
  const double* x;
  PartRecord* records;
  PartScratch* scratch;        // inwards
  const PieceNumbers* pieces;  // outwards
  const AbsorbedRecord* absorbed;
  double* dx;
  double sum_of_all;

  SARRUS_INLINE Real3 velocity(int i) const { return get3(x + 13 * system.bodies[i].body + 7); }
  SARRUS_INLINE Real3 axis(int i) const { return get3(records[i].axis); }
  SARRUS_INLINE Real3 arm(int i) const { return get3(records[i].d); }
  SARRUS_INLINE Real3 point(int i) const { return get3(records[i].s); }
  SARRUS_INLINE double inertia(int) const { return -0.0; }  // adding it is no work
  SARRUS_INLINE double force(int) const { return 0; }
  SARRUS_INLINE V6<double> zeta(int i) const { return zeta_at_origin(records[i], velocity(i)); }
  SARRUS_INLINE int& gathers(int i) const { return scratch[i].gathers; }
  SARRUS_INLINE PartRecord& record(int i) const { return records[i]; }
  SARRUS_INLINE void add_to(int i, Accumulated& c) const {
    const PartScratch& own = scratch[i];
    const Real3 none{0, 0, 0};
    add_rigid(c.a, load_s3<double>(own.J, 1), get3(own.h),
              system.shapes[system.bodies[i].shape].mass, none, none);
    for (int k = 0; k < 3; ++k) {
      add_to_seventh(c.K[k], own.n[k]);
      add_to_seventh(c.K[3 + k], own.f[k]);
    }
  }
  SARRUS_INLINE void add_bias(int, Accumulated&) const {}
  // The point of a root without a joint in here is its origin.
  SARRUS_INLINE void to_origin(Accumulated&) const {}
  SARRUS_INLINE V6<double> from_origin(const V6<double>& a) const { return a; }

  SARRUS_INLINE V6<double> motion(int i) const {
    return {get3(records[i].W), get3(records[i].W + 3)};  // has been read: holds the acceleration
  }
  SARRUS_INLINE void keep(int i, const V6<double>& a, double /*rate*/) {
    PartRecord& r = records[i];
    put3(r.W, a.ang);
    put3(r.W + 3, a.lin);
    const double* state = x + 13 * system.bodies[i].body;
    const Real3 w = get3(state + 7);
    const Real3 alpha = a.ang + get3(r.zeta);
    const Real3 back = get3(r.s) * -1.0;
    Real3 acc = add_cross(a.lin + get3(r.zeta + 3), alpha, back);
    acc = add_cross(acc, w, cross(w, back));
    if (i < system.absorbed_count)
      return pass_to_absorbed(absorbed[i], V6<double>{alpha, acc}, *pieces, system.absorbed[i]);
    double* rates = dx + 12 * system.bodies[i].body;
    for (int k = 0; k < 6; ++k) rates[k] = state[7 + k];
    put3(rates + 6, alpha);
    put3(rates + 9, acc);
    sum_of_all += (alpha.x + alpha.y + alpha.z) * 0.0 + (acc.x + acc.y + acc.z) * 0.0;
  }
};

inline bool inward(const PartSystem& system, const double* x, const double* gravity,
                   const double* loads, const PieceNumbers& pieces, PartRecord* records,
                   AbsorbedRecord* absorbed, PartScratch* scratch, PartStored* stored,
                   PartRoot* root, const PartShown* out) {
  kinematics(system, x, gravity, loads, records, scratch);
  StateBodies bodies{system, x, records, scratch, nullptr, nullptr, nullptr, 0};
  return sweep_inward(system, bodies, pieces, absorbed, stored, root, out);
}

inline double outward(const PartSystem& system, const double* x, const PieceNumbers& pieces,
                      PartRecord* records, const AbsorbedRecord* absorbed, const PartRoot* root,
                      const double* force, double* dx) {
  StateBodies bodies{system, x, records, nullptr, &pieces, absorbed, dx, 0};
  sweep_outward(system, bodies, root, force);
  return bodies.sum_of_all;
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
