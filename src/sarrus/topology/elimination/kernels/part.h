#pragma once

// The sweeps over a part whose joints are all revolute, with two handles. What the six unit wrenches
// at the tip do, and the bias, are seven columns of one vector: they cost one multiplication.

#include "sarrus/topology/elimination/kernels/numbers.h"
#include "sarrus/topology/elimination/kernels/system.h"

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

/// Iᴬ and K on their way inwards.
struct Carried {
  Articulated<double> a;
  Row8 K[6];
};

SARRUS_INLINE void clear(Carried& c) {
  for_each_number_of(c.a, [](int, double& number) { number = 0; });
  for (Row8& row : c.K) row = Row8{};
}

inline void add_given(Carried& c, const double* given) {
  for_each_number_of(c.a, [&](int k, double& number) {
    if (k < 21) number += given[k];
  });
  for (int k = 0; k < 6; ++k) c.K[k] += load8(given + 21 + 8 * k);
}

inline void leave(Carried& c, int& gathers, PartGiven& to) {
  const bool first = !gathers;
  for_each_number_of(c.a, [&](int k, double& number) {
    if (k < 21) to.numbers[k] = number + (first ? 0.0 : to.numbers[k]);
  });
  for (int k = 0; k < 6; ++k) {
    double* row = to.numbers + 21 + 8 * k;
    store8(row, first ? c.K[k] : c.K[k] + load8(row));
  }
  gathers = 1;
}

/// Eight numbers from the (7 − j)th on are unit vector j.
constexpr double kUnits[15] = {0, 0, 0, 0, 0, 0, 0, 1};

/// L⁻¹ in rows of eight, with L Lᵀ = A, whose lower half is given, and G = L⁻¹ K where there is a K.
/// False when A is not positive definite.
SARRUS_INLINE bool solve_triangle(double (&L)[6][6], const Row8* K, Row8* inverse, Row8* G) {
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    const double whole = L[j][j];
    double d = whole;
    for (int k = 0; k < j; ++k) d -= L[j][k] * L[j][k];
    if (!(d > 1e-14 * whole)) return false;  // rounding is all that is left
    const double pivot = 1 / __builtin_sqrt(d);
    for (int i = j + 1; i < 6; ++i) {
      double sum = L[i][j];
      for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      L[i][j] = sum * pivot;
    }
    Row8 row = load8(kUnits + 7 - j);
    for (int k = 0; k < j; ++k) row -= inverse[k] * L[j][k];
    inverse[j] = row * pivot;
    if (!K) continue;
    Row8 g = K[j];
    for (int k = 0; k < j; ++k) g -= G[k] * L[j][k];
    G[j] = g * pivot;
  }
  return true;
}

SARRUS_INLINE bool solve_root(const Articulated<double>& a, const Row8* K, Row8* inverse, Row8* G) {
  double L[6][6] = {{a.A.xx, 0, 0, 0, 0, 0},
                    {a.A.xy, a.A.yy, 0, 0, 0, 0},
                    {a.A.xz, a.A.yz, a.A.zz, 0, 0, 0},
                    {a.H.xx, a.H.yx, a.H.zx, a.M.xx, 0, 0},
                    {a.H.xy, a.H.yy, a.H.zy, a.M.xy, a.M.yy, 0},
                    {a.H.xz, a.H.yz, a.H.zz, a.M.xz, a.M.yz, a.M.zz}};
  return solve_triangle(L, K, inverse, G);
}

/// The acceleration of a body's origin at which all unknowns are zero: angular and linear.
SARRUS_INLINE V6<double> zeta_at_origin(const PartRecord& r, const Real3& w) {
  const Real3 alpha = get3(r.zeta);
  const Real3 back = get3(r.s) * -1.0;
  const Real3 acc = add_cross(get3(r.zeta + 3), alpha, back);
  return {alpha, add_cross(acc, w, cross(w, back))};
}

