#include "sarrus/io/picture/picture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sarrus/base/diagnostics.h"
#include "sarrus/io/picture/bodies.h"
#include "sarrus/io/picture/camera.h"
#include "unit/model/mechanisms.h"

namespace sarrus::picture {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Mat3 kRound = 0.1 * Mat3::Identity();

BodyDescription body(const std::string& name, const Vec3& at) {
  BodyDescription description;
  description.name = name;
  description.mass = 1;
  description.inertia = kRound;
  description.pose.p = at;
  return description;
}

JointDescription joint(const std::string& name, JointType type, const std::string& a,
                       const std::string& b, const Transform& at) {
  JointDescription description;
  description.name = name;
  description.type = type;
  description.body_a = a;
  description.body_b = b;
  description.at = at;
  if (type == JointType::kHelical) description.lead = 0.1;
  return description;
}

// The frame at p whose z axis is `axis`.
Transform frame(const Vec3& p, const Vec3& axis) { return {least_turn(Vec3::UnitZ(), axis), p}; }

// Links of 1 m along x on revolute joints.
Description chain(int links, const Vec3& axis) {
  Description description;
  for (int i = 0; i < links; ++i) {
    description.add_body(body(fmt::format("link{}", i), {i + 0.5, 0, 0}));
    description.add_joint(joint(fmt::format("J{}", i), JointType::kRevolute,
                                i == 0 ? "ground" : fmt::format("link{}", i - 1),
                                fmt::format("link{}", i), frame({1.0 * i, 0, 0}, axis)));
  }
  return description;
}

std::string drawn(const Description& description, const PictureOptions& options = {}) {
  const Model model(description);
  return draw_picture(model, model.reference_configuration(), options);
}

Camera camera_for(const Description& description, const PictureOptions& options = {}) {
  const Model model(description);
  return choose_camera(model, make_skeleton(model, model.reference_configuration()), options);
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST(Picture, HasASymbolOfItsOwnForEveryJoint) {
  for (const std::string& type : joint_type_names()) {
    Description description;
    description.add_body(body("a", {0, 0, 0})).add_body(body("b", {1, 0, 0}));
    description.add_joint(joint("G", JointType::kRevolute, "ground", "a", {}));
    description.add_joint(joint("J", *joint_type(type), "a", "b", frame({0.5, 0, 0}, {0, 1, 0})));
    for (const bool axonometric : {false, true}) {
      const std::string svg = drawn(description, {.axonometric = axonometric});
      EXPECT_EQ(count(svg, "<g class=\"joint "), 2) << type;
      EXPECT_THAT(
          svg, HasSubstr(fmt::format("<g class=\"joint {0}\"><title>J: {0}, a – b</title>", type)));
      EXPECT_EQ(count(svg, "<g class=\"body\">"), 2) << type;
      EXPECT_EQ(count(svg, "<g class=\"ground\">"), 1) << type;
      EXPECT_EQ(count(svg, "<g "), count(svg, "</g>")) << type;
      EXPECT_THAT(svg, Not(AnyOf(HasSubstr("nan"), HasSubstr("inf")))) << type;
    }
  }
}

TEST(Picture, IsTheSameEveryTime) {
  const Description description = chain(5, {0, 1, 0});
  EXPECT_EQ(drawn(description), drawn(description));
}

TEST(Picture, ShowsSpringsDrivesLoadsAndGravity) {
  Description description = chain(2, {0, 1, 0});
  description.add_force(
      "k", PointSpringDescription{
               .body_b = "link1", .point_a = {1, 0, 1}, .point_b = {2, 0, 0}, .stiffness = 5});
  description.add_force("spiral", JointSpringDescription{.joint = "J1", .stiffness = 1});
  description.add_force("motor", MotorDescription{.joint = "J0", .stiffness = 1});
  description.add_force(
      "push", AppliedForceDescription{.body = "link1", .point = {2, 0, 0}, .direction = {0, 0, 3}});
  const std::string svg = drawn(description);
  for (const char* group : {"spring\"><title>k<", "spring\"><title>spiral<",
                            "drive motor\"><title>motor<", "load force\"><title>push<", "gravity"})
    EXPECT_THAT(svg, HasSubstr(group));
  description.gravity.setZero();
  EXPECT_THAT(drawn(description), Not(HasSubstr("gravity")));
}

TEST(Picture, ShowsLoadsOnGround) {
  Description loose;
  loose.add_body(body("stone", {3, 4, 5}));
  for (Description description : {chain(2, {0, 1, 0}), loose}) {
    description.add_force("twist",
                          AppliedTorqueDescription{.body = "ground", .direction = {0, 2, 0}});
    description.add_force(
        "push",
        AppliedForceDescription{.body = "ground", .point = {1, 0, 0}, .direction = {0, 0, 1}});
    const std::string svg = drawn(description);
    for (const char* group : {"load torque\"><title>twist<", "load force\"><title>push<"})
      EXPECT_THAT(svg, HasSubstr(group));
    EXPECT_THAT(svg, Not(AnyOf(HasSubstr("nan"), HasSubstr("inf"))));
  }
}

TEST(Picture, EscapesNames) {
  Description description;
  description.name = "a < b & \"c\"";
  description.add_body(body("<&>", {0, 0, 0}));
  EXPECT_THAT(drawn(description), AllOf(HasSubstr("<title>&lt;&amp;&gt;</title>"),
                                        HasSubstr("<title>a &lt; b &amp; &quot;c&quot;</title>")));
}

TEST(Picture, WritesNamesWhereTheyAreFew) {
  EXPECT_THAT(drawn(chain(3, {0, 1, 0})), HasSubstr(">link2</text>"));
  EXPECT_THAT(drawn(chain(30, {0, 1, 0})), Not(HasSubstr("link2</text>")));
  EXPECT_THAT(drawn(chain(3, {0, 1, 0}), {.labels = PictureLabels::kNone}),
              Not(HasSubstr("link2</text>")));
  EXPECT_THAT(drawn(chain(30, {0, 1, 0}), {.labels = PictureLabels::kAll}),
              AllOf(HasSubstr(">link29</text>"), HasSubstr(">J29</text>")));
}

TEST(Picture, TakesALoneBody) {
  Description description;
  description.add_body(body("stone", {3, 4, 5}));
  EXPECT_THAT(drawn(description), AllOf(HasSubstr("stone"), Not(HasSubstr("nan"))));
}

TEST(Picture, DrawsThousandsOfBodiesWithoutDetails) {
  const std::string svg = drawn(chain(3000, {0, 1, 0}));
  EXPECT_EQ(count(svg, "<g class=\"joint revolute\">"), 3000);
  EXPECT_LT(svg.size(), 3000U * 500U);
}

TEST(Picture, SaysWhichViewsAndLabelsThereAre) {
  PictureOptions options;
  set_view(options, "1,-2,0.5");
  EXPECT_EQ(*options.view, Vec3(1, -2, 0.5));
  set_view(options, "auto");
  EXPECT_FALSE(options.view);
  for (const char* word : {"", "w", "1,2", "1,2,3,4", "1,2,x", "0,0,0", "nan,0,0"})
    EXPECT_THROW(set_view(options, word), UsageError) << word;
  EXPECT_EQ(picture_labels("all"), PictureLabels::kAll);
  EXPECT_THROW(picture_labels("some"), UsageError);
}

TEST(PictureCamera, LooksAlongTheAxesOfAPlanarMechanism) {
  const Camera side = camera_for(chain(2, {0, 1, 0}));  // gravity along −z
  EXPECT_TRUE(side.flat);
  EXPECT_TRUE(side.right.isApprox(Vec3(1, 0, 0)) && side.up.isApprox(Vec3(0, 0, 1)));
  Description upright = chain(2, {0, 0, 1});
  upright.gravity = {0, -9.81, 0};
  const Camera front = camera_for(upright);
  EXPECT_TRUE(front.right.isApprox(Vec3(1, 0, 0)) && front.up.isApprox(Vec3(0, 1, 0)));
}

TEST(PictureCamera, LooksFromASlantAtASpatialMechanism) {
  Description description = chain(2, {0, 1, 0});
  description.add_body(body("hook", {2, 0.5, 0.5}));
  description.add_joint(
      joint("S", JointType::kSpherical, "link1", "hook", frame({2, 0, 0}, {0, 0, 1})));
  const Camera camera = camera_for(description);
  EXPECT_FALSE(camera.flat);
  EXPECT_GT(camera.toward.cwiseAbs().minCoeff(), 0.1);
  EXPECT_FALSE(camera_for(chain(2, {0, 1, 0}), {.axonometric = true}).flat);
  const Camera above = camera_for(description, {.view = Vec3(0, 0, 2)});
  EXPECT_TRUE(above.toward.isApprox(Vec3(0, 0, 1)));
}

TEST(PictureBodies, HullGoesRoundThePoints) {
  EXPECT_EQ(convex_hull({{0, 0}, {100, 0}, {100, 100}, {0, 100}, {50, 50}, {50, 0}}).size(), 4U);
  EXPECT_EQ(convex_hull({{0, 0}, {50, 50}, {100, 100}}).size(), 2U);
  EXPECT_EQ(convex_hull({{7, 7}}).size(), 1U);
}

TEST(PictureSkeleton, ABodyOnOneJointReachesAsFarBeyondItsMassCentre) {
  const Model model(chain(1, {0, 1, 0}));
  const Skeleton skeleton = make_skeleton(model, model.reference_configuration());
  ASSERT_EQ(skeleton.bodies[0].points.size(), 2U);
  EXPECT_TRUE(skeleton.bodies[0].points[1].isApprox(Vec3(1, 0, 0)));
}

TEST(PictureSkeleton, KeepsOneOfThePointsThatCoincide) {
  constexpr int kSpokes = 300;
  Description description;
  description.add_body(body("hub", {0, 0, 0}));
  for (int i = 0; i < 2 * kSpokes; ++i) {  // two at every place
    const double angle = 2 * std::numbers::pi * (i % kSpokes) / kSpokes;
    const Vec3 at(std::cos(angle), std::sin(angle), i < kSpokes ? 0 : 1e-8);
    description.add_body(body(fmt::format("b{}", i), 2 * at));
    description.add_joint(joint(fmt::format("J{}", i), JointType::kRevolute, "hub",
                                fmt::format("b{}", i), frame(at, {0, 0, 1})));
  }
  const Model model(description);
  const Skeleton skeleton = make_skeleton(model, model.reference_configuration());
  const std::vector<Vec3>& points = skeleton.bodies[0].points;
  ASSERT_EQ(points.size(), static_cast<std::size_t>(kSpokes));
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ((points[i] - skeleton.joints[i].point).norm(), 0) << i;
}

}  // namespace
}  // namespace sarrus::picture
