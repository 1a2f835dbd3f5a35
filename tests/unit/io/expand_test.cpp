#include "sarrus/io/expand.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "sarrus/io/model_file.h"

namespace sarrus {
namespace {

// Equality to the bit; sources are not compared, as the places differ.
bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool same(const Vec3& a, const Vec3& b) {
  return std::memcmp(a.data(), b.data(), 3 * sizeof(double)) == 0;
}
bool same(const Mat3& a, const Mat3& b) {
  return std::memcmp(a.data(), b.data(), 9 * sizeof(double)) == 0;
}
bool same(const Transform& a, const Transform& b) {
  return same(a.p, b.p) &&
         std::memcmp(a.q.coeffs().data(), b.q.coeffs().data(), 4 * sizeof(double)) == 0;
}

void expect_same(const BodyDescription& a, const BodyDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(same(a.mass, b.mass));
  EXPECT_TRUE(same(a.center_of_mass, b.center_of_mass));
  EXPECT_TRUE(same(a.inertia, b.inertia));
  EXPECT_TRUE(same(a.pose, b.pose));
  EXPECT_EQ(a.relative_to, b.relative_to);
  EXPECT_TRUE(same(a.angular_velocity, b.angular_velocity));
  EXPECT_TRUE(same(a.velocity, b.velocity));
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    EXPECT_EQ(a.shapes[i].kind, b.shapes[i].kind);
    EXPECT_TRUE(same(a.shapes[i].size, b.shapes[i].size));
    EXPECT_TRUE(same(a.shapes[i].X_BS, b.shapes[i].X_BS));
    EXPECT_EQ(a.shapes[i].color, b.shapes[i].color);
    EXPECT_EQ(a.shapes[i].mesh, b.shapes[i].mesh);
  }
}

void expect_same(const JointDescription& a, const JointDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.body_a, b.body_a);
  EXPECT_EQ(a.body_b, b.body_b);
  EXPECT_TRUE(same(a.at, b.at));
  ASSERT_EQ(a.frame_a.has_value(), b.frame_a.has_value());
  if (a.frame_a) {
    EXPECT_TRUE(same(*a.frame_a, *b.frame_a));
    EXPECT_TRUE(same(*a.frame_b, *b.frame_b));
  }
  EXPECT_TRUE(same(a.lead, b.lead));
  EXPECT_EQ(a.reference, b.reference);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.speed, b.speed);
  EXPECT_EQ(a.cut, b.cut);
}

void expect_same(const TimeFunction& a, const TimeFunction& b) {
  ASSERT_EQ(a.shape().index(), b.shape().index());
  for (const double t : {-1.0, 0.0, 0.3, 1.0, 1.7, 2.5, 1e6}) {
    EXPECT_TRUE(same(a(t).value, b(t).value));
    EXPECT_TRUE(same(a(t).rate, b(t).rate));
  }
  EXPECT_EQ(a.breakpoints(), b.breakpoints());
}

/// One overload for each kind of force; `b` holds the same kind.
struct ForceComparison {
  const ForceVariant& other;

  template <class Force>
  const Force& b() const {
    return std::get<Force>(other);
  }
  void operator()(const PointSpringDescription& a) const {
    const auto& c = b<PointSpringDescription>();
    EXPECT_EQ(a.body_a, c.body_a);
    EXPECT_EQ(a.body_b, c.body_b);
    EXPECT_TRUE(same(a.point_a, c.point_a) && same(a.point_b, c.point_b));
    EXPECT_TRUE(same(a.stiffness, c.stiffness) && same(a.damping, c.damping));
    EXPECT_EQ(a.rest_length, c.rest_length);
  }
  void operator()(const JointSpringDescription& a) const {
    expect_joint(a);
    const auto& c = b<JointSpringDescription>();
    EXPECT_TRUE(same(a.stiffness, c.stiffness) && same(a.rest, c.rest));
  }
  void operator()(const JointFrictionDescription& a) const {
    expect_joint(a);
    const auto& c = b<JointFrictionDescription>();
    EXPECT_TRUE(same(a.viscous, c.viscous) && same(a.coulomb, c.coulomb) &&
                same(a.transition_speed, c.transition_speed));
  }
  void operator()(const AppliedForceDescription& a) const {
    expect_load(a);
    EXPECT_TRUE(same(a.point, b<AppliedForceDescription>().point));
  }
  void operator()(const AppliedTorqueDescription& a) const { expect_load(a); }
  void operator()(const JointTorqueDescription& a) const {
    expect_joint(a);
    expect_same(a.value, b<JointTorqueDescription>().value);
  }
  void operator()(const MotorDescription& a) const {
    expect_joint(a);
    const auto& c = b<MotorDescription>();
    expect_same(a.target, c.target);
    EXPECT_TRUE(same(a.stiffness, c.stiffness) && same(a.damping, c.damping));
  }
  void operator()(const MotionDescription& a) const {
    expect_joint(a);
    expect_same(a.value, b<MotionDescription>().value);
  }

