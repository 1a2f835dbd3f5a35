#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include "sarrus/io/model_file.h"

namespace sarrus {
namespace {

// A few roundings of numbers of order one.
constexpr double kRoundOff = 1e-14;
constexpr double kPi = std::numbers::pi;

Description parse(const std::string& text) {
  return parse_description("sarrus: 1\n" + text, "test.yaml");
}

BodyDescription parse_body(const std::string& keys) {
  return parse("bodies:\n  - {name: b, " + keys + "}").bodies.at(0);
}

JointDescription parse_joint(const std::string& keys) {
  return parse("joints:\n  - {name: J, bodies: [ground, b], " + keys + "}").joints.at(0);
}

template <class Force>
Force parse_force(const std::string& section, const std::string& keys) {
  return std::get<Force>(parse(section + ":\n  - {name: f, " + keys + "}").forces.at(0).what);
}

void expect_near(const MatX& a, const MatX& b) {
  EXPECT_LT((a - b).norm(), kRoundOff) << a << "\nagainst\n" << b;
}

Mat3 diagonal(double x, double y, double z) { return Vec3(x, y, z).asDiagonal(); }

// Bodies

TEST(ModelFileBody, HasDefaults) {
  const auto body = parse("bodies: [{name: b}]").bodies.at(0);
  EXPECT_EQ(body.mass, 0);
  EXPECT_EQ(body.inertia, Mat3::Zero());
  EXPECT_EQ(body.center_of_mass, Vec3::Zero());
  EXPECT_EQ(body.pose.p, Vec3::Zero());
  EXPECT_EQ(body.pose.q.coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(body.relative_to, "");
}

TEST(ModelFileBody, ReadsPlainKeys) {
  const auto body = parse_body(
      "mass: 2, center_of_mass: [1, 2, 3], position: [4, 5, 6], relative_to: other, "
      "velocity: [7, 8, 9], angular_velocity: [1, 0, -1]");
  EXPECT_EQ(body.mass, 2);
  EXPECT_EQ(body.center_of_mass, Vec3(1, 2, 3));
  EXPECT_EQ(body.pose.p, Vec3(4, 5, 6));
  EXPECT_EQ(body.relative_to, "other");
  EXPECT_EQ(body.velocity, Vec3(7, 8, 9));
  EXPECT_EQ(body.angular_velocity, Vec3(1, 0, -1));
}

TEST(ModelFileBody, TakesInertiaAsOneThreeOrSixNumbers) {
  EXPECT_EQ(parse_body("inertia: 2").inertia, 2 * Mat3::Identity());
  EXPECT_EQ(parse_body("inertia: [1, 2, 3]").inertia, diagonal(1, 2, 3));
  const Mat3 full = (Mat3() << 1, 4, 5, 4, 2, 6, 5, 6, 3).finished();
  EXPECT_EQ(parse_body("inertia: [1, 2, 3, 4, 5, 6]").inertia, full);
}

TEST(ModelFileBody, TakesEveryFormOfOrientation) {
  const Mat3 quarter = Eigen::AngleAxisd(kPi / 2, Vec3::UnitZ()).toRotationMatrix();
  for (const char* form : {
           "{axis: [0, 0, 3], angle: 90*deg}",
           "{quaternion: [1, 0, 0, 1]}",
           "{x: [0, 2, 0], z: [0, 0, 1]}",
           "{rpy: [0, 0, pi/2]}",
       }) {
    SCOPED_TRACE(form);
    expect_near(parse_body(std::string("orientation: ") + form).pose.R(), quarter);
  }
}

TEST(ModelFileBody, TurnsRollPitchYawAboutFixedAxes) {
  const Mat3 expected =
      (Eigen::AngleAxisd(0.3, Vec3::UnitZ()) * Eigen::AngleAxisd(0.2, Vec3::UnitY()) *
       Eigen::AngleAxisd(0.1, Vec3::UnitX()))
          .toRotationMatrix();
  expect_near(parse_body("orientation: {rpy: [0.1, 0.2, 0.3]}").pose.R(), expected);
}

TEST(ModelFileBody, DirectionsKeepZAndBendX) {
  const Mat3 R = parse_body("orientation: {x: [1, 0, 1], z: [0, 0, 1]}").pose.R();
  expect_near(R, Mat3::Identity());
}

TEST(ModelFileBody, KeepsUnitQuaternionsToTheBit) {
  const auto body =
      parse_body("orientation: {quaternion: [0.8816745987679437, -0, 0, -0.4718579255320243]}");
  EXPECT_EQ(body.pose.q.w(), 0.8816745987679437);
  EXPECT_TRUE(std::signbit(body.pose.q.x()));
}

TEST(ModelFileBody, StandsBetweenTwoPoints) {
  const auto flat = parse_body("from: [1, 0, 0], to: [1, 2, 0]");
  expect_near(flat.pose.p, Vec3(1, 1, 0));
  expect_near(flat.pose.q * Vec3::UnitX(), Vec3::UnitY());
  expect_near(flat.pose.q * Vec3::UnitZ(), Vec3::UnitZ());

  const auto slanted = parse_body("from: [0, 0, 0], to: [1, 0, 1]");
  expect_near(slanted.pose.q * Vec3::UnitZ(), Vec3(-1, 0, 1).normalized());

  const auto upright = parse_body("from: [0, 0, 0], to: [0, 0, -2]");
  expect_near(upright.pose.q * Vec3::UnitX(), -Vec3::UnitZ());
  expect_near(upright.pose.q * Vec3::UnitZ(), Vec3::UnitY());
}

TEST(ModelFileBody, ComputesTheInertiaOfSolids) {
  expect_near(parse_body("mass: 12, solid: {type: box, size: [1, 2, 3]}").inertia,
              diagonal(13, 10, 5));
  expect_near(parse_body("mass: 12, solid: {type: rod, length: 2}").inertia, diagonal(0, 4, 4));
  expect_near(parse_body("mass: 12, solid: {type: rod, length: 2, radius: 0}").inertia,
              diagonal(0, 4, 4));
  expect_near(parse_body("mass: 12, solid: {type: rod}, from: [0, 0, 0], to: [0, 2, 0]").inertia,
              diagonal(0, 4, 4));
  expect_near(parse_body("mass: 12, solid: {type: rod, radius: 1, length: 2}").inertia,
              diagonal(6, 7, 7));
  expect_near(parse_body("mass: 12, solid: {type: cylinder, radius: 1, length: 2}").inertia,
              diagonal(7, 7, 6));
  expect_near(parse_body("mass: 5, solid: {type: sphere, radius: 2}").inertia, diagonal(8, 8, 8));
}

TEST(ModelFileBody, ReadsShapes) {
  const auto shapes = parse_body(
                          "shapes: [{type: box, size: [1, 2, 3], position: [0, 0, 1],"
                          " color: \"#ff8000\"}, {type: sphere, radius: 2},"
                          " {type: cylinder, radius: 1, length: 4, orientation: {rpy: [pi, 0, 0]}},"
                          " {type: capsule, radius: 1, length: 3}, {type: mesh, file: a/b.obj}]")
                          .shapes;
  ASSERT_EQ(shapes.size(), 5u);
  EXPECT_EQ(shapes[0].kind, Shape::Kind::kBox);
  EXPECT_EQ(shapes[0].size, Vec3(1, 2, 3));
  EXPECT_EQ(shapes[0].X_BS.p, Vec3(0, 0, 1));
  EXPECT_EQ(shapes[0].color, "#ff8000");
  EXPECT_EQ(shapes[1].kind, Shape::Kind::kSphere);
  EXPECT_EQ(shapes[1].size, Vec3(2, 0, 0));
  EXPECT_EQ(shapes[2].kind, Shape::Kind::kCylinder);
  EXPECT_EQ(shapes[2].size, Vec3(1, 4, 0));
  expect_near(shapes[2].X_BS.q * Vec3::UnitZ(), -Vec3::UnitZ());
  EXPECT_EQ(shapes[3].kind, Shape::Kind::kCapsule);
  EXPECT_EQ(shapes[4].kind, Shape::Kind::kMesh);
  EXPECT_EQ(shapes[4].mesh, "a/b.obj");
}

// Joints

TEST(ModelFileJoint, TakesEveryType) {
  for (const std::string& type : joint_type_names()) {
    SCOPED_TRACE(type);
    std::string keys = "at: [1, 2, 3], type: " + type;
    if (type == "universal") keys += ", axis: [1, 0, 0], axis2: [0, 1, 0]";
    if (type == "helical") keys += ", lead: 0.01";
    const auto joint = parse_joint(keys);
    EXPECT_EQ(name_of(joint.type), type);
    EXPECT_EQ(joint.body_a, "ground");
    EXPECT_EQ(joint.body_b, "b");
    EXPECT_EQ(joint.at.p, Vec3(1, 2, 3));
    EXPECT_EQ(joint.at.q.coeffs(), Quat::Identity().coeffs());
    EXPECT_FALSE(joint.frame_a.has_value());
    EXPECT_EQ(joint.cut, CutPreference::kAuto);
    EXPECT_EQ(joint.lead, type == "helical" ? 0.01 : 0);
  }
}

TEST(ModelFileJoint, PutsZAlongTheAxisAndXNearTheHint) {
  const auto plain = parse_joint("type: revolute, at: [0, 0, 0], axis: [0, 2, 0]").at.R();
  expect_near(plain.col(2), Vec3::UnitY());
  expect_near(plain.col(0), Vec3::UnitX());
  const auto along_x = parse_joint("type: revolute, at: [0, 0, 0], axis: [1, 0, 0]").at.R();
  expect_near(along_x.col(0), Vec3::UnitY());
  const auto hinted =
      parse_joint("type: planar, at: [0, 0, 0], axis: [0, 0, 1], x_axis: [0, 3, 1]").at.R();
  expect_near(hinted.col(0), Vec3::UnitY());
}

TEST(ModelFileJoint, UniversalAxesAreXAndY) {
  const auto R =
      parse_joint("type: universal, at: [0, 0, 0], axis: [0, 0, 2], axis2: [1, 0, 0]").at.R();
  expect_near(R.col(0), Vec3::UnitZ());
  expect_near(R.col(1), Vec3::UnitX());
  const auto turned =
      parse_joint("type: universal, at: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: pi/2}");
  expect_near(turned.at.q * Vec3::UnitX(), Vec3::UnitY());
}

TEST(ModelFileJoint, TakesAFrameOnEachBody) {
  const auto joint =
      parse_joint("type: spherical, frames: [{at: [1, 0, 0]}, {at: [0, 1, 0], axis: [1, 0, 0]}]");
  ASSERT_TRUE(joint.frame_a && joint.frame_b);
  EXPECT_EQ(joint.frame_a->p, Vec3(1, 0, 0));
  EXPECT_EQ(joint.frame_b->p, Vec3(0, 1, 0));
  expect_near(joint.frame_b->q * Vec3::UnitZ(), Vec3::UnitX());
}

TEST(ModelFileJoint, ReadsCoordinates) {
  const auto one = parse_joint(
      "type: revolute, at: [0, 0, 0], reference: 0.3, start: {angle: 45*deg}, "
      "speed: -1, cut: forbid");
  EXPECT_EQ(one.reference, (CoordinateValues{{"angle", 0.3}}));
  EXPECT_EQ(one.start, (CoordinateValues{{"angle", 45 * (kPi / 180)}}));
  EXPECT_EQ(one.speed, (CoordinateValues{{"angle", -1}}));
  EXPECT_EQ(one.cut, CutPreference::kForbid);
  const auto two = parse_joint("type: cylindrical, at: [0, 0, 0], start: {angle: 1, slide: 2}");
  EXPECT_EQ(two.start, (CoordinateValues{{"angle", 1}, {"slide", 2}}));
}

// Forces and drives

TEST(ModelFileForce, ReadsSprings) {
  const auto s = parse_force<PointSpringDescription>(
      "forces",
      "type: spring, bodies: [ground, b], points: [[1, 2, 3], [4, 5, 6]], stiffness: 7, "
      "damping: 8, rest_length: 9");
  EXPECT_EQ(s.body_a, "ground");
  EXPECT_EQ(s.body_b, "b");
  EXPECT_EQ(s.point_a, Vec3(1, 2, 3));
  EXPECT_EQ(s.point_b, Vec3(4, 5, 6));
  EXPECT_EQ(s.stiffness, 7);
  EXPECT_EQ(s.damping, 8);
  EXPECT_EQ(s.rest_length, 9);
  const auto loose = parse_force<PointSpringDescription>(
      "forces", "type: spring, bodies: [a, b], points: [[0, 0, 0], [1, 0, 0]], damping: 1");
  EXPECT_FALSE(loose.rest_length.has_value());
  const auto j = parse_force<JointSpringDescription>(
      "forces", "type: joint_spring, joint: J, coordinate: angle, stiffness: 2, rest: 0.1");
  EXPECT_EQ(j.joint, "J");
  EXPECT_EQ(j.coordinate, "angle");
  EXPECT_EQ(j.stiffness, 2);
  EXPECT_EQ(j.rest, 0.1);
}

TEST(ModelFileForce, ReadsFriction) {
  const auto f =
      parse_force<JointFrictionDescription>("forces", "type: friction, joint: J, viscous: 1");
  EXPECT_EQ(f.viscous, 1);
  EXPECT_EQ(f.coulomb, 0);
  EXPECT_EQ(f.transition_speed, 1e-3);
  EXPECT_EQ(f.coordinate, "");
}

TEST(ModelFileForce, ReadsLoads) {
  const auto f = parse_force<AppliedForceDescription>(
      "forces",
      "type: force, body: b, point: [1, 0, 0], direction: [0, 0, 2], frame: body, "
      "value: {type: ramp, rate: 3}");
  EXPECT_EQ(f.body, "b");
  EXPECT_EQ(f.point, Vec3(1, 0, 0));
  EXPECT_EQ(f.direction, Vec3(0, 0, 2));
  EXPECT_EQ(f.frame, LoadFrame::kBody);
  EXPECT_EQ(std::get<TimeFunction::Ramp>(f.value.shape()).rate, 3);
  const auto t = parse_force<AppliedTorqueDescription>(
      "forces", "type: torque, body: b, direction: [1, 0, 0]");
  EXPECT_EQ(t.frame, LoadFrame::kWorld);
  EXPECT_EQ(t.value(0).value, 1);
}

TEST(ModelFileDrive, ReadsDrives) {
  const auto t =
      parse_force<JointTorqueDescription>("drives", "type: torque, joint: J, value: 2*3");
  EXPECT_EQ(t.value(0).value, 6);
  const auto m = parse_force<MotorDescription>(
      "drives", "type: motor, joint: J, target: 1, stiffness: 10, damping: 2");
  EXPECT_EQ(m.target(0).value, 1);
  EXPECT_EQ(m.stiffness, 10);
  EXPECT_EQ(m.damping, 2);
  const auto q = parse_force<MotionDescription>(
      "drives",
      "type: motion, joint: J, coordinate: slide, value: {type: sine, amplitude: 1, "
      "angular_frequency: 2*pi}");
  EXPECT_EQ(q.coordinate, "slide");
  EXPECT_EQ(std::get<TimeFunction::Sine>(q.value.shape()).angular_frequency, 2 * kPi);
}

TEST(ModelFileFunction, ReadsEveryType) {
  const auto shape = [](const std::string& function) {
    return parse_force<JointTorqueDescription>("drives",
                                               "type: torque, joint: J, value: " + function)
        .value.shape();
  };
  EXPECT_EQ(std::get<TimeFunction::Constant>(shape("{type: constant, value: 4}")).value, 4);
  const auto step =
      std::get<TimeFunction::Step>(shape("{type: step, from: 1, to: 2, at: 3, duration: 4}"));
  EXPECT_EQ(step.from + 10 * step.to + 100 * step.at + 1000 * step.duration, 4321);
  const auto ramp =
      std::get<TimeFunction::Ramp>(shape("{type: ramp, from: 1, rate: 2, start: 3, stop: 4}"));
  EXPECT_EQ(ramp.from + 10 * ramp.rate + 100 * ramp.start + 1000 * ramp.stop, 4321);
  const auto sine = std::get<TimeFunction::Sine>(
      shape("{type: sine, amplitude: 1, angular_frequency: 2, phase: 3, offset: 4}"));
  EXPECT_EQ(sine.amplitude + 10 * sine.angular_frequency + 100 * sine.phase + 1000 * sine.offset,
            4321);
  const auto table = std::get<TimeFunction::Table>(
      shape("{type: table, times: [0, 1, 2], values: [3, 4, 5], smooth: true}"));
  EXPECT_EQ(table.times, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(table.values, (std::vector<double>{3, 4, 5}));
  EXPECT_TRUE(table.smooth);
}

}  // namespace
}  // namespace sarrus
