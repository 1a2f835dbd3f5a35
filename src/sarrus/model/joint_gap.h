#pragma once

#include <array>
#include <cmath>

#include "sarrus/model/joint.h"

namespace sarrus {

/// Where a joint's frame M stands against the place in which the joint has it at the coordinates read off
/// the frames: rotation vector [rad] and displacement [m]. Zero where the joint is closed and nowhere
/// else, which rows that are dots of axes are not.  [edit-closed]
inline Vec6 joint_gap(const Joint& joint, const JointView& view, const double* near) {
  const Rows rows = joint.coordinate_rows(view, near);
  std::array<double, 6> q = {};
  for (int k = 0; k < rows.count; ++k) q[static_cast<std::size_t>(k)] = rows[k].value;
  const Transform now{Quat(Mat3(view.R_F.transpose() * view.R_M)).normalized(),
                      view.R_F.transpose() * view.d};
  const Transform off = transform_from_coordinates(joint.kind, q.data()).inverse() * now;
  return spatial(log_rotation(off.q), off.p);
}

/// Its size, angles measured with `length`.
inline double size_of_gap(const Vec6& gap, double length) {
  return std::hypot(length * gap.head<3>().norm(), gap.tail<3>().norm());
}

}  // namespace sarrus
