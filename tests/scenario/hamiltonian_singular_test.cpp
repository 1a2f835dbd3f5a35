// hamiltonian-dca through singular positions, and on loops whose impulses are not unique: as accurate
// there as other methods at the same tolerance.

#include <gtest/gtest.h>

#include "sarrus/io/model_file.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

struct SingularRun {
  Status status;
  RunStatistics statistics;
  Configuration end;
};

SingularRun run_through(const Model& model, const std::string& method, double tolerance,
                        double until) {
  Simulation simulation(model, {.method = method, .tolerance = tolerance, .until = until});
  const Status status = simulation.advance_to(until);
  return {status, simulation.statistics(), simulation.sample().motion.configuration};
}

/// How far a run is from one of another method at a much tighter tolerance, pose and speeds.
double distance(const SingularRun& run, const SingularRun& judge) {
  EXPECT_TRUE(run.status.ok()) << run.status.reason;
  EXPECT_TRUE(judge.status.ok()) << judge.status.reason;
  const LargestDifferences found = differences(run.end, judge.end);
  return std::max({found.position, found.orientation, found.velocity});
}

/// A four-bar linkage whose shortest and longest sides are together as long as the others: twice a turn
/// all of it is in line. Unlike in parallelograms its angles are no linear functions of each other, so
/// that stages are off the constraints there.
Model change_point() {
  return Model(parse_description(R"(sarrus: 1
name: change-point
parameters:
  a: 1
  b: 2.5
  c: 1.5
  d: 2
  bx: a*cos(50*deg)
  by: a*sin(50*deg)
  e: hypot(d - bx, by)
  turn: atan2(by, bx - d) - acos((e^2 + c^2 - b^2)/(2*e*c))
  cx: d + c*cos(turn)
  cy: c*sin(turn)
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, inertia: [0.001, 1/12, 1/12], from: [0, 0, 0], to: [bx, by, 0]}
  - {name: coupler, mass: 2, inertia: [0.001, 1, 1], from: [bx, by, 0], to: [cx, cy, 0]}
  - {name: rocker, mass: 1.5, inertia: [0.001, 1/5, 1/5], from: [d, 0, 0], to: [cx, cy, 0]}
joints:
  - {name: J1, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], speed: 8}
  - {name: J2, type: revolute, bodies: [crank, coupler], at: [bx, by, 0], axis: [0, 0, 1]}
  - {name: J3, type: revolute, bodies: [coupler, rocker], at: [cx, cy, 0], axis: [0, 0, 1]}
  - {name: J4, type: revolute, bodies: [ground, rocker], at: [d, 0, 0], axis: [0, 0, 1]}
)",
                                 "change-point.yaml"));
}

