// Every mistake that a description can have, one by one, and all at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sarrus/model/model.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two bodies, a hinge, a screw, a plane and a weld: something for every mistake.
Description sound() {
  Description d;
  d.add_body(brick("base", {0, 0, 1})).add_body(brick("arm", {1, 0, 1})).add_body(brick("tip"));
  d.add_joint(joint("hinge", JointType::kRevolute, "ground", "base"));
  d.add_joint(joint("screw", JointType::kHelical, "base", "arm"));
  d.joints.back().lead = 0.1;
  d.add_joint(joint("plane", JointType::kPlanar, "arm", "tip"));
  d.add_joint(joint("weld", JointType::kFixed, "tip", "ground"));
  return d;
}

std::vector<Diagnostic> mistakes(const Description& description) {
  try {
    const Model model(description);
  } catch (const ModelError& error) {
    return error.diagnostics();
  }
  return {};
}

struct Mistake {
  const char* name;
  void (*make)(Description&);
  const char* what;       // part of the message
  const char* hint = "";  // part of the hint
};

// gtest would print the bytes.
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

const Mistake kMistakes[] = {
    {"gravity", [](Description& d) { d.gravity.x() = kNan; }, "gravity is not finite"},
    {"body_without_name", [](Description& d) { d.add_body(brick("")); }, "a body has no name"},
    {"body_named_ground", [](Description& d) { d.add_body(brick("ground")); },
     "body 'ground' is described", "another name"},
    {"two_bodies_of_one_name", [](Description& d) { d.add_body(brick("arm")); },
     "there are two bodies named 'arm'"},
    {"body_pose", [](Description& d) { d.bodies[1].pose.p.x() = kInfinity; },
     "body 'arm' has a pose"},
    {"body_pose_without_rotation", [](Description& d) { d.bodies[1].pose.q.coeffs().setZero(); },
     "body 'arm' has a pose"},
    {"body_velocity", [](Description& d) { d.bodies[1].velocity.x() = kNan; },
     "body 'arm' has a velocity"},
    {"body_angular_velocity", [](Description& d) { d.bodies[1].angular_velocity.x() = kNan; },
     "body 'arm' has a velocity"},
    {"body_mass", [](Description& d) { d.bodies[1].mass = -1; }, "body 'arm': mass -1"},
    {"body_inertia", [](Description& d) { d.bodies[1].inertia(2, 2) = 9; },
     "body 'arm': the principal moments", "about the mass centre"},
    {"body_relative_to_unknown", [](Description& d) { d.bodies[1].relative_to = "bse"; },
     "body 'arm' names no such body 'bse'", "did you mean 'base'?"},
    {"body_relative_to_itself", [](Description& d) { d.bodies[1].relative_to = "arm"; },
     "body 'arm' is placed relative to itself"},
    {"joint_without_name", [](Description& d) { d.joints[0].name = ""; }, "a joint has no name"},
    {"two_joints_of_one_name", [](Description& d) { d.joints[0].name = "weld"; },
     "there are two joints named 'weld'"},
    {"joint_first_body", [](Description& d) { d.joints[0].body_a = "wheel"; },
     "joint 'hinge' names no such body 'wheel'", "known bodies: ground, base, arm, tip"},
    {"joint_second_body", [](Description& d) { d.joints[0].body_b = ""; },
     "joint 'hinge' names no such body ''"},
    {"joint_to_itself", [](Description& d) { d.joints[1].body_b = "base"; },
     "joint 'screw' joins 'base' to itself"},
    {"joint_with_one_frame", [](Description& d) { d.joints[0].frame_a = Transform{}; },
     "joint 'hinge' has a frame in one body only"},
    {"joint_with_frames_and_reference",
     [](Description& d) {
       d.joints[0].frame_a = d.joints[0].frame_b = Transform{};
       d.joints[0].reference = {{"angle", 1.0}};
     },
     "joint 'hinge' has frames in both bodies"},
    {"joint_place", [](Description& d) { d.joints[0].at.p.x() = kNan; },
     "joint 'hinge' has a frame that is not finite"},
    {"joint_frame",
     [](Description& d) {
       d.joints[0].frame_a = d.joints[0].frame_b = Transform{};
       d.joints[0].frame_b->p.x() = kNan;
     },
     "joint 'hinge' has a frame that is not finite"},
    {"joint_place_without_rotation", [](Description& d) { d.joints[0].at.q.coeffs().setZero(); },
     "joint 'hinge' has a frame that is not finite"},
    {"screw_without_lead", [](Description& d) { d.joints[1].lead = 0; },
     "joint 'screw' is helical but its lead is 0", "revolute"},
    {"screw_with_infinite_lead", [](Description& d) { d.joints[1].lead = kInfinity; },
     "joint 'screw' is helical but its lead is inf"},
    {"hinge_with_lead", [](Description& d) { d.joints[0].lead = 1; },
     "joint 'hinge' is revolute and has no lead"},
    {"reference_of_unknown_coordinate",
     [](Description& d) {
       d.joints[0].reference = {{"slide", 1}};
     },
     "joint 'hinge' is revolute and has no coordinate 'slide'", "known coordinates: angle"},
    {"start_of_unknown_coordinate",
     [](Description& d) {
       d.joints[0].start = {{"angel", 1}};
     },
     "has no coordinate 'angel'"},
    {"speed_not_finite",
     [](Description& d) {
       d.joints[0].speed = {{"angle", kNan}};
     },
     "joint 'hinge' has a speed that is not finite"},
    {"force_without_name",
     [](Description& d) { d.add_force("", JointSpringDescription{.joint = "hinge"}); },
     "a force or drive has no name"},
    {"two_forces_of_one_name",
     [](Description& d) {
       d.add_force("k", JointSpringDescription{.joint = "hinge"});
       d.add_force("k", JointSpringDescription{.joint = "screw"});
     },
     "there are two forces or drives named 'k'"},
    {"spring_body",
     [](Description& d) { d.add_force("k", PointSpringDescription{.body_b = "armm"}); },
     "spring 'k' names no such body 'armm'", "did you mean 'arm'?"},
    {"spring_to_itself",
     [](Description& d) {
       d.add_force("k", PointSpringDescription{.body_a = "arm", .body_b = "arm"});
     },
     "spring 'k' joins 'arm' to itself"},
    {"spring_stiffness",
     [](Description& d) {
       d.add_force("k", PointSpringDescription{.body_b = "arm", .stiffness = -1});
     },
     "spring 'k' has the stiffness -1"},
    {"spring_damping",
     [](Description& d) {
       d.add_force("k", PointSpringDescription{.body_b = "arm", .damping = kNan});
     },
     "spring 'k' has the damping nan"},
    {"spring_rest_length",
     [](Description& d) {
       d.add_force("k", PointSpringDescription{.body_b = "arm", .rest_length = -2.0});
     },
     "spring 'k' has the rest length -2"},
    {"spring_point",
     [](Description& d) {
       d.add_force("k", PointSpringDescription{.body_b = "arm", .point_b = {0, kNan, 0}});
     },
     "spring 'k' has a point that is not finite"},
    {"joint_spring_stiffness",
     [](Description& d) {
       d.add_force("k", JointSpringDescription{.joint = "hinge", .stiffness = -3});
     },
     "joint spring 'k' has the stiffness -3"},
    {"joint_spring_rest",
     [](Description& d) {
       d.add_force("k", JointSpringDescription{.joint = "hinge", .rest = kNan});
     },
     "joint spring 'k' has a rest that is not finite"},
    {"spring_on_unknown_joint",
     [](Description& d) { d.add_force("k", JointSpringDescription{.joint = "hing"}); },
     "joint spring 'k' names no such joint 'hing'", "did you mean 'hinge'?"},
    {"spring_on_weld",
     [](Description& d) { d.add_force("k", JointSpringDescription{.joint = "weld"}); },
     "acts on joint 'weld', which is fixed and cannot move"},
    {"coordinate_not_said",
     [](Description& d) { d.add_force("k", JointSpringDescription{.joint = "plane"}); },
     "does not say which coordinate of joint 'plane'", "known coordinates: x, y, angle"},
    {"coordinate_unknown",
     [](Description& d) {
       d.add_force("k", JointSpringDescription{.joint = "plane", .coordinate = "z"});
     },
     "joint 'plane' is planar and has no coordinate 'z'"},
    {"friction_viscous",
     [](Description& d) {
       d.add_force("f", JointFrictionDescription{.joint = "hinge", .viscous = -1});
     },
     "friction 'f' has the viscous coefficient -1"},
    {"friction_coulomb",
     [](Description& d) {
       d.add_force("f", JointFrictionDescription{.joint = "hinge", .coulomb = -1});
     },
     "friction 'f' has the Coulomb force -1"},
    {"friction_transition",
     [](Description& d) {
       d.add_force("f", JointFrictionDescription{.joint = "hinge", .transition_speed = 0});
     },
     "friction 'f' has the transition speed 0"},
    {"force_direction",
     [](Description& d) { d.add_force("f", AppliedForceDescription{.body = "arm"}); },
     "force 'f' has no direction"},
    {"force_point",
     [](Description& d) {
       d.add_force("f", AppliedForceDescription{
                            .body = "arm", .point = {kNan, 0, 0}, .direction = {1, 0, 0}});
     },
     "force 'f' has a point that is not finite"},
    {"force_body",
     [](Description& d) {
       d.add_force("f", AppliedForceDescription{.body = "leg", .direction = {1, 0, 0}});
     },
     "force 'f' names no such body 'leg'"},
    {"force_value",
     [](Description& d) {
       d.add_force("f",
                   AppliedForceDescription{.body = "arm", .direction = {1, 0, 0}, .value = kNan});
     },
     "force 'f': a number is not finite"},
    {"torque_direction",
     [](Description& d) { d.add_force("f", AppliedTorqueDescription{.body = "arm"}); },
     "torque 'f' has no direction"},
    {"torque_body",
     [](Description& d) {
       d.add_force("f", AppliedTorqueDescription{.body = "leg", .direction = {1, 0, 0}});
     },
     "torque 'f' names no such body 'leg'"},
    {"torque_value",
     [](Description& d) {
       d.add_force("f",
                   AppliedTorqueDescription{.body = "arm", .direction = {1, 0, 0}, .value = kNan});
     },
     "torque 'f': a number is not finite"},
    {"drive_value",
     [](Description& d) {
       d.add_force("f", JointTorqueDescription{.joint = "hinge", .value = kNan});
     },
     "drive 'f': a number is not finite"},
    {"drive_joint",
     [](Description& d) { d.add_force("f", JointTorqueDescription{.joint = "knee"}); },
     "drive 'f' names no such joint 'knee'"},
    {"motor_target",
     [](Description& d) { d.add_force("m", MotorDescription{.joint = "hinge", .target = kNan}); },
     "motor 'm': a number is not finite"},
    {"motor_stiffness",
     [](Description& d) { d.add_force("m", MotorDescription{.joint = "hinge", .stiffness = -1}); },
     "motor 'm' has the stiffness -1"},
    {"motor_damping",
     [](Description& d) { d.add_force("m", MotorDescription{.joint = "hinge", .damping = -1}); },
     "motor 'm' has the damping -1"},
    {"motion_value",
     [](Description& d) {
       d.add_force("m", MotionDescription{.joint = "hinge",
                                          .value = TimeFunction::Shape(TimeFunction::Table{})});
     },
     "motion 'm': the table is empty"},
    {"motion_of_broken_table_beside_a_start",
     [](Description& d) {
       d.joints[0].start = {{"angle", 1}};
       d.add_force("m", MotionDescription{.joint = "hinge",
                                          .value = TimeFunction::Shape(TimeFunction::Table{})});
     },
     "motion 'm': the table is empty"},
    {"motion_with_a_corner",
     [](Description& d) {
       d.add_force("m", MotionDescription{.joint = "hinge",
                                          .value = TimeFunction::Shape(
                                              TimeFunction::Ramp{.rate = 1, .start = 2})});
     },
     "motion 'm' is not smooth: the ramp has a corner", "continuous speed"},
    {"two_motions_of_one_coordinate",
     [](Description& d) {
       d.add_force("m", MotionDescription{.joint = "hinge", .value = 1.0});
       d.add_force("n", MotionDescription{.joint = "hinge", .value = 2.0});
     },
     "motions 'm' and 'n' prescribe the same coordinate of joint 'hinge'", "keep one"},
    {"start_against_motion",
     [](Description& d) {
       d.joints[0].start = {{"angle", 0.5}};
       d.add_force("m", MotionDescription{.joint = "hinge", .value = 1.0});
     },
     "joint 'hinge' has the start 0.5 but motion 'm' prescribes 1", "drop"},
    {"speed_against_motion",
     [](Description& d) {
       d.joints[0].speed = {{"angle", 0.5}};
       d.add_force("m", MotionDescription{.joint = "hinge", .value = 1.0});
     },
     "joint 'hinge' has the speed 0.5 but motion 'm' prescribes 0", "drop"},
    {"simulation_step", [](Description& d) { d.simulation.step = 0; }, "simulation: 'step' is 0"},
    {"simulation_every", [](Description& d) { d.simulation.every = -1; },
     "simulation: 'every' is -1"},
    {"simulation_tolerance", [](Description& d) { d.simulation.tolerance = kNan; },
     "simulation: 'tolerance' is nan"},
    {"simulation_until", [](Description& d) { d.simulation.until = -1; },
     "simulation: 'until' is -1"},
};

