#pragma once

// Vectors, rotations and articulated inertias over any kind of lane. Sums are written as chains
// a + b·c − d·e without parentheses: each product then becomes one fused multiply-add.

#include "sarrus/simd/pack.h"

namespace sarrus::lanes::SARRUS_INSTRUCTIONS {

template <class T>
struct V3 {
  T x, y, z;
};

template <class T>
SARRUS_INLINE V3<T> load3(const double* from, int stride) {
  return {load<T>(from), load<T>(from + stride), load<T>(from + 2 * stride)};
}
template <class T>
SARRUS_INLINE void store3(double* to, int stride, const V3<T>& v) {
  store(to, v.x);
  store(to + stride, v.y);
  store(to + 2 * stride, v.z);
}
template <class T>
SARRUS_INLINE V3<T> splat3(const double* from) {
  return {splat<T>(from[0]), splat<T>(from[1]), splat<T>(from[2])};
}

template <class T>
SARRUS_INLINE V3<T> operator+(const V3<T>& a, const V3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
SARRUS_INLINE V3<T> operator-(const V3<T>& a, const V3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
SARRUS_INLINE V3<T> operator*(const V3<T>& a, T s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class T>
SARRUS_INLINE T dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
SARRUS_INLINE V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// c + a·s
template <class T>
SARRUS_INLINE V3<T> add_scaled(const V3<T>& c, const V3<T>& a, T s) {
  return {c.x + a.x * s, c.y + a.y * s, c.z + a.z * s};
}
/// c + a × b
template <class T>
SARRUS_INLINE V3<T> add_cross(const V3<T>& c, const V3<T>& a, const V3<T>& b) {
  return {c.x + a.y * b.z - a.z * b.y, c.y + a.z * b.x - a.x * b.z, c.z + a.x * b.y - a.y * b.x};
}
/// c − a·b
template <class T>
SARRUS_INLINE T less_dot(T c, const V3<T>& a, const V3<T>& b) {
  return c - a.x * b.x - a.y * b.y - a.z * b.z;
}

template <class T>
struct Q4 {
  T w, x, y, z;
};

template <class T>
SARRUS_INLINE Q4<T> operator*(const Q4<T>& a, const Q4<T>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
/// a · (c, 0, 0, s): followed by a turn about z, with cosine and sine of the half angle.
template <class T>
SARRUS_INLINE Q4<T> turned_about_z(const Q4<T>& a, T s, T c) {
  return {a.w * c - a.z * s, a.x * c + a.y * s, a.y * c - a.x * s, a.z * c + a.w * s};
}
/// One Newton step towards unit length: enough for what rounding took off it.
template <class T>
SARRUS_INLINE Q4<T> renormalised(const Q4<T>& q) {
  const T s = 1.5 - 0.5 * ((q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z));
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}

/// Row by row.
template <class T>
struct M3 {
  T xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

template <class T>
SARRUS_INLINE M3<T> matrix_of(const Q4<T>& q) {
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T xx = q.x * x2, yy = q.y * y2;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {(1.0 - yy) - q.z * z2, q.x * y2 - wz,         q.x * z2 + wy,
          q.x * y2 + wz,         (1.0 - xx) - q.z * z2, q.y * z2 - wx,
          q.x * z2 - wy,         q.y * z2 + wx,         (1.0 - xx) - yy};
}
template <class T>
SARRUS_INLINE V3<T> operator*(const M3<T>& R, const V3<T>& v) {
  return {R.xx * v.x + R.xy * v.y + R.xz * v.z, R.yx * v.x + R.yy * v.y + R.yz * v.z,
          R.zx * v.x + R.zy * v.y + R.zz * v.z};
}
template <class T>
SARRUS_INLINE V3<T> transposed_times(const M3<T>& R, const V3<T>& v) {
  return {R.xx * v.x + R.yx * v.y + R.zx * v.z, R.xy * v.x + R.yy * v.y + R.zy * v.z,
          R.xz * v.x + R.yz * v.y + R.zz * v.z};
}
template <class T>
SARRUS_INLINE V3<T> third_column(const M3<T>& R) {
  return {R.xz, R.yz, R.zz};
}

/// A symmetric matrix.
template <class T>
struct S3 {
  T xx, xy, xz, yy, yz, zz;
};

template <class T>
SARRUS_INLINE S3<T> load_s3(const double* from, int stride) {
  return {load<T>(from),
          load<T>(from + stride),
          load<T>(from + 2 * stride),
          load<T>(from + 3 * stride),
          load<T>(from + 4 * stride),
          load<T>(from + 5 * stride)};
}
template <class T>
SARRUS_INLINE void store_s3(double* to, int stride, const S3<T>& s) {
  store(to, s.xx);
  store(to + stride, s.xy);
  store(to + 2 * stride, s.xz);
  store(to + 3 * stride, s.yy);
  store(to + 4 * stride, s.yz);
  store(to + 5 * stride, s.zz);
}
template <class T>
SARRUS_INLINE V3<T> operator*(const S3<T>& A, const V3<T>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}
/// R S Rᵀ
template <class T>
SARRUS_INLINE S3<T> rotated(const M3<T>& R, const S3<T>& s) {
  const V3<T> x = s * V3<T>{R.xx, R.xy, R.xz};
  const V3<T> y = s * V3<T>{R.yx, R.yy, R.yz};
  const V3<T> z = s * V3<T>{R.zx, R.zy, R.zz};
  return {R.xx * x.x + R.xy * x.y + R.xz * x.z, R.yx * x.x + R.yy * x.y + R.yz * x.z,
          R.zx * x.x + R.zy * x.y + R.zz * x.z, R.yx * y.x + R.yy * y.y + R.yz * y.z,
          R.zx * y.x + R.zy * y.y + R.zz * y.z, R.zx * z.x + R.zy * z.y + R.zz * z.z};
}

/// A motion [angular; linear] or a wrench [moment; force].
template <class T>
struct V6 {
  V3<T> ang, lin;
};

template <class T>
SARRUS_INLINE T dot(const V6<T>& a, const V6<T>& b) {
  return a.ang.x * b.ang.x + a.ang.y * b.ang.y + a.ang.z * b.ang.z + a.lin.x * b.lin.x +
         a.lin.y * b.lin.y + a.lin.z * b.lin.z;
}
template <class T>
SARRUS_INLINE T less_dot(T c, const V6<T>& a, const V6<T>& b) {
  return less_dot(less_dot(c, a.lin, b.lin), a.ang, b.ang);
}
template <class T>
SARRUS_INLINE V6<T> add_scaled(const V6<T>& c, const V6<T>& a, T s) {
  return {add_scaled(c.ang, a.ang, s), add_scaled(c.lin, a.lin, s)};
}
template <class T>
SARRUS_INLINE V6<T> operator*(const V6<T>& a, T s) {
  return {a.ang * s, a.lin * s};
}

/// What hangs on a joint: articulated inertia [A H; Hᵀ M] and bias wrench p = [n; f] at its point.
template <class T>
struct Articulated {
  S3<T> A;
  M3<T> H;
  S3<T> M;
  V3<T> n, f;
};

/// Calls f(k, number) for the 21 numbers of the inertia and then the 6 of the bias. Spelled out, so
/// that the compiler keeps them in registers.
template <class A, class F>
SARRUS_INLINE void for_each_number_of(A& a, F f) {
  f(0, a.A.xx), f(1, a.A.xy), f(2, a.A.xz), f(3, a.A.yy), f(4, a.A.yz), f(5, a.A.zz);
  f(6, a.H.xx), f(7, a.H.xy), f(8, a.H.xz), f(9, a.H.yx), f(10, a.H.yy), f(11, a.H.yz);
  f(12, a.H.zx), f(13, a.H.zy), f(14, a.H.zz);
  f(15, a.M.xx), f(16, a.M.xy), f(17, a.M.xz), f(18, a.M.yy), f(19, a.M.yz), f(20, a.M.zz);
  f(21, a.n.x), f(22, a.n.y), f(23, a.n.z), f(24, a.f.x), f(25, a.f.y), f(26, a.f.z);
}

template <class T, class F>
SARRUS_INLINE void for_each_number(const M3<T>& R, F f) {
  f(0, R.xx), f(1, R.xy), f(2, R.xz), f(3, R.yx), f(4, R.yy), f(5, R.yz);
  f(6, R.zx), f(7, R.zy), f(8, R.zz);
}
template <class T, class F>
SARRUS_INLINE void for_each_number(const V6<T>& v, F f) {
  f(0, v.ang.x), f(1, v.ang.y), f(2, v.ang.z), f(3, v.lin.x), f(4, v.lin.y), f(5, v.lin.z);
}

/// Adds a rigid body: moment of inertia J, first moment h, mass m, bias wrench, all at the point.
template <class T>
SARRUS_INLINE void add_rigid(Articulated<T>& a, const S3<T>& J, const V3<T>& h, T m, const V3<T>& n,
                             const V3<T>& f) {
  a.A = {a.A.xx + J.xx, a.A.xy + J.xy, a.A.xz + J.xz, a.A.yy + J.yy, a.A.yz + J.yz, a.A.zz + J.zz};
  a.H.xy -= h.z;
  a.H.xz += h.y;
  a.H.yx += h.z;
  a.H.yz -= h.x;
  a.H.zx -= h.y;
  a.H.zy += h.x;
  a.M.xx += m;
  a.M.yy += m;
  a.M.zz += m;
  a.n = a.n + n;
  a.f = a.f + f;
}

/// I V
template <class T>
SARRUS_INLINE V6<T> times(const Articulated<T>& a, const V6<T>& V) {
  const V3<T>&w = V.ang, &v = V.lin;
  return {
      {a.A.xx * w.x + a.A.xy * w.y + a.A.xz * w.z + a.H.xx * v.x + a.H.xy * v.y + a.H.xz * v.z,
       a.A.xy * w.x + a.A.yy * w.y + a.A.yz * w.z + a.H.yx * v.x + a.H.yy * v.y + a.H.yz * v.z,
       a.A.xz * w.x + a.A.yz * w.y + a.A.zz * w.z + a.H.zx * v.x + a.H.zy * v.y + a.H.zz * v.z},
      {a.H.xx * w.x + a.H.yx * w.y + a.H.zx * w.z + a.M.xx * v.x + a.M.xy * v.y + a.M.xz * v.z,
       a.H.xy * w.x + a.H.yy * w.y + a.H.zy * w.z + a.M.xy * v.x + a.M.yy * v.y + a.M.yz * v.z,
       a.H.xz * w.x + a.H.yz * w.y + a.H.zz * w.z + a.M.xz * v.x + a.M.yz * v.y + a.M.zz * v.z}};
}
/// I [a; 0]
template <class T>
SARRUS_INLINE V6<T> times_turn(const Articulated<T>& b, const V3<T>& a) {
  return {b.A * a,
          {b.H.xx * a.x + b.H.yx * a.y + b.H.zx * a.z, b.H.xy * a.x + b.H.yy * a.y + b.H.zy * a.z,
           b.H.xz * a.x + b.H.yz * a.y + b.H.zz * a.z}};
}

/// I − U Wᵀ with W = U / D  [order-n-articulated]
template <class T>
SARRUS_INLINE void project(Articulated<T>& a, const V6<T>& U, const V6<T>& W) {
  a.A.xx -= U.ang.x * W.ang.x;
  a.A.xy -= U.ang.x * W.ang.y;
  a.A.xz -= U.ang.x * W.ang.z;
  a.A.yy -= U.ang.y * W.ang.y;
  a.A.yz -= U.ang.y * W.ang.z;
  a.A.zz -= U.ang.z * W.ang.z;
  a.M.xx -= U.lin.x * W.lin.x;
  a.M.xy -= U.lin.x * W.lin.y;
  a.M.xz -= U.lin.x * W.lin.z;
  a.M.yy -= U.lin.y * W.lin.y;
  a.M.yz -= U.lin.y * W.lin.z;
  a.M.zz -= U.lin.z * W.lin.z;
  a.H.xx -= U.ang.x * W.lin.x;
  a.H.xy -= U.ang.x * W.lin.y;
  a.H.xz -= U.ang.x * W.lin.z;
  a.H.yx -= U.ang.y * W.lin.x;
  a.H.yy -= U.ang.y * W.lin.y;
  a.H.yz -= U.ang.y * W.lin.z;
  a.H.zx -= U.ang.z * W.lin.x;
  a.H.zy -= U.ang.z * W.lin.y;
  a.H.zz -= U.ang.z * W.lin.z;
}

/// What is kept of an eliminated unknown: W = U / D and k = u / D.
template <class T>
struct Eliminated {
  V6<T> W;
  T k;
};

/// Takes an unknown with U = I S, 1 / D and u = tau − S·p out of the inertia and the bias.
template <class T>
SARRUS_INLINE Eliminated<T> take_out(Articulated<T>& a, const V6<T>& U, T inverse, T u) {
  const V6<T> W = U * inverse;
  project(a, U, W);
  a.n = add_scaled(a.n, W.ang, u);
  a.f = add_scaled(a.f, W.lin, u);
  return {W, u * inverse};
}
/// Eliminates one unknown with column S and force tau. `slack` is added to D, in lanes that have no
/// such unknown.  [order-n-inward]
template <class T>
SARRUS_INLINE Eliminated<T> eliminate(Articulated<T>& a, const V6<T>& S, T tau, T slack = T{}) {
  const V6<T> U = times(a, S);
  const T u = less_dot(tau, S, V6<T>{a.n, a.f});
  return take_out(a, U, T(1.0 / (dot(S, U) + slack)), u);
}
/// The same for a turn about an axis through the point.
template <class T>
SARRUS_INLINE Eliminated<T> eliminate_turn(Articulated<T>& a, const V3<T>& axis, T tau) {
  const V6<T> U = times_turn(a, axis);
  const T u = less_dot(tau, axis, a.n);
  return take_out(a, U, T(1.0 / dot(U.ang, axis)), u);
}

/// What the reference motion takes of a body: [n; f] at its joint's point.  [order-n-bias]
template <class T>
SARRUS_INLINE V6<T> bias_wrench(const S3<T>& J, const V3<T>& h, T m, const V3<T>& omega,
                                const V3<T>& alpha, const V3<T>& acc) {
  V3<T> n = cross(omega, J * omega) + J * alpha;
  n = add_cross(n, h, acc);
  V3<T> f = cross(alpha, h);
  f = add_cross(f, omega, cross(omega, h));
  return {n, add_scaled(f, acc, m)};
}

/// The inertia at a point displaced by −r: from a joint to its parent's point.  [order-n-shift]
template <class T>
SARRUS_INLINE void shift_inertia(Articulated<T>& a, const V3<T>& r) {
  const T x = r.x, y = r.y, z = r.z;
  const S3<T> M = a.M;
  const M3<T> H = a.H;
  M3<T> G;  // H + r× M
  G.xx = H.xx - z * M.xy + y * M.xz;
  G.xy = H.xy - z * M.yy + y * M.yz;
  G.xz = H.xz - z * M.yz + y * M.zz;
  G.yx = H.yx + z * M.xx - x * M.xz;
  G.yy = H.yy + z * M.xy - x * M.yz;
  G.yz = H.yz + z * M.xz - x * M.zz;
  G.zx = H.zx - y * M.xx + x * M.xy;
  G.zy = H.zy - y * M.xy + x * M.yy;
  G.zz = H.zz - y * M.xz + x * M.yz;
  a.A.xx = a.A.xx + y * H.xz - z * H.xy + y * G.xz - z * G.xy;
  a.A.xy = a.A.xy + y * H.yz - z * H.yy + z * G.xx - x * G.xz;
  a.A.xz = a.A.xz + y * H.zz - z * H.zy + x * G.xy - y * G.xx;
  a.A.yy = a.A.yy + z * H.yx - x * H.yz + z * G.yx - x * G.yz;
  a.A.yz = a.A.yz + z * H.zx - x * H.zz + x * G.yy - y * G.yx;
  a.A.zz = a.A.zz + x * H.zy - y * H.zx + x * G.zy - y * G.zx;
  a.H = G;
}

/// The wrench [n; f] at the parent's point: n + r × f.
template <class T>
SARRUS_INLINE V6<T> shifted_wrench(const V6<T>& w, const V3<T>& r) {
  return {add_cross(w.ang, r, w.lin), w.lin};
}

}  // namespace sarrus::lanes::SARRUS_INSTRUCTIONS
