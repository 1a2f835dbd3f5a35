#pragma once

// One revolute joint between two pieces: the join of chains and trees, with its rows known beforehand.

#include "sarrus/topology/elimination/kernels/numbers.h"
#include "sarrus/topology/elimination/kernels/system.h"

namespace sarrus::elimination::SARRUS_INSTRUCTIONS {

/// J(s) v: what the point does, and the turn about the two normals.
template <class T>
SARRUS_INLINE void rows_of(const T* v, const Real3& s, const Real3* normal, T* rows) {
  rows[0] = v[3] + v[1] * s.z - v[2] * s.y;
  rows[1] = v[4] + v[2] * s.x - v[0] * s.z;
  rows[2] = v[5] + v[0] * s.y - v[1] * s.x;
  for (int k = 0; k < 2; ++k)
    rows[3 + k] = v[0] * normal[k].x + v[1] * normal[k].y + v[2] * normal[k].z;
}

/// What the rows let a side do: its own body and the other one of its piece.
SARRUS_INLINE void couple_side(const JoinSystem::Side& side, const JoinPiece& piece, const Real3& s,
                               const Real3* normal, Pack8* own, Pack8* other) {
  const int stride = 8 * side.shown;
  const double* Lambda = piece.Lambda + 6 * side.own * stride;
  Pack8 rows[6];
  for (int i = 0; i < 6; ++i) rows[i] = load<Pack8>(Lambda + i * stride + 8 * side.own);
  rows_of(rows, s, normal, own);
  if (side.shown < 2) return;
  for (int i = 0; i < 6; ++i) rows[i] = load<Pack8>(Lambda + i * stride + 8 * (1 - side.own));
  rows_of(rows, s, normal, other);
}

/// What the five rows lack when nothing acts on the joint: γ, and J β.
SARRUS_INLINE void find_lack(const JoinSystem& system, const double* x, const JoinPiece& a,
                             const JoinPiece& b, const JoinRecord& r, const Real3* across,
                             const Real3& axis, const Real3* normal, double* lack) {
  const Real3 w_a = get3(x + 13 * system.a.body + 7), w_b = get3(x + 13 * system.b.body + 7);
  const Real3 s_a = get3(r.s_a), s_b = get3(r.s_b);
  double at_a[5], at_b[5];
  rows_of(a.beta + 6 * system.a.own, s_a, normal, at_a);
  rows_of(b.beta + 6 * system.b.own, s_b, normal, at_b);
  const Real3 point = cross(w_b, cross(w_b, s_b)) - cross(w_a, cross(w_a, s_a));
  put3(lack, point);
  for (int k = 0; k < 2; ++k) {
    const Real3 turned = add_cross(cross(cross(w_a, across[k]), axis), across[k], cross(w_b, axis));
    lack[3 + k] = dot(turned, w_b - w_a);
  }
  for (int k = 0; k < 5; ++k) lack[k] += at_b[k] - at_a[k];
}

/// One block of Λ: what was there, less Y_iᵀ Y_j.
SARRUS_INLINE void reduce_block(const double* before, int stride_before, const double* Y_i,
                                const Pack8* Y_j, double* after, int stride) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    Pack8 sum = before ? load<Pack8>(before + i * stride_before) : Pack8{};
#pragma GCC unroll 5
    for (int k = 0; k < 5; ++k) sum -= Y_j[k] * Y_i[8 * k + i];
    store(after + i * stride, sum);
  }
}

/// Λ and β of the two others.
SARRUS_INLINE void reduce_sides(const JoinSystem& system, const JoinPiece& a, const JoinPiece& b,
                                const JoinPiece& whole, const JoinRecord& r, const Pack8* Y_a,
                                const Pack8* Y_b) {
  const bool keeps_a = system.a.shown == 2, keeps_b = system.b.shown == 2;
  const int stride = (keeps_a ? 8 : 0) + (keeps_b ? 8 : 0);
  const auto keep = [&](const JoinSystem::Side& side, const JoinPiece& piece, const double* numbers,
                        const Pack8* Y, int row, int column) {
    const int other = 1 - side.own;
    reduce_block(piece.Lambda + 16 * 6 * other + 8 * other, 16, numbers, Y,
                 whole.Lambda + row * stride + column, stride);
    Pack8 beta = load6(piece.beta + 6 * other);
    for (int k = 0; k < 5; ++k) beta -= Y[k] * r.z[k];
    for (int i = 0; i < 6; ++i) whole.beta[row + i] = beta[i];
  };
  if (keeps_a) keep(system.a, a, r.Y_a, Y_a, 0, 0);
  if (keeps_b) keep(system.b, b, r.Y_b, Y_b, keeps_a ? 6 : 0, keeps_a ? 8 : 0);
  if (!keeps_a || !keeps_b) return;
  reduce_block(nullptr, 0, r.Y_a, Y_b, whole.Lambda + 8, stride);
  reduce_block(nullptr, 0, r.Y_b, Y_a, whole.Lambda + 6 * stride, stride);
}

