#pragma once

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// A weld: no relative motion, no coordinate.
struct Fixed {
  static constexpr int kNq = 0;
  static constexpr int kNv = 0;

  Transform X_FM(const double* /*q*/) const { return {}; }
  void S_M(const double* /*q*/, Mat6xUpTo6& S) const { S.resize(6, 0); }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const { T = Mat6::Identity(); }
  Vec6 bias_M(const double* /*q*/, const double* /*v*/) const { return Vec6::Zero(); }

  void constraint_rows(const JointView& view, const double* /*near*/, Rows& rows) const {
    add_point_rows(view, rows);
    add_dot_row(view, 0, 1, rows);
    add_dot_row(view, 1, 2, rows);
    add_dot_row(view, 2, 0, rows);
  }
  void coordinate_rows(const JointView& /*view*/, const double* /*near*/, Rows& /*rows*/) const {}
  void speed_rows(const JointView& /*view*/, const double* /*near*/, Rows& /*rows*/) const {}
};

}  // namespace sarrus
