#include "sarrus/mobility/mobility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sarrus/model/loads.h"
#include "unit/constraints/dense.h"
#include "unit/model/mechanisms.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// All mechanisms here are described as assembled.
Mobility mobility_of(const Description& d) {
  const Model model(d);
  const Topology topology = analyse_topology(model);
  return compute_mobility(model, topology, model.reference_configuration());
}

void expect_figures(const Mobility::Figures& figures, int freedoms, int redundant) {
  EXPECT_EQ(figures.freedoms, freedoms);
  EXPECT_EQ(figures.redundant, redundant);
  EXPECT_EQ(figures.rows - figures.rank, redundant);
}

/// Not singular, no motions: all figures are the same.
void expect_everywhere(const Mobility& mobility, int freedoms, int redundant) {
  expect_figures(mobility.generic, freedoms, redundant);
  expect_figures(mobility.instantaneous, freedoms, redundant);
  expect_figures(mobility.generic_without_motions, freedoms, redundant);
  expect_figures(mobility.instantaneous_without_motions, freedoms, redundant);
  EXPECT_FALSE(mobility.singular());
}

std::vector<JointId> first_joints(int count) {
  std::vector<JointId> joints;
  for (int i = 0; i < count; ++i) joints.push_back(JointId{i});
  return joints;
}

TEST(Mobility, OfAnOpenChainIsTheSumOfItsJoints) {
  Description d = four_bar();
  d.joints.pop_back();
  expect_everywhere(mobility_of(d), 3, 0);
}

TEST(Mobility, OfFreeBodiesIsSixEach) {
  Description d;
  d.add_body(brick("a")).add_body(brick("b"));
  expect_everywhere(mobility_of(d), 12, 0);
}

TEST(Mobility, OfThePlanarFourBar) {
  const Mobility mobility = mobility_of(four_bar());
  expect_everywhere(mobility, 1, 3);
  EXPECT_EQ(mobility.redundant_joints, first_joints(4));
  EXPECT_EQ(mobility.nonunique_reactions, first_joints(4));
}

TEST(Mobility, OfTheFourBarWithoutItsRedundancy) {
  const Mobility mobility = mobility_of(four_bar({JointType::kRevolute, JointType::kSpherical,
                                                  JointType::kCylindrical, JointType::kRevolute}));
  expect_everywhere(mobility, 1, 0);
  EXPECT_THAT(mobility.redundant_joints, IsEmpty());
  EXPECT_THAT(mobility.nonunique_reactions, IsEmpty());
}

TEST(Mobility, OfThePlanarFiveBar) {
  const Description d = ring({{0, 0, 0}, {-0.5, 0, 1}, {0.6, 0, 2}, {1.7, 0, 1.1}, {1, 0, 0}},
                             same(5, Vec3::UnitY()));
  expect_everywhere(mobility_of(d), 2, 3);
}

TEST(Mobility, OfARingOfFourSkewHinges) {
  Random random(1);
  std::vector<Vec3> points, axes;
  for (int i = 0; i < 4; ++i) {
    points.push_back(random.vec3());
    axes.push_back(random.direction());
  }
  expect_everywhere(mobility_of(ring(points, axes)), 0, 2);
}

TEST(Mobility, OfARingOfSevenSkewHinges) {
  const Mobility mobility = mobility_of(seven_bar());
  expect_everywhere(mobility, 1, 0);
  EXPECT_THAT(mobility.redundant_joints, IsEmpty());
}

TEST(Mobility, OfTheSphericalFourBar) {
  // All axes through one point: a structure by counting, a mechanism in truth.
  const std::vector<Vec3> axes = {Vec3(1, 0, 0.1), Vec3(0.5, 0.7, 0.3), Vec3(-0.2, 1, 0.5),
                                  Vec3(-0.9, 0.1, 0.6)};
  std::vector<Vec3> points;
  for (const Vec3& axis : axes) points.push_back(axis.normalized());
  expect_everywhere(mobility_of(ring(points, axes)), 1, 3);
}

TEST(Mobility, OfTheSarrusLinkage) {
  Description d;
  const Vec3 top(0, 0, 1);
  d.add_body(rod("a1", {1, 0, 0}, {1.5, 0, 0.5})).add_body(rod("a2", {1.5, 0, 0.5}, {1, 0, 1}));
  d.add_body(rod("b1", {0, 1, 0}, {0, 1.5, 0.5})).add_body(rod("b2", {0, 1.5, 0.5}, {0, 1, 1}));
  d.add_body(brick("plate", top));
  const auto hinge = [&](const char* name, const char* a, const char* b, const Vec3& at,
                         const Vec3& axis) {
    d.add_joint(joint(name, JointType::kRevolute, a, b, at, axis));
  };
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY();
  hinge("A1", "ground", "a1", {1, 0, 0}, y);
  hinge("A2", "a1", "a2", {1.5, 0, 0.5}, y);
  hinge("A3", "a2", "plate", {1, 0, 1}, y);
  hinge("B1", "ground", "b1", {0, 1, 0}, x);
  hinge("B2", "b1", "b2", {0, 1.5, 0.5}, x);
  hinge("B3", "b2", "plate", {0, 1, 1}, x);
  const Mobility mobility = mobility_of(d);
  expect_everywhere(mobility, 1, 1);
  EXPECT_EQ(mobility.redundant_joints, first_joints(6));
}

