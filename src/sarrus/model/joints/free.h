#pragma once

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// No constraint at all: a place to measure, spring and drive the relative motion of two bodies.
/// q is the quaternion of M in F (w first) and M's origin in F; speeds are the relative angular
/// velocity in M's axes and the rate of the origin in F's axes.  [joint-free]
struct Free {
  static constexpr int kNq = 7;
  static constexpr int kNv = 6;

  Transform X_FM(const double* q) const {
    return {Quat(q[0], q[1], q[2], q[3]).normalized(), {q[4], q[5], q[6]}};
  }
  void S_M(const double* q, Mat6xUpTo6& S) const {
    S.setZero(6, 6);
    S.topLeftCorner<3, 3>().setIdentity();
    S.bottomRightCorner<3, 3>() = X_FM(q).R().transpose();
  }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const { T.resize(6, 0); }
  Vec6 bias_M(const double* q, const double* v) const {
    const Vec3 w(v[0], v[1], v[2]);
    const Vec3 velocity_M = X_FM(q).R().transpose() * Vec3(v[3], v[4], v[5]);
    return spatial(Vec3::Zero(), -w.cross(velocity_M));
  }

  void constraint_rows(const JointView& /*view*/, const double* /*near*/, Rows& /*rows*/) const {}
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    for (const Row& row : rotation_vector_rows(view, near)) rows.push(row);
    for (int k = 0; k < 3; ++k) add_along_row(view, k, rows);
  }
  void speed_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    for (const Row& row : angular_speed_rows(view)) rows.push(row);
    for (int k = 0; k < 3; ++k) add_along_row(view, k, rows);
  }
};

}  // namespace sarrus
