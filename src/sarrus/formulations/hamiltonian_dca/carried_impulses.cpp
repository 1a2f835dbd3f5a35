#include "sarrus/formulations/hamiltonian_dca/carried_impulses.h"

#include "sarrus/spatial/vectors.h"

namespace sarrus::hamiltonian {

// A row φ has φ̇ = J V and φ̈ = J a + γ(V), and γ is a quadratic form in V: γ(V) = J̇ V. Its polar form
// is the symmetric part of J̇ W over V and W; what is missing of it is known from how turns commute:
//   J̇(V) W = ¼ (γ(V + W) − γ(V − W)) + ½ J [ω_W × ω_V; 0]          [hamilton-carried]
// So every kind of row, of joints and of prescribed motions, gives its rate without code of its own.
CarriedImpulse carried_impulse(const ConstraintSystem& system, int i, double t,
                               std::span<const double> lambda, std::span<const char> wanted,
                               const Configuration& c) {
  const auto at = [](int r) { return static_cast<std::size_t>(r); };
  const Joint& joint = system.model().joint(system.origins()[at(system.first_row(i))].joint);
  CarriedImpulse carried;
  JointView view = view_at_rest(joint, c);
  system.visit_rows_in(view, i, t, c, [&](int r, const Row& row, const TimeFunction::Value&) {
    if (!wanted[at(r)]) return;
    carried.on_a += lambda[at(r)] * row.J_A;
    carried.on_b += lambda[at(r)] * row.J_B;
  });
  Vec6 V_A = c.velocities[joint.a.slot()], V_B = c.velocities[joint.b.slot()];
  const auto gamma = [&] {
    double sum = 0;
    view.set_velocities(V_A, V_B);
    system.visit_rows_in(view, i, t, c, [&](int r, const Row& row, const TimeFunction::Value&) {
      if (wanted[at(r)]) sum += lambda[at(r)] * row.gamma;
    });
    return sum;
  };
  const auto size = [&](auto part) {
    const double largest = std::max(part(V_A).norm(), part(V_B).norm());
    return largest > 0 ? largest : 1.0;
  };
  // Probes of the size of the velocities: least rounding.
  const double turn = size([](const Vec6& V) { return Vec3(V.head<3>()); });
  const double shift = size([](const Vec6& V) { return Vec3(V.tail<3>()); });
  const auto rate = [&](BodyId body, Vec6& V, const Vec6& impulse, Vec6& result) {
    if (body == kGround) return;
    const Vec6 V_now = V;
    for (int k = 0; k < 6; ++k) {
      const double probe = k < 3 ? turn : shift;
      V[k] = V_now[k] + probe;
      const double ahead = gamma();
      V[k] = V_now[k] - probe;
      result[k] = (ahead - gamma()) / (4 * probe);
      V[k] = V_now[k];
    }
    result.head<3>() += 0.5 * V_now.head<3>().cross(impulse.head<3>()) +
                        V_now.tail<3>().cross(impulse.tail<3>());  // the origin moves
  };
  rate(joint.a, V_A, carried.on_a, carried.rate_on_a);
  rate(joint.b, V_B, carried.on_b, carried.rate_on_b);
  return carried;
}

}  // namespace sarrus::hamiltonian
