// Scenario chain8: eight bodies on universal, revolute, spherical and prismatic joints, all oblique.
// Reference: reference.csv; see the scenario's README.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "sarrus/model/loads.h"
#include "sarrus/spatial/rotation.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

/// A table of rows t, quantity, index, value.
std::map<double, std::map<std::string, std::vector<double>>> by_time(const Reference& table) {
  std::map<double, std::map<std::string, std::vector<double>>> result;
  for (std::size_t row = 0; row < table.size(); ++row) {
    auto& values = result[table.number(row, "t")][table.text(row, "quantity")];
    EXPECT_EQ(table.number(row, "index"), static_cast<double>(values.size()));
    values.push_back(table.number(row, "value"));
  }
  return result;
}

/// What the table says about an instant: coordinates with quaternions, speeds, momenta.
struct ChainState {
  std::vector<double> q, u, p;
};

/// Momentum of the bodies from `first` on, about the point `at`: angular, linear.
Vec6 momentum(const Model& model, const Configuration& c, int first, const Vec3& at) {
  Vec3 angular = Vec3::Zero(), linear = Vec3::Zero();
  for (int b = first; b < model.body_count(); ++b) {
    const Inertia& body = model.body(BodyId{b}).inertia;
    const Transform& X = c.poses[static_cast<std::size_t>(b)];
    const Vec6& V = c.velocities[static_cast<std::size_t>(b)];
    const Mat3 R = X.q.toRotationMatrix();
    const Vec3 center = X.q * body.center;
    const Vec3 p = body.mass * (V.tail<3>() + V.head<3>().cross(center));
    linear += p;
    angular += R * body.central * R.transpose() * V.head<3>() + (X.p + center - at).cross(p);
  }
  Vec6 result;
  result << angular, linear;
  return result;
}

ChainState state_of(const Model& model, const Configuration& c) {
  ChainState state;
  for (const Joint& joint : model.joints()) {
    const double* q = c.coordinates.data() + joint.first_freedom;
    if (joint.type() == JointType::kSpherical) {
      const Quat turn = exp_rotation(Vec3(q[0], q[1], q[2]));
      state.q.insert(state.q.end(), {turn.w(), turn.x(), turn.y(), turn.z()});
    } else {
      state.q.insert(state.q.end(), q, q + joint.nv());
    }
    const Rows speeds = joint.speed_rows(view_of(joint, c), q);
    for (int k = 0; k < joint.nv(); ++k)
      state.u.push_back(speeds[k].rate(c.velocities[joint.a.slot()], c.velocities[joint.b.slot()]));

    const Transform X_WM = c.poses[joint.b.slot()] * joint.X_BM;
    const Vec6 P = momentum(model, c, joint.b.index, X_WM.p);
    Vec6 P_M;
    P_M << X_WM.q.conjugate() * P.head<3>(), X_WM.q.conjugate() * P.tail<3>();
    const VecX p = joint.S_M(q).transpose() * P_M;
    state.p.insert(state.p.end(), p.begin(), p.end());
  }
  return state;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance, const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << what << " " << i;
}

TEST(Chain8, FollowsItsReference) {
  // At the start: the table's digits. Later: the integrator's error at 1e-12, grown tenfold by the
  // motion; ten to a hundred times what a run is off.
  const double kAtStart = 2e-14;
  const double kFromMomenta =
      1e-12;  // speeds that come back from momenta: rounding times condition
  const double kPosition = 1e-10;
  const double kSpeed = 1e-9;
  const double kMomentum = 1e-9;
  const double kEnergy = 1e-10;
  const auto table = by_time(Reference("chain8"));
  std::vector<double> times;
  for (const auto& [time, quantities] : table) times.push_back(time);
  for (const std::string& method : methods_for("chain8")) {
    SCOPED_TRACE(method);
    const ScenarioRun run = run_scenario("chain8", times, {.method = method});
    for (std::size_t i = 0; i < times.size(); ++i) {
      SCOPED_TRACE(times[i]);
      const auto& expected = table.at(times[i]);
      const ChainState now = state_of(run.model(), run.samples[i].motion.configuration);
      const bool start = times[i] == 0;
      expect_near(now.q, expected.at("q"), start ? kAtStart : kPosition, "q");
      const double speed_at_start = method == "hamiltonian-dca" ? kFromMomenta : kAtStart;
      expect_near(now.u, expected.at("u"), start ? speed_at_start : kSpeed, "u");
      expect_near(now.p, expected.at("p"), start ? 10 * kAtStart : kMomentum, "p");
      EXPECT_NEAR(run.samples[i].total(), expected.at("E_total")[0], kEnergy);
    }
  }
}

}  // namespace
}  // namespace sarrus::tests