class OneMistake : public ::testing::TestWithParam<Mistake> {};

INSTANTIATE_TEST_SUITE_P(Model, OneMistake, ::testing::ValuesIn(kMistakes),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(OneMistake, IsToldAlone) {
  Description d = sound();
  GetParam().make(d);
  const std::vector<Diagnostic> told = mistakes(d);
  ASSERT_EQ(told.size(), 1u) << testing::PrintToString([&] {
    std::string all;
    for (const Diagnostic& diagnostic : told) all += to_string(diagnostic) + "\n";
    return all;
  }());
  EXPECT_THAT(told[0].what, HasSubstr(GetParam().what));
  EXPECT_THAT(told[0].hint, HasSubstr(GetParam().hint));
}

TEST(Model, AcceptsTheSoundDescription) { EXPECT_TRUE(mistakes(sound()).empty()); }

TEST(Model, WithoutBodiesIsRefused) {
  const auto told = mistakes(Description{});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0].what, HasSubstr("model 'model' has no bodies"));
}

TEST(Model, ReportsAllMistakesAtOnce) {
  Description d = sound();
  d.bodies[0].mass = -1;
  d.joints[0].lead = 1;
  d.joints[1].lead = 0;
  d.joints[2].body_b = "toe";
  d.add_force("k", JointSpringDescription{.joint = "hing", .stiffness = -1});
  d.simulation.step = -1;
  EXPECT_EQ(mistakes(d).size(), 7u);
}

