#pragma once

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// Turns about z and slides along z. Coordinates: angle [rad], slide [m].
struct Cylindrical {
  static constexpr int kNq = 2;
  static constexpr int kNv = 2;

  Transform X_FM(const double* q) const {
    return {exp_rotation(q[0] * Vec3::UnitZ()), q[1] * Vec3::UnitZ()};
  }
  void S_M(const double* /*q*/, Mat6xUpTo6& S) const {
    S.setZero(6, 2);
    S(2, 0) = S(5, 1) = 1;
  }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const {
    T.setZero(6, 4);
    T(0, 0) = T(1, 1) = T(3, 2) = T(4, 3) = 1;
  }
  Vec6 bias_M(const double* /*q*/, const double* /*v*/) const { return Vec6::Zero(); }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_along_row(view, 0, rows);
    add_along_row(view, 1, rows);
    add_dot_row(view, 0, 2, rows);
    add_dot_row(view, 1, 2, rows);
  }
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    rows.push(angle_about_z(view, near[0]));
    add_along_row(view, 2, rows);
  }
  void speed_rows(const JointView& view, const double* near, Rows& rows) const {
    coordinate_rows(view, near, rows);
  }
};

}  // namespace sarrus
