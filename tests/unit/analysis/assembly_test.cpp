#include "sarrus/analysis/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sarrus/constraints/constraint_system.h"
#include "sarrus/model/loads.h"
#include "unit/constraints/dense.h"
#include "unit/model/fence.h"
#include "unit/model/mechanisms.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::HasSubstr;

// Some dozen roundings of lengths up to three.
constexpr double kClosed = 1e-13;

// Rounding of velocities of size ten, with condition numbers up to 1e3.
constexpr double kVelocityRounding = 1e-11;

/// Distance between the two points of every joint, from the poses alone.
double widest_gap(const Model& model, const Configuration& c) {
  double most = 0;
  for (const Joint& joint : model.joints()) {
    const Transform F = c.poses[static_cast<std::size_t>(joint.a.index)] * joint.X_AF;
    const Transform M = c.poses[static_cast<std::size_t>(joint.b.index)] * joint.X_BM;
    most = std::max(most, (F.p - M.p).norm());
  }
  return most;
}

std::string error_of(const Description& d, int dense_joints = kDenseJoints) {
  try {
    const Model model(d);
    assemble(model, analyse_topology(model), dense_joints);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

/// The same mechanism with joints given by frames in the bodies, and the bodies elsewhere.
Description drawn_roughly(const Description& d, double size, unsigned seed) {
  const Model exact(d);
  Description rough = d;
  Configuration c = exact.reference_configuration();
  Random random(seed);
  disturb(c, size, random);
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    rough.joints[j].frame_a = exact.joints()[j].X_AF;
    rough.joints[j].frame_b = exact.joints()[j].X_BM;
  }
  for (std::size_t i = 0; i < d.bodies.size(); ++i) rough.bodies[i].pose = c.poses[i + 1];
  return rough;
}

/// Densely, and by elimination as large ones are.
class LoopAssembly : public ::testing::TestWithParam<int> {
 protected:
  static Assembly assembled(const Model& model) {
    return assemble(model, analyse_topology(model), GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, LoopAssembly, ::testing::Values(kDenseJoints, 0),
                         [](const auto& test) { return test.param == 0 ? "Tree" : "Dense"; });

TEST_P(LoopAssembly, OfAnExactDrawingMovesNothing) {
  const Model model(four_bar());
  const Assembly assembly = assembled(model);
  EXPECT_LT(assembly.moved, kClosed);
  EXPECT_LT(widest_gap(model, assembly.configuration), kClosed);
}

TEST_P(LoopAssembly, ClosesARoughDrawing) {
  for (unsigned seed = 0; seed < 5; ++seed)
    for (const Description& exact : {four_bar(), seven_bar()}) {
      const Model model(drawn_roughly(exact, 0.1, seed));
      EXPECT_GT(widest_gap(model, model.reference_configuration()), 1e-2);
      const Assembly assembly = assembled(model);
      EXPECT_LT(widest_gap(model, assembly.configuration), kClosed);
      EXPECT_LT(assembly.position_residual, kClosed);
      EXPECT_GT(assembly.moved, 1e-3);
    }
}

TEST_P(LoopAssembly, BringsAHeldCrankToAStartFarAway) {
  for (const double start : {-2.0, 0.1, 2.0, 7.0}) {
    Description d = four_bar();
    d.joints[0].start = {{"angle", start}};
    const Model model(d);
    const Configuration c = assembled(model).configuration;
    EXPECT_NEAR(c.coordinates[0], start, kClosed * 10);
    EXPECT_LT(widest_gap(model, c), kClosed);
    // The crank's pin, which stood at (0, 0, 1), has turned about y.
    const Vec3 pin(std::sin(start), 0, std::cos(start));
    EXPECT_LT((2 * c.poses[1].p - pin).norm(), kClosed * 10);
    // Still the same branch: the rocker's pin above the line from crank pin to pivot.
    const Vec3 rocker_pin = 2 * c.poses[3].p - Vec3(2.5, 0, 0);
    EXPECT_GT((Vec3(2.5, 0, 0) - pin).cross(rocker_pin - pin).y(), -10);
    EXPECT_LT((rocker_pin - Vec3(2.5, 0, 0)).cross(pin - Vec3(2.5, 0, 0)).y(), 0);
  }
}

TEST_P(LoopAssembly, ObeysPrescribedMotions) {
  Description d = four_bar();
  d.add_force(
      "drive",
      MotionDescription{.joint = "J1",
                        .value = TimeFunction::Shape(TimeFunction::Ramp{.from = 0.7, .rate = 3})});
  const Model model(d);
  const Configuration c = assembled(model).configuration;
  EXPECT_NEAR(c.coordinates[0], 0.7, kClosed);
  EXPECT_LT((c.velocities[1].head<3>() - Vec3(0, 3, 0)).norm(), kVelocityRounding);
}

TEST_P(LoopAssembly, GivesHeldSpeeds) {
  Description d = four_bar();
  d.joints[0].speed = {{"angle", -4.0}};
  const Model model(d);
  const Configuration c = assembled(model).configuration;
  EXPECT_LT((c.velocities[1].head<3>() - Vec3(0, -4, 0)).norm(), kVelocityRounding);
  // The coupler's two ends move with the crank's and the rocker's pin.
  for (const Joint& joint : model.joints()) {
    const auto at = [&](BodyId body, const Transform& X) -> Vec3 {
      const auto i = static_cast<std::size_t>(body.index);
      const Vec3 arm = c.poses[i].q * X.p;
      return c.velocities[i].tail<3>() + c.velocities[i].head<3>().cross(arm);
    };
    EXPECT_LT((at(joint.a, joint.X_AF) - at(joint.b, joint.X_BM)).norm(), kVelocityRounding);
  }
}

TEST_P(LoopAssembly, ChangesVelocitiesLeastInTheKineticMetric) {
  Random random(1);
  for (Description d : {four_bar(), seven_bar()}) {
    for (BodyDescription& body : d.bodies) {
      body.angular_velocity = random.vec3(2);
      body.velocity = random.vec3(2);
    }
    d.bodies[0].mass *= 10;
    const Model model(d);
    const Configuration c = assembled(model).configuration;
    const ConstraintSystem system(model);
    ConstraintValues values;
    system.evaluate(0, c, values);
    const MatX M = block_diagonal(mass_blocks(system, c));
    const VecX wished = system.velocities(model.reference_configuration());
    // The nearest allowed velocity: min ‖a − V‖ in the metric of M with J a = 0.
    const VecX nearest =
        solve_densely(M, values.J, system.row_scale(), M * wished, VecX::Zero(values.J.rows())).a;
    EXPECT_LT((system.velocities(c) - nearest).norm(), kVelocityRounding);
    EXPECT_GT(nearest.norm(), 1e-2);
  }
}

TEST_P(LoopAssembly, KeepsVelocitiesThatAreConsistent) {
  Description d = four_bar();
  d.joints[0].speed = {{"angle", 1.5}};
  const Model moving(d);
  const Configuration first = assembled(moving).configuration;
  Description again = four_bar();
  for (std::size_t i = 0; i < again.bodies.size(); ++i) {
    again.bodies[i].angular_velocity = first.velocities[i + 1].head<3>();
    again.bodies[i].velocity = first.velocities[i + 1].tail<3>();
  }
  const Model model(again);
  const Configuration second = assembled(model).configuration;
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_LT((second.velocities[i] - first.velocities[i]).norm(), kVelocityRounding);
}

TEST_P(LoopAssembly, RefusesSpeedsThatContradictEachOther) {
  Description d = four_bar();
  d.joints[0].speed = {{"angle", 1.0}};
  d.joints[3].speed = {{"angle", 5.0}};
  const std::string error = error_of(d, GetParam());
  EXPECT_THAT(error, HasSubstr("cannot have the speed asked for"));
  EXPECT_THAT(error, HasSubstr("joint 'J"));
}

TEST_P(LoopAssembly, RefusesAStartThatCannotBeReached) {
  // The rocker stands at 92° from the ground line and swings between 47° and 106°: a radian off is
  // out of reach to both sides.
  Description d = four_bar();
  d.joints[3].start = {{"angle", 1.0}};
  const std::string error = error_of(d, GetParam());
  EXPECT_THAT(error, HasSubstr("cannot be closed"));
  EXPECT_THAT(error, HasSubstr("joint 'J"));
  EXPECT_THAT(error, HasSubstr("held start values"));
}

TEST_P(LoopAssembly, NamesAJointOfTheLoopThatCannotClose) {
  Description d = drawn_roughly(four_bar(), 0.01, 1);
  d.joints[3].frame_b->p += Vec3(9, 0, 0);
  const std::string error = error_of(d, GetParam());
  EXPECT_THAT(error, HasSubstr("joint 'J"));
  EXPECT_THAT(error, HasSubstr("cannot be closed"));
}

/// The angular velocity of a joint's second body against its first, in the second frame's axes.
Vec3 turning_of(const Joint& joint, const Configuration& c) {
  const auto a = joint.a.slot(), b = joint.b.slot();
  const Quat R_M = c.poses[b].q * joint.X_BM.q;
  return R_M.conjugate() * (c.velocities[b] - c.velocities[a]).head<3>();
}

/// Bricks in a row, on spherical or free joints; in a loop where asked. Turned far at the start.
Description on_rotation_vectors(JointType type, bool loop, bool reversed) {
  Description d;
  d.add_body(brick("a")).add_body(brick("b", {1, 0, 0})).add_body(brick("c", {1, 1, 0}));
  const std::string first = reversed ? "a" : "ground", second = reversed ? "ground" : "a";
  d.add_joint(joint("one", type, first, second))
      .add_joint(joint("two", type, "a", "b", {1, 0, 0}))
      .add_joint(joint("three", JointType::kSpherical, "b", "c", {1, 1, 0}));
  if (loop) d.add_joint(joint("four", JointType::kSpherical, "ground", "c", {0, 0.5, 0}));
  d.joints[0].start = {{"rx", 1.2}, {"ry", -0.9}, {"rz", 1.7}};
  for (BodyDescription& body : d.bodies) body.angular_velocity = {0.3, -0.2, 0.5};
  return d;
}

// As results write them: with a rotation vector of 2.3 rad its rates would be others altogether.
TEST(HeldSpeeds, OfRotationVectorsAreAngularVelocities) {
  for (const JointType type : {JointType::kSpherical, JointType::kFree})
    for (const bool loop : {false, true})
      for (const bool reversed : {false, true})
        for (const int dense : {kDenseJoints, 0}) {
          SCOPED_TRACE(fmt::format("{} loop {} reversed {}", name_of(type), loop, reversed));
          Description d = on_rotation_vectors(type, loop, reversed);
          d.joints[0].speed = {{"rx", 1}, {"ry", 2}, {"rz", -3}};
          const Model model(d);
          const Configuration c = assemble(model, analyse_topology(model), dense).configuration;
          EXPECT_NEAR(c.coordinates[1], -0.9, kClosed);
          EXPECT_LT((turning_of(model.joints()[0], c) - Vec3(1, 2, -3)).norm(), kVelocityRounding);
        }
}

// The others go where the kinetic metric has them: for a brick that is free, where they were.
TEST(HeldSpeeds, OneComponentOfAnAngularVelocityLeavesTheOthers) {
  for (const JointType type : {JointType::kSpherical, JointType::kFree}) {
    Description d = on_rotation_vectors(type, false, false);
    d.bodies.resize(1);
    d.joints.resize(1);
    d.bodies[0].inertia = Mat3::Identity();
    d.joints[0].speed = {{"ry", 2}};
    const Model model(d);
    const Joint& joint = model.joints()[0];
    const Configuration c = assemble(model).configuration;
    // The brick is turned to the start with the velocity that was wished for in the world.
    const Quat R_M = c.poses[joint.b.slot()].q * joint.X_BM.q;
    Vec3 expected = R_M.conjugate() * d.bodies[0].angular_velocity;
    expected.y() = 2;
    EXPECT_LT((turning_of(joint, c) - expected).norm(), kVelocityRounding);
  }
}

TEST(HeldSpeeds, AnAngularVelocityBesideAMotionOfTheRotationVectorIsRefused) {
  Description d = on_rotation_vectors(JointType::kSpherical, false, false);
  d.joints[1].speed = {{"rx", 1}};
  d.add_force("drive", MotionDescription{.joint = "two", .coordinate = "rx", .value = 0.0});
  EXPECT_THAT(error_of(d), HasSubstr("motion 'drive' prescribes the rate of its rotation vector"));
}

TEST(LargeAssembly, ClosesALongFenceDrawnRoughly) {
  Description d = drawn_roughly(fence(200, Vec3(0.6, 0, 0.8)), 0.03, 1);
  d.joints[0].speed = {{"angle", 2.0}};
  const Model model(d);
  const Assembly assembly = assemble(model);
  constexpr double kLong = 100 * kClosed;  // for coordinates up to 200
  EXPECT_LT(widest_gap(model, assembly.configuration), kLong);
  EXPECT_LT(assembly.moved, 0.5);
  EXPECT_GT(assembly.moved, 1e-3);
  for (int i = 0; i <= 200; ++i) {  // all struts turn alike
    const Vec6& V =
        assembly.configuration.velocities[model.find_body(fmt::format("strut{}", i)).slot()];
    EXPECT_LT((V.head<3>() - Vec3(0, 2, 0)).norm(), 1e-9);
  }
}

TEST(LargeAssembly, NamesTheJointThatIsFarOff) {
  Description d = drawn_roughly(fence(60, Vec3(0.6, 0, 0.8)), 0.001, 1);
  d.joints[100].frame_b->p += Vec3(0, 0.5, 0);  // out of the plane
  const std::string error = error_of(d);
  EXPECT_THAT(error, HasSubstr("cannot be closed"));
  EXPECT_THAT(error, HasSubstr("joint '"));
}

/// A brick whose joint frame is turned against ground's.
Description turned(JointType type, double angle, const Vec3& axis) {
  Description d;
  d.add_body(brick("a"));
  d.add_joint(joint("seam", type, "ground", "a"));
  if (type == JointType::kHelical) d.joints[0].lead = 0.1;
  d.joints[0].frame_a = Transform{};
  d.joints[0].frame_b = Transform{Quat(Eigen::AngleAxisd(angle, axis)), Vec3::Zero()};
  return d;
}

TEST(Assembly, RefusesJointsThatCloseOnlyTheWrongWayRound) {
  constexpr double kHalf = std::numbers::pi;
  for (const JointType type : {JointType::kRevolute, JointType::kHelical, JointType::kCylindrical,
                               JointType::kPlanar, JointType::kPrismatic, JointType::kFixed})
    EXPECT_THAT(error_of(turned(type, kHalf, Vec3::UnitX())),
                HasSubstr("joint 'seam' closes only the wrong way round"))
        << name_of(type);
  for (const JointType type : {JointType::kPrismatic, JointType::kFixed})
    EXPECT_THAT(error_of(turned(type, kHalf, Vec3::UnitZ())), HasSubstr("wrong way round"));
}

TEST(Assembly, RefusesAWeldTurnedByAThird) {
  // The three rows of a weld also vanish where the axes change places.
  constexpr double kThird = 2 * std::numbers::pi / 3;
  EXPECT_THAT(error_of(turned(JointType::kFixed, kThird, Vec3(1, 1, 1).normalized())),
              HasSubstr("wrong way round"));
  EXPECT_THAT(error_of(turned(JointType::kFixed, -kThird, Vec3(1, 1, 1).normalized())),
              HasSubstr("joint 'seam'"));
}

TEST(Assembly, LetsTheSameHalfTurnBeWhereItIsAllowed) {
  constexpr double kHalf = std::numbers::pi;
  EXPECT_EQ(error_of(turned(JointType::kRevolute, kHalf, Vec3::UnitZ())), "");
  EXPECT_EQ(error_of(turned(JointType::kUniversal, kHalf, Vec3::UnitX())), "");
  EXPECT_EQ(error_of(turned(JointType::kFixed, 0.5, Vec3(1, 2, 3).normalized())), "");
}

}  // namespace
}  // namespace sarrus