/// I v, with I in rows of eight.
SARRUS_INLINE V6<double> times_rows(const double* I, const V6<double>& v) {
  const Row8 sum = load8(I) * v.ang.x + load8(I + 8) * v.ang.y + load8(I + 16) * v.ang.z +
                   load8(I + 24) * v.lin.x + load8(I + 32) * v.lin.y + load8(I + 40) * v.lin.z;
  double n[8];
  store8(n, sum);
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
}

/// Takes the turn about a body's joint out of what is carried; W and y are kept, too.
SARRUS_INLINE Row8 take_out_joint(Carried& c, PartRecord& r, V6<double>& W, bool& ok) {
  const Real3 axis = get3(r.axis);
  const V6<double> U = times_turn(c.a, axis);
  const double D = dot(U.ang, axis);
  // Against the size of the inertia: about a rod's own axis rounding is left.
  if (!(D > 1e-13 * (c.a.A.xx + c.a.A.yy + c.a.A.zz))) ok = false;
  const double inverse = 1 / D;
  W = U * inverse;
  project(c.a, U, W);
  const Row8 y = c.K[0] * axis.x + c.K[1] * axis.y + c.K[2] * axis.z;
  store8(r.y, y);
  r.inverse = inverse;
  put3(r.W, W.ang);
  put3(r.W + 3, W.lin);
  return y;
}

/// What the parent's point sees of it.
SARRUS_INLINE void pass_joint(Carried& c, const PartRecord& r, const V6<double>& W, const Row8& y) {
  c.K[0] -= y * W.ang.x;
  c.K[1] -= y * W.ang.y;
  c.K[2] -= y * W.ang.z;
  c.K[3] -= y * W.lin.x;
  c.K[4] -= y * W.lin.y;
  c.K[5] -= y * W.lin.z;
  const Real3 d = get3(r.d);
  shift_inertia(c.a, d);
  c.K[0] += c.K[5] * d.y - c.K[4] * d.z;
  c.K[1] += c.K[3] * d.z - c.K[5] * d.x;
  c.K[2] += c.K[4] * d.x - c.K[3] * d.y;
}

/// What a piece that hangs on the part whole asks of its joint: its inertia Λ⁻¹ and its bias, seen
/// from the point.  [dca-raked]
inline bool take_raked(const double* Lambda, const double* beta, const PartRecord& r,
                       const Real3& w, RakedRecord* kept, Carried& c) {
  double L[6][6];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) L[i][j] = Lambda[8 * i + j];
  Row8 inverse[6];
  if (!solve_triangle(L, nullptr, inverse, nullptr)) return false;
  double numbers[48];
  for (int k = 0; k < 6; ++k) store8(numbers + 8 * k, inverse[k]);
  double* I = kept->inertia;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    Row8 row{};
#pragma GCC unroll 6
    for (int k = i; k < 6; ++k) row += inverse[k] * numbers[8 * k + i];
    store8(I + 8 * i, row);
  }
  clear(c);
  c.a.A = {I[0], I[1], I[2], I[9], I[10], I[18]};
  c.a.H = {I[3], I[4], I[5], I[11], I[12], I[13], I[19], I[20], I[21]};
  c.a.M = {I[27], I[28], I[29], I[36], I[37], I[45]};
  const Real3 back = get3(r.s) * -1.0;
  shift_inertia(c.a, back);
  V6<double> beyond = zeta_at_origin(r, w);
  beyond.ang = beyond.ang - get3(beta);
  beyond.lin = beyond.lin - get3(beta + 3);
  const V6<double> bias = shifted_wrench(times_rows(I, beyond), back);
  const double wrench[6] = {bias.ang.x, bias.ang.y, bias.ang.z, bias.lin.x, bias.lin.y, bias.lin.z};
  for (int k = 0; k < 6; ++k) add_to_seventh(c.K[k], wrench[k]);
  return true;
}

