#pragma once

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// Turns about z; the frame origins stay together. Coordinate: angle [rad].
struct Revolute {
  static constexpr int kNq = 1;
  static constexpr int kNv = 1;

  Transform X_FM(const double* q) const {
    return {exp_rotation(q[0] * Vec3::UnitZ()), Vec3::Zero()};
  }
  void S_M(const double* /*q*/, Mat6xUpTo6& S) const { S = Vec6::Unit(2); }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const {
    T.setZero(6, 5);
    T(0, 0) = T(1, 1) = T(3, 2) = T(4, 3) = T(5, 4) = 1;
  }
  Vec6 bias_M(const double* /*q*/, const double* /*v*/) const { return Vec6::Zero(); }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_point_rows(view, rows);
    add_dot_row(view, 0, 2, rows);
    add_dot_row(view, 1, 2, rows);
  }
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    rows.push(angle_about_z(view, near[0]));
  }
  void speed_rows(const JointView& view, const double* near, Rows& rows) const {
    coordinate_rows(view, near, rows);
  }
};

}  // namespace sarrus
