// Starts on singular positions, at rest and moving: those that motion can leave are left along the right
// branch, the others end the run at once and say why. Under every method.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sarrus/base/diagnostics.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/model_file.h"
#include "scenario/one_freedom.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

/// A four-bar linkage with all its pivots on the x axis: at 0, a and 1 + c, and 1. Its coupler is 1 + c − a
/// long, so that the shortest and the longest side are together as long as the others: two branches of its
/// motion meet here.
struct FlatFourBar {
  double a = 0.5, c = 0.5;  // a parallelogram
  std::string gravity = "[0, -9.81, 0]";
  std::string speed1 = "", speed4 = "";  // of the cranks
  double off = 0;                        // of the moving pivots, along y
  std::string bodies = "";
  std::string more = "";

  Model model() const {
    const auto speed = [](const std::string& value) {
      return value.empty() ? value : ", speed: " + value;
    };
    return Model(
        parse_description(fmt::format(R"(sarrus: 1
name: flat
gravity: {}
bodies:
  - {{name: left, mass: 1, inertia: 0.02, from: [0, 0, 0], to: [{a}, {off}, 0]}}
  - {{name: coupler, mass: 1, inertia: 0.02, from: [{a}, {off}, 0], to: [{c}, {off}, 0]}}
  - {{name: right, mass: 1, inertia: 0.02, from: [1, 0, 0], to: [{c}, {off}, 0]}}
{}
joints:
  - {{name: J1, type: revolute, bodies: [ground, left], at: [0, 0, 0]{}}}
  - {{name: J2, type: revolute, bodies: [left, coupler], at: [{a}, {off}, 0]}}
  - {{name: J3, type: revolute, bodies: [coupler, right], at: [{c}, {off}, 0]}}
  - {{name: J4, type: revolute, bodies: [ground, right], at: [1, 0, 0]{}}}
{}
)",
                                      gravity, bodies, speed(speed1), speed(speed4), more,
                                      fmt::arg("a", a), fmt::arg("c", 1 + c), fmt::arg("off", off)),
                          "flat.yaml"));
  }
};

constexpr const char* kAlong = "[9.81, 0, 0]";

/// A triangle of three bars that lie on one line: what a bar may do to first order leads nowhere.
Model flat_triangle(const std::string& velocity) {
  return Model(parse_description(R"(sarrus: 1
name: triangle
gravity: [0, -9.81, 0]
bodies:
  - {name: a, mass: 1, inertia: 0.02, from: [0, 0, 0], to: [2, 0, 0]}
  - {name: b, mass: 1, inertia: 0.02, from: [0, 0, 0], to: [1, 0, 0]}
  - {name: c, mass: 1, inertia: 0.02, from: [1, 0, 0], to: [2, 0, 0], velocity: )" +
                                     velocity + R"(}
joints:
  - {name: G, type: revolute, bodies: [ground, a], at: [0, 0, 0]}
  - {name: P, type: revolute, bodies: [a, b], at: [0, 0, 0]}
  - {name: Q, type: revolute, bodies: [b, c], at: [1, 0, 0]}
  - {name: R, type: revolute, bodies: [c, a], at: [2, 0, 0]}
)",
                                 "triangle.yaml"));
}

/// A platform on three legs that meet in a point when they are produced, their feet held by drives: it can
/// turn about that point to first order (a singular position of the second type).
Model platform() {
  return Model(parse_description(R"(sarrus: 1
name: platform
gravity: [0, -9.81, 0]
bodies:
  - {name: platform, mass: 1, inertia: 0.1, position: [0.1, 0.05, 0]}
  - repeat: {index: k, from: 0, to: 2}
    name: arm{k}
    mass: 0.5
    inertia: 0.01
    from: [2*cos(120*deg*k), 2*sin(120*deg*k), 0]
    to: [1.5*cos(120*deg*k), 1.5*sin(120*deg*k), 0]
  - repeat: {index: k, from: 0, to: 2}
    name: leg{k}
    mass: 0.5
    inertia: 0.01
    from: [1.5*cos(120*deg*k), 1.5*sin(120*deg*k), 0]
    to: [0.5*cos(120*deg*k), 0.5*sin(120*deg*k), 0]
joints:
  - repeat: {index: k, from: 0, to: 2}
    name: A{k}
    type: revolute
    bodies: [ground, "arm{k}"]
    at: [2*cos(120*deg*k), 2*sin(120*deg*k), 0]
  - repeat: {index: k, from: 0, to: 2}
    name: B{k}
    type: revolute
    bodies: ["arm{k}", "leg{k}"]
    at: [1.5*cos(120*deg*k), 1.5*sin(120*deg*k), 0]
  - repeat: {index: k, from: 0, to: 2}
    name: C{k}
    type: revolute
    bodies: ["leg{k}", platform]
    at: [0.5*cos(120*deg*k), 0.5*sin(120*deg*k), 0]
drives:
  - repeat: {index: k, from: 0, to: 2}
    name: hold{k}
    type: motion
    joint: A{k}
    coordinate: angle
    value: 0
)",
                                 "platform.yaml"));
}