/// All of them, before the bodies of the part.
inline bool take_all_raked(const PartSystem& system, const double* x, const PieceNumbers& pieces,
                           PartRecord* records, RakedRecord* raked, PartScratch* scratch,
                           PartGiven* given) {
  bool ok = true;
  for (int i = 0; i < system.raked_count; ++i) {
    const PartBody& body = system.bodies[i];
    PartRecord& r = records[i];
    Carried c;
    ok = take_raked(pieces.Lambda + system.raked[i].Lambda, pieces.beta + system.raked[i].vectors,
                    r, get3(x + 13 * body.body + 7), raked + i, c) &&
         ok;
    V6<double> W;
    const Row8 y = take_out_joint(c, r, W, ok);
    pass_joint(c, r, W, y);
    leave(c, scratch[body.parent].gathers, given[body.parent]);
  }
  return ok;
}

/// Λ and β of a root that is not grounded; `tip` takes what the root's freedom adds. Not inline: it
/// would take registers from the loop.  [dca-handles]
__attribute__((noinline)) static bool show_root(const PartSystem& system, const Carried& c,
                                                PartRoot* root, Row8* tip, const PartShown* out) {
  Row8 inverse[6], G[6];
  if (!solve_root(c.a, c.K, inverse, G)) return false;
  for (int k = 0; k < 6; ++k) {
    store8(root->inverse + 8 * k, inverse[k]);
    store8(root->G + 8 * k, G[k]);
  }
  if (system.tip >= 0) {
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i)
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k) tip[i] += G[k] * root->G[8 * k + i];
  }
  if (!system.shows_root) return true;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    Row8 own{}, across{};
#pragma GCC unroll 6
    for (int k = i; k < 6; ++k) {
      own += inverse[k] * root->inverse[8 * k + i];
      across += G[k] * root->inverse[8 * k + i];
    }
    double* row = out->Lambda + i * out->stride;
    store8(row, own);
    double shown[8];
    store8(shown, across);
    out->beta[i] = -shown[6];
    if (system.tip < 0) continue;
    for (int j = 0; j < 6; ++j) row[8 + j] = out->Lambda[(6 + j) * out->stride + i] = shown[j];
    row[14] = row[15] = 0;
  }
  return true;
}

/// Inertias, the tip's wrenches and the bias, children first.  [dca-part-inward]
inline bool inward(const PartSystem& system, const double* x, const double* gravity,
                   const double* loads, const PieceNumbers& pieces, PartRecord* records,
                   RakedRecord* raked, PartScratch* scratch, PartGiven* given, PartRoot* root,
                   const PartShown* out) {
  kinematics(system, x, gravity, loads, records, scratch);
  Carried c;
  clear(c);
  Row8 tip[6] = {};
  double tip_zeta[6] = {};
  bool ok = take_all_raked(system, x, pieces, records, raked, scratch, given);
  for (int i = system.raked_count; i < system.count; ++i) {
    const PartBody& body = system.bodies[i];
    PartRecord& r = records[i];
    const PartScratch& own = scratch[i];
    if (own.gathers) add_given(c, given[i].numbers);
    const Real3 none{0, 0, 0};
    add_rigid(c.a, load_s3<double>(own.J, 1), get3(own.h), system.shapes[body.shape].mass, none,
              none);
    for (int k = 0; k < 3; ++k) {
      add_to_seventh(c.K[k], own.n[k]);
      add_to_seventh(c.K[3 + k], own.f[k]);
    }
    if (i == system.tip) {  // unit wrenches at the origin, seen from the point
      const Real3 s = get3(r.s);
      const double wrenches[6][8] = {{1, 0, 0, 0, s.z, -s.y}, {0, 1, 0, -s.z, 0, s.x},
                                     {0, 0, 1, s.y, -s.x, 0}, {0, 0, 0, 1, 0, 0},
                                     {0, 0, 0, 0, 1, 0},      {0, 0, 0, 0, 0, 1}};
      for (int k = 0; k < 6; ++k) c.K[k] += load8(wrenches[k]);
      const V6<double> zeta = zeta_at_origin(r, get3(x + 13 * body.body + 7));
      put3(tip_zeta, zeta.ang);
      put3(tip_zeta + 3, zeta.lin);
    }
    if (body.parent < 0 && !system.grounded) break;
    V6<double> W;
    const Row8 y = take_out_joint(c, r, W, ok);
    const Row8 scaled = y * r.inverse;
    for (int k = 0; k < 6; ++k) tip[k] += scaled * r.y[k];
    if (body.parent < 0) break;
    pass_joint(c, r, W, y);
    if (body.parent == i + 1) continue;
    leave(c, scratch[body.parent].gathers, given[body.parent]);
    clear(c);
  }
  if (!system.grounded) {
    const Carried last = c;  // a copy, so that the loop's has no address
    ok = show_root(system, last, root, tip, out) && ok;
  }
  if (ok && system.tip >= 0) {
    const int first = system.shows_root ? 6 : 0;
    for (int k = 0; k < 6; ++k) {
      double* row = out->Lambda + (first + k) * out->stride + (system.shows_root ? 8 : 0);
      store8(row, tip[k]);
      out->beta[first + k] = tip_zeta[k] - row[6];
      row[6] = 0;
    }
  }
  return ok;
}

