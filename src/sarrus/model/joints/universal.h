#pragma once

#include <cmath>

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// A cross: turns about x of F by angle1, then about y of M by angle2; the origins stay together.
/// R_FM = Rx(angle1) Ry(angle2).  [joint-universal]
struct Universal {
  static constexpr int kNq = 2;
  static constexpr int kNv = 2;

  Transform X_FM(const double* q) const {
    return {exp_rotation(q[0] * Vec3::UnitX()) * exp_rotation(q[1] * Vec3::UnitY()), Vec3::Zero()};
  }
  void S_M(const double* q, Mat6xUpTo6& S) const {
    S.setZero(6, 2);
    S(0, 0) = std::cos(q[1]);
    S(2, 0) = std::sin(q[1]);
    S(1, 1) = 1;
  }
  void T_M(const double* q, Mat6xUpTo6& T) const {
    T.setZero(6, 4);
    T(3, 0) = T(4, 1) = T(5, 2) = 1;
    T(0, 3) = -std::sin(q[1]);
    T(2, 3) = std::cos(q[1]);
  }
  Vec6 bias_M(const double* q, const double* v) const {
    return v[0] * v[1] * spatial({-std::sin(q[1]), 0, std::cos(q[1])}, Vec3::Zero());
  }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_point_rows(view, rows);
    add_dot_row(view, 0, 1, rows);
  }
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    rows.push(angle_row(view, dot_row(view, 1, 1), dot_row(view, 2, 1), near[0]));
    rows.push(angle_row(view, dot_row(view, 0, 0), dot_row(view, 0, 2), near[1]));
  }
  void speed_rows(const JointView& view, const double* near, Rows& rows) const {
    coordinate_rows(view, near, rows);
  }
};

}  // namespace sarrus
