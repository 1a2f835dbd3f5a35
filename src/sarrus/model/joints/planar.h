#pragma once

#include <cmath>

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// Slides in F's x-y plane and turns about its normal z. Coordinates: x, y [m] of M's origin along
/// F's axes, angle [rad].  [joint-planar]
struct Planar {
  static constexpr int kNq = 3;
  static constexpr int kNv = 3;

  Transform X_FM(const double* q) const {
    return {exp_rotation(q[2] * Vec3::UnitZ()), {q[0], q[1], 0}};
  }
  void S_M(const double* q, Mat6xUpTo6& S) const {
    const double c = std::cos(q[2]);
    const double s = std::sin(q[2]);
    S.setZero(6, 3);
    S(3, 0) = c;
    S(4, 0) = -s;
    S(3, 1) = s;
    S(4, 1) = c;
    S(2, 2) = 1;
  }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const {
    T.setZero(6, 3);
    T(0, 0) = T(1, 1) = T(5, 2) = 1;
  }
  Vec6 bias_M(const double* q, const double* v) const {
    const double c = std::cos(q[2]);
    const double s = std::sin(q[2]);
    return v[2] * spatial(Vec3::Zero(), {-s * v[0] + c * v[1], -c * v[0] - s * v[1], 0});
  }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_along_row(view, 2, rows);
    add_dot_row(view, 0, 2, rows);
    add_dot_row(view, 1, 2, rows);
  }
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    add_along_row(view, 0, rows);
    add_along_row(view, 1, rows);
    rows.push(angle_about_z(view, near[2]));
  }
  void speed_rows(const JointView& view, const double* near, Rows& rows) const {
    coordinate_rows(view, near, rows);
  }
};

}  // namespace sarrus
