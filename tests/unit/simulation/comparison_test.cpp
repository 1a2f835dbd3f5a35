#include "sarrus/simulation/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sarrus/base/diagnostics.h"
#include "sarrus/model/beam.h"
#include "sarrus/simulation/motion_distance.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

using ::testing::HasSubstr;

// A run at 1e-8 over half a second: its error is some tens of tolerances.
constexpr double kAgree = 1e-6;

Description two_rods() {
  Description d;
  for (const int i : {0, 1}) {
    BodyDescription rod = {.name = i == 0 ? "upper" : "lower", .mass = 1};
    rod.inertia = Vec3(0.01, 1.0 / 12, 1.0 / 12).asDiagonal();
    rod.pose.p = {0.5 + i, 0, 0};
    d.add_body(rod);
    JointDescription pin = {.name = i == 0 ? "A" : "B", .body_b = rod.name};
    if (i == 1) pin.body_a = "upper";
    pin.at = {least_turn(Vec3::UnitZ(), Vec3::UnitY()), {1.0 * i, 0, 0}};
    d.add_joint(pin);
  }
  return d;
}

Description closed() {
  Description d = two_rods();
  JointDescription pin = {.name = "C", .body_b = "lower"};
  pin.at = {least_turn(Vec3::UnitZ(), Vec3::UnitY()), {2, 0, 0}};
  pin.type = JointType::kPlanar;
  pin.at.q = least_turn(Vec3::UnitZ(), Vec3::UnitX());
  d.add_joint(pin);
  return d;
}

TEST(Comparison, MethodsAgreeAndTellTheirCost) {
  const Comparison comparison = compare_methods(Model(two_rods()), {.until = 0.5});
  ASSERT_EQ(comparison.results.size(), 7);
  EXPECT_TRUE(comparison.succeeded());
  EXPECT_EQ(comparison.judge.method, "reference");
  EXPECT_EQ(comparison.judge.tolerance, 1e-3 * 1e-8);
  EXPECT_EQ(comparison.instants, 51);
  EXPECT_NEAR(comparison.length, 1.5, 1e-12);
  for (const MethodResult& result : comparison.results) {
    SCOPED_TRACE(result.method);
    EXPECT_TRUE(result.status.ok());
    EXPECT_EQ(result.time, 0.5);
    EXPECT_GT(result.statistics.counters.evaluations, 0);
    ASSERT_TRUE(result.evaluation_seconds && result.distance);
    EXPECT_GT(*result.evaluation_seconds, 0);
    EXPECT_GT(result.distance->pose, 0);
    EXPECT_LT(result.distance->pose, kAgree);
    EXPECT_LT(result.distance->velocity, kAgree);
  }
}

TEST(Comparison, SaysWhyAMethodIsLeftOut) {
  const Model model(closed());
  Comparison all = compare_methods(model, {.until = 0.1});
  const auto reason = [&](const std::string& method) {
    const auto found = std::ranges::find(all.left_out, method, &LeftOut::method);
    return found == all.left_out.end() ? "" : found->reason;
  };
  EXPECT_THAT(reason("order-n"), HasSubstr("ask for it by name"));
  EXPECT_EQ(reason("hamiltonian-dca"), "");
  EXPECT_THAT(reason("uzawa"), HasSubstr("--methods"));
  EXPECT_TRUE(all.succeeded());
  EXPECT_THROW(compare_methods(model, {.methods = {"refrence"}, .until = 0.1}), UsageError);
}

TEST(Comparison, AMethodThatDriftsRunsWhenItIsNamed) {
  const Comparison comparison =
      compare_methods(Model(closed()), {.methods = {"order-n", "reference"}, .until = 0.1});
  EXPECT_TRUE(comparison.succeeded());
  ASSERT_EQ(comparison.results.size(), 2);
  EXPECT_EQ(comparison.results[0].method, "order-n");
  EXPECT_LT(comparison.results[0].distance->pose, kAgree);
}