/// [dca-join]
inline bool join(const JoinSystem& system, const double* x, const JoinPiece& a, const JoinPiece& b,
                 const JoinPiece& whole, JoinRecord* r) {
  const M3<double> R_a = rotation_of(x + 13 * system.a.body);
  const M3<double> R_b = rotation_of(x + 13 * system.b.body);
  const Real3 s_a = R_a * get3(system.a.s), s_b = R_b * get3(system.b.s);
  const Real3 axis = R_b * get3(system.axis);
  const Real3 across[2] = {R_a * get3(system.across[0]), R_a * get3(system.across[1])};
  const Real3 normal[2] = {cross(across[0], axis), cross(across[1], axis)};
  put3(r->s_a, s_a);
  put3(r->s_b, s_b);
  for (int k = 0; k < 2; ++k) put3(r->normal[k], normal[k]);

  Pack8 own_a[5], own_b[5], Y_a[5], Y_b[5];
  couple_side(system.a, a, s_a, normal, own_a, Y_a);
  couple_side(system.b, b, s_b, normal, own_b, Y_b);
  double z[5];
  find_lack(system, x, a, b, *r, across, axis, normal, z);
  const bool keeps_a = system.a.shown == 2, keeps_b = system.b.shown == 2;
#pragma GCC unroll 5
  for (int k = 0; k < 5; ++k) {
    // Row k of W = J Λ̂ Jᵀ, and of its factor.
    double u_a[8], u_b[8], at_a[5], at_b[5];
    store(u_a, own_a[k]);
    store(u_b, own_b[k]);
    rows_of(u_a, s_a, normal, at_a);
    rows_of(u_b, s_b, normal, at_b);
    double row[5];
    for (int l = 0; l <= k; ++l) {
      row[l] = at_a[l] + at_b[l];
      for (int j = 0; j < l; ++j) row[l] -= row[j] * (l < k ? r->L[l][j] : row[j]);
      if (l < k) row[l] *= r->L[l][l];
    }
    if (!(row[k] > 0)) return false;
    const double inverse = 1 / __builtin_sqrt(row[k]);
    for (int l = 0; l < k; ++l) r->L[k][l] = row[l];
    r->L[k][k] = inverse;
    Pack8 y_a = -Y_a[k], y_b = Y_b[k];
    for (int l = 0; l < k; ++l) {
      z[k] -= row[l] * z[l];
      if (keeps_a) y_a -= Y_a[l] * row[l];
      if (keeps_b) y_b -= Y_b[l] * row[l];
    }
    r->z[k] = z[k] *= inverse;
    if (keeps_a) store(r->Y_a + 8 * k, Y_a[k] = y_a * inverse);
    if (keeps_b) store(r->Y_b + 8 * k, Y_b[k] = y_b * inverse);
  }
  reduce_sides(system, a, b, whole, *r, Y_a, Y_b);
  return true;
}

/// [dca-down]
inline void split(const JoinSystem& system, const JoinRecord& r, const JoinPiece& a,
                  const JoinPiece& b, const JoinPiece& whole) {
  const bool keeps_a = system.a.shown == 2, keeps_b = system.b.shown == 2;
  Pack8 F_a{}, F_b{};
  const auto pass_on = [](const double* from, double* to) {
    for (int i = 0; i < 6; ++i) to[i] = from[i];
    return load6(from);
  };
  if (keeps_a) F_a = pass_on(whole.F, a.F + 6 * (1 - system.a.own));
  if (keeps_b) F_b = pass_on(whole.F + (keeps_a ? 6 : 0), b.F + 6 * (1 - system.b.own));
  double lambda[5];
  for (int k = 0; k < 5; ++k) {
    Pack8 terms{};
    if (keeps_a) terms += load<Pack8>(r.Y_a + 8 * k) * F_a;
    if (keeps_b) terms += load<Pack8>(r.Y_b + 8 * k) * F_b;
    lambda[k] = r.z[k] - sum_of_seven(terms);
  }
#pragma GCC unroll 5
  for (int k = 4; k >= 0; --k) {
    for (int l = k + 1; l < 5; ++l) lambda[k] -= r.L[l][k] * lambda[l];
    lambda[k] *= r.L[k][k];
  }
  const Real3 f = get3(lambda);
  const Real3 couple = get3(r.normal[0]) * lambda[3] + get3(r.normal[1]) * lambda[4];
  put3(b.F + 6 * system.b.own, add_cross(couple, get3(r.s_b), f));
  put3(b.F + 6 * system.b.own + 3, f);
  put3(a.F + 6 * system.a.own, add_cross(couple, get3(r.s_a), f) * -1.0);
  put3(a.F + 6 * system.a.own + 3, f * -1.0);
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
