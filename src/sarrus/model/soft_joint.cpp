#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sarrus/model/forces.h"

namespace sarrus {
namespace {

bool measures_an_angle(const Row& row) {
  return row.J_A.tail<3>().isZero(0) && row.J_B.tail<3>().isZero(0);
}

/// How M's z axis stands against F's: u, its components along F's x and y, as 2 u / (1 + u_z).
/// [soft-joint-rows]
Rows tilt_rows(const JointView& view) {
  // Where it points the other way the numbers have no end; so far they are not followed.
  constexpr double kNearlyOpposite = 0.05;
  const Row along = dot_row(view, 2, 2);
  const double s = std::max(kNearlyOpposite, 1 + along.value);
  const auto rate = [&view](const Row& row) {
    return row.J_A.head<3>().dot(view.w_A) + row.J_B.head<3>().dot(view.w_B);
  };
  const double s_rate = rate(along);
  Rows rows;
  for (int k = 0; k < 2; ++k) {
    const Row across = dot_row(view, k, 2);
    const double u = across.value;
    rows.push({.value = 2 * u / s,
               .J_A = 2 / s * (across.J_A - u / s * along.J_A),
               .J_B = 2 / s * (across.J_B - u / s * along.J_B),
               .gamma = 2 / s *
                        (across.gamma - 2 * rate(across) * s_rate / s -
                         u / s * (along.gamma - 2 * s_rate * s_rate / s))});
  }
  return rows;
}

/// The constraint rows, but for those that are dots of axes: these vanish where the joint is not closed,
/// too, and would draw it there. The others do not.  [soft-joint-rows]
Rows rows_to_pull_along(const Joint& joint, const JointView& view) {
  Rows rows = joint.constraint_rows(view, joint.reference.data());
  const auto angles = std::count_if(rows.begin(), rows.end(), measures_an_angle);
  if (angles < 2) return rows;  // of a universal joint any zero is one where it is closed
  constexpr std::array<double, 3> kShortest = {0, 0, 0};
  const Rows turns = angles == 3 ? rotation_vector_rows(view, kShortest.data()) : tilt_rows(view);
  int next = 0;
  for (int k = 0; k < rows.count; ++k)
    if (measures_an_angle(rows[k])) rows.row[static_cast<std::size_t>(k)] = turns[next++];
  return rows;
}

}  // namespace

Transform SoftJoint::X_AF_at(double t) const {
  if (!grabs) return joint.X_CF();
  return {joint.X_AF.q, Vec3(target[0](t).value, target[1](t).value, target[2](t).value)};
}

Vec3 SoftJoint::target_rate(double t) const {
  if (!grabs) return Vec3::Zero();
  return {target[0](t).rate, target[1](t).rate, target[2](t).rate};
}

SoftJoint::Pull SoftJoint::pull(double t, const Transform& X_a, const Vec6& V_a,
                                const Transform& X_b, const Vec6& V_b) const {
  Pull pull;
  const JointView view(X_a, V_a, X_AF_at(t), X_b, V_b, joint.X_CM());
  pull.rows = rows_to_pull_along(joint, view);
  const int rows = pull.rows.count;
  pull.phi.resize(rows);
  pull.phi_rate.resize(rows);
  for (int k = 0; k < rows; ++k) {
    pull.phi[k] = pull.rows[k].value;
    pull.phi_rate[k] = pull.rows[k].rate(V_a, V_b);
  }
  // The rows of a grab are the world's axes.
  if (grabs) pull.phi_rate -= target_rate(t);

  // [soft-joint]  λ = λ₀ − μ (γ + ω² φ + 2 ζ ω φ̇), shortened where it exceeds the limit.
  const double omega = 2 * std::numbers::pi * frequency;
  const auto M = mass.topLeftCorner(rows, rows);
  pull.force =
      lead.head(rows) - M * (omega * omega * pull.phi + 2 * damping_ratio * omega * pull.phi_rate);
  const auto size = [&](const VecUpTo6& force) {
    double square = 0;
    for (int k = 0; k < rows; ++k) {
      const double one = force[k] / (measures_an_angle(pull.rows[k]) ? length : 1.0);
      square += one * one;
    }
    return std::sqrt(square);
  };
  // What the motion itself does to the rows is known, and countered where there is strength for it:
  // half of it would only do work. A hand does not feel it.
  if (!grabs) {
    VecUpTo6 gamma(rows);
    for (int k = 0; k < rows; ++k) gamma[k] = pull.rows[k].gamma;
    const VecUpTo6 all = pull.force - M * gamma;
    if (size(all) <= limit) pull.force = all;
  }
  if (const double asked = size(pull.force); asked > limit) pull.force *= limit / asked;
  return pull;
}

}  // namespace sarrus
