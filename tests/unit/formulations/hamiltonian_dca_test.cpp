// hamiltonian-dca from inside: how impulses of rows are carried along, memory, and mistakes of users.

#include <gtest/gtest.h>

#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/hamiltonian_dca/carried_impulses.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/load_model.h"
#include "unit/formulations/allocations.h"
#include "unit/model/joint_cases.h"

namespace sarrus {
namespace {

/// Two bodies, anywhere, with a joint between them whose coordinates are all prescribed.
Description two_bodies_with(JointType type) {
  Description description;
  description.name = "two";
  for (const char* name : {"a", "b"}) {
    BodyDescription body;
    body.name = name;
    body.mass = 1;
    body.inertia = Mat3::Identity();
    body.pose = {exp_rotation({0.3, -0.4, 0.2}), {0.1, 0.2, name[0] == 'a' ? 0.0 : 0.5}};
    description.add_body(body);
  }
  JointDescription joint;
  joint.name = "J";
  joint.type = type;
  joint.body_a = "a";
  joint.body_b = "b";
  joint.at = {exp_rotation({-0.7, 0.1, 0.5}), {0.4, -0.1, 0.3}};
  if (type == JointType::kHelical) joint.lead = 0.3;
  description.add_joint(joint);
  for (const std::string& coordinate : joint_coordinate_names(type))
    description.add_force(
        "drive " + coordinate,
        MotionDescription{.joint = "J", .coordinate = coordinate, .value = TimeFunction()});
  return description;
}

/// The poses after the bodies have moved on for a time at their present velocities.
Configuration moved(const Configuration& c, double time) {
  Configuration later = c;
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    later.poses[i].q = exp_rotation(time * c.velocities[i].head<3>()) * c.poses[i].q;
    later.poses[i].p += time * c.velocities[i].tail<3>();
  }
  return later;
}

// Against differences of the sixth order along the motion, off the manifold, for all rows there are.
TEST(CarriedImpulse, ChangesAsTheRowsDo) {
  const double kDifferences = 1e-9;
  for (const JointType type : tests::all_joint_types()) {
    SCOPED_TRACE(name_of(type));
    const Model model(two_bodies_with(type));
    const ConstraintSystem system(model);
    Configuration c = model.reference_configuration();
    c.coordinates.assign(static_cast<std::size_t>(model.freedom_count()), 0.0);
    c.poses[2].q = exp_rotation({0.2, 0.3, -0.1}) * c.poses[2].q;
    c.poses[2].p += Vec3(0.05, -0.03, 0.02);
    c.velocities[1] << 0.7, -0.4, 1.1, 0.3, 0.8, -0.2;
    c.velocities[2] << -0.5, 0.9, 0.6, -1.2, 0.4, 0.7;
    std::vector<double> lambda;
    for (int r = 0; r < system.rows(); ++r) lambda.push_back(1 - 0.37 * r);
    const std::vector<char> all(lambda.size(), 1);
    const auto carried = [&](Configuration at) {
      return hamiltonian::carried_impulse(system, 0, 0, lambda, all, at);
    };
    const hamiltonian::CarriedImpulse now = carried(c);
    Vec6 rate_a = Vec6::Zero(), rate_b = Vec6::Zero();
    constexpr double kStep = 0.01;
    constexpr double kWeights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    for (int k = 1; k <= 3; ++k)
      for (const double sign : {1.0, -1.0}) {
        const auto then = carried(moved(c, sign * k * kStep));
        rate_a += sign * kWeights[k - 1] / kStep * then.on_a;
        rate_b += sign * kWeights[k - 1] / kStep * then.on_b;
      }
    // About points at rest: the origins leave the impulses behind.
    rate_a.head<3>() += c.velocities[1].tail<3>().cross(now.on_a.tail<3>());
    rate_b.head<3>() += c.velocities[2].tail<3>().cross(now.on_b.tail<3>());
    EXPECT_LT((now.rate_on_a - rate_a).norm(), kDifferences * (1 + rate_a.norm()));
    EXPECT_LT((now.rate_on_b - rate_b).norm(), kDifferences * (1 + rate_b.norm()));
  }
}

TEST(HamiltonianDca, AnEvaluationAllocatesNothing) {
  const std::pair<const char*, Overrides> cases[] = {
      {"chain", {{"links", "20"}}},
      {"chain", {{"links", "300"}}},
      {"chain", {{"links", "150"}, {"joints", "mixed"}}},
      {"five-bar", {}},
      {"bricard", {}},
      {"driven-slider-crank", {}},
      {"parallel-robot", {}}};
  for (const auto& [name, overrides] : cases) {
    SCOPED_TRACE(name);
    const Model model = load_model(name, overrides);
    const Topology topology = analyse_topology(model);
    const Configuration assembled = assemble(model, topology).configuration;
    const auto method = make_formulation({.method = "hamiltonian-dca"}, model, topology, assembled);
    const auto workspace = method->make_workspace();
    MovingState state;
    ASSERT_TRUE(set_in_motion(*method, {model, topology, assembled}, *workspace, state).ok());
    std::vector<double> rates(static_cast<std::size_t>(method->layout().tangent_size()));
    const auto evaluate = [&] {
      EXPECT_TRUE(method->rates(0, state.x, state.discrete, *workspace, rates).ok());
    };
    evaluate();
    const long before = tests::allocations();
    evaluate();
    EXPECT_EQ(tests::allocations() - before, 0);
  }
}

TEST(HamiltonianDca, TellsWhatItDoesNotDo) {
  const Model model = load_model("five-bar");
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model, topology).configuration;
  const auto make = [&](FormulationOptions options) {
    options.method = "hamiltonian-dca";
    return make_formulation(options, model, topology, assembled);
  };
  EXPECT_THROW(make({.projection = Projection::kStage}), UsageError);
  EXPECT_THROW(make({.settings = {{"regauge", "perhaps"}}}), UsageError);
  EXPECT_THROW(make({.settings = {{"alpha", "1"}}}), UsageError);
  EXPECT_THROW(make({.settings = {{"friction", "perhaps"}}, .step = 0.01}), UsageError);
  EXPECT_THROW(make({.settings = {{"friction", "implicit"}}}), UsageError);
  EXPECT_THROW(make({.settings = {{"position_tolerance", "-1"}}}), UsageError);
}

// Off the manifold or on it, velocities obey the constraints: encode any, and decode.
TEST(HamiltonianDca, VelocitiesOfAnyStateObeyTheConstraints) {
  const Model model = load_model("double-loop");
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model, topology).configuration;
  const auto method = make_formulation({.method = "hamiltonian-dca"}, model, topology, assembled);
  const Configuration wild = random_motion(model, topology, assembled, 5);
  std::vector<double> x(static_cast<std::size_t>(method->layout().size()));
  Discrete discrete;
  method->encode(wild, x, discrete);
  x[0] += 1e-3;  // the loops are open by a fraction of a millimetre
  Configuration found;
  method->decode(x, discrete, found);
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(0, found, values);
  EXPECT_GT(values.phi.norm(), 1e-5);
  // Rows of axes across the plane are dependent; off the manifold they are obeyed to that order.
  EXPECT_LT(values.phi_rate.norm(), 1e-13);
}

}  // namespace
}  // namespace sarrus
