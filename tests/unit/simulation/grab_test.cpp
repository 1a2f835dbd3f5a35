// Bodies that are taken by a point and drawn along, and joints that are drawn together.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "property/suite.h"
#include "sarrus/simulation/live_edits.h"
#include "sarrus/simulation/simulation.h"
#include "unit/simulation/chains.h"

namespace sarrus::testing {
namespace {

constexpr double kLongStep = 1e-2;

class Grab : public EveryMethod {
 protected:
  static SimulationOptions coarse() {
    return {.method = GetParam(), .integrator = "rk4", .step = kLongStep, .until = 10};
  }
  /// What the method keeps constraints at, with steps this long. Stabilised only, not projected, they
  /// are off by what accelerations change within a step, some 10 m/s², over k_p = 0.39/h².
  static double level(double otherwise) {
    return is_judged_elsewhere(GetParam()) ? 25 * kLongStep * kLongStep : otherwise;
  }
  static Vec3 point(Simulation& simulation, const char* body, const Vec3& local) {
    return simulation.sample()
               .motion.configuration.poses[simulation.model().find_body(body).slot()] *
           local;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Grab, ::testing::ValuesIn(method_names()), test_name);

// [soft-joint]  A target that swings at the frequency of the grab: of a second-order system with ζ = 1
// whose damper is held at the target, 1.118 of the amplitude arrives.
TEST_P(Grab, FreeBodyFollowsAtTwentyHertzWithLongSteps) {
  Description d;
  d.gravity.setZero();
  d.add_body(tests::brick("block"));
  Simulation simulation(Model(d), coarse());
  ASSERT_TRUE(simulation.edit({{GrabBody{.name = "hand", .body = "block", .frequency = 20}, {}}})
                  .status.ok());
  constexpr double kAmplitude = 1e-3;  // stays below the limit of the force
  double largest = 0;
  for (int i = 0; i < 100; ++i) {
    const double t = (i + 1) * kLongStep;
    const Vec3 target(kAmplitude * std::sin(2 * std::numbers::pi * 20 * t), 0, 0);
    ASSERT_TRUE(
        simulation.edit({{MoveGrab{.grab = "hand", .target = target, .duration = kLongStep}, {}}})
            .status.ok());
    ASSERT_TRUE(simulation.advance_to(t).ok());
    if (i > 50) largest = std::max(largest, std::abs(point(simulation, "block", Vec3::Zero()).x()));
  }
  EXPECT_GT(largest, kAmplitude / std::numbers::sqrt2);  // within 3 dB: that is the bandwidth
  EXPECT_LT(largest, 1.5 * kAmplitude);
}

TEST_P(Grab, LinkOfAChainFollowsAMovedPoint) {
  Simulation simulation(Model(tests::chain_of(6, false)), coarse());
  ASSERT_TRUE(simulation.advance_to(0.1).ok());
  const Vec3 tip(0.1, 0, 0);
  const Vec3 start = point(simulation, "rod6", tip);
  ASSERT_TRUE(
      simulation
          .edit({{GrabBody{.name = "hand", .body = "rod6", .point = tip, .frequency = 20}, {}}})
          .status.ok());
  double far = 0;
  const auto target_at = [&](double t) {
    const double angle = 2 * std::numbers::pi * (t - 0.1);
    return Vec3(start + Vec3(0.1 * (std::cos(angle) - 1), 0.1 * std::sin(angle), 0));
  };
  for (int i = 0; i < 100; ++i) {
    const double t = 0.1 + (i + 1) * kLongStep;
    ASSERT_TRUE(
        simulation
            .edit({{MoveGrab{.grab = "hand", .target = target_at(t), .duration = kLongStep}, {}}})
            .status.ok());
    ASSERT_TRUE(simulation.advance_to(t).ok());
    if (i > 20) far = std::max(far, (point(simulation, "rod6", tip) - target_at(t)).norm());
  }
  // Weight and swing of the chain against ω² = 15800 1/s²: a few millimetres, of a circle of 10 cm.
  EXPECT_LT(far, 0.02);
  EXPECT_LT(simulation.sample().constraints.position,
            level(GetParam() == "order-n" ? 1e-9 : 1e-11));
}

// Newmark's method is stable to a third of what Runge and Kutta's are: the grab is softened, and says so.
TEST(GrabUnderNewmark, IsSoftenedToWhatIsStable) {
  for (const char* integrator : {"newmark", "newmark-paper"})
    for (const char* method : {"reference", "uzawa"}) {
      SCOPED_TRACE(std::string(integrator) + " " + method);
      Simulation simulation(
          Model(tests::chain_of(4, false)),
          {.method = method, .integrator = integrator, .step = kLongStep, .until = 10});
      const EditReport report =
          simulation.edit({{GrabBody{.name = "hand", .body = "rod4", .frequency = 20}, {}}});
      ASSERT_TRUE(report.status.ok()) << report.status.reason;
      EXPECT_NE(report.told.back().find("instead of 20"), std::string::npos);
      ASSERT_TRUE(simulation.advance_to(2).ok());
      // Held where it was; at rest after two seconds, but for the chain between, which swings.
      for (const Vec6& V : simulation.sample().motion.configuration.velocities)
        EXPECT_LT(V.norm(), 20);
    }
}

TEST(GrabNames, AreThoseOfNoJoint) {
  Simulation simulation(Model(tests::chain_of(4, false)));
  const auto grab = [&](const char* name) {
    return simulation.edit({{GrabBody{.name = name, .body = "rod4"}, {}}}).status;
  };
  EXPECT_FALSE(grab("J3").ok());
  ASSERT_TRUE(simulation.edit({{CutJoint{"J3"}, {}}}).status.ok());
  EXPECT_FALSE(grab("J3").ok()) << "it may come back";
  EXPECT_TRUE(grab("hand").ok());
}

TEST(EditsInTheMiddleOfAStep, AreRefused) {
  Simulation simulation(Model(tests::chain_of(2, false)));
  Status inside;
  simulation.on_step([&](double) { inside = simulation.edit({{CutJoint{"J2"}, {}}}).status; });
  ASSERT_TRUE(simulation.advance_to(0.01).ok());
  EXPECT_FALSE(inside.ok());
  simulation.on_step({});
  EXPECT_TRUE(simulation.edit({{CutJoint{"J2"}, {}}}).status.ok());
}

TEST_P(Grab, FarTargetPullsWithBoundedForce) {
  Simulation simulation(Model(tests::chain_of(4, false)), coarse());
  ASSERT_TRUE(
      simulation
          .edit({{GrabBody{
                      .name = "hand", .body = "rod4", .target = Vec3(50, 0, 30), .frequency = 20},
                  {}}})
          .status.ok());
  ASSERT_TRUE(simulation.advance_to(2).ok());
  const SoftJoint& soft = simulation.model().soft_joints().front();
  const Configuration c = simulation.sample().motion.configuration;
  const auto b = soft.joint.b.slot();
  const SoftJoint::Pull pull =
      soft.pull(2, c.poses[0], c.velocities[0], c.poses[b], c.velocities[b]);
  EXPECT_LE(pull.force.norm(), soft.limit * (1 + 1e-12));
  for (const Vec6& V : c.velocities) EXPECT_LT(V.norm(), 1e3);
}

TEST_P(Grab, ReleasedItLeavesNothing) {
  Simulation touched(Model(tests::chain_of(4, true)), {.method = GetParam(), .tolerance = 1e-10});
  Simulation left_alone(Model(tests::chain_of(4, true)),
                        {.method = GetParam(), .tolerance = 1e-10});
  for (Simulation* s : {&touched, &left_alone}) ASSERT_TRUE(s->advance_to(0.1).ok());
  ASSERT_TRUE(touched
                  .edit({{GrabBody{.name = "hand", .body = "rod2", .target = Vec3(1, 1, 1)}, {}},
                         {ReleaseGrab{"hand"}, {}}})
                  .status.ok());
  ASSERT_TRUE(left_alone.edit({}).status.ok());
  for (Simulation* s : {&touched, &left_alone}) ASSERT_TRUE(s->advance_to(0.2).ok());
  const Configuration a = touched.sample().motion.configuration;
  const Configuration b = left_alone.sample().motion.configuration;
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    EXPECT_EQ(a.poses[i].p, b.poses[i].p);
    EXPECT_EQ(a.velocities[i], b.velocities[i]);
  }
  // Held for a while, the work it did is all that is left of it.
  ASSERT_TRUE(touched.edit({{GrabBody{.name = "hand", .body = "rod2"}, {}}}).status.ok());
  ASSERT_TRUE(touched.advance_to(0.3).ok());
  ASSERT_TRUE(touched.edit({{ReleaseGrab{"hand"}, {}}}).status.ok());
  EXPECT_TRUE(touched.model().soft_joints().empty());
  const double supplied = touched.sample().motion.supplied;
  ASSERT_TRUE(touched.advance_to(0.5).ok());
  EXPECT_EQ(touched.sample().motion.supplied, supplied);
  EXPECT_LT(touched.statistics().energy_drift, 1e-5);
}

TEST_P(Grab, OriginalJointIsDrawnTogetherAndCloses) {
  for (const bool loop : {false, true}) {
    SCOPED_TRACE(loop ? "closing a loop" : "open");
    Description d = tests::chain_of(4, loop);
    // Rods that spin about themselves without inertia would be thrown about.
    for (BodyDescription& body : d.bodies) body.inertia = 0.003 * Mat3::Identity();
    Simulation simulation(Model(d), coarse());
    const char* name = loop ? "end" : "J3";
    ASSERT_TRUE(simulation.advance_to(0.1).ok());
    const Transform X_BM = simulation.model().joint(simulation.model().find_joint(name)).X_BM;
    ASSERT_TRUE(simulation.edit({{CutJoint{name}, {}}}).status.ok());
    ASSERT_TRUE(simulation.advance_to(0.3).ok());
    ASSERT_TRUE(simulation.edit({{RestoreJoint{name, true}, {}}}).status.ok());
    EXPECT_EQ(simulation.model().soft_joints().size(), 1u);
    const Status status = simulation.advance_to(2);
    ASSERT_TRUE(status.ok()) << status.reason;
    ASSERT_TRUE(simulation.model().soft_joints().empty());
    const Joint& joint = simulation.model().joint(simulation.model().find_joint(name));
    EXPECT_EQ(joint.X_BM.p, X_BM.p);
    EXPECT_LT(simulation.sample().constraints.position,
              level(GetParam() == "order-n" && loop ? 1e-2 : 1e-11));
    EXPECT_NE(simulation.statistics().notes.back().what.find("is closed"), std::string::npos);
  }
}

// The timeline of a model does the same as edits at its times, and is seen from both sides.
TEST_P(Grab, TimelineHappensAtItsTimes) {
  Description d = tests::chain_of(4, true);
  d.timeline = {{.at = 0.25, .edits = {{RestoreJoint{"J2"}, {}}}, .source = {}},
                {.at = 0.1, .edits = {{CutJoint{"J2"}, {}}}, .source = {}}};
  const SimulationOptions options = {.method = GetParam(), .tolerance = 1e-9};
  Simulation simulation(Model(d), options);
  std::vector<double> times;
  std::vector<std::size_t> reactions;
  ASSERT_TRUE(simulation
                  .advance_to(0.4, SampleTimes::every(0.1, 0.4),
                              [&](const Sample& sample) {
                                times.push_back(sample.motion.time);
                                reactions.push_back(sample.motion.reactions.size());
                              })
                  .ok());
  EXPECT_EQ(times, (std::vector<double>{0, 0.1, 0.1, 0.2, 0.25, 0.25, 0.30000000000000004, 0.4}));
  EXPECT_EQ(reactions, (std::vector<std::size_t>{5, 5, 4, 4, 4, 5, 5, 5}));
  d.timeline.clear();
  Simulation by_hand(Model(d), options);
  ASSERT_TRUE(by_hand.advance_to(0.1).ok());
  ASSERT_TRUE(by_hand.edit({{CutJoint{"J2"}, {}}}).status.ok());
  ASSERT_TRUE(by_hand.advance_to(0.25).ok());
  ASSERT_TRUE(by_hand.edit({{RestoreJoint{"J2"}, {}}}).status.ok());
  ASSERT_TRUE(by_hand.advance_to(0.4).ok());
  const Configuration a = simulation.sample().motion.configuration;
  const Configuration b = by_hand.sample().motion.configuration;
  for (std::size_t i = 0; i < a.poses.size(); ++i) EXPECT_EQ(a.poses[i].p, b.poses[i].p);
}

// [soft-joint-mass]  At a dead point a hand on the slider could move it with all the leverage of a toggle:
// the nearer, the more force it would take for granted.
TEST_P(Grab, HandOnTheWayThroughADeadPointStaysAHand) {
  constexpr double kTolerance = 1e-9;
  Description d;
  d.gravity.setZero();
  d.add_body(tests::rod("crank", {0, 0, 0}, {0.5, 0, 0}))
      .add_body(tests::rod("rod", {0.5, 0, 0}, {2, 0, 0}, 2))
      .add_body(tests::brick("slider", {2, 0, 0}))
      .add_joint(tests::joint("J1", JointType::kRevolute, "ground", "crank"))
      .add_joint(tests::joint("J2", JointType::kRevolute, "crank", "rod", {0.5, 0, 0}))
      .add_joint(tests::joint("J3", JointType::kRevolute, "rod", "slider", {2, 0, 0}))
      .add_joint(
          tests::joint("J4", JointType::kPrismatic, "ground", "slider", {2, 0, 0}, Vec3::UnitX()));
  d.joints[0].start = {{"angle", -0.3}};
  d.joints[0].speed = {{"angle", 6.0}};
  Simulation simulation(Model(d), {.method = GetParam(), .tolerance = kTolerance, .until = 1});
  ASSERT_TRUE(
      simulation.edit({{GrabBody{.name = "hand", .body = "slider", .target = Vec3(2.2, 0, 0)}, {}}})
          .status.ok());
  double mass = 0, heaviest = 0, farthest = -1;
  for (const Body& body : simulation.model().bodies()) mass += body.inertia.mass;
  simulation.on_step([&](double) {
    for (const SoftJoint& soft : simulation.model().soft_joints())
      heaviest = std::max(heaviest, soft.mass.norm());
    farthest = std::max(farthest, simulation.sample().motion.configuration.coordinates[0]);
  });
  const Status status = simulation.advance_to(0.3);
  ASSERT_TRUE(status.ok()) << status.reason;
  EXPECT_GT(farthest, 0.05);  // it was through
  EXPECT_GT(heaviest, 50 * mass);
  EXPECT_LT(heaviest, 200 * mass);  // a hundred in each of three directions
  // Places are off by some tolerances, in order-n's loops by what they drift, against 200 m/s².
  EXPECT_LT(simulation.statistics().energy_drift, 10 * kTolerance * 200 * 100 * mass);
}

}  // namespace
}  // namespace sarrus::testing
