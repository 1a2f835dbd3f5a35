#pragma once

#include "sarrus/formulations/branches/kernels/system.h"
#include "sarrus/simd/pack.h"

/// Three- and six-vectors in lanes of four. Included once for each instruction set.
namespace sarrus::branches::SARRUS_INSTRUCTIONS {

using V4 = double __attribute__((vector_size(32), may_alias));
using I4 = long long __attribute__((vector_size(32)));

SARRUS_INLINE V4 load(const double* x) { return *reinterpret_cast<const V4*>(x); }
SARRUS_INLINE V4 load(const Three& t) { return load(t.x); }
SARRUS_INLINE void store(double* x, V4 a) { *reinterpret_cast<V4*>(x) = a; }
SARRUS_INLINE void store(Three& t, V4 a) { store(t.x, a); }
SARRUS_INLINE V4 all(double x) { return V4{x, x, x, x}; }
SARRUS_INLINE V4 zero() { return V4{0, 0, 0, 0}; }

SARRUS_INLINE double sum(V4 a) { return (a[0] + a[1]) + (a[2] + a[3]); }
SARRUS_INLINE double dot(V4 a, V4 b) { return sum(a * b); }
SARRUS_INLINE V4 yzx(V4 a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
SARRUS_INLINE V4 cross(V4 a, V4 b) { return yzx(a * yzx(b) - yzx(a) * b); }

/// Angular and linear part.
struct W6 {
  V4 w, v;
};
SARRUS_INLINE W6 load(const Six& s) { return {load(s.w), load(s.v)}; }
SARRUS_INLINE void store(Six& s, const W6& a) {
  store(s.w, a.w);
  store(s.v, a.v);
}
SARRUS_INLINE W6 operator+(const W6& a, const W6& b) { return {a.w + b.w, a.v + b.v}; }
SARRUS_INLINE W6 operator-(const W6& a, const W6& b) { return {a.w - b.w, a.v - b.v}; }
SARRUS_INLINE W6 operator*(double k, const W6& a) { return {k * a.w, k * a.v}; }
SARRUS_INLINE double dot(const W6& a, const W6& b) { return sum(a.w * b.w + a.v * b.v); }
/// a · b_0 … a · b_3
SARRUS_INLINE V4 four_dots(const W6& a, const Six* b) {
  const V4 t0 = a.w * load(b[0].w) + a.v * load(b[0].v);
  const V4 t1 = a.w * load(b[1].w) + a.v * load(b[1].v);
  const V4 t2 = a.w * load(b[2].w) + a.v * load(b[2].v);
  const V4 t3 = a.w * load(b[3].w) + a.v * load(b[3].v);
  const V4 t01 =
      __builtin_shufflevector(t0, t1, 0, 4, 2, 6) + __builtin_shufflevector(t0, t1, 1, 5, 3, 7);
  const V4 t23 =
      __builtin_shufflevector(t2, t3, 0, 4, 2, 6) + __builtin_shufflevector(t2, t3, 1, 5, 3, 7);
  return __builtin_shufflevector(t01, t23, 0, 1, 4, 5) +
         __builtin_shufflevector(t01, t23, 2, 3, 6, 7);
}
SARRUS_INLINE V4 magnitude(V4 a) { return a < 0 ? -a : a; }
/// As if nothing cancelled.
SARRUS_INLINE double largest_dot(const W6& a, const W6& b) {
  return sum(magnitude(a.w * b.w) + magnitude(a.v * b.v));
}
SARRUS_INLINE W6 nothing() { return {zero(), zero()}; }

/// At a point displaced by d.  [spatial-shift]
SARRUS_INLINE W6 shift_motion(const W6& V, V4 d) { return {V.w, V.v + cross(V.w, d)}; }
SARRUS_INLINE W6 shift_force(const W6& F, V4 d) { return {F.w - cross(d, F.v), F.v}; }

struct M3 {
  V4 column[3];
};
SARRUS_INLINE M3 load(const Turn& R) {
  return {{load(R.column[0]), load(R.column[1]), load(R.column[2])}};
}
SARRUS_INLINE void store(Turn& R, const M3& A) {
  for (int k = 0; k < 3; ++k) store(R.column[k], A.column[k]);
}
SARRUS_INLINE V4 operator*(const M3& A, V4 x) {
  return A.column[0] * x[0] + A.column[1] * x[1] + A.column[2] * x[2];
}
SARRUS_INLINE M3 operator*(const M3& A, const M3& B) {
  return {{A * B.column[0], A * B.column[1], A * B.column[2]}};
}
SARRUS_INLINE W6 operator*(const M3& A, const W6& x) { return {A * x.w, A * x.v}; }
/// Of what stands in memory: single numbers are loaded into all lanes, nothing has to cross them.
SARRUS_INLINE V4 operator*(const M3& A, const double (&x)[4]) {
  return A.column[0] * x[0] + A.column[1] * x[1] + A.column[2] * x[2];
}
SARRUS_INLINE V4 operator*(const M3& A, const Three& x) { return A * x.x; }
SARRUS_INLINE W6 operator*(const M3& A, const Six& x) { return {A * x.w, A * x.v}; }
SARRUS_INLINE M3 operator*(const M3& A, const Turn& B) {
  return {{A * B.column[0], A * B.column[1], A * B.column[2]}};
}
/// A Bᵀ
SARRUS_INLINE M3 product_with_transposed(const M3& A, const Turn& B) {
  M3 result;
  for (int k = 0; k < 3; ++k)
    result.column[k] = A.column[0] * B.column[0].x[k] + A.column[1] * B.column[1].x[k] +
                       A.column[2] * B.column[2].x[k];
  return result;
}
SARRUS_INLINE M3 transposed(const M3& A) {
  const V4 &a = A.column[0], &b = A.column[1], &c = A.column[2];
  return {{V4{a[0], b[0], c[0], 0}, V4{a[1], b[1], c[1], 0}, V4{a[2], b[2], c[2], 0}}};
}
SARRUS_INLINE M3 identity() { return {{V4{1, 0, 0, 0}, V4{0, 1, 0, 0}, V4{0, 0, 1, 0}}}; }

/// Aᵀ x
SARRUS_INLINE V4 transposed_product(const M3& A, V4 x) {
  return V4{dot(A.column[0], x), dot(A.column[1], x), dot(A.column[2], x), 0};
}

/// Calls f with a number of modes: as a constant where it is a usual one, so that loops unroll, else as
/// zero, which means whatever number there is.
template <int kModes>
struct Modes {};
template <class F>
SARRUS_INLINE auto with_modes(int modes, F f) {
  switch (modes) {
    case 2:
      return f(Modes<2>{});
    case 3:
      return f(Modes<3>{});
    case 4:
      return f(Modes<4>{});
    case 6:
      return f(Modes<6>{});
    case 8:
      return f(Modes<8>{});
    default:
      return f(Modes<0>{});
  }
}
template <int kModes>
SARRUS_INLINE int count_of(const FlexibleConstants& own) {
  return kModes > 0 ? kModes : own.modes;
}
template <int kModes>
SARRUS_INLINE int stride_of(const FlexibleConstants& own) {
  return kModes > 0 ? (kModes + 3) & ~3 : own.stride;
}

template <int kVectors>
struct Vectors {};
/// Calls f with pieces of [first, end): how many vectors, as a constant, and the first of their columns.
template <class F>
SARRUS_INLINE void by_pieces(int first, int end, F f) {
  constexpr int kMost = 5;  // for whose sums there are registers
  for (; end - first >= 4 * kMost; first += 4 * kMost) f(Vectors<kMost>{}, first);
  switch ((end - first) / 4) {
    case 1:
      return f(Vectors<1>{}, first);
    case 2:
      return f(Vectors<2>{}, first);
    case 3:
      return f(Vectors<3>{}, first);
    case 4:
      return f(Vectors<4>{}, first);
    default:
      return;
  }
}

/// Packed inertias times a vector.
SARRUS_INLINE V4 packed_product(const W6& J, V4 x) {
  const V4 diagonal = J.w, beside = J.v;  // xx yy zz | xy yz zx
  const V4 y = yzx(x), z = yzx(y);
  // (xx x + xy y + zx z, yy y + yz z + xy x, zz z + zx x + yz y)
  const V4 before = __builtin_shufflevector(beside, beside, 2, 0, 1, 3);  // zx xy yz
  return diagonal * x + beside * y + before * z;
}

template <class X>  // W6, or Six where it stands in memory
SARRUS_INLINE W6 product(const Six (&I)[6], const X& x) {
  W6 a = x.w[0] * load(I[0]);
  W6 b = x.w[1] * load(I[1]);
  a = a + x.w[2] * load(I[2]);
  b = b + x.v[0] * load(I[3]);
  a = a + x.v[1] * load(I[4]);
  b = b + x.v[2] * load(I[5]);
  return a + b;
}

/// I −= f U Uᵀ
SARRUS_INLINE void subtract_square(Six (&I)[6], const W6& U, double f) {
  for (int k = 0; k < 3; ++k) {
    store(I[k], load(I[k]) - (f * U.w[k]) * U);
    store(I[3 + k], load(I[3 + k]) - (f * U.v[k]) * U);
  }
}

/// r×
SARRUS_INLINE M3 cross_matrix(const Three& r) {
  const double x = r.x[0], y = r.x[1], z = r.x[2];
  return {{V4{0, z, -y, 0}, V4{-z, 0, x, 0}, V4{y, -x, 0, 0}}};
}
/// A wrench about a point that is displaced by −r, with r×.  [spatial-shift]
SARRUS_INLINE W6 shift_force_back(const Six& F, const M3& r_cross) {
  return {load(F.w) + r_cross * F.v, load(F.v)};
}

/// The inertia about a point displaced by −r.
SARRUS_INLINE void shift_inertia_back(const Six (&I)[6], const Three& r, const M3& r_cross,
                                      W6 (&to)[6]) {
  for (int k = 0; k < 6; ++k) to[k] = shift_force_back(I[k], r_cross);
  // Columns likewise: that of ω_k gains those of the velocities ω_k × r at the old point.
  const W6 &x = to[3], &y = to[4], &z = to[5];
  to[0] = to[0] + r.x[1] * z - r.x[2] * y;
  to[1] = to[1] + r.x[2] * x - r.x[0] * z;
  to[2] = to[2] + r.x[0] * y - r.x[1] * x;
}

}  // namespace sarrus::branches::SARRUS_INSTRUCTIONS
