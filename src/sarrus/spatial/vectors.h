#pragma once

#include "sarrus/spatial/rotation.h"
#include "sarrus/spatial/types.h"

/// Motion vectors [ω; v] and force vectors [τ; f] of one body, taken at a reference point.
namespace sarrus {

inline auto angular(Vec6& m) { return m.head<3>(); }
inline auto angular(const Vec6& m) { return m.head<3>(); }
inline auto linear(Vec6& m) { return m.tail<3>(); }
inline auto linear(const Vec6& m) { return m.tail<3>(); }

inline Vec6 spatial(const Vec3& angular_part, const Vec3& linear_part) {
  Vec6 both;
  both.head<3>() = angular_part;
  both.tail<3>() = linear_part;
  return both;
}

/// The same motion seen at a point displaced by d from the old one.  [spatial-shift]
inline Vec6 shift_motion(const Vec6& V, const Vec3& d) {
  return spatial(V.head<3>(), V.tail<3>() + V.head<3>().cross(d));
}

/// The same wrench reduced to a point displaced by d from the old one.  [spatial-shift]
inline Vec6 shift_force(const Vec6& F, const Vec3& d) {
  return spatial(F.head<3>() - d.cross(F.tail<3>()), F.tail<3>());
}

/// V ×m M: rate of a motion vector carried along by V.  [spatial-cross]
inline Vec6 cross_motion(const Vec6& V, const Vec6& M) {
  return spatial(V.head<3>().cross(M.head<3>()),
                 V.head<3>().cross(M.tail<3>()) + V.tail<3>().cross(M.head<3>()));
}

/// V ×f F: rate of a force vector carried along by V; (V ×m M)·F = −M·(V ×f F).  [spatial-cross]
inline Vec6 cross_force(const Vec6& V, const Vec6& F) {
  return spatial(V.head<3>().cross(F.head<3>()) + V.tail<3>().cross(F.tail<3>()),
                 V.head<3>().cross(F.tail<3>()));
}

/// Components in the frame that R maps to.
inline Vec6 rotated(const Mat3& R, const Vec6& v) {
  return spatial(R * v.head<3>(), R * v.tail<3>());
}

}  // namespace sarrus
