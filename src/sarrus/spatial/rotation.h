#pragma once

#include "sarrus/spatial/types.h"

namespace sarrus {

/// [a]× : skew(a) b = a × b.
inline Mat3 skew(const Vec3& a) {
  return (Mat3() << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0).finished();
}

/// exp of a rotation vector [rad], as a unit quaternion.  [rotation-exp]
Quat exp_rotation(const Vec3& u);

/// The rotation vector of a unit quaternion, |u| ≤ π.  [rotation-log]
Vec3 log_rotation(const Quat& q);

/// Left Jacobian: for R(t) = exp(u(t)) R0 the angular velocity in the frame R maps to is Jl(u) u̇.
Mat3 left_jacobian(const Vec3& u);

/// d/dt [Jl(u)] u̇ for u changing at the constant rate du: the bias of that angular velocity.
Vec3 left_jacobian_rate(const Vec3& u, const Vec3& du);

/// Jl(u)⁻¹; finite for |u| < 2π.  [rotation-left-jacobian]
Mat3 left_jacobian_inverse(const Vec3& u);

/// Right Jacobian inverse: for R(t) = R0 exp(u(t)) it turns body-axes angular velocity into u̇.
inline Mat3 right_jacobian_inverse(const Vec3& u) { return left_jacobian_inverse(-u); }

/// d/dt [Jr(u)⁻¹] w for u changing at rate du: the bias of rotation-vector rates.
Vec3 right_jacobian_inverse_rate(const Vec3& u, const Vec3& du, const Vec3& w);

/// The least turn that takes the direction of one vector to that of another; neither is zero.
Quat least_turn(const Vec3& from, const Vec3& to);

/// A right-handed frame whose z axis is `z` and whose x axis lies as near `x_hint` as it can
/// (any perpendicular direction where the hint is zero or parallel to z).
Mat3 frame_with_z(const Vec3& z, const Vec3& x_hint);

}  // namespace sarrus