class SingularStart : public ::testing::TestWithParam<std::string> {
 protected:
  /// Nothing where the method does not take the model.
  std::unique_ptr<Simulation> start(const Model& model, double tolerance = 1e-10) const {
    try {
      return std::make_unique<Simulation>(
          model, SimulationOptions{.method = GetParam(), .tolerance = tolerance, .until = 10});
    } catch (const UsageError&) {
      return nullptr;
    }
  }

  /// The run ends before it has begun, and the reason has all of these words in it.
  void expect_refused(const Model& model, const std::vector<std::string>& words) const {
    const auto simulation = start(model);
    if (!simulation) return;
    const Status status = simulation->advance_to(1);
    EXPECT_EQ(status.code, Status::Code::kSingular);
    EXPECT_EQ(simulation->time(), 0);
    for (const std::string& word : words)
      EXPECT_NE(status.reason.find(word), std::string::npos) << word << ": " << status.reason;
  }

  /// order-n lets loops drift by its tolerance, which says nothing beside a singular position.
  bool keeps_loops() const { return GetParam() != "order-n"; }
};

TEST_P(SingularStart, AtRestInEquilibriumItStaysThere) {
  const Model models[] = {FlatFourBar{.gravity = kAlong}.model(),
                          FlatFourBar{.a = 0.4, .c = 0.3, .gravity = kAlong}.model(),
                          load_model("rhombus", {{"start", "0"}}),
                          load_model("pantograph", {{"start", "0"}})};
  for (const Model& model : models) {
    SCOPED_TRACE(model.name());
    const auto simulation = start(model);
    if (!simulation) continue;
    const Configuration before = simulation->assembly().configuration;
    // Some of them stand on their heads, where rounding grows with time.
    const Status status = simulation->advance_to(0.2);
    EXPECT_TRUE(status.ok()) << status.reason;
    const LargestDifferences moved = differences(before, simulation->sample().motion.configuration);
    // Rounding of 10 m/s², over the few directions that resist it.
    EXPECT_LT(std::max({moved.position, moved.orientation, moved.velocity}), 1e-12);
  }
}

TEST_P(SingularStart, AtRestBetweenBranchesItIsUndecided) {
  const std::vector<std::string> words = {"stands on a singular position", "not decided", "hint"};
  expect_refused(FlatFourBar{.a = 0.4, .c = 0.3}.model(), words);
  expect_refused(FlatFourBar{.a = 0.4, .c = 0.3, .off = 1e-9}.model(), words);
  expect_refused(flat_triangle("[0, 0, 0]"), {"'P', 'Q', 'R'", "not decided"});
  expect_refused(load_model("sarrus-linkage", {{"height", "0"}}), {"'knee1'", "not decided"});
  expect_refused(platform(), {"singular position", "'A0', 'A1', 'A2'", "not decided"});
}

// Loads that come later, and a drive that begins smoothly, find it where it stands.
TEST_P(SingularStart, PushedLaterBetweenBranchesItIsUndecided) {
  const std::string late = R"(
forces:
  - {name: f, type: force, body: left, point: [0.4, 0, 0], direction: [0, 1, 0],
     value: {type: step, to: 1, at: 0.1, duration: 0.2}})";
  const auto simulation =
      start(FlatFourBar{.a = 0.4, .c = 0.3, .gravity = kAlong, .more = late}.model());
  if (!simulation) return;
  const Status status = simulation->advance_to(1);
  EXPECT_EQ(status.code, Status::Code::kSingular) << status.reason;
  EXPECT_NE(status.reason.find("not decided"), std::string::npos) << status.reason;
  EXPECT_GE(simulation->time(), 0.1);
  EXPECT_LT(simulation->time(), 0.15);
}