TEST(Model, ReportsACircleOfRelativePlacesOnce) {
  Description d = sound();
  d.bodies[0].relative_to = "arm";
  d.bodies[1].relative_to = "tip";
  d.bodies[2].relative_to = "base";
  const auto told = mistakes(d);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0].what, HasSubstr("in a circle"));
}

TEST(Model, DoesNotBlameTheForcesOfABrokenJoint) {
  Description d = sound();
  d.joints[0].lead = 1;
  d.add_force("k", JointSpringDescription{.joint = "hinge", .stiffness = 1});
  EXPECT_EQ(mistakes(d).size(), 1u);
}

TEST(Model, ToldPlacesComeFromTheSource) {
  Description d = sound();
  auto fields = std::make_shared<Source::Fields>();
  fields->emplace("lead", SourceLocation{"arm.yaml", 7, 3});
  d.joints[0].source = {{"arm.yaml", 5, 1}, fields};
  d.joints[0].lead = 1;
  const auto told = mistakes(d);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].where.line, 7);
}

TEST(Model, FindsByNameOrSaysWhatIsNear) {
  const Model model(sound());
  EXPECT_EQ(model.find_body("ground"), kGround);
  EXPECT_EQ(model.find_body("arm").index, 2);
  EXPECT_EQ(model.find_joint("plane").index, 2);
  EXPECT_THROW(
      {
        try {
          model.find_joint("plain");
        } catch (const UsageError& error) {
          EXPECT_THAT(error.what(), HasSubstr("has no joint 'plain'"));
          throw;
        }
      },
      UsageError);
  EXPECT_THROW(model.find_body("leg"), UsageError);
}

}  // namespace
}  // namespace sarrus
