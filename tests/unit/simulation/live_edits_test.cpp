// Mechanisms that change while they move, under every method.

#include "sarrus/simulation/live_edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "property/suite.h"
#include "sarrus/io/load_model.h"
#include "sarrus/simulation/simulation.h"
#include "unit/model/mechanisms.h"
#include "unit/simulation/chains.h"

namespace sarrus::testing {
namespace {

// Rounding of energies of some tens of joules, over an edit.
constexpr double kBalance = 1e-10;
// Poses go through a method's own coordinates and back.
constexpr double kSamePlace = 1e-11;
// Projected constraints of lengths of some metres.
constexpr double kClosed = 1e-11;
// order-n lets loops drift at the integrator's tolerance.
constexpr double kDrifts = 1e-6;
constexpr double kTolerance = 1e-10;

Edit cut(std::string joint) { return {CutJoint{std::move(joint)}, {}}; }
Edit restore(std::string joint) { return {RestoreJoint{std::move(joint)}, {}}; }

/// A loop with a spring, a motor and friction, hanging from a chain.
Description loaded_loop() {
  Description d = tests::four_bar();
  d.add_force("spring", JointSpringDescription{.joint = "J2", .stiffness = 3, .rest = 0.2});
  d.add_force("drag", JointFrictionDescription{.joint = "J3", .viscous = 0.1});
  d.add_force("motor", MotorDescription{.joint = "J1",
                                        .target = TimeFunction(TimeFunction::Ramp{.rate = 1}),
                                        .stiffness = 5,
                                        .damping = 1});
  return d;
}

double balance(const Sample& sample) { return sample.total() - sample.motion.supplied; }

double farthest(const Model& a, const Sample& x, const Model& b, const Sample& y) {
  double most = 0;
  for (const Body& body : a.bodies()) {
    const auto i = a.find_body(body.name).slot();
    const auto j = b.find_body(body.name).slot();
    const Transform &X = x.motion.configuration.poses[i], &Y = y.motion.configuration.poses[j];
    most = std::max({most, (X.p - Y.p).norm(), X.q.angularDistance(Y.q)});
  }
  return most;
}

class LiveEdits : public EveryMethod {
 protected:
  static SimulationOptions options() {
    return {.method = GetParam(), .tolerance = kTolerance, .until = 1.0};
  }
  /// What the method keeps constraints at.
  static double level(const Simulation& simulation) {
    const bool drifts = GetParam() == "order-n" && !simulation.topology().is_tree();
    return drifts ? kDrifts : kClosed;
  }

  /// Edits, and looks at both sides.
  static void edit(Simulation& simulation, const Transaction& transaction) {
    const Sample before = simulation.sample();
    const Model old = simulation.model();
    const EditReport report = simulation.edit(transaction);
    ASSERT_TRUE(report.status.ok()) << report.status.reason;
    const Sample after = simulation.sample();
    EXPECT_NEAR(balance(after), balance(before), kBalance);
    EXPECT_LT(farthest(old, before, simulation.model(), after), kSamePlace);
    EXPECT_LT(after.constraints.position, level(simulation));
    EXPECT_LT(after.constraints.velocity, 10 * level(simulation));
  }

