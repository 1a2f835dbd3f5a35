#include "sarrus/model/loads.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/model/joint_cases.h"
#include "unit/model/mechanisms.h"
#include "unit/spatial/differences.h"

namespace sarrus {
namespace {

using namespace tests;

// Sums of a few dozen products of numbers up to ten.
constexpr double kLoadRounding = 1e-12;

/// Two bodies somewhere in the world with a joint between them and nothing else.
Description pair(JointType type, Random& random) {
  Description d;
  d.gravity.setZero();
  d.add_body(brick("a")).add_body(brick("b"));
  for (BodyDescription& body : d.bodies) {
    body.pose = random.pose();
    body.angular_velocity = random.vec3();
    body.velocity = random.vec3();
    body.center_of_mass = random.vec3(0.5);
  }
  d.add_joint(joint("j", type, "a", "b", random.vec3(), random.direction()));
  if (type == JointType::kHelical) d.joints[0].lead = 0.7;
  return d;
}

/// A pose off the joint's manifold, with velocities.
Configuration disturbed(const Model& model, Random& random) {
  Configuration c = model.reference_configuration();
  disturb(c, 0.3, random);
  update_coordinates(model, c);
  return c;
}

Configuration moved(const Configuration& c, const std::vector<Vec6>& twists, double t) {
  Configuration result = c;
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    const Vec3 w = twists[i].head<3>();
    result.poses[i].q = Quat(Eigen::AngleAxisd(t * w.norm(), w.normalized())) * c.poses[i].q;
    result.poses[i].p += t * twists[i].tail<3>();
  }
  return result;
}

/// −dV/dt along a motion, against the loads' power.
void expect_loads_are_the_gradient(const Model& model, const Configuration& c, Random& random) {
  Loads loads;
  compute_loads(model, 0, c, loads);
  EXPECT_EQ(loads.supplied_power, 0);
  for (int i = 0; i < 6; ++i) {
    std::vector<Vec6> twists(c.poses.size(), Vec6::Zero());
    double power = 0;
    for (std::size_t b = 1; b < twists.size(); ++b) {
      twists[b] = random.vec6();
      power += twists[b].dot(loads.body[b]);
    }
    const auto energy = [&](double t) { return potential_energy(model, moved(c, twists, t)); };
    EXPECT_NEAR(power, -derivative(energy, 0), 10 * kDifferenceError);
  }
}

TEST(Gravity, PullsAtTheMassCentre) {
  Random random(1);
  Description d = pair(JointType::kFree, random);
  d.gravity = Vec3(1, -2, -9);
  const Model model(d);
  const Configuration c = disturbed(model, random);
  Loads loads;
  compute_loads(model, 0, c, loads);
  const Vec3 weight = 2 * d.gravity;
  EXPECT_LT((loads.body[1].tail<3>() - weight).norm(), kLoadRounding);
  EXPECT_LT((loads.body[1].head<3>() - (c.poses[1].R() * d.bodies[0].center_of_mass).cross(weight))
                .norm(),
            kLoadRounding);
  expect_loads_are_the_gradient(model, c, random);
}

TEST(PointSpring, IsTheGradientOfItsEnergy) {
  Random random(2);
  Description d = pair(JointType::kFree, random);
  d.add_force("k", PointSpringDescription{.body_a = "a",
                                          .body_b = "b",
                                          .point_a = random.vec3(),
                                          .point_b = random.vec3(),
                                          .stiffness = 30,
                                          .rest_length = 0.4});
  d.add_force(
      "g", PointSpringDescription{
               .body_b = "b", .point_a = random.vec3(), .point_b = random.vec3(), .stiffness = 20});
  const Model model(d);
  const Configuration c = disturbed(model, random);
  EXPECT_GT(potential_energy(model, c), 0);
  expect_loads_are_the_gradient(model, c, random);
}

TEST(PointSpring, IsSilentAtItsRestLength) {
  Random random(3);
  Description d = pair(JointType::kFree, random);
  d.add_force(
      "k", PointSpringDescription{
               .body_b = "b", .point_a = random.vec3(), .point_b = random.vec3(), .stiffness = 30});
  const Model model(d);
  Loads loads;
  compute_loads(model, 0, model.reference_configuration(), loads);
  EXPECT_LT(loads.body[2].norm(), kLoadRounding * 30);
}

TEST(PointSpring, OfNoLengthPushesNowhere) {
  Random random(4);
  Description d = pair(JointType::kFree, random);
  d.add_force("k", PointSpringDescription{.body_b = "b",
                                          .point_a = d.bodies[1].pose.p,
                                          .point_b = d.bodies[1].pose.p,
                                          .stiffness = 30,
                                          .rest_length = 0.5});
  const Model model(d);
  Loads loads;
  compute_loads(model, 0, model.reference_configuration(), loads);
  EXPECT_TRUE(loads.body[2].allFinite());
}

TEST(PointDamper, TakesItsForceTimesItsRate) {
  Random random(5);
  Description d = pair(JointType::kFree, random);
  d.add_force("k", PointSpringDescription{.body_a = "a",
                                          .body_b = "b",
                                          .point_a = random.vec3(),
                                          .point_b = random.vec3(),
                                          .damping = 3});
  const Model model(d);
  const Configuration c = disturbed(model, random);
  Loads loads;
  compute_loads(model, 0, c, loads);
  const auto length = [&](double t) {
    const Configuration now = moved(c, c.velocities, t);
    const PointSpring& spring = model.point_springs()[0];
    return (now.poses[1] * spring.point_a - now.poses[2] * spring.point_b).norm();
  };
  const double rate = derivative(length, 0);
  EXPECT_NEAR(loads.supplied_power, -3 * rate * rate, 10 * kDifferenceError);
  EXPECT_NEAR(loads.body[1].dot(c.velocities[1]) + loads.body[2].dot(c.velocities[2]),
              -3 * rate * rate, 10 * kDifferenceError);
}

class JointLoads : public ::testing::TestWithParam<JointType> {};

INSTANTIATE_TEST_SUITE_P(Types, JointLoads,
                         ::testing::ValuesIn(all_joint_types().begin(),
                                             all_joint_types().end() - 1),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST_P(JointLoads, OfSpringsAreTheGradientOfTheirEnergy) {
  Random random(6);
  for (const std::string& name : joint_coordinate_names(GetParam())) {
    Description d = pair(GetParam(), random);
    d.add_force(
        "k", JointSpringDescription{.joint = "j", .coordinate = name, .stiffness = 7, .rest = 0.3});
    const Model model(d);
    const Configuration c = disturbed(model, random);
    EXPECT_GT(potential_energy(model, c), 0);
    expect_loads_are_the_gradient(model, c, random);
  }
}

TEST_P(JointLoads, AreEqualAndOpposite) {
  Random random(7);
  Description d = pair(GetParam(), random);
  int count = 0;
  for (const std::string& name : joint_coordinate_names(GetParam())) {
    const std::string number = std::to_string(count++);
    d.add_force("k" + number, JointSpringDescription{"j", name, 7, 0.3});
    d.add_force("f" + number, JointFrictionDescription{"j", name, 0.5, 0.4, 0.1});
    d.add_force("t" + number, JointTorqueDescription{"j", name, 1.5});
    d.add_force("m" + number, MotorDescription{"j", name, 0.2, 3, 0.6});
  }
  const Model model(d);
  const Configuration c = disturbed(model, random);
  Loads loads;
  compute_loads(model, 0, c, loads);
  const Vec6 on_a = shift_force(loads.body[1], -c.poses[1].p);
  const Vec6 on_b = shift_force(loads.body[2], -c.poses[2].p);
  EXPECT_GT(on_b.norm(), 0.1);
  EXPECT_LT((on_a + on_b).norm(), kLoadRounding);
  EXPECT_LT((loads.joint[0] - loads.body[2]).norm(), kLoadRounding);
}

TEST_P(JointLoads, SupplyTheirForceTimesTheirSpeed) {
  Random random(8);
  const auto& names = joint_coordinate_names(GetParam());
  for (std::size_t k = 0; k < names.size(); ++k) {
    Description d = pair(GetParam(), random);
    d.add_force("f", JointFrictionDescription{"j", names[k], 0.5, 0.4, 0.1});
    d.add_force("t", JointTorqueDescription{
                         "j", names[k], TimeFunction::Shape(TimeFunction::Sine{2, 3, 0.1, 0.5})});
    d.add_force("m", MotorDescription{"j", names[k], 0.2, 3, 0.6});
    const Model model(d);
    const Configuration c = disturbed(model, random);
    Loads loads;
    const double t = 0.4;
    compute_loads(model, t, c, loads);
    const double power = loads.body[1].dot(c.velocities[1]) + loads.body[2].dot(c.velocities[2]);
    EXPECT_NEAR(loads.supplied_power, power, kLoadRounding);
  }
}

TEST_P(JointLoads, FollowTheirLaws) {
  // A law's force along one coordinate, read off as the power of a motion along it.
  Random random(9);
  const auto& names = joint_coordinate_names(GetParam());
  for (std::size_t k = 0; k < names.size(); ++k) {
    Description d = pair(GetParam(), random);
    d.add_force("k", JointSpringDescription{"j", names[k], 7, 0.3});
    d.add_force("m", MotorDescription{"j", names[k],
                                      TimeFunction::Shape(TimeFunction::Ramp{.from = 1, .rate = 2}),
                                      3, 0.6});
    const Model model(d);
    const Configuration c = disturbed(model, random);
    const Joint& j = model.joints()[0];
    const auto coordinate = [&](double t) {
      const Configuration now = moved(c, c.velocities, t);
      return j.coordinate_rows(view_of(j, now), c.coordinates.data())[static_cast<int>(k)].value;
    };
    const double q = coordinate(0), rate = derivative(coordinate, 0);
    const double t = 0.5;
    const double force = -7 * (q - 0.3) + 3 * (1 + 2 * t - q) + 0.6 * (2 - rate);
    Loads loads;
    compute_loads(model, t, c, loads);
    const double power = loads.body[1].dot(c.velocities[1]) + loads.body[2].dot(c.velocities[2]);
    EXPECT_NEAR(power, force * rate, 10 * kDifferenceError);
  }
}

TEST(Friction, IsViscousAndCoulomb) {
  Description d;
  d.gravity.setZero();
  d.add_body(brick("a"));
  d.bodies[0].angular_velocity = Vec3(0, 0, 0.05);
  d.add_joint(joint("j", JointType::kRevolute, "ground", "a"));
  d.add_force("f", JointFrictionDescription{"j", "", 2, 3, 0.1});
  const Model model(d);
  Loads loads;
  compute_loads(model, 0, model.reference_configuration(), loads);
  const double torque = -2 * 0.05 - 3 * std::tanh(0.5);
  EXPECT_NEAR(loads.body[1][2], torque, kLoadRounding);
  EXPECT_NEAR(loads.body[0][2], -torque, kLoadRounding);
  EXPECT_NEAR(loads.supplied_power, torque * 0.05, kLoadRounding);
}

TEST(AppliedForce, ActsAtItsPointInItsFrame) {
  Random random(10);
  for (const LoadFrame frame : {LoadFrame::kWorld, LoadFrame::kBody}) {
    Description d = pair(JointType::kFree, random);
    const Vec3 direction = random.vec3();
    d.add_force("f", AppliedForceDescription{
                         .body = "b",
                         .point = random.vec3(),
                         .direction = direction,
                         .frame = frame,
                         .value = TimeFunction::Shape(TimeFunction::Ramp{.from = 1, .rate = 2})});
    const Model model(d);
    const Configuration c = disturbed(model, random);
    Loads loads;
    compute_loads(model, 1, c, loads);
    const Vec3 force =
        3 * (frame == LoadFrame::kWorld ? direction : Vec3(c.poses[2].q * direction));
    EXPECT_LT((loads.body[2].tail<3>() - force).norm(), kLoadRounding);
    const auto point = [&](double t) -> Vec3 {
      return moved(c, c.velocities, t).poses[2] * model.applied_forces()[0].point;
    };
    EXPECT_NEAR(loads.supplied_power, force.dot(derivative(point, 0)), 10 * kDifferenceError);
    EXPECT_NEAR(loads.supplied_power, loads.body[2].dot(c.velocities[2]), kLoadRounding);
  }
}

TEST(AppliedTorque, TurnsInItsFrame) {
  Random random(11);
  for (const LoadFrame frame : {LoadFrame::kWorld, LoadFrame::kBody}) {
    Description d = pair(JointType::kFree, random);
    const Vec3 direction = random.vec3();
    d.add_force("f", AppliedTorqueDescription{
                         .body = "b", .direction = direction, .frame = frame, .value = 2.0});
    const Model model(d);
    const Configuration c = disturbed(model, random);
    Loads loads;
    compute_loads(model, 0, c, loads);
    const Vec3 torque =
        2 * (frame == LoadFrame::kWorld ? direction : Vec3(c.poses[2].q * direction));
    EXPECT_LT((loads.body[2] - spatial(torque, Vec3::Zero())).norm(), kLoadRounding);
    EXPECT_NEAR(loads.supplied_power, torque.dot(c.velocities[2].head<3>()), kLoadRounding);
  }
}

TEST(Energy, DoesNotDependOnWhereTheWorldStands) {
  // Turn and shift everything, gravity too: kinetic energy stays, potential energy shifts by a
  // constant, and all wrenches turn along.
  Random random(12);
  Description d = pair(JointType::kUniversal, random);
  d.gravity = random.vec3(9);
  d.add_force("k", JointSpringDescription{"j", "angle2", 7, 0.3});
  d.add_force("p", PointSpringDescription{.body_a = "a",
                                          .body_b = "b",
                                          .point_a = random.vec3(),
                                          .point_b = random.vec3(),
                                          .stiffness = 4,
                                          .damping = 2});
  const Model model(d);
  const Configuration c = disturbed(model, random);
  const Quat turn = random.rotation();
  const Mat3 R = turn.toRotationMatrix();
  Description turned = d;
  turned.gravity = R * d.gravity;
  const Vec3 shift = random.vec3();
  Configuration k = c;
  for (std::size_t i = 1; i < c.poses.size(); ++i) {
    k.poses[i] = {turn * c.poses[i].q, R * c.poses[i].p + shift};
    k.velocities[i] = rotated(R, c.velocities[i]);
  }
  const Model other(turned);
  EXPECT_NEAR(kinetic_energy(other, k), kinetic_energy(model, c), kLoadRounding);
  EXPECT_NEAR(potential_energy(other, k),
              potential_energy(model, c) - 4 * shift.dot(turned.gravity), 10 * kLoadRounding);
  Loads before, after;
  compute_loads(model, 0, c, before);
  compute_loads(other, 0, k, after);
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_LT((after.body[i] - rotated(R, before.body[i])).norm(), 10 * kLoadRounding);
  EXPECT_NEAR(after.supplied_power, before.supplied_power, kLoadRounding);
}

TEST(GyroscopicWrench, IsWhatChangesMomentumAtConstantTwist) {
  // Momentum of a body about a world point, differentiated with ω and the origin's velocity constant.
  Random random(13);
  const Inertia inertia{1.5, random.vec3(), Vec3(0.2, 0.3, 0.4).asDiagonal()};
  const Quat q = random.rotation();
  const Vec3 w = random.vec3();
  const auto momentum = [&](double t) -> Vec6 {
    const Mat3 R = (Quat(Eigen::AngleAxisd(t * w.norm(), w.normalized())) * q).toRotationMatrix();
    const Vec3 arm = R * inertia.center;
    const Vec3 linear_part = inertia.mass * w.cross(arm);
    const Vec3 angular_part = R * inertia.central * R.transpose() * w + arm.cross(linear_part);
    return spatial(angular_part, linear_part);
  };
  EXPECT_LT((gyroscopic_wrench(inertia, q.toRotationMatrix(), w) - derivative(momentum, 0)).norm(),
            kDifferenceError);
}

}  // namespace
}  // namespace sarrus
