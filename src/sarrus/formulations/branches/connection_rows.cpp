#include "sarrus/formulations/branches/connection_rows.h"

namespace sarrus::branches {
JointView view_between(const Plan& plan, const Connection& connection, const Frame& a,
                       const Frame& b) {
  const Joint& joint = plan.tree().model().joint(connection.joint);
  const Mat3 R_A = mat3(a.R), R_B = mat3(b.R);
  JointView view(R_A * connection.R_CF, R_A * joint.X_CF().p, R_B * connection.R_CM,
                 R_B * joint.X_CM().p, vec3(b.p) - vec3(a.p));
  view.set_velocities(vec6(a.V), vec6(b.V));
  return view;
}

void evaluate_rows(const Plan& plan, const Connection& connection, double t, const Frame& a,
                   const Frame& b, std::span<const double> near, ConnectionRows& to) {
  const Joint& joint = plan.tree().model().joint(connection.joint);
  const JointView view = view_between(plan, connection, a, b);
  const double* coordinates = near.data() + joint.first_freedom;
  const Vec6 V_A = vec6(a.V), V_B = vec6(b.V);
  to.count = 0;
  const auto add = [&](const Row& row, const TimeFunction::Value& f) {
    to.row[to_index(to.count++)] = {row.J_A,
                                    row.J_B,
                                    row.value - f.value,
                                    row.rate(V_A, V_B) - f.rate,
                                    row.gamma - f.acceleration,
                                    f.rate};
  };
  for (const Row& row : joint.constraint_rows(view, coordinates)) add(row, {});
  if (connection.motions.empty()) return;
  const Rows of_coordinates = joint.coordinate_rows(view, coordinates);
  for (const PrescribedMotion* motion : connection.motions)
    add(of_coordinates[motion->at.index], motion->value(t));
}

void put_rows(const Plan& plan, const Connection& connection, int branch,
              const ConnectionRows& rows, double baumgarte, Scratch& scratch) {
  const System& system = plan.system();
  double* h = scratch.h + plan.constants(branch).h;
  const auto put = [&](const Handle& handle, auto J_of) {
    if (handle.branch != branch) return;
    const BodyConstants& body = plan.body(handle.body);
    Six* columns = scratch.columns + body.columns + (handle.row - (body.low & ~3));
    for (int r = 0; r < rows.count; ++r) {
      const Vec6& J = J_of(rows.row[to_index(r)]);
      if (handle.attachment < 0) {
        Six& column = columns[r];
        for (int k = 0; k < 3; ++k) {
          column.w[k] += J[k];
          column.v[k] += J[3 + k];
        }
        continue;
      }
      const AttachmentMotion& attachment = scratch.attachments[handle.attachment];
      const FlexibleConstants& own = system.flexible[body.flexible];
      const Vec6 about_body = shift_force(J, -vec3(attachment.s));
      Six& column = columns[r];
      for (int k = 0; k < 3; ++k) {
        column.w[k] += about_body[k];
        column.v[k] += about_body[3 + k];
      }
      double* coupled = scratch.coupled + own.coupled + 12 + (handle.row + r - (body.low & ~3));
      for (int k = 0; k < own.modes; ++k)
        coupled[k * own.width] += vec6(scratch.Z[attachment.Z + to_index(k)]).dot(J);
      h[handle.row + r] += J.dot(vec6(attachment.bias));
    }
  };
  using OneRow = ConnectionRows::OneRow;
  put(connection.a, [](const OneRow& row) -> const Vec6& { return row.J_A; });
  put(connection.b, [](const OneRow& row) -> const Vec6& { return row.J_B; });
  if (connection.owner() != branch) return;
  const Handle& own = connection.b.branch >= 0 ? connection.b : connection.a;
  const Vec3 gravity(system.gravity[0], system.gravity[1], system.gravity[2]);
  const double omega = connection.closes_loop ? baumgarte : 0;
  for (int r = 0; r < rows.count; ++r) {
    const OneRow& row = rows.row[to_index(r)];
    double known = row.gamma + omega * (2 * row.phi_rate + omega * row.phi);
    if (connection.a.branch < 0) known -= row.J_A.tail<3>().dot(gravity);
    if (connection.b.branch < 0) known -= row.J_B.tail<3>().dot(gravity);
    h[own.row + r] += known;
  }
}

Vec6 carrier_acceleration(const Plan& plan, const Handle& handle, bool homogeneous,
                          const Scratch& scratch, const double* eta_rate) {
  const System& system = plan.system();
  if (handle.branch < 0) {
    if (homogeneous) return Vec6::Zero();
    return spatial(Vec3::Zero(), -Vec3(system.gravity[0], system.gravity[1], system.gravity[2]));
  }
  const Vec6 A = vec6(scratch.bodies[handle.body].A);
  if (handle.attachment < 0) return A;
  const AttachmentMotion& attachment = scratch.attachments[handle.attachment];
  const FlexibleConstants& own = system.flexible[plan.body(handle.body).flexible];
  Vec6 there = shift_motion(A, vec3(attachment.s));
  if (!homogeneous) there += vec6(attachment.bias);
  for (int k = 0; k < own.modes; ++k)
    there += eta_rate[own.first + k] * vec6(scratch.Z[attachment.Z + to_index(k)]);
  return there;
}

}  // namespace sarrus::branches