  static void go(Simulation& simulation, double until) {
    const Status status = simulation.advance_to(until);
    ASSERT_TRUE(status.ok()) << status.reason;
    const Sample now = simulation.sample();
    EXPECT_LT(now.constraints.position, level(simulation));
    EXPECT_LT(now.constraints.velocity, 100 * level(simulation));
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, LiveEdits, ::testing::ValuesIn(method_names()), test_name);

/// Cut, moved on, restored, moved on; and the same by the reference method.
void cut_and_restore(const Description& d, const std::string& joint,
                     const SimulationOptions& options,
                     const std::function<void(Simulation&, const Transaction&)>& edit,
                     const std::function<void(Simulation&, double)>& go) {
  SimulationOptions judge = options;
  judge.method = "reference";
  Simulation simulation(Model(d), options);
  Simulation reference(Model(d), judge);
  for (Simulation* s : {&simulation, &reference}) {
    ASSERT_TRUE(s->advance_to(0.1).ok());
    if (s == &reference) {
      ASSERT_TRUE(s->edit({cut(joint)}).status.ok());
      ASSERT_TRUE(s->advance_to(0.25).ok());
      ASSERT_TRUE(s->edit({restore(joint)}).status.ok());
      ASSERT_TRUE(s->advance_to(0.4).ok());
    } else {
      edit(*s, {cut(joint)});
      go(*s, 0.25);
      const double kinetic = s->sample().kinetic;
      edit(*s, {restore(joint)});
      EXPECT_LE(s->sample().kinetic, kinetic * (1 + 1e-12));
      go(*s, 0.4);
    }
  }
  // Two runs at 1e-10, the same impacts in them.
  EXPECT_LT(
      farthest(simulation.model(), simulation.sample(), reference.model(), reference.sample()),
      1e-6);
  EXPECT_LT(simulation.statistics().energy_drift, 1e-6);
}

// [edit-return]  A loop of a ladder that is cut may turn out of the others' plane. Restored where it is,
// its axes would be out of line by that angle, 2e-10 each time, and its speeds off by as much.
TEST(LiveEditsOfLoops, JointOfARedundantLoopReturnsToItsPlace) {
  SimulationOptions options;
  options.method = "augmented-dca";
  Simulation simulation(load_model("ladder", {{"cells", "6"}}), options);
  ASSERT_TRUE(simulation.advance_to(0.02).ok());
  const Transform X_BM = simulation.model().joint(simulation.model().find_joint("L3")).X_BM;
  for (int i = 0; i < 3; ++i) {
    for (const Edit& one : {cut("L3"), restore("L3")}) {
      const double before = balance(simulation.sample());
      ASSERT_TRUE(simulation.edit({one}).status.ok());
      const Sample after = simulation.sample();
      EXPECT_NEAR(balance(after), before, kBalance);
      EXPECT_LT(after.constraints.position, 1e-13);
      EXPECT_LT(after.constraints.velocity, 1e-13);
      ASSERT_TRUE(simulation.advance_to(simulation.time() + 1e-4).ok());
    }
  }
  const Joint& back = simulation.model().joint(simulation.model().find_joint("L3"));
  EXPECT_EQ(back.X_BM.p, X_BM.p);
  EXPECT_EQ(back.X_BM.q.coeffs(), X_BM.q.coeffs());
  // Bodies that have moved farther are joined where they are.
  ASSERT_TRUE(simulation.edit({cut("L3")}).status.ok());
  ASSERT_TRUE(simulation.advance_to(simulation.time() + 0.02).ok());
  ASSERT_TRUE(simulation.edit({restore("L3")}).status.ok());
  EXPECT_NE(simulation.model().joint(simulation.model().find_joint("L3")).X_BM.p, X_BM.p);
}

TEST_P(LiveEdits, OpenChainIsCutAndRestored) {
  cut_and_restore(tests::chain_of(5, false), "J3", options(), edit, go);
}

TEST_P(LiveEdits, ClosedChainIsCutAndRestored) {
  cut_and_restore(tests::chain_of(6, true), "J4", options(), edit, go);
}

TEST_P(LiveEdits, RedundantLoopIsCutAndRestored) {
  cut_and_restore(tests::four_bar(), "J4", options(), edit, go);
}

TEST_P(LiveEdits, LoadsOnAJointComeBackWithIt) {
  cut_and_restore(loaded_loop(), "J2", options(), edit, go);
  cut_and_restore(loaded_loop(), "J1", options(), edit, go);
}

TEST_P(LiveEdits, DrivenJointComesBackWhereItsMotionIs) {
  Description d = tests::chain_of(4, false);
  d.add_force("motion", MotionDescription{.joint = "J2",
                                          .value = TimeFunction(TimeFunction::Sine{
                                              .amplitude = 0.5, .angular_frequency = 6})});
  SimulationOptions o = options();
  Simulation simulation(Model(d), o);
  go(simulation, 0.1);
  edit(simulation, {cut("J2")});
  EXPECT_TRUE(simulation.model().motions().empty());
  go(simulation, 0.2);
  edit(simulation, {restore("J2")});
  EXPECT_EQ(simulation.model().motions().size(), 1u);
  go(simulation, 0.3);
  const Sample now = simulation.sample();
  const Joint& joint = simulation.model().joint(simulation.model().find_joint("J2"));
  EXPECT_NEAR(now.motion.configuration.coordinates[static_cast<std::size_t>(joint.first_freedom)],
              0.5 * std::sin(6 * 0.3), 1e-9);
  EXPECT_LT(simulation.statistics().energy_drift, 1e-7);
}

TEST_P(LiveEdits, TurnsAreKept) {
  Description d = tests::chain_of(2, false);
  d.gravity.setZero();
  d.joints[0].speed = {{"angle", 30.0}};
  d.add_force("spring", JointSpringDescription{.joint = "J2", .stiffness = 1});
  Simulation simulation(Model(d), options());
  go(simulation, 0.5);
  const double before = simulation.sample().motion.configuration.coordinates[0];
  EXPECT_GT(std::abs(before), 7.0);
  edit(simulation, {{AddBody{tests::brick("block", {3, 3, 3})}, {}}});
  const Sample after = simulation.sample();
  const Joint& joint = simulation.model().joint(simulation.model().find_joint("J1"));
  EXPECT_NEAR(after.motion.configuration.coordinates[static_cast<std::size_t>(joint.first_freedom)],
              before, 1e-12);
}

TEST_P(LiveEdits, BodiesJointsAndForcesComeAndGo) {
  Simulation simulation(Model(tests::chain_of(4, true)), options());
  go(simulation, 0.05);
  const Vec3 tip = simulation.sample().motion.configuration.poses[2] * Vec3(0.05, 0, 0);
  BodyDescription weight = tests::brick("weight", tip);
  weight.velocity = {0, 0, 1};
  edit(simulation,
       {{AddBody{weight}, {}},
        {AddJoint{tests::joint("pin", JointType::kSpherical, "rod2", "weight", tip)}, {}},
        {AddForce{{"wind",
                   AppliedForceDescription{
                       .body = "weight", .point = tip, .direction = {1, 0, 0}, .value = 2.0},
                   {}}},
         {}}});
  EXPECT_EQ(simulation.model().body_count(), 6);
  go(simulation, 0.15);
  edit(simulation, {{SetNumber{"bodies.weight.mass", 2.0}, {}},
                    {SetNumber{"forces.wind.value", -1.0}, {}},
                    {SetNumber{"gravity.x", 1.0}, {}}});
  go(simulation, 0.2);
  const Sample before = simulation.sample();
  ASSERT_TRUE(simulation.edit({{RemoveBody{"weight", true}, {}}}).status.ok());
  EXPECT_NEAR(balance(simulation.sample()), balance(before), kBalance);
  EXPECT_EQ(simulation.model().body_count(), 5);
  EXPECT_TRUE(simulation.model().applied_forces().empty());
  go(simulation, 0.3);
  EXPECT_LT(simulation.statistics().energy_drift, 1e-6);
}

TEST_P(LiveEdits, RefusedEditLeavesTheRunAsItWas) {
  Simulation simulation(Model(tests::chain_of(3, false)), options());
  Simulation alone(Model(tests::chain_of(3, false)), options());
  ASSERT_TRUE(simulation.advance_to(0.2).ok());
  ASSERT_TRUE(alone.advance_to(0.2).ok());
  const std::vector<Transaction> wrong = {
      {cut("J2"), cut("J9")},
      {cut("J1"), {RemoveBody{"rod2"}, {}}},
      {{RemoveBody{"ground"}, {}}},
      {restore("J1")},
      {{AddBody{{.name = "ghost"}}, {}}},  // floats without inertia
      {{AddBody{{.name = "rod1", .mass = 1}}, {}}},
      {{SetNumber{"bodies.rod1.mass", -1}, {}}},
      {{GrabBody{.name = "hand", .body = "ground"}, {}}},
      {{MoveGrab{.grab = "hand"}, {}}},
      {{AddForce{{"drive", MotionDescription{.joint = "J1", .value = 77.0}, {}}}, {}}},
  };
  for (const Transaction& transaction : wrong) {
    const EditReport report = simulation.edit(transaction);
    EXPECT_EQ(report.status.code, Status::Code::kRefused);
    EXPECT_FALSE(report.status.reason.empty());
  }
  EXPECT_EQ(simulation.model().joint_count(), 3);
  ASSERT_TRUE(simulation.advance_to(0.4).ok());
  ASSERT_TRUE(alone.advance_to(0.4).ok());
  EXPECT_EQ(farthest(simulation.model(), simulation.sample(), alone.model(), alone.sample()), 0.0);
}

/// Crank, rod and slider, the crank turning as told.
Description driven_slider_crank(const TimeFunction& crank) {
  Description d;
  d.add_body(tests::rod("crank", {0, 0, 0}, {0.5, 0, 0}))
      .add_body(tests::rod("rod", {0.5, 0, 0}, {2, 0, 0}, 2))
      .add_body(tests::brick("slider", {2, 0, 0}))
      .add_joint(tests::joint("J1", JointType::kRevolute, "ground", "crank"))
      .add_joint(tests::joint("J2", JointType::kRevolute, "crank", "rod", {0.5, 0, 0}))
      .add_joint(tests::joint("J3", JointType::kRevolute, "rod", "slider", {2, 0, 0}))
      .add_joint(
          tests::joint("J4", JointType::kPrismatic, "ground", "slider", {2, 0, 0}, Vec3::UnitX()))
      .add_force("drive", MotionDescription{.joint = "J1", .value = crank});
  return d;
}

Edit lock(std::string a, std::string b) {
  return {AddJoint{tests::joint("lock", JointType::kFixed, std::move(a), std::move(b))}, {}};
}

void expect_named(const EditReport& report, const std::vector<std::string>& names) {
  EXPECT_EQ(report.status.code, Status::Code::kRefused);
  for (const std::string& name : names)
    EXPECT_NE(report.status.reason.find("'" + name + "'"), std::string::npos)
        << report.status.reason;
}

// [edit-impulse]  No velocity is both what the motion asks for and none at all.
TEST_P(LiveEdits, LockOnADrivenJointIsRefusedWithBothNames) {
  Simulation simulation(Model(driven_slider_crank(TimeFunction(TimeFunction::Ramp{.rate = 6}))),
                        options());
  go(simulation, 0.05);
  expect_named(simulation.edit({lock("ground", "crank")}), {"lock", "drive"});
  EXPECT_EQ(simulation.revision(), 0);
  go(simulation, 0.1);
}

// Where the crank turns back it stands still, and only its acceleration contradicts the lock.
TEST_P(LiveEdits, LockOnAMotionThatTurnsBackIsRefused) {
  Simulation simulation(Model(driven_slider_crank(TimeFunction(TimeFunction::Sine{
                            .amplitude = 0.5, .angular_frequency = std::numbers::pi}))),
                        options());
  go(simulation, 0.5);
  expect_named(simulation.edit({lock("ground", "crank")}), {"lock", "drive"});
}

TEST_P(LiveEdits, GrabOfADrivenBodyIsRefusedWithTheMotion) {
  Simulation simulation(Model(driven_slider_crank(TimeFunction(TimeFunction::Ramp{.rate = 6}))),
                        options());
  go(simulation, 0.08);
  expect_named(simulation.edit({{GrabBody{.name = "hand", .body = "slider"}, {}}}),
               {"slider", "drive"});
}

// A hand on a body that comes to be driven does nothing more, until the body is free again.
TEST_P(LiveEdits, GrabPullsNoMoreWhereNothingIsLeftToPull) {
  Description d = driven_slider_crank(0.0);
  d.forces.clear();
  d.gravity = {0, -9.81, 0};
  Simulation simulation(Model(d), options());
  go(simulation, 0.1);  // away from the dead point
  edit(simulation, {{GrabBody{.name = "hand", .body = "slider", .target = Vec3(1.5, 0, 0)}, {}}});
  ASSERT_EQ(simulation.model().soft_joints().size(), 1);
  go(simulation, 0.15);
  const double q = simulation.sample().motion.configuration.coordinates[0];
  const TimeFunction from_here(
      TimeFunction::Step{.from = q, .to = q - 0.5, .at = 0.15, .duration = 0.5});
  edit(simulation, {{AddForce{{"drive", MotionDescription{"J1", "", from_here}, {}}}, {}}});
  EXPECT_TRUE(simulation.model().soft_joints().front().mass.isZero(0));
  EXPECT_NE(simulation.statistics().notes.back().what.find("'hand' pulls no more"),
            std::string::npos);
  go(simulation, 0.2);
  edit(simulation, {{RemoveForce{"drive"}, {}}});
  EXPECT_FALSE(simulation.model().soft_joints().front().mass.isZero(0));
  go(simulation, 0.25);
  EXPECT_LT(simulation.statistics().energy_drift, 1e-6);
}

/// A four-bar one of whose joints lets it leave its plane, which its weight makes it do when J3 is cut.
Description loop_that_can_leave_its_plane() {
  Description d;
  d.gravity = {0, -9.81, 0.1};
  d.add_body(tests::rod("a", {0, 0, 0}, {0.2, 0.5, 0}))
      .add_body(tests::rod("b", {0.2, 0.5, 0}, {1, 0.7, 0}))
      .add_body(tests::rod("c", {1, 0.7, 0}, {1, 0, 0}));
  for (BodyDescription& body : d.bodies) body.inertia = 0.03 * Mat3::Identity();
  d.add_joint(tests::joint("J1", JointType::kRevolute, "ground", "a"))
      .add_joint(tests::joint("J2", JointType::kSpherical, "a", "b", {0.2, 0.5, 0}))
      .add_joint(tests::joint("J3", JointType::kRevolute, "b", "c", {1, 0.7, 0}))
      .add_joint(tests::joint("J4", JointType::kRevolute, "c", "ground", {1, 0, 0}));
  return d;
}

// It is restored a little out of its plane: its axes are not parallel any more, by so little that squares
// do not show it, and it cannot move.
TEST_P(LiveEdits, LoopRestoredOutOfItsPlaneStandsStill) {
  SimulationOptions told = options();
  // Its iteration is cut where rows nearly depend on each other. The accelerations are then off, which the
  // guard finds; the motion, which is projected, is not.
  if (GetParam() == "augmented-lagrangian") told.guard = GuardAction::kTell;
  Simulation simulation(Model(loop_that_can_leave_its_plane()), told);
  go(simulation, 0.1);
  edit(simulation, {cut("J3")});
  go(simulation, 0.2);
  const double kinetic = simulation.sample().kinetic;
  const EditReport report = simulation.edit({restore("J3")});
  ASSERT_TRUE(report.status.ok()) << report.status.reason;
  EXPECT_NEAR(report.impact, -kinetic, 1e-9);
  go(simulation, 0.3);
  EXPECT_LT(simulation.sample().kinetic, 1e-9);
  EXPECT_LT(simulation.statistics().energy_drift, 1e-6);
}

// [edit-out-of-line]  Sooner than that it is so little out of line that it can move in the first order (two
// and ten milliseconds), or hangs on 1e-9 … 1e-7 rad (the others). Drawn together it goes on.
TEST_P(LiveEdits, LoopRestoredHardlyOutOfItsPlaneIsRefused) {
  for (const double later : {0.002, 0.01, 0.015, 0.03, 0.05}) {
    SCOPED_TRACE(later);
    Simulation simulation(Model(loop_that_can_leave_its_plane()), options());
    go(simulation, 0.1);
    edit(simulation, {cut("J3")});
    go(simulation, 0.1 + later);
    const long revision = simulation.revision();
    expect_named(simulation.edit({restore("J3")}), {"J3"});
    EXPECT_EQ(simulation.revision(), revision);
    ASSERT_TRUE(simulation.edit({{RestoreJoint{"J3", true}, {}}}).status.ok());
    go(simulation, 0.5);
    EXPECT_TRUE(simulation.model().soft_joints().empty());
    EXPECT_GT(simulation.sample().kinetic, 0.1);
    EXPECT_LT(simulation.statistics().energy_drift, 1e-6);
  }
}

// [edit-out-of-line]  No velocity shows it while all is at rest.
TEST_P(LiveEdits, JointHardlyOutOfLineIsRefusedAtRest) {
  const auto add = [](double angle) {
    Description d = loop_that_can_leave_its_plane();
    d.gravity.setZero();
    JointDescription hinge = d.joints[2];
    d.joints.erase(d.joints.begin() + 2);
    hinge.at.q = exp_rotation(Vec3(angle, 0, 0)) * hinge.at.q;
    Simulation simulation(Model(d), options());
    return simulation.edit({{AddJoint{hinge}, {}}});
  };
  EXPECT_TRUE(add(0).status.ok());
  expect_named(add(1e-7), {"J3"});
  EXPECT_TRUE(add(1e-3).status.ok());
}

// [edit-out-of-line]  As in a model of seven digits. What is added elsewhere has nothing to do with that.
TEST_P(LiveEdits, LoopOutOfLineBeforeIsNoReasonToRefuse) {
  Description d = loop_that_can_leave_its_plane();
  d.gravity.setZero();
  d.joints[2].at.q = exp_rotation(Vec3(1e-7, 0, 0)) * d.joints[2].at.q;
  d.add_body(tests::brick("pendulum", {3, 0, 0}));
  Simulation simulation(Model(d), options());
  const JointDescription hinge =
      tests::joint("J5", JointType::kRevolute, "ground", "pendulum", {2.5, 0, 0});
  const EditReport report = simulation.edit({{AddJoint{hinge}, {}}});
  EXPECT_TRUE(report.status.ok()) << report.status.reason;
}

// [edit-closed]  Its rows vanish where the axes have changed places, too, and that is nearer.
TEST_P(LiveEdits, FixedJointClosesFromNearlyAQuarterTurn) {
  Description d;
  d.gravity.setZero();
  BodyDescription a = tests::brick("a");
  BodyDescription b = tests::brick("b", {1, 0, 0});
  b.pose.q = exp_rotation(85 * std::numbers::pi / 180 * Vec3(1, 1, 1).normalized());
  d.add_body(a).add_body(b);
  SimulationOptions o = options();
  o.tolerance = 1e-8;
  Simulation simulation(Model(d), o);
  JointDescription weld{.name = "weld", .type = JointType::kFixed, .body_a = "a", .body_b = "b"};
  weld.frame_a = Transform{Quat::Identity(), {1, 0, 0}};
  weld.frame_b = Transform{};
  ASSERT_TRUE(simulation.edit({{AddJoint{weld}, {}}}).status.ok());
  ASSERT_TRUE(simulation.advance_to(1).ok());
  ASSERT_TRUE(simulation.model().soft_joints().empty());
  const Configuration c = simulation.sample().motion.configuration;
  EXPECT_LT(c.poses[1].q.angularDistance(c.poses[2].q), 1e-7);
  EXPECT_LT(simulation.statistics().energy_drift, 1e-5);
}

/// A pendulum that is cut at t = 0.6 and, on paper, at 5.
Description cut_late() {
  Description d = tests::four_bar();
  d.timeline = {{.at = 0.6, .edits = {cut("J3")}, .source = {}},
                {.at = 5, .edits = {restore("J3")}, .source = {}}};
  return d;
}

TEST(Timeline, IsSeenFromBothSidesAndNotThrice) {
  Simulation simulation(Model(cut_late()), {.until = 1.0});
  std::vector<double> times;
  ASSERT_TRUE(simulation
                  .advance_to(1.0, SampleTimes::every(0.1, 1.0),
                              [&](const Sample& sample) { times.push_back(sample.motion.time); })
                  .ok());
  // Six tenths times … is not quite the 0.6 that was written.
  EXPECT_EQ(std::ranges::count_if(times, [](double t) { return std::abs(t - 0.6) < 1e-9; }), 2);
  EXPECT_EQ(times.size(), 12);
}

TEST(Timeline, TellsWhatComesAfterTheEnd) {
  const Simulation simulation(Model(cut_late()), {.until = 1.0});
  ASSERT_EQ(simulation.statistics().notes.size(), 1);
  EXPECT_NE(simulation.statistics().notes[0].what.find("1 of the timeline's 2"), std::string::npos);
}

}  // namespace
}  // namespace sarrus::testing
