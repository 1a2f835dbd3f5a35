#pragma once

#include <numbers>

#include "sarrus/model/joints/atoms.h"

namespace sarrus {

/// A screw along z: turns and advances `lead` metres a turn. Coordinate: angle [rad], over any
/// number of turns.  [joint-helical]
struct Helical {
  static constexpr int kNq = 1;
  static constexpr int kNv = 1;

  double lead = 0;  ///< [m] a turn

  double advance() const { return lead / (2 * std::numbers::pi); }  ///< [m/rad]

  Transform X_FM(const double* q) const {
    return {exp_rotation(q[0] * Vec3::UnitZ()), advance() * q[0] * Vec3::UnitZ()};
  }
  void S_M(const double* /*q*/, Mat6xUpTo6& S) const {
    S = spatial(Vec3::UnitZ(), advance() * Vec3::UnitZ());
  }
  void T_M(const double* /*q*/, Mat6xUpTo6& T) const {
    T.setZero(6, 5);
    T(0, 0) = T(1, 1) = T(3, 2) = T(4, 3) = 1;
    T(2, 4) = -advance();
    T(5, 4) = 1;
  }
  Vec6 bias_M(const double* /*q*/, const double* /*v*/) const { return Vec6::Zero(); }

  void constraint_rows(const JointView& view, const double* near, Rows& rows) const {
    add_along_row(view, 0, rows);
    add_along_row(view, 1, rows);
    add_dot_row(view, 0, 2, rows);
    add_dot_row(view, 1, 2, rows);
    Row& thread = rows.add();
    set_along_row(view, axis_of(view.R_F, 2), thread);
    const Row angle = angle_about_z(view, near[0]);
    thread.value -= advance() * angle.value;
    thread.J_A -= advance() * angle.J_A;
    thread.J_B -= advance() * angle.J_B;
    thread.gamma -= advance() * angle.gamma;
  }
  void coordinate_rows(const JointView& view, const double* near, Rows& rows) const {
    rows.push(angle_about_z(view, near[0]));
  }
  void speed_rows(const JointView& view, const double* near, Rows& rows) const {
    coordinate_rows(view, near, rows);
  }
};

}  // namespace sarrus
