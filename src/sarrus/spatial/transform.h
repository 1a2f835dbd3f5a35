#pragma once

#include "sarrus/spatial/types.h"

namespace sarrus {

/// Pose of frame B in frame A, `X_AB`: R_AB turns B components into A components, p_AB is B's
/// origin in A. X_AC = X_AB * X_BC.
struct Transform {
  Quat q = Quat::Identity();
  Vec3 p = Vec3::Zero();

  Mat3 R() const { return q.toRotationMatrix(); }
  Vec3 operator*(const Vec3& point_B) const { return p + q * point_B; }
  Transform operator*(const Transform& X_BC) const {
    return {(q * X_BC.q).normalized(), p + q * X_BC.p};
  }
  Transform inverse() const { return {q.conjugate(), -(q.conjugate() * p)}; }
};

}  // namespace sarrus