 private:
  template <class Force>
  void expect_joint(const Force& a) const {
    EXPECT_EQ(a.joint, b<Force>().joint);
    EXPECT_EQ(a.coordinate, b<Force>().coordinate);
  }
  template <class Load>
  void expect_load(const Load& a) const {
    EXPECT_EQ(a.body, b<Load>().body);
    EXPECT_TRUE(same(a.direction, b<Load>().direction));
    EXPECT_EQ(a.frame, b<Load>().frame);
    expect_same(a.value, b<Load>().value);
  }
};

void expect_same(const Description& a, const Description& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.title, b.title);
  EXPECT_TRUE(same(a.gravity, b.gravity));
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) expect_same(a.bodies[i], b.bodies[i]);
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) expect_same(a.joints[i], b.joints[i]);
  ASSERT_EQ(a.forces.size(), b.forces.size());
  for (std::size_t i = 0; i < a.forces.size(); ++i) {
    EXPECT_EQ(a.forces[i].name, b.forces[i].name);
    ASSERT_EQ(a.forces[i].what.index(), b.forces[i].what.index());
    std::visit(ForceComparison{b.forces[i].what}, a.forces[i].what);
  }
  ASSERT_EQ(a.subsystems.size(), b.subsystems.size());
  for (std::size_t i = 0; i < a.subsystems.size(); ++i) {
    EXPECT_EQ(a.subsystems[i].name, b.subsystems[i].name);
    EXPECT_EQ(a.subsystems[i].bodies, b.subsystems[i].bodies);
    EXPECT_EQ(a.subsystems[i].kind, b.subsystems[i].kind);
    EXPECT_EQ(a.subsystems[i].steps, b.subsystems[i].steps);
  }
  const SimulationDescription& s = a.simulation;
  const SimulationDescription& t = b.simulation;
  EXPECT_EQ(s.method, t.method);
  EXPECT_EQ(s.integrator, t.integrator);
  EXPECT_EQ(s.projection, t.projection);
  EXPECT_EQ(s.until, t.until);
  EXPECT_EQ(s.every, t.every);
  EXPECT_EQ(s.step, t.step);
  EXPECT_EQ(s.tolerance, t.tolerance);
}

void expect_round_trip(const Description& description) {
  const std::string text = expand(description);
  SCOPED_TRACE(text);
  const Description again = parse_description(text, "expanded.yaml");
  expect_same(description, again);
  EXPECT_EQ(expand(again), text);
}

TEST(Expand, WritesPlainYaml) {
  const Description d = parse_description(
      "sarrus: 1\nparameters: {m: 2}\nbodies:\n"
      "  - {repeat: {index: i, to: 2}, name: \"link{i}\", mass: m*i, position: [i/10, 0, 0]}\n"
      "joints:\n  - {name: J, type: revolute, bodies: [ground, link1], at: [0, 0, 0], start: 1}\n",
      "test.yaml");
  EXPECT_EQ(expand(d),
            "sarrus: 1\n"
            "name: model\n"
            "gravity: [0, 0, -9.81]\n"
            "\n"
            "bodies:\n"
            "  - name: link1\n"
            "    mass: 2\n"
            "    position: [0.1, 0, 0]\n"
            "  - name: link2\n"
            "    mass: 4\n"
            "    position: [0.2, 0, 0]\n"
            "\n"
            "joints:\n"
            "  - name: J\n"
            "    type: revolute\n"
            "    bodies: [ground, link1]\n"
            "    at: [0, 0, 0]\n"
            "    orientation: {quaternion: [1, 0, 0, 0]}\n"
            "    start: {angle: 1}\n");
}