/// a = −L⁻ᵀ (L⁻¹ F₁ + G [F₂; 1])
inline void accelerate_root(const PartRoot& root, Row8 F_root, Row8 F_tip, double* a) {
  Row8 sum{};
  for (int k = 0; k < 6; ++k) {
    const Row8 row = load8(root.inverse + 8 * k);
    sum -= row * sum_of_seven(row * F_root + load8(root.G + 8 * k) * F_tip);
  }
  double numbers[8];
  store8(numbers, sum);
  for (int i = 0; i < 6; ++i) a[i] = numbers[i];
}

/// Accelerations, parents first.  [dca-part-outward]
inline double outward(const PartSystem& system, const double* x, const PieceNumbers& pieces,
                      PartRecord* records, const RakedRecord* raked, const PartRoot* root,
                      const double* force, double* dx) {
  Row8 F{};
  if (system.tip >= 0) F = load6(force + (system.shows_root ? 6 : 0));
  add_to_seventh(F, 1);
  double a_root[6] = {};
  if (!system.grounded)
    accelerate_root(*root, system.shows_root ? load6(force) : Row8{}, F, a_root);
  double sum_of_all = 0;
  for (int i = system.count - 1; i >= 0; --i) {
    const PartBody& body = system.bodies[i];
    PartRecord& r = records[i];
    Real3 ang{0, 0, 0}, lin{0, 0, 0};
    if (body.parent >= 0) {
      const double* before = records[body.parent].W;  // has been read: holds the acceleration
      ang = get3(before);
      lin = add_cross(get3(before + 3), ang, get3(r.d));
    } else if (!system.grounded) {
      ang = get3(a_root);
      lin = get3(a_root + 3);
    }
    if (body.parent >= 0 || system.grounded) {
      const double sum = sum_of_seven(load8(r.y) * F);
      const double rate = -(dot(get3(r.W), ang) + dot(get3(r.W + 3), lin) + r.inverse * sum);
      ang = add_scaled(ang, get3(r.axis), rate);
    }
    put3(r.W, ang);
    put3(r.W + 3, lin);
    const double* state = x + 13 * body.body;
    const Real3 w = get3(state + 7);
    const Real3 alpha = ang + get3(r.zeta);
    const Real3 back = get3(r.s) * -1.0;
    Real3 acc = add_cross(lin + get3(r.zeta + 3), alpha, back);
    acc = add_cross(acc, w, cross(w, back));
    if (i < system.raked_count) {  // F = −I (a − β) on its top
      const long at = system.raked[i].vectors;
      const V6<double> beyond{alpha - get3(pieces.beta + at), acc - get3(pieces.beta + at + 3)};
      const V6<double> wrench = times_rows(raked[i].inertia, beyond);
      put3(pieces.F + at, wrench.ang * -1.0);
      put3(pieces.F + at + 3, wrench.lin * -1.0);
      continue;
    }
    double* rates = dx + 12 * body.body;
    for (int k = 0; k < 6; ++k) rates[k] = state[7 + k];
    put3(rates + 6, alpha);
    put3(rates + 9, acc);
    sum_of_all += (alpha.x + alpha.y + alpha.z) * 0.0 + (acc.x + acc.y + acc.z) * 0.0;
  }
  return sum_of_all;
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