/// Three arms, each with two parallel rods on universal joints to a platform: six redundant constraints,
/// in no plane, and impulses go through all of them.
Model delta_robot() {
  return Model(parse_description(R"(sarrus: 1
name: delta
parameters:
  foot: 0.2
  head: 0.08
  arm: 0.3
  rod: 0.7
  aside: 0.06
  out: foot + arm*cos(20*deg)
  down: -arm*sin(20*deg)
  fall: sqrt(rod^2 - (out - head)^2)
gravity: [0, 0, -9.81]
bodies:
  - {name: platform, mass: 1, solid: {type: cylinder, radius: head, length: 0.02}, position: [0, 0, down - fall]}
  - repeat: {index: k, from: 0, to: 2}
    name: arm{k}
    mass: 0.5
    solid: {type: rod, radius: 0.01}
    from: [foot*cos(120*deg*k), foot*sin(120*deg*k), 0]
    to: [out*cos(120*deg*k), out*sin(120*deg*k), down]
  - repeat: {index: k, from: 0, to: 5}
    name: rod{k}
    mass: 0.1
    solid: {type: rod, radius: 0.005}
    from:
      - out*cos(120*deg*floor(k/2)) - (-1)^k*aside*sin(120*deg*floor(k/2))
      - out*sin(120*deg*floor(k/2)) + (-1)^k*aside*cos(120*deg*floor(k/2))
      - down
    to:
      - head*cos(120*deg*floor(k/2)) - (-1)^k*aside*sin(120*deg*floor(k/2))
      - head*sin(120*deg*floor(k/2)) + (-1)^k*aside*cos(120*deg*floor(k/2))
      - down - fall
joints:
  - repeat: {index: k, from: 0, to: 2}
    name: A{k}
    type: revolute
    bodies: [ground, "arm{k}"]
    at: [foot*cos(120*deg*k), foot*sin(120*deg*k), 0]
    axis: [-sin(120*deg*k), cos(120*deg*k), 0]
    speed: if(k == 0, 1, if(k == 1, 0.3, -0.5))
  - repeat: {index: k, from: 0, to: 5}
    name: E{k}
    type: universal
    bodies: ["arm{floor(k/2)}", "rod{k}"]
    at:
      - out*cos(120*deg*floor(k/2)) - (-1)^k*aside*sin(120*deg*floor(k/2))
      - out*sin(120*deg*floor(k/2)) + (-1)^k*aside*cos(120*deg*floor(k/2))
      - down
    axis: [-sin(120*deg*floor(k/2)), cos(120*deg*floor(k/2)), 0]
    axis2: [fall*cos(120*deg*floor(k/2)), fall*sin(120*deg*floor(k/2)), head - out]
  - repeat: {index: k, from: 0, to: 5}
    name: P{k}
    type: universal
    bodies: [platform, "rod{k}"]
    at:
      - head*cos(120*deg*floor(k/2)) - (-1)^k*aside*sin(120*deg*floor(k/2))
      - head*sin(120*deg*floor(k/2)) + (-1)^k*aside*cos(120*deg*floor(k/2))
      - down - fall
    axis: [-sin(120*deg*floor(k/2)), cos(120*deg*floor(k/2)), 0]
    axis2: [fall*cos(120*deg*floor(k/2)), fall*sin(120*deg*floor(k/2)), head - out]
)",
                                 "delta.yaml"));
}

TEST(HamiltonianSingular, PassesSingularPositionsAsAccuratelyAsOthers) {
  // What two methods that make errors of one size may differ by.
  constexpr double kFactor = 10;
  const std::pair<Model, double> passes[] = {
      {load_model("rhombus"), 10}, {load_model("n-four-bar"), 10}, {change_point(), 10}};
  for (const auto& [model, until] : passes) {
    const SingularRun judge = run_through(model, "coordinate-reduction", 1e-12, until);
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      SCOPED_TRACE(fmt::format("{}, {}", model.name(), tolerance));
      const SingularRun other = run_through(model, "coordinate-reduction", tolerance, until);
      const SingularRun run = run_through(model, "hamiltonian-dca", tolerance, until);
      EXPECT_LE(distance(run, judge), kFactor * distance(other, judge));
      EXPECT_LE(run.statistics.energy_drift, kFactor * other.statistics.energy_drift);
    }
  }
}

TEST(HamiltonianSingular, LoopsOfUniversalJointsTakeAsManyStepsAsWithOthers) {
  constexpr double kFactor = 1.5;  // the states are different ones
  const double until = 0.5;
  const Model model = delta_robot();
  const SingularRun judge = run_through(model, "coordinate-reduction", 1e-12, until);
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(tolerance);
    const SingularRun other = run_through(model, "coordinate-reduction", tolerance, until);
    const SingularRun run = run_through(model, "hamiltonian-dca", tolerance, until);
    EXPECT_LE(distance(run, judge), 10 * distance(other, judge));
    EXPECT_LE(run.statistics.steps, kFactor * other.statistics.steps);
  }
}

// Near the position itself a step that begins far away must be accurate by itself.
TEST(HamiltonianSingular, LooseTolerancesPassAsWell) {
  for (const char* scenario : {"rhombus", "n-four-bar", "parallelogram"}) {
    SCOPED_TRACE(scenario);
    const SingularRun run = run_through(load_model(scenario), "hamiltonian-dca", 1e-4, 10);
    const SingularRun other = run_through(load_model(scenario), "coordinate-reduction", 1e-4, 10);
    ASSERT_TRUE(run.status.ok() && other.status.ok());
    EXPECT_LE(run.statistics.energy_drift, 10 * other.statistics.energy_drift);
  }
}

}  // namespace
}  // namespace sarrus::tests
