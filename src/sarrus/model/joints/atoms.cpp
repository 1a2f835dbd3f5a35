#include "sarrus/model/joints/atoms.h"

#include <cmath>
#include <numbers>

namespace sarrus {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Rotation vectors longer than a turn less this are not used: their rates blow up at a turn.
constexpr double kOtherWay = 0.5;

}  // namespace

Row angle_row(const JointView& view, const Row& cosine, const Row& sine, double near) {
  const double c = cosine.value;
  const double s = sine.value;
  const double length2 = c * c + s * s;
  const double principal = std::atan2(s, c);
  Row row;
  row.value = principal + kTurn * std::round((near - principal) / kTurn);
  for (int i = 0; i < 6; ++i) {
    row.J_A[i] = (c * sine.J_A[i] - s * cosine.J_A[i]) / length2;
    row.J_B[i] = (c * sine.J_B[i] - s * cosine.J_B[i]) / length2;
  }
  row.gamma = 0;
  if (!view.moves) return row;
  const auto rate = [&view](const Row& of) {
    return of.J_A.head<3>().dot(view.w_A) + of.J_B.head<3>().dot(view.w_B);
  };
  const double c_rate = rate(cosine);
  const double s_rate = rate(sine);
  const double angle_rate = (c * s_rate - s * c_rate) / length2;
  row.gamma =
      (c * sine.gamma - s * cosine.gamma - 2 * angle_rate * (c * c_rate + s * s_rate)) / length2;
  return row;
}

Rows rotation_vector_rows(const JointView& view, const double* near) {
  Vec3 u = log_rotation(Quat(Mat3(view.R_F.transpose() * view.R_M)).normalized());
  // The same rotation the other way round; only where the chart is still good.
  const double angle = u.norm();
  if (const Vec3 last(near[0], near[1], near[2]); angle > kOtherWay) {
    const Vec3 other = (1 - kTurn / angle) * u;
    if ((other - last).squaredNorm() < (u - last).squaredNorm()) u = other;
  }
  const Mat3 map = right_jacobian_inverse(u);
  const Vec3 w = view.R_M.transpose() * (view.w_B - view.w_A);
  const Vec3 gamma = map * (view.R_M.transpose() * view.w_B.cross(view.w_A)) +
                     right_jacobian_inverse_rate(u, map * w, w);
  const Mat3 J = map * view.R_M.transpose();
  Rows rows;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = J.row(k).transpose();
    rows.push({.value = u[k],
               .J_A = spatial(-axis, Vec3::Zero()),
               .J_B = spatial(axis, Vec3::Zero()),
               .gamma = gamma[k]});
  }
  return rows;
}

Rows angular_speed_rows(const JointView& view) {
  const Vec3 gamma = view.R_M.transpose() * view.w_B.cross(view.w_A);
  Rows rows;
  for (int k = 0; k < 3; ++k)
    rows.push({.value = 0,
               .J_A = spatial(-view.R_M.col(k), Vec3::Zero()),
               .J_B = spatial(view.R_M.col(k), Vec3::Zero()),
               .gamma = gamma[k]});
  return rows;
}

}  // namespace sarrus
