#include "sarrus/analysis/inverse_dynamics.h"

#include <gtest/gtest.h>

#include "sarrus/analysis/assembly.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/model/loads.h"
#include "sarrus/testing/random_mechanism.h"
#include "sarrus/testing/subject.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

using namespace tests;
using testing::Subject;

/// The joint accelerations of a motion, through the rows of the model rather than any recursion.
JointAccelerations accelerations_of(const Subject& subject, const Motion& motion) {
  const Model& model = subject.model();
  const Configuration& c = motion.configuration;
  JointAccelerations result;
  result.joints.resize(static_cast<std::size_t>(model.freedom_count()));
  for (const Joint& joint : model.joints()) {
    const Rows rows =
        joint.speed_rows(view_of(joint, c), c.coordinates.data() + joint.first_freedom);
    for (int k = 0; k < rows.count; ++k)
      result.joints[static_cast<std::size_t>(joint.first_freedom + k)] =
          rows[k].rate(motion.accelerations[joint.a.slot()], motion.accelerations[joint.b.slot()]) +
          rows[k].gamma;
  }
  for (const BodyId root : subject.topology().floating_roots)
    result.roots.push_back(motion.accelerations[root.slot()]);
  return result;
}

TEST(InverseDynamics, UndoesForwardDynamics) {
  // A mechanism left to its own loads needs no further force. Rounding times conditions of up to 1e4 and masses up to 100.
  constexpr double kRounding = 1e-8;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const Description d =
        testing::random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 12),
                                         .floating = seed % 3 == 0,
                                         .forces = seed % 2 == 0,
                                         .drives = seed % 4 < 2,
                                         .mass_ratio = 100});
    for (const std::string method : {"order-n", "reference"}) {
      Subject subject(d, method);
      const Motion motion = subject.motion();
      const InverseDynamics inverse =
          inverse_dynamics(subject.model(), subject.topology(), 0, motion.configuration,
                           accelerations_of(subject, motion));
      for (const double force : inverse.forces) EXPECT_NEAR(force, 0, kRounding);
      for (const Vec6& wrench : inverse.roots) EXPECT_LE(wrench.norm(), kRounding);
      for (std::size_t j = 0; j < motion.reactions.size(); ++j)
        EXPECT_LE((inverse.reactions[j] - motion.reactions[j]).norm(),
                  kRounding * (1 + motion.reactions[j].norm()));
    }
    if (HasFailure()) return;
  }
}

TEST(InverseDynamics, ForwardDynamicsUndoesIt) {
  // Forces found for random accelerations, put on as torques, give those accelerations back.
  constexpr double kRounding = 1e-8;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Description d = testing::random_mechanism(
        seed, {.bodies = 1 + static_cast<int>(seed % 9), .forces = true, .mass_ratio = 100});
    const Model model(d);
    const Topology topology = analyse_topology(model);
    const Configuration c = assemble(model, topology).configuration;
    JointAccelerations wished;
    for (int i = 0; i < model.freedom_count(); ++i)
      wished.joints.push_back(std::sin(seed + 3.0 * i));
    const InverseDynamics inverse = inverse_dynamics(model, topology, 0, c, wished);
    for (const Joint& joint : model.joints())
      for (int k = 0; k < joint.nv(); ++k) {
        const std::string& name = joint_coordinate_names(joint.type())[static_cast<std::size_t>(k)];
        d.add_force(
            joint.name + name,
            JointTorqueDescription{
                .joint = joint.name,
                .coordinate = name,
                .value = inverse.forces[static_cast<std::size_t>(joint.first_freedom + k)]});
      }
    for (const std::string method : {"order-n", "reference"}) {
      Subject subject(d, method);
      const JointAccelerations found = accelerations_of(subject, subject.motion());
      for (std::size_t i = 0; i < found.joints.size(); ++i)
        EXPECT_NEAR(found.joints[i], wished.joints[i], kRounding);
    }
    if (HasFailure()) return;
  }
}

TEST(InverseDynamics, HoldsAPendulumLevel) {
  // A rod of 2 kg and 1 m held level takes m g l / 2.
  Description d;
  d.add_body(rod("rod", {0, 0, 0}, {1, 0, 0}, 2));
  d.add_joint(joint("hinge", JointType::kRevolute, "ground", "rod", {0, 0, 0}, -Vec3::UnitY()));
  const Model model(d);
  const InverseDynamics inverse = inverse_dynamics(
      model, analyse_topology(model), 0, model.reference_configuration(), {.joints = {0.0}});
  EXPECT_NEAR(inverse.forces[0], 2 * 9.81 * 0.5, 1e-12);
  EXPECT_NEAR(inverse.reactions[0][5], 2 * 9.81, 1e-12);
}

TEST(InverseDynamics, TellsWhatADriveSupplies) {
  // A rod of 2 kg and 1 m swung about its end in free space: torque m l²/3 times the acceleration.
  Description d;
  d.gravity.setZero();
  d.add_body(rod("rod", {0, 0, 0}, {1, 0, 0}, 2));
  d.add_joint(joint("hinge", JointType::kRevolute, "ground", "rod"));
  d.add_force("swing", MotionDescription{"hinge", "angle",
                                         TimeFunction(TimeFunction::Sine{0.5, 3.0, 0.2, 0.0})});
  Subject subject(d, "order-n");
  const Motion motion = subject.motion();
  const double acceleration = -0.5 * 9 * std::sin(0.2);
  const InverseDynamics inverse =
      inverse_dynamics(subject.model(), subject.topology(), 0, motion.configuration,
                       accelerations_of(subject, motion));
  EXPECT_NEAR(inverse.forces[0], 2.0 / 3 * acceleration, 1e-12);
}

TEST(InverseDynamics, TellsWhatPushesAFloatingBody) {
  // Newton and Euler for one brick: f = m (a − g), τ = J ω̇ + ω × J ω.
  Description d;
  d.add_body(brick("loose"));
  const Vec3 omega(1, 2, 3);
  d.bodies[0].angular_velocity = omega;
  const Model model(d);
  Vec6 A;
  A << 0.1, 0.2, 0.3, 1, 2, 3;
  const InverseDynamics inverse =
      inverse_dynamics(model, analyse_topology(model), 0, model.reference_configuration(),
                       {.joints = {}, .roots = {A}});
  const Mat3 J = d.bodies[0].inertia;
  const Vec3 torque = J * A.head<3>() + omega.cross(J * omega);
  const Vec3 force = d.bodies[0].mass * (A.tail<3>() - d.gravity);
  EXPECT_LT((inverse.roots[0].head<3>() - torque).norm(), 1e-13);
  EXPECT_LT((inverse.roots[0].tail<3>() - force).norm(), 1e-13);
}

TEST(InverseDynamics, WrongNumbersOfAccelerationsAndLoopsAreRefused) {
  Description d;
  d.add_body(brick("loose"));
  const Model model(d);
  const Topology topology = analyse_topology(model);
  EXPECT_THROW(inverse_dynamics(model, topology, 0, model.reference_configuration(), {}),
               UsageError);
  const Model loop(ring({{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}, same(4, Vec3::UnitZ())));
  JointAccelerations accelerations;
  accelerations.joints.resize(4);
  EXPECT_THROW(inverse_dynamics(loop, analyse_topology(loop), 0, loop.reference_configuration(),
                                accelerations),
               UsageError);
}

}  // namespace
}  // namespace sarrus
