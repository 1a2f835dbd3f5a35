#pragma once

// One revolute joint between two pieces: the join of chains and trees, with its rows known beforehand.
// A sixth row, about the axis, gives way where the joint has an inertia of its own.

#include "sarrus/elimination/kernels/numbers.h"
#include "sarrus/elimination/kernels/system.h"

namespace sarrus::elimination::SARRUS_INSTRUCTIONS {

/// J(s) v: what the point does, and the turn about the two normals, and the axis after them.
template <int kRows, class T>
SARRUS_INLINE void rows_of(const T* v, const Real3& s, const Real3* normal, T* rows) {
  rows[0] = v[3] + v[1] * s.z - v[2] * s.y;
  rows[1] = v[4] + v[2] * s.x - v[0] * s.z;
  rows[2] = v[5] + v[0] * s.y - v[1] * s.x;
  for (int k = 0; k < kRows - 3; ++k)
    rows[3 + k] = v[0] * normal[k].x + v[1] * normal[k].y + v[2] * normal[k].z;
}

/// J Λ of one boundary body of a side: the one in the joint, or the other one of its piece.
template <int kRows>
SARRUS_INLINE void couple_body(const JoinSystem::Side& side, const PieceNumbers& piece, int with,
                               const Real3& s, const Real3* normal, Row8* coupled) {
  const int stride = 8 * side.shown;
  const double* Lambda = piece.Lambda + 6 * side.own * stride + 8 * with;
  Row8 rows[6];
  for (int i = 0; i < 6; ++i) rows[i] = load8(Lambda + i * stride);
  rows_of<kRows>(rows, s, normal, coupled);
}

/// What the rows lack when nothing acts on the joint: γ, and J β.
template <int kRows>
SARRUS_INLINE void find_lack(const JoinSystem& system, const double* x, const PieceNumbers& a,
                             const PieceNumbers& b, const JoinRecord& r, const Real3* across,
                             const Real3& axis, const Real3* normal, double* lack) {
  const Real3 w_a = get3(x + 13 * system.a.body + 7), w_b = get3(x + 13 * system.b.body + 7);
  const Real3 s_a = get3(r.s_a), s_b = get3(r.s_b);
  double at_a[kRows], at_b[kRows];
  rows_of<kRows>(a.beta + 6 * system.a.own, s_a, normal, at_a);
  rows_of<kRows>(b.beta + 6 * system.b.own, s_b, normal, at_b);
  const Real3 point = cross(w_b, cross(w_b, s_b)) - cross(w_a, cross(w_a, s_a));
  put3(lack, point);
  for (int k = 0; k < 2; ++k) {
    const Real3 turned = add_cross(cross(cross(w_a, across[k]), axis), across[k], cross(w_b, axis));
    lack[3 + k] = dot(turned, w_b - w_a);
  }
  if constexpr (kRows > 5) lack[5] = 0;  // for bodies at rest only
  for (int k = 0; k < kRows; ++k) lack[k] += at_b[k] - at_a[k];
}

/// W = J Λ̂ Jᵀ = L Lᵀ, the diagonal of L inverted; false when a pivot is not positive.
template <int kRows>
SARRUS_INLINE bool factor_join(const JoinSystem& system, const PieceNumbers& a,
                               const PieceNumbers& b, const Real3& s_a, const Real3& s_b,
                               const Real3* normal, JoinRecord* r) {
  Row8 coupled[kRows];
  double u_a[kRows][8], u_b[kRows][8];
  couple_body<kRows>(system.a, a, system.a.own, s_a, normal, coupled);
  for (int k = 0; k < kRows; ++k) store8(u_a[k], coupled[k]);
  couple_body<kRows>(system.b, b, system.b.own, s_b, normal, coupled);
  for (int k = 0; k < kRows; ++k) store8(u_b[k], coupled[k]);
#pragma GCC unroll 6
  for (int k = 0; k < kRows; ++k) {
    double at_a[kRows], at_b[kRows], row[kRows];
    rows_of<kRows>(u_a[k], s_a, normal, at_a);
    rows_of<kRows>(u_b[k], s_b, normal, at_b);
    for (int l = 0; l <= k; ++l) {
      row[l] = at_a[l] + at_b[l];
      if (kRows > 5 && l == 5) row[l] += 1 / system.inertia;
      for (int j = 0; j < l; ++j) row[l] -= row[j] * (l < k ? r->L[l][j] : row[j]);
      if (l < k) r->L[k][l] = row[l] *= r->L[l][l];
    }
    if (!(row[k] > 0)) return false;
    r->L[k][k] = 1 / __builtin_sqrt(row[k]);
  }
  return true;
}

/// One block of Λ: what was there, less Y_iᵀ Y_j.
template <int kRows>
SARRUS_INLINE void reduce_block(const double* before, int stride_before, const double* Y_i,
                                const double* Y_j, double* after, int stride) {
  Row8 y[kRows];
  for (int k = 0; k < kRows; ++k) y[k] = load8(Y_j + 8 * k);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    Row8 sum = before ? load8(before + i * stride_before) : Row8{};
#pragma GCC unroll 6
    for (int k = 0; k < kRows; ++k) sum -= y[k] * Y_i[8 * k + i];
    store8(after + i * stride, sum);
  }
}

