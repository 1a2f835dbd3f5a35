#pragma once

// The two sweeps over a part whose joints are all revolute, with two handles. What the six unit wrenches
// at the tip do, and the bias, are seven columns of one vector: they cost one multiplication.
//
// Who sweeps tells about the bodies, by place in the part:
//   axis(i), arm(i)       of the joint, and from the parent's point to this one's
//   point(i)              from the origin to the point; of the tip and of what hangs on the part
//   add_to(i, c), add_bias(i, c)   its inertia and bias wrench, about the point
//   inertia(i), force(i)  of the joint itself, along it
//   zeta(i)               motion of the origin at which all unknowns are zero
//   gathers(i)            have children other than the one before it stored something
//   record(i)             keeps y, W and inverse
//   motion(i), keep(…)    what the outward sweep has found beyond that, at the point
//   to_origin(c), from_origin(…)   of a root that is shown: between its point and its origin

#include "sarrus/base/thresholds.h"
#include "sarrus/elimination/kernels/numbers.h"
#include "sarrus/elimination/kernels/system.h"

namespace sarrus::elimination::SARRUS_INSTRUCTIONS {

/// The accumulated articulated inertia Iᴬ, and K, on their way inwards.
struct Accumulated {
  Articulated<double> a;
  Row8 K[6];
};

SARRUS_INLINE void clear(Accumulated& c) {
  for_each_number_of(c.a, [](int, double& number) { number = 0; });
  for (Row8& row : c.K) row = Row8{};
}

inline void add_stored(Accumulated& c, const double* stored) {
  for_each_number_of(c.a, [&](int k, double& number) {
    if (k < 21) number += stored[k];
  });
  for (int k = 0; k < 6; ++k) c.K[k] += load8(stored + 21 + 8 * k);
}

inline void store(Accumulated& c, int& gathers, PartStored& to) {
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

/// I v, with I in rows of eight.
SARRUS_INLINE V6<double> times_rows(const double* I, const V6<double>& v) {
  const Row8 sum = load8(I) * v.ang.x + load8(I + 8) * v.ang.y + load8(I + 16) * v.ang.z +
                   load8(I + 24) * v.lin.x + load8(I + 32) * v.lin.y + load8(I + 40) * v.lin.z;
  double n[8];
  store8(n, sum);
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
}

/// Moves what is carried to a point displaced by −d.
SARRUS_INLINE void shift_accumulated(Accumulated& c, const Real3& d) {
  shift_inertia(c.a, d);
  c.K[0] += c.K[5] * d.y - c.K[4] * d.z;
  c.K[1] += c.K[3] * d.z - c.K[5] * d.x;
  c.K[2] += c.K[4] * d.x - c.K[3] * d.y;
}

/// Takes the turn about a body's joint out of what is carried; W and y are kept, too.
template <class Record>
SARRUS_INLINE Row8 take_out_joint(Accumulated& c, const Real3& axis, double inertia, double force,
                                  Record& r, V6<double>& W, bool& ok) {
  const V6<double> U = times_turn(c.a, axis);
  double D = dot(U.ang, axis);
  // Against the size of the inertia: about a rod's own axis rounding is left.
  if (!(D > thresholds::kNoInertiaInPart * (c.a.A.xx + c.a.A.yy + c.a.A.zz))) ok = false;
  D += inertia;
  const double inverse = 1 / D;
  W = U * inverse;
  project(c.a, U, W);
  Row8 y = c.K[0] * axis.x + c.K[1] * axis.y + c.K[2] * axis.z;
  if (force != 0) add_to_seventh(y, -force);
  store8(r.y, y);
  r.inverse = inverse;
  put3(r.W, W.ang);
  put3(r.W + 3, W.lin);
  return y;
}

/// What the parent's point sees of it.
SARRUS_INLINE void pass_joint(Accumulated& c, const Real3& arm, const V6<double>& W,
                              const Row8& y) {
  c.K[0] -= y * W.ang.x;
  c.K[1] -= y * W.ang.y;
  c.K[2] -= y * W.ang.z;
  c.K[3] -= y * W.lin.x;
  c.K[4] -= y * W.lin.y;
  c.K[5] -= y * W.lin.z;
  shift_accumulated(c, arm);
}

/// What a piece that hangs on the part whole asks of its joint: its inertia Λ⁻¹ and its bias, seen
/// from the point.  [dca-absorbed]
inline bool take_absorbed(const double* Lambda, const double* beta, const Real3& point,
                          const V6<double>& zeta, AbsorbedRecord* kept, Accumulated& c) {
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
  const Real3 back = point * -1.0;
  shift_inertia(c.a, back);
  V6<double> beyond = zeta;
  beyond.ang = beyond.ang - get3(beta);
  beyond.lin = beyond.lin - get3(beta + 3);
  const V6<double> bias = shifted_wrench(times_rows(I, beyond), back);
  const double wrench[6] = {bias.ang.x, bias.ang.y, bias.ang.z, bias.lin.x, bias.lin.y, bias.lin.z};
  for (int k = 0; k < 6; ++k) add_to_seventh(c.K[k], wrench[k]);
  return true;
}

/// All of them, before the bodies of the part.
template <class Bodies>
SARRUS_INLINE bool take_all_absorbed(const PartSystem& system, Bodies& bodies,
                                     const PieceNumbers& pieces, AbsorbedRecord* absorbed,
                                     PartStored* stored) {
  bool ok = true;
  for (int i = 0; i < system.absorbed_count; ++i) {
    const PartBody& body = system.bodies[i];
    Accumulated c;
    ok = take_absorbed(pieces.Lambda + system.absorbed[i].Lambda,
                       pieces.beta + system.absorbed[i].vectors, bodies.point(i), bodies.zeta(i),
                       absorbed + i, c) &&
         ok;
    V6<double> W;
    const Row8 y = take_out_joint(c, bodies.axis(i), bodies.inertia(i), bodies.force(i),
                                  bodies.record(i), W, ok);
    pass_joint(c, bodies.arm(i), W, y);
    store(c, bodies.gathers(body.parent), stored[body.parent]);
  }
  return ok;
}

/// Λ and β of a root that is not grounded; `tip` takes what the root's freedom adds. Not inline: it
/// would take registers from the loop.  [dca-handles]
__attribute__((noinline)) static bool show_root(const PartSystem& system, const Accumulated& c,
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
template <class Bodies>
SARRUS_INLINE bool sweep_inward(const PartSystem& system, Bodies& bodies,
                                const PieceNumbers& pieces, AbsorbedRecord* absorbed,
                                PartStored* stored, PartRoot* root, const PartShown* out) {
  Accumulated c;
  clear(c);
  Row8 tip[6] = {};
  double tip_zeta[6] = {};
  bool ok = take_all_absorbed(system, bodies, pieces, absorbed, stored);
  for (int i = system.absorbed_count; i < system.count; ++i) {
    const PartBody& body = system.bodies[i];
    if (bodies.gathers(i)) add_stored(c, stored[i].numbers);
    bodies.add_to(i, c);
    if (i == system.tip) {  // unit wrenches at the origin, seen from the point
      const Real3 s = bodies.point(i);
      const double wrenches[6][8] = {{1, 0, 0, 0, s.z, -s.y}, {0, 1, 0, -s.z, 0, s.x},
                                     {0, 0, 1, s.y, -s.x, 0}, {0, 0, 0, 1, 0, 0},
                                     {0, 0, 0, 0, 1, 0},      {0, 0, 0, 0, 0, 1}};
      for (int k = 0; k < 6; ++k) c.K[k] += load8(wrenches[k]);
      const V6<double> zeta = bodies.zeta(i);
      put3(tip_zeta, zeta.ang);
      put3(tip_zeta + 3, zeta.lin);
    }
    bodies.add_bias(i, c);
    if (body.parent < 0 && !system.grounded) break;
    V6<double> W;
    auto& r = bodies.record(i);
    const Row8 y = take_out_joint(c, bodies.axis(i), bodies.inertia(i), bodies.force(i), r, W, ok);
    const Row8 scaled = y * r.inverse;
    for (int k = 0; k < 6; ++k) tip[k] += scaled * r.y[k];
    if (body.parent < 0) break;
    pass_joint(c, bodies.arm(i), W, y);
    if (body.parent == i + 1) continue;
    store(c, bodies.gathers(body.parent), stored[body.parent]);
    clear(c);
  }
  if (!system.grounded) {
    Accumulated last = c;  // a copy, so that the loop's has no address
    bodies.to_origin(last);
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

/// The force on the top of a piece that hangs on the part: −I (a − β).
SARRUS_INLINE void pass_to_absorbed(const AbsorbedRecord& kept, const V6<double>& a,
                                    const PieceNumbers& pieces, const AbsorbedPiece& piece) {
  const double* beta = pieces.beta + piece.vectors;
  const V6<double> beyond{a.ang - get3(beta), a.lin - get3(beta + 3)};
  const V6<double> wrench = times_rows(kept.inertia, beyond);
  put3(pieces.F + piece.vectors, wrench.ang * -1.0);
  put3(pieces.F + piece.vectors + 3, wrench.lin * -1.0);
}

/// Motions beyond ζ, parents first.  [dca-part-outward]
template <class Bodies>
SARRUS_INLINE void sweep_outward(const PartSystem& system, Bodies& bodies, const PartRoot* root,
                                 const double* force) {
  Row8 F{};
  if (system.tip >= 0) F = load6(force + (system.shows_root ? 6 : 0));
  add_to_seventh(F, 1);
  double a_root[6] = {};
  if (!system.grounded)
    accelerate_root(*root, system.shows_root ? load6(force) : Row8{}, F, a_root);
  for (int i = system.count - 1; i >= 0; --i) {
    const PartBody& body = system.bodies[i];
    const auto& r = bodies.record(i);
    V6<double> a{{0, 0, 0}, {0, 0, 0}};
    double rate = 0;
    if (body.parent >= 0) {
      a = bodies.motion(body.parent);
      a.lin = add_cross(a.lin, a.ang, bodies.arm(i));
    } else if (!system.grounded) {
      a = bodies.from_origin(V6<double>{get3(a_root), get3(a_root + 3)});
    }
    if (body.parent >= 0 || system.grounded) {
      const double sum = sum_of_seven(load8(r.y) * F);
      rate = -(dot(get3(r.W), a.ang) + dot(get3(r.W + 3), a.lin) + r.inverse * sum);
      a.ang = add_scaled(a.ang, bodies.axis(i), rate);
    }
    bodies.keep(i, a, rate);
  }
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