/// Links of lengths a, b, a, b with twists α, β, α, β; sin α / a = sin β / b. Returns the ring, with
/// axes z of the Denavit-Hartenberg frames.
Description bennett(double angle) {
  const double alpha = 0.6, beta = 1.1, a = 1, b = std::sin(beta) / std::sin(alpha);
  const double ratio = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
  const double second = 2 * std::atan(ratio / std::tan(angle / 2));
  const double angles[] = {angle, second, -angle, -second};
  Transform X;
  std::vector<Vec3> points, axes;
  for (int i = 0; i < 4; ++i) {
    points.push_back(X.p);
    axes.push_back(X.R().col(2));
    X = X * Transform{Quat(Eigen::AngleAxisd(angles[i], Vec3::UnitZ())), Vec3::Zero()};
    X = X * Transform{Quat::Identity(), Vec3(i % 2 == 0 ? a : b, 0, 0)};
    X = X *
        Transform{Quat(Eigen::AngleAxisd(i % 2 == 0 ? alpha : beta, Vec3::UnitX())), Vec3::Zero()};
  }
  // Closed: back where it began.
  EXPECT_LT(X.p.norm(), 1e-12);
  EXPECT_LT((X.R() - Mat3::Identity()).norm(), 1e-12);
  return ring(points, axes);
}

TEST(Mobility, OfTheBennettLinkage) {
  for (const double angle : {0.5, 0.8, 1.7}) expect_everywhere(mobility_of(bennett(angle)), 1, 3);
}

TEST(Mobility, OfTheFlatParallelogramIsSingular) {
  // Folded onto a line, where it can go on as a parallelogram or as a crossed one.
  const Description d = ring({{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {2, 0, 0}}, same(4, Vec3::UnitY()));
  const Mobility mobility = mobility_of(d);
  EXPECT_TRUE(mobility.singular());
  expect_figures(mobility.generic, 1, 3);
  expect_figures(mobility.instantaneous, 2, 4);
}

TEST(Mobility, OfTheDrivenCrankCountsWithAndWithoutMotions) {
  Description d = four_bar();
  d.add_force("drive", MotionDescription{.joint = "J1", .value = 0.0});
  const Mobility mobility = mobility_of(d);
  expect_figures(mobility.generic, 0, 3);
  expect_figures(mobility.instantaneous, 0, 3);
  expect_figures(mobility.generic_without_motions, 1, 3);
  expect_figures(mobility.instantaneous_without_motions, 1, 3);
  EXPECT_EQ(mobility.generic.rows, mobility.generic_without_motions.rows + 1);
}

TEST(Mobility, OfTwoDrivesOnOneFreedomIsRedundant) {
  Description d = four_bar();
  d.add_force("drive", MotionDescription{.joint = "J1", .value = 0.0});
  d.add_force("again", MotionDescription{.joint = "J4", .value = 0.0});
  expect_figures(mobility_of(d).generic, 0, 4);
}

TEST(Mobility, OfADriveOutsideTheLoops) {
  Description d;
  d.add_body(brick("a", {1, 0, 0}));
  d.add_joint(joint("j", JointType::kCylindrical, "ground", "a"));
  d.add_force("m", MotionDescription{.joint = "j", .coordinate = "slide", .value = 0.0});
  const Mobility mobility = mobility_of(d);
  expect_figures(mobility.generic, 1, 0);
  expect_figures(mobility.generic_without_motions, 2, 0);
}

TEST(Mobility, OfARodBetweenTwoBallsHasItsIdleSpin) {
  const Mobility mobility = mobility_of(four_bar(
      {JointType::kRevolute, JointType::kSpherical, JointType::kSpherical, JointType::kRevolute}));
  expect_everywhere(mobility, 2, 0);
}

TEST(Mobility, OfTwoLoopsAddsUp) {
  Description d = four_bar();
  Description other = four_bar();
  for (BodyDescription& body : other.bodies) {
    body.name += "x";
    body.pose.p += Vec3(0, 1, 0);
  }
  for (JointDescription& j : other.joints) {
    j.name += "x";
    j.at.p += Vec3(0, 1, 0);
    for (std::string* body : {&j.body_a, &j.body_b})
      if (*body != "ground") *body += "x";
    d.add_joint(j);
  }
  for (const BodyDescription& body : other.bodies) d.add_body(body);
  expect_everywhere(mobility_of(d), 2, 6);
}

TEST(Mobility, OfADoubledJointIsRedundantByItsRows) {
  Description d;
  d.add_body(brick("a", {1, 0, 0}));
  d.add_joint(joint("one", JointType::kRevolute, "ground", "a", {0, 0, 0}));
  d.add_joint(joint("two", JointType::kRevolute, "a", "ground", {0, 0, 1}));  // on the same axis
  const Mobility mobility = mobility_of(d);
  expect_everywhere(mobility, 1, 5);
  EXPECT_THAT(mobility.redundant_joints, ElementsAre(JointId{0}, JointId{1}));
}

TEST(Mobility, AgreesWithADenseRankOnRandomRings) {
  const std::vector<JointType> kinds = {
      JointType::kRevolute,  JointType::kPrismatic, JointType::kCylindrical, JointType::kUniversal,
      JointType::kSpherical, JointType::kPlanar,    JointType::kFixed};
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Vec3> points, axes;
    std::vector<JointType> types;
    const int count = 3 + random.below(4);
    for (int i = 0; i < count; ++i) {
      points.push_back(2 * random.vec3());
      axes.push_back(random.direction());
      types.push_back(kinds[static_cast<std::size_t>(random.below(7))]);
    }
    const Model model(ring(points, axes, types));
    const Configuration c = model.reference_configuration();
    const Mobility mobility = compute_mobility(model, analyse_topology(model), c);
    const ConstraintSystem system(model);
    ConstraintValues values;
    system.evaluate(0, c, values);
    EXPECT_EQ(mobility.instantaneous.freedoms, null_space(values.J).cols());
    EXPECT_GE(mobility.generic.rank, mobility.instantaneous.rank);
  }
}

}  // namespace
}  // namespace sarrus