/// Y, and what is left of Λ and β of the other body of a side, which becomes body `place` of the whole.
template <int kRows>
SARRUS_INLINE void keep_other(const JoinSystem::Side& side, const PieceNumbers& piece, double sign,
                              const Real3& s, const Real3* normal, const JoinRecord& r, double* Y,
                              const PieceNumbers& whole, int place, int stride) {
  const int other = 1 - side.own;
  Row8 y[kRows];
  couple_body<kRows>(side, piece, other, s, normal, y);
#pragma GCC unroll 6
  for (int k = 0; k < kRows; ++k) {
    y[k] = y[k] * sign;
    for (int l = 0; l < k; ++l) y[k] -= y[l] * r.L[k][l];
    y[k] = y[k] * r.L[k][k];
    store8(Y + 8 * k, y[k]);
  }
  reduce_block<kRows>(piece.Lambda + 16 * 6 * other + 8 * other, 16, Y, Y,
                      whole.Lambda + 6 * place * stride + 8 * place, stride);
  Row8 beta = load6(piece.beta + 6 * other);
  for (int k = 0; k < kRows; ++k) beta -= load8(Y + 8 * k) * r.z[k];
  double numbers[8];
  store8(numbers, beta);
  for (int i = 0; i < 6; ++i) whole.beta[6 * place + i] = numbers[i];
}

/// [dca-join]
template <int kRows>
SARRUS_INLINE bool join_rows(const JoinSystem& system, const double* x, const PieceNumbers& a,
                             const PieceNumbers& b, const PieceNumbers& whole, JoinRecord* r) {
  const M3<double> R_a = rotation_of(x + 13 * system.a.body);
  const M3<double> R_b = rotation_of(x + 13 * system.b.body);
  const Real3 s_a = R_a * get3(system.a.s), s_b = R_b * get3(system.b.s);
  const Real3 axis = R_b * get3(system.axis);
  const Real3 across[2] = {R_a * get3(system.across[0]), R_a * get3(system.across[1])};
  const Real3 normal[3] = {cross(across[0], axis), cross(across[1], axis), axis};
  put3(r->s_a, s_a);
  put3(r->s_b, s_b);
  for (int k = 0; k < 3; ++k) put3(r->normal[k], normal[k]);

  find_lack<kRows>(system, x, a, b, *r, across, axis, normal, r->z);
  if (!factor_join<kRows>(system, a, b, s_a, s_b, normal, r)) return false;
#pragma GCC unroll 6
  for (int k = 0; k < kRows; ++k) {
    for (int l = 0; l < k; ++l) r->z[k] -= r->L[k][l] * r->z[l];
    r->z[k] *= r->L[k][k];
  }
  const bool keeps_a = system.a.shown == 2, keeps_b = system.b.shown == 2;
  const int place_b = keeps_a ? 1 : 0;
  const int stride = 8 * (place_b + (keeps_b ? 1 : 0));
  if (keeps_a) keep_other<kRows>(system.a, a, -1, s_a, normal, *r, r->Y_a, whole, 0, stride);
  if (keeps_b) keep_other<kRows>(system.b, b, 1, s_b, normal, *r, r->Y_b, whole, place_b, stride);
  if (!keeps_a || !keeps_b) return true;
  reduce_block<kRows>(nullptr, 0, r->Y_a, r->Y_b, whole.Lambda + 8, stride);
  reduce_block<kRows>(nullptr, 0, r->Y_b, r->Y_a, whole.Lambda + 6 * stride, stride);
  return true;
}

inline bool join(const JoinSystem& system, const double* x, const PieceNumbers& a,
                 const PieceNumbers& b, const PieceNumbers& whole, JoinRecord* r) {
  return system.inertia > 0 ? join_rows<6>(system, x, a, b, whole, r)
                            : join_rows<5>(system, x, a, b, whole, r);
}

/// [dca-down]
template <int kRows>
SARRUS_INLINE void split_rows(const JoinSystem& system, const JoinRecord& r, const PieceNumbers& a,
                              const PieceNumbers& b, const PieceNumbers& whole) {
  const bool keeps_a = system.a.shown == 2, keeps_b = system.b.shown == 2;
  Row8 F_a{}, F_b{};
  const auto pass_on = [](const double* from, double* to) {
    for (int i = 0; i < 6; ++i) to[i] = from[i];
    return load6(from);
  };
  if (keeps_a) F_a = pass_on(whole.F, a.F + 6 * (1 - system.a.own));
  if (keeps_b) F_b = pass_on(whole.F + (keeps_a ? 6 : 0), b.F + 6 * (1 - system.b.own));
  double lambda[kRows];
  for (int k = 0; k < kRows; ++k) {
    Row8 terms{};
    if (keeps_a) terms += load8(r.Y_a + 8 * k) * F_a;
    if (keeps_b) terms += load8(r.Y_b + 8 * k) * F_b;
    lambda[k] = r.z[k] - sum_of_seven(terms);
  }
#pragma GCC unroll 6
  for (int k = kRows - 1; k >= 0; --k) {
    for (int l = k + 1; l < kRows; ++l) lambda[k] -= r.L[l][k] * lambda[l];
    lambda[k] *= r.L[k][k];
  }
  const Real3 f = get3(lambda);
  Real3 couple = get3(r.normal[0]) * lambda[3] + get3(r.normal[1]) * lambda[4];
  if constexpr (kRows > 5) couple = add_scaled(couple, get3(r.normal[2]), lambda[5]);
  put3(b.F + 6 * system.b.own, add_cross(couple, get3(r.s_b), f));
  put3(b.F + 6 * system.b.own + 3, f);
  put3(a.F + 6 * system.a.own, add_cross(couple, get3(r.s_a), f) * -1.0);
  put3(a.F + 6 * system.a.own + 3, f * -1.0);
}

inline void split(const JoinSystem& system, const JoinRecord& r, const PieceNumbers& a,
                  const PieceNumbers& b, const PieceNumbers& whole) {
  system.inertia > 0 ? split_rows<6>(system, r, a, b, whole)
                     : split_rows<5>(system, r, a, b, whole);
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
