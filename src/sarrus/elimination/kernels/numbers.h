#pragma once

// Vectors and rotations as they lie in arrays.

#include "sarrus/simd/algebra.h"

namespace sarrus::elimination::SARRUS_INSTRUCTIONS {

using namespace lanes::SARRUS_INSTRUCTIONS;

using Real3 = V3<double>;

SARRUS_INLINE Real3 get3(const double* from) { return {from[0], from[1], from[2]}; }
SARRUS_INLINE void put3(double* to, const Real3& v) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

/// Rotation of a quaternion of nearly unit length.
SARRUS_INLINE M3<double> rotation_of(const double* q) {
  const double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double xs = x * s, ys = y * s, zs = z * s;
  const double xx = x * xs, yy = y * ys, zz = z * zs;
  const double xy = x * ys, xz = x * zs, yz = y * zs;
  const double wx = w * xs, wy = w * ys, wz = w * zs;
  return {1 - yy - zz, xy - wz, xz + wy, xy + wz,    1 - xx - zz,
          yz - wx,     xz - wy, yz + wx, 1 - xx - yy};
}

/// Eight numbers: one register with AVX-512, two otherwise. The compiler's own vectors of twice a
/// register's length live in memory.
#if defined(__AVX512F__)
typedef Pack8 Row8;
SARRUS_INLINE void add_to_seventh(Row8& row, double number) {
  row += Pack8{0, 0, 0, 0, 0, 0, number, 0};
}
SARRUS_INLINE double sum_of_seven(const Row8& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + x[3]);
}
#else
struct Row8 {
  Pack4 low, high;
};
SARRUS_INLINE Row8 operator+(const Row8& a, const Row8& b) {
  return {a.low + b.low, a.high + b.high};
}
SARRUS_INLINE Row8 operator*(const Row8& a, const Row8& b) {
  return {a.low * b.low, a.high * b.high};
}
SARRUS_INLINE Row8 operator*(const Row8& a, double b) { return {a.low * b, a.high * b}; }
SARRUS_INLINE Row8 operator-(const Row8& a, const Row8& b) {
  return {a.low - b.low, a.high - b.high};
}
SARRUS_INLINE void operator+=(Row8& a, const Row8& b) { a = a + b; }
SARRUS_INLINE void operator-=(Row8& a, const Row8& b) { a = a - b; }
SARRUS_INLINE void add_to_seventh(Row8& row, double number) { row.high += Pack4{0, 0, number, 0}; }
SARRUS_INLINE double sum_of_seven(const Row8& x) {
  const Pack4 two = x.low + x.high;  // of the last pair only the first counts
  return (two[0] + two[2]) + (two[1] + x.low[3]);
}
#endif

SARRUS_INLINE Row8 load8(const double* from) {
#if defined(__AVX512F__)
  return load<Pack8>(from);
#else
  return {load<Pack4>(from), load<Pack4>(from + 4)};
#endif
}
SARRUS_INLINE void store8(double* to, const Row8& row) {
#if defined(__AVX512F__)
  store(to, row);
#else
  store(to, row.low);
  store(to + 4, row.high);
#endif
}
/// Six numbers, zeros after them.
SARRUS_INLINE Row8 load6(const double* from) {
  const double all[8] = {from[0], from[1], from[2], from[3], from[4], from[5], 0, 0};
  return load8(all);
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
