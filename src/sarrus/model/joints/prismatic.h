#pragma once

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// Slides along z without turning. Coordinate: slide [m].
struct Prismatic {
  static constexpr int kNq = 1;
  static constexpr int kNv = 1;

  Transform X_FM(const double* q) const { return {Quat::Identity(), q[0] * Vec3::UnitZ()}; }
  void S_M(const double* /*q*/, Mat6xUpTo6& S) const { S = Vec6::Unit(5); }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const { T = Mat6::Identity().leftCols<5>(); }
  Vec6 bias_M(const double* /*q*/, const double* /*v*/) const { return Vec6::Zero(); }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_along_row(view, 0, rows);
    add_along_row(view, 1, rows);
    add_dot_row(view, 0, 2, rows);
    add_dot_row(view, 1, 2, rows);
    add_dot_row(view, 0, 1, rows);
  }
  void coordinate_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_along_row(view, 2, rows);
  }
  void speed_rows(const JointView& view, const double* near, Rows& rows) const {
    coordinate_rows(view, near, rows);
  }
};

}  // namespace sarrus
