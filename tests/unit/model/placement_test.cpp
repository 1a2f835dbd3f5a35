// From the description's poses, places and frames to the model's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sarrus/model/loads.h"
#include "sarrus/model/model.h"
#include "unit/model/joint_cases.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::ElementsAre;

// A few roundings of numbers of size one.
constexpr double kPlacementRounding = 1e-13;

void expect_same(const Transform& X, const Transform& Y) {
  EXPECT_LT((X.R() - Y.R()).norm(), kPlacementRounding);
  EXPECT_LT((X.p - Y.p).norm(), kPlacementRounding);
}

Transform chained(const Transform& X, const Transform& Y) { return {X.q * Y.q, X.p + X.R() * Y.p}; }

TEST(RelativePlacement, FollowsTheChainInAnyOrder) {
  Random random(1);
  Description d;
  for (const char* name : {"c", "a", "b"}) d.add_body(brick(name));
  for (BodyDescription& body : d.bodies) body.pose = random.pose();
  d.bodies[0].relative_to = "b";
  d.bodies[2].relative_to = "a";
  d.bodies[1].relative_to = "ground";
  const Model model(d);
  const Transform a = d.bodies[1].pose;
  const Transform b = chained(a, d.bodies[2].pose);
  const Transform c = chained(b, d.bodies[0].pose);
  expect_same(model.body(model.find_body("a")).X_WB, a);
  expect_same(model.body(model.find_body("b")).X_WB, b);
  expect_same(model.body(model.find_body("c")).X_WB, c);
}

TEST(RelativePlacement, ServesTwoBranchesOfOneBase) {
  Random random(2);
  Description d;
  for (const char* name : {"base", "left", "right"}) d.add_body(brick(name));
  for (BodyDescription& body : d.bodies) body.pose = random.pose();
  d.bodies[1].relative_to = d.bodies[2].relative_to = "base";
  const Model model(d);
  expect_same(model.bodies()[2].X_WB, chained(d.bodies[0].pose, d.bodies[1].pose));
  expect_same(model.bodies()[3].X_WB, chained(d.bodies[0].pose, d.bodies[2].pose));
}

TEST(Placement, NormalisesQuaternions) {
  Description d;
  d.add_body(brick("a"));
  d.bodies[0].pose.q = Quat(2, 0, 0, 2);
  EXPECT_NEAR(Model(d).bodies()[1].X_WB.q.norm(), 1, kPlacementRounding);
}

class PlacedJoint : public ::testing::TestWithParam<JointType> {
 protected:
  PlacedJoint() {
    Random random(3);
    description.add_body(brick("a")).add_body(brick("b"));
    for (BodyDescription& body : description.bodies) body.pose = random.pose();
    description.add_joint(joint("j", GetParam(), "a", "b"));
    JointDescription& j = description.joints[0];
    if (GetParam() == JointType::kHelical) j.lead = 0.7;
    j.at = random.pose();
  }
  Description description;
};

INSTANTIATE_TEST_SUITE_P(Types, PlacedJoint, ::testing::ValuesIn(all_joint_types()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST_P(PlacedJoint, AtStandsWhereItWasSaidInBothBodies) {
  const Model model(description);
  const Joint& j = model.joints()[0];
  expect_same(chained(model.bodies()[1].X_WB, j.X_AF), description.joints[0].at);
  expect_same(chained(model.bodies()[2].X_WB, j.X_BM), description.joints[0].at);
}

TEST_P(PlacedJoint, HasItsReferenceCoordinatesAtTheReferencePose) {
  CoordinateValues& reference = description.joints[0].reference;
  double value = 0.3;
  for (const std::string& name : joint_coordinate_names(GetParam())) reference[name] = value += 0.2;
  const Model model(description);
  const Joint& j = model.joints()[0];
  Configuration c = model.reference_configuration();
  const std::vector<double> described = c.coordinates;
  for (const Row& row : j.constraint_rows(view_of(j, c), described.data()))
    EXPECT_NEAR(row.value, 0, kPlacementRounding);
  update_coordinates(model, c);
  const auto& names = joint_coordinate_names(GetParam());
  for (std::size_t k = 0; k < names.size(); ++k) {
    EXPECT_EQ(described[k], reference.find(names[k])->second);
    EXPECT_NEAR(c.coordinates[k], described[k], kPlacementRounding);
  }
}

TEST_P(PlacedJoint, FramesAreTakenAsTheyAre) {
  Random random(4);
  JointDescription& j = description.joints[0];
  j.frame_a = random.pose();
  j.frame_b = random.pose();
  const Model model(description);
  expect_same(model.joints()[0].X_AF, *j.frame_a);
  expect_same(model.joints()[0].X_BM, *j.frame_b);
}

TEST(Placement, ReferenceTurnsAreKept) {
  Description d;
  d.add_body(brick("a"));
  d.add_joint(joint("j", JointType::kRevolute, "ground", "a"));
  d.joints[0].reference = {{"angle", 30.0}};
  const Model model(d);
  Configuration c = model.reference_configuration();
  update_coordinates(model, c);
  EXPECT_NEAR(c.coordinates[0], 30, kPlacementRounding * 30);
}

TEST(Placement, PointsOfForcesAreFixedInTheirBodies) {
  Random random(5);
  Description d;
  d.add_body(brick("a")).add_body(brick("b"));
  for (BodyDescription& body : d.bodies) body.pose = random.pose();
  const Vec3 p = random.vec3(), q = random.vec3();
  d.add_force("k",
              PointSpringDescription{.body_a = "a", .body_b = "b", .point_a = p, .point_b = q});
  d.add_force("f", AppliedForceDescription{.body = "b", .point = q, .direction = {1, 0, 0}});
  const Model model(d);
  const PointSpring& spring = model.point_springs()[0];
  EXPECT_LT((model.body(spring.a).X_WB * spring.point_a - p).norm(), kPlacementRounding);
  EXPECT_LT((model.body(spring.b).X_WB * spring.point_b - q).norm(), kPlacementRounding);
  EXPECT_NEAR(spring.rest_length, (p - q).norm(), kPlacementRounding);
  EXPECT_LT((model.bodies()[2].X_WB * model.applied_forces()[0].point - q).norm(),
            kPlacementRounding);
}

TEST(Model, CollectsBreakpointsOfAllFunctionsOnce) {
  using F = TimeFunction;
  Description d;
  d.add_body(brick("a"));
  d.add_joint(joint("j", JointType::kCylindrical, "ground", "a"));
  d.add_force(
      "f", AppliedForceDescription{
               .body = "a", .direction = {1, 0, 0}, .value = F::Shape(F::Step{.to = 1, .at = 2})});
  d.add_force("t", AppliedTorqueDescription{.body = "a",
                                            .direction = {1, 0, 0},
                                            .value = F::Shape(F::Ramp{.rate = 1, .start = 1})});
  d.add_force("m", MotorDescription{.joint = "j",
                                    .coordinate = "angle",
                                    .target = F::Shape(F::Step{.to = 1, .at = -1, .duration = 4})});
  d.add_force("x", MotionDescription{.joint = "j",
                                     .coordinate = "slide",
                                     .value = F::Shape(F::Step{.to = 1, .at = 2, .duration = 5})});
  EXPECT_THAT(Model(d).breakpoints(), ElementsAre(1, 2, 3, 7));
}

}  // namespace
}  // namespace sarrus
