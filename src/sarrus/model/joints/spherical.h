#pragma once

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// Turns any way; the origins stay together. q is the quaternion of M in F (w first); the
/// coordinates shown to users are its rotation vector, the speeds the relative angular velocity in
/// M's axes.  [joint-spherical]
struct Spherical {
  static constexpr int kNq = 4;
  static constexpr int kNv = 3;

  Transform X_FM(const double* q) const {
    return {Quat(q[0], q[1], q[2], q[3]).normalized(), Vec3::Zero()};
  }
  void S_M(const double* /*q*/, Mat6xUpTo6& S) const { S = Mat6::Identity().leftCols<3>(); }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const { T = Mat6::Identity().rightCols<3>(); }
  Vec6 bias_M(const double* /*q*/, const double* /*v*/) const { return Vec6::Zero(); }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_point_rows(view, rows);
  }
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    for (const Row& row : rotation_vector_rows(view, near)) rows.push(row);
  }
  void speed_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    for (const Row& row : angular_speed_rows(view)) rows.push(row);
  }
};

}  // namespace sarrus