// The other one that moves says nothing of the loop that stands.
TEST_P(SingularStart, PushedLaterBesideAPendulumItIsUndecided) {
  const std::string beside = R"(
  - {name: P, type: revolute, bodies: [ground, pendulum], at: [3, 0, 0], speed: 2}
forces:
  - {name: f, type: force, body: left, point: [0.4, 0, 0], direction: [0, 1, 0],
     value: {type: step, to: 1, at: 0.1, duration: 0.2}})";
  const auto simulation =
      start(FlatFourBar{.a = 0.4,
                        .c = 0.3,
                        .gravity = kAlong,
                        .bodies = "  - {name: pendulum, mass: 1, inertia: 0.02, "
                                  "from: [3, 0, 0], to: [4, 0, 0]}",
                        .more = beside}
                .model());
  if (!simulation) return;
  const Status status = simulation->advance_to(1);
  EXPECT_EQ(status.code, Status::Code::kSingular) << status.reason;
  EXPECT_NE(status.reason.find("not decided"), std::string::npos) << status.reason;
  EXPECT_GE(simulation->time(), 0.1);
  EXPECT_LT(simulation->time(), 0.2);  // baumgarte holds it for some steps
}

// Springs at rest pull by rounding: that is nothing.
TEST_P(SingularStart, SpringsAtRestLeaveItInEquilibrium) {
  const auto simulation = start(FlatFourBar{.gravity = "[0, 0, 0]", .more = R"(
forces:
  - {name: s, type: spring, bodies: [left, right], points: [[0, 0.1, 0], [0, 0.2, 0]], stiffness: 500}
  - {name: t, type: joint_spring, joint: J2, coordinate: angle, stiffness: 300, rest: 3e-15})"}
                                    .model());
  if (!simulation) return;
  const Status status = simulation->advance_to(0.1);
  EXPECT_TRUE(status.ok()) << status.reason;
}

// Alike cranks are pushed alike: the parallelogram stays one, and falls like a pendulum.
TEST_P(SingularStart, LoadsAlongABranchAreFollowed) {
  if (!keeps_loops()) return;
  OneFreedom exact = {.inertia = [](double) { return 2 * (0.02 + 0.25 * 0.25) + 0.5 * 0.5; },
                      .inertia_slope = [](double) { return 0.0; },
                      .force = [](double q) { return -kGravity * std::cos(q); },
                      .q = 0};
  exact.advance_to(0.4);
  const auto simulation = start(FlatFourBar{}.model());
  ASSERT_TRUE(simulation);
  const Status status = simulation->advance_to(0.4);
  ASSERT_TRUE(status.ok()) << status.reason;
  // A hundred steps of 1e-10, and what a weak direction makes of rounding in the first of them.
  const double kAngle = 1e-7;
  const Configuration c = simulation->sample().motion.configuration;
  const auto& joints = simulation->model().joints();
  for (const std::size_t j : {0u, 3u})
    EXPECT_NEAR(c.coordinates[static_cast<std::size_t>(joints[j].first_freedom)], exact.q, kAngle);
}

TEST_P(SingularStart, VelocitiesAlongABranchAreKept) {
  if (!keeps_loops()) return;
  // (q² − r q) k² − 2 p q k + p² + r p = 0: what the coupler's length lets the right crank do, to second order,
  // while the left one turns at 1 rad/s.
  const double p = 0.4, q = 0.3, r = 0.9;
  const double A = q * q - r * q, B = -2 * p * q, C = p * p + r * p;
  for (const double root : {-1.0, 1.0}) {
    const double k = (-B + root * std::sqrt(B * B - 4 * A * C)) / (2 * A);
    SCOPED_TRACE(k);
    const Model model = FlatFourBar{.a = p,
                                    .c = q,
                                    .gravity = "[0, 0, 0]",
                                    .speed1 = "1",
                                    .speed4 = fmt::format("{:.17g}", k)}
                            .model();
    Simulation judge(model, {.method = "coordinate-reduction", .tolerance = 1e-13, .until = 10});
    ASSERT_TRUE(judge.advance_to(0.5).ok());
    const auto simulation = start(model);
    ASSERT_TRUE(simulation);
    const Sample first = simulation->sample();
    const Status status = simulation->advance_to(0.5);
    ASSERT_TRUE(status.ok()) << status.reason;
    const Sample last = simulation->sample();
    // A hundred steps of 1e-10, and what a weak direction makes of rounding in the first of them.
    const double kOff = 1e-7;
    EXPECT_LT(std::abs(energy_error(first, last)), kOff);
    const LargestDifferences off =
        differences(last.motion.configuration, judge.sample().motion.configuration);
    EXPECT_LT(std::max({off.position, off.orientation, off.velocity}), kOff);
    // And it is the branch that was asked for.
    const std::size_t right =
        static_cast<std::size_t>(simulation->model().joints()[3].first_freedom);
    EXPECT_GT(k * last.motion.configuration.coordinates[right], 0);
  }
}