// Every key of the format once, with numbers that do not end.
TEST(Expand, RoundTripKeepsEveryFieldToTheBit) {
  expect_round_trip(parse_description(
      R"(sarrus: 1
name: everything
title: "a: \"title\" with {{braces}}, é and \t tab"
gravity: [1/3, -9.81, sqrt(2)]
bodies:
  - {name: a, mass: 1/7, inertia: [1/3, 1/3, 1/3, 1/30, -1/31, 0], center_of_mass: [1/9, 0, -0]}
  - {name: b, mass: pi, solid: {type: box, size: [1/3, 1, 2]}, position: [1e-300, 1e300, 5e-324],
     orientation: {axis: [1, 2, 3], angle: 1/3}, relative_to: a, velocity: [1/3, 0, 0],
     angular_velocity: [0, -1/7, 0]}
  - {name: c, from: [0, 1/3, 0], to: [1/7, 0, -1/9], solid: {type: rod, radius: 1/90}, mass: 2,
     shapes: [{type: box, size: [1/3, 1, 1], color: "#12abEF"}, {type: sphere, radius: 1/3},
              {type: cylinder, radius: 1/3, length: 1/7, orientation: {rpy: [1, 2, 3]}},
              {type: capsule, radius: 1, length: 1/7, position: [0, 0, 1/3]},
              {type: mesh, file: "a b/c.obj"}]}
  - {name: "null"}
  - {name: "12"}
  - {name: "- x: #"}
joints:
  - {name: J1, type: revolute, bodies: [ground, a], at: [1/3, 0, 0], axis: [1, 1/3, 0],
     reference: 1/3, start: 1/7, speed: -1/9, cut: prefer}
  - {name: J2, type: universal, bodies: [a, b], at: [0, 0, 0], axis: [1, 1, 0], axis2: [-1, 1, 0],
     start: {angle1: 1/3, angle2: 0}}
  - {name: J3, type: helical, bodies: [b, c], at: [0, 0, 0], lead: 1/300, cut: forbid}
  - {name: J4, type: spherical, bodies: [c, a], frames: [{at: [1/3, 0, 0]}, {axis: [1, 2, 3]}]}
forces:
  - {name: f1, type: spring, bodies: [ground, a], points: [[1/3, 0, 0], [0, 1/7, 0]],
     stiffness: 100/3, damping: 1/3, rest_length: 1/3}
  - {name: f2, type: spring, bodies: [b, a], points: [[0, 0, 0], [0, 1, 0]], damping: 1/3}
  - {name: f3, type: joint_spring, joint: J1, coordinate: angle, stiffness: 1/3, rest: 1/7}
  - {name: f4, type: friction, joint: J1, viscous: 1/3, coulomb: 1/7, transition_speed: 1/900}
  - {name: f5, type: force, body: a, point: [1/3, 0, 0], direction: [0, 0, 1/3], frame: body,
     value: {type: step, from: 1/3, to: 2/3, at: 1/7, duration: 1/9}}
  - {name: f6, type: torque, body: a, direction: [0, 0, 1/3], value: {type: ramp, rate: 1/3}}
drives:
  - {name: d1, type: torque, joint: J1, value: {type: sine, amplitude: 1/3, angular_frequency: pi,
     phase: 1/7, offset: 1/9}}
  - {name: d2, type: motor, joint: J2, coordinate: angle1, stiffness: 1/3, damping: 1/7,
     target: {type: table, times: [0, 1/3, 2], values: [1/3, 1/7, 1/9], smooth: true}}
  - {name: d3, type: motion, joint: J3, value: {type: ramp, from: 1, rate: 1/3, start: 0, stop: 1/7}}
subsystems:
  - {name: both, bodies: [a, b], steps: 2*4}
  - {repeat: {index: i, to: 1}, name: "other {i}", bodies: [c], kind: "my own"}
simulation: {method: augmented-dca, until: 1/3, every: 1/700, integrator: rk4, step: 1/3000,
             tolerance: 1e-9, projection: off}
)",
      "test.yaml"));
}

TEST(Expand, RoundTripKeepsRandomPosesToTheBit) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Description d;
  for (int i = 0; i < 200; ++i) {
    BodyDescription body;
    body.name = "b" + std::to_string(i);
    body.mass = std::abs(normal(random));
    body.pose.q = Quat(normal(random), normal(random), normal(random), normal(random)).normalized();
    body.pose.p = Vec3(normal(random), normal(random), normal(random));
    d.add_body(body);
    JointDescription joint;
    joint.name = "J" + std::to_string(i);
    joint.body_b = body.name;
    joint.at = body.pose;
    d.add_joint(joint);
  }
  expect_round_trip(d);
}

}  // namespace
}  // namespace sarrus