TEST(Comparison, AMethodThatIsNamedAndCannotIsAFailure) {
  Description d = closed();
  d.bodies.back().inertia.setZero();  // on its planar joint alone a point mass turns freely
  const Comparison comparison =
      compare_methods(Model(d), {.methods = {"order-n", "reference"}, .until = 0.1});
  EXPECT_FALSE(comparison.succeeded());
  ASSERT_EQ(comparison.left_out.size(), 1);
  EXPECT_THAT(comparison.left_out[0].reason, HasSubstr("inertia"));
}

TEST(Comparison, LeavesOutWhatWouldTakeLongUnlessItIsNamed) {
  const Model model(two_rods());
  const Comparison hasty = compare_methods(model, {.until = 0.5, .patience = 1e-9});
  ASSERT_EQ(hasty.results.size(), 1);
  EXPECT_EQ(hasty.results[0].method, "order-n");
  EXPECT_EQ(hasty.judge.method, "order-n");
  EXPECT_THAT(hasty.judge.reason, HasSubstr("reference"));
  EXPECT_EQ(hasty.left_out.size(), 9);  // six too slow, three that run only by name
  const Comparison named =
      compare_methods(model, {.methods = {"reference"}, .until = 0.5, .patience = 1e-9});
  ASSERT_EQ(named.results.size(), 1);
  EXPECT_TRUE(named.succeeded());
}

TEST(Comparison, StopsWhenAsked) {
  int asked = 0;
  const Comparison comparison =
      compare_methods(Model(two_rods()), {.until = 100, .stop = [&] { return ++asked > 20; }});
  EXPECT_FALSE(comparison.succeeded());
  EXPECT_TRUE(comparison.judge.method.empty());
}

TEST(MotionTrace, MeasuresTurnsLengthsAndSpeeds) {
  const Model model(two_rods());
  Sample here;
  here.motion.configuration = model.reference_configuration();
  Sample there = here;
  here.motion.configuration.velocities[1] << 0, 0, 3, 0, 0, 4;
  there.motion.configuration.velocities[1] << 0, 0, 3, 0, 0, 4.5;
  there.motion.configuration.poses[1].p.x() += 0.3;
  there.motion.configuration.poses[1].q = Quat(Eigen::AngleAxisd(0.2, Vec3::UnitX()));
  MotionTrace judge(model, 1);
  MotionTrace trace(model, 1);
  judge.add(here);
  trace.add(there);
  constexpr double kLength = 2;
  const Distance distance = trace.distance_from(judge, kLength);
  EXPECT_NEAR(distance.pose, std::hypot(0.15, 0.2), 1e-15);
  EXPECT_NEAR(distance.velocity, 0.25 / std::hypot(3.0, 2.0), 1e-15);
}

TEST(MotionTrace, MeasuresDeformations) {
  const BeamBody beam =
      make_beam({.length = 2, .mass_per_length = 3, .axial_stiffness = 5, .axial = 2});
  auto flexible = std::make_shared<FlexibleDescription>();
  flexible->data = beam.data;
  Description description;
  description.add_body({.name = "beam",
                        .mass = beam.inertia.mass,
                        .center_of_mass = beam.inertia.center,
                        .inertia = beam.inertia.central,
                        .flexible = flexible});
  const Model model(description);
  Sample here;
  here.motion.configuration = model.reference_configuration();
  here.motion.configuration.mode_rates = {4, 0};
  Sample there = here;
  there.motion.configuration.modes = {0.3, 0};
  there.motion.configuration.mode_rates = {4.5, 0};
  MotionTrace judge(model, 1);
  MotionTrace trace(model, 1);
  judge.add(here);
  trace.add(there);
  // The first mode moves the tip, and no node more.
  const Distance distance = trace.distance_from(judge, 2);
  EXPECT_NEAR(distance.pose, 0.15, 1e-15);
  EXPECT_NEAR(distance.velocity, 0.5 / 4, 1e-15);
  there.motion.configuration.modes[1] = std::nan("");
  MotionTrace lost(model, 1);
  lost.add(there);
  EXPECT_TRUE(std::isinf(lost.distance_from(judge, 2).pose));
}

}  // namespace
}  // namespace sarrus