TEST_P(SingularStart, VelocitiesBesideAllBranchesAreRefused) {
  const std::vector<std::string> words = {"starts on a singular position", "cannot go on", "hint"};
  expect_refused(FlatFourBar{.speed1 = "1"}.model(), words);  // the nearest one to first order
  expect_refused(FlatFourBar{.speed1 = "1", .speed4 = "1.001"}.model(), words);
  expect_refused(FlatFourBar{.speed1 = "1", .speed4 = "-1"}.model(), words);
  expect_refused(flat_triangle("[0, 1, 0]"), {"'P', 'Q', 'R'", "cannot go on"});
}

// A drive that turns one crank steadily says nothing of the other.
TEST_P(SingularStart, DrivesOfOneCrankAreRefused) {
  const std::string ramp = R"(
drives:
  - {name: turn, type: motion, joint: J1, coordinate: angle, value: {type: ramp, rate: 1}})";
  expect_refused(FlatFourBar{.more = ramp}.model(), {"cannot go on"});
  const auto simulation =
      start(FlatFourBar{.gravity = kAlong, .speed4 = "1", .more = ramp}.model());
  if (!simulation || !keeps_loops()) return;
  const Status status = simulation->advance_to(0.5);
  EXPECT_TRUE(status.ok()) << status.reason;
}

INSTANTIATE_TEST_SUITE_P(Method, SingularStart, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MethodInfo& method : methods()) names.push_back(method.name);
                           return names;
                         }()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Stiff springs turn back a linkage that is a hundredth of a radian off such a position, within micrometres:
// a turn that loads explain.
TEST(SingularStarts, SpringsTurnALinkageBackBesideThem) {
  const Model model = FlatFourBar{.a = 0.4, .c = 0.3, .off = 0.01, .more = R"(
forces:
  - {name: s, type: joint_spring, joint: J1, coordinate: angle, stiffness: 100, rest: 0.01}
  - {name: t, type: joint_spring, joint: J4, coordinate: angle, stiffness: 1000, rest: -0.01})"}
                          .model();
  for (const char* method : {"reference", "coordinate-reduction", "hamiltonian-dca"}) {
    Simulation simulation(model, {.method = method, .until = 10});
    const Status status = simulation.advance_to(0.2);
    EXPECT_TRUE(status.ok()) << method << ": " << status.reason;
  }
}

// Asking again does not make it any better.
TEST(SingularStarts, WhatWasRefusedIsRefusedAgain) {
  Simulation simulation(FlatFourBar{.speed1 = "1", .speed4 = "1.001"}.model(), {.until = 10});
  for (int time = 1; time < 4; ++time) {
    EXPECT_EQ(simulation.advance_to(time).code, Status::Code::kSingular);
    EXPECT_EQ(simulation.time(), 0);
  }
}

TEST(SingularStarts, TheGuardMayTellAndGoOn) {
  const Model model = FlatFourBar{.speed1 = "1", .speed4 = "1.001"}.model();
  Simulation telling(model, {.until = 10, .guard = GuardAction::kTell});
  telling.advance_to(1e-6);
  ASSERT_TRUE(telling.statistics().doubt);
  EXPECT_EQ(telling.statistics().doubt->time, 0);
  EXPECT_EQ(telling.statistics().doubt->what.find("hint"), std::string::npos);
  Simulation unguarded(model, {.until = 10, .guard = GuardAction::kOff});
  unguarded.advance_to(1e-6);
  EXPECT_FALSE(unguarded.statistics().doubt);
}

}  // namespace
}  // namespace sarrus::tests
