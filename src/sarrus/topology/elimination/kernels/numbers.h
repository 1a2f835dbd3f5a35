#pragma once

// Vectors and rotations as they lie in arrays.

#include "sarrus/spatial/lanes/algebra.h"

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

SARRUS_INLINE Pack8 load6(const double* from) {
  return Pack8{from[0], from[1], from[2], from[3], from[4], from[5], 0, 0};
}
SARRUS_INLINE double sum_of_seven(Pack8 x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + x[3]);
}

}  // namespace sarrus::elimination::SARRUS_INSTRUCTIONS
