// The judge itself, judged by closed forms.

#include "sarrus/formulations/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sarrus/analysis/assembly.h"
#include "sarrus/formulations/registry.h"
#include "unit/model/mechanisms.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::Each;
using ::testing::HasSubstr;

// Refined solutions of small systems: a few roundings of forces up to a hundred.
constexpr double kRounding = 1e-11;
constexpr double kGravity = 9.81;

/// A model with its motion at t, and the power that drives supply.
struct Instant {
  Model model;
  Motion motion;
  double power = 0;

  explicit Instant(const Description& d, double t = 0) : model(d) {
    const Configuration assembled = assemble(model).configuration;
    const auto formulation =
        make_formulation({.method = "reference"}, model, analyse_topology(model), assembled);
    const auto workspace = formulation->make_workspace();
    std::vector<double> x(static_cast<std::size_t>(formulation->layout().size()));
    std::vector<double> dx(static_cast<std::size_t>(formulation->layout().tangent_size()));
    Discrete discrete;
    formulation->encode(assembled, x, discrete);
    // To where the prescribed motions are by then.
    Status status = formulation->after_step(t, x, discrete, *workspace).status;
    EXPECT_TRUE(status.ok()) << status.reason;
    status = formulation->evaluate(t, x, discrete, *workspace, motion);
    EXPECT_TRUE(status.ok()) << status.reason;
    status = formulation->rates(t, x, discrete, *workspace, dx);
    EXPECT_TRUE(status.ok()) << status.reason;
    power = dx.back();
    // Rates tell the same story as the evaluation.
    for (std::size_t i = 1; i < model.bodies().size(); ++i)
      for (std::size_t k = 0; k < 6; ++k) {
        const auto component = static_cast<Eigen::Index>(k);
        EXPECT_NEAR(dx[12 * (i - 1) + k], motion.configuration.velocities[i][component], kRounding);
        EXPECT_NEAR(dx[12 * (i - 1) + 6 + k], motion.accelerations[i][component], kRounding);
      }
  }
  Vec3 spin_rate(int body) const {
    return motion.accelerations[static_cast<std::size_t>(body)].head<3>();
  }
  Vec3 acceleration(int body) const {
    return motion.accelerations[static_cast<std::size_t>(body)].tail<3>();
  }
};

TEST(Reference, FreeBodyFalls) {
  Description d;
  d.add_body(brick("a", {1, 2, 3}));
  d.bodies[0].velocity = Vec3(1, -2, 3);
  const Instant instant(d);
  EXPECT_LT((instant.acceleration(1) - Vec3(0, 0, -kGravity)).norm(), kRounding);
  EXPECT_LT(instant.spin_rate(1).norm(), kRounding);
}

TEST(Reference, FreeBodyTumblesByEulersEquations) {
  Description d;
  d.add_body(brick("a"));
  const Vec3 w(1, 2, -0.5);
  const Vec3 moments(0.02, 0.03, 0.04);
  d.bodies[0].angular_velocity = w;
  const Vec3 momentum = moments.cwiseProduct(w);
  const Vec3 expected = -w.cross(momentum).cwiseQuotient(moments);
  EXPECT_LT((Instant(d).spin_rate(1) - expected).norm(), kRounding);
}

TEST(Reference, FreeBodyWithItsFrameAsideFallsTheSame) {
  // The frame's origin circles about the mass centre, which falls.
  Description d;
  d.add_body(brick("a"));
  const Vec3 center(0.3, -0.2, 0.5);
  const Vec3 w(0, 0, 2);  // about a principal axis: no tumbling
  d.bodies[0].center_of_mass = center;
  d.bodies[0].angular_velocity = w;
  const Instant instant(d);
  EXPECT_LT(instant.spin_rate(1).norm(), kRounding);
  EXPECT_LT((instant.acceleration(1) - (Vec3(0, 0, -kGravity) - w.cross(w.cross(center)))).norm(),
            kRounding);
}

struct Swing {
  double angle, speed;
};

// Hanging, to both sides, level, almost upright; at rest and fast.
constexpr Swing kSwings[] = {{0, 0}, {0.5, 0}, {-1.2, 2}, {1.5707963267948966, -3}, {3, 5}};

TEST(Reference, PhysicalPendulumSwingsAndPulls) {
  constexpr double kLength = 1.6, kMass = 1.3;
  for (const auto& [angle, speed] : kSwings) {
    Description d;
    d.add_body(rod("bar", Vec3::Zero(), {0, 0, -kLength}, kMass));
    d.add_joint(joint("pin", JointType::kRevolute, "ground", "bar", Vec3::Zero(), -Vec3::UnitY()));
    d.joints[0].start = {{"angle", angle}};
    d.joints[0].speed = {{"angle", speed}};
    const Instant instant(d);
    const double arm = kLength / 2;
    const double rate = -kGravity * arm * std::sin(angle) / (kLength * kLength / 3);
    EXPECT_LT((instant.spin_rate(1) - Vec3(0, -rate, 0)).norm(), kRounding);
    const Vec3 outward(std::sin(angle), 0, -std::cos(angle));
    const Vec3 along(std::cos(angle), 0, std::sin(angle));
    const Vec3 acceleration = arm * rate * along - arm * speed * speed * outward;
    EXPECT_LT((instant.acceleration(1) - acceleration).norm(), kRounding);
    const Vec3 force = kMass * (acceleration + Vec3(0, 0, kGravity));
    EXPECT_LT((instant.motion.reactions[0].tail<3>() - force).norm(), kRounding);
    EXPECT_LT(instant.motion.reactions[0].head<3>().norm(), kRounding);
    EXPECT_EQ(instant.motion.reaction_is_unique[0], 1);
  }
}

TEST(Reference, DoublePendulumOfPointMassesFollowsTheTextbook) {
  const double l1 = 1.1, l2 = 0.7, m1 = 1.4, m2 = 0.6;
  for (const auto& [a1, w1, a2, w2] :
       {std::array{0.4, 0.0, -0.3, 0.0}, std::array{1.2, 2.0, 2.5, -3.0},
        std::array{-2.0, 1.0, 0.1, 4.0}}) {
    const auto bob = [](const char* name, const Vec3& at, double mass) {
      BodyDescription body = brick(name, at);
      body.mass = mass;
      body.inertia.setZero();
      return body;
    };
    Description d;
    d.add_body(bob("one", {0, 0, -l1}, m1)).add_body(bob("two", {0, 0, -l1 - l2}, m2));
    d.add_joint(joint("upper", JointType::kRevolute, "ground", "one", {0, 0, 0}, -Vec3::UnitY()));
    d.add_joint(joint("lower", JointType::kRevolute, "one", "two", {0, 0, -l1}, -Vec3::UnitY()));
    d.joints[0].start = {{"angle", a1}};
    d.joints[0].speed = {{"angle", w1}};
    d.joints[1].start = {{"angle", a2 - a1}};
    d.joints[1].speed = {{"angle", w2 - w1}};
    const Instant instant(d);
    const double between = a1 - a2;
    const double common = 2 * m1 + m2 - m2 * std::cos(2 * between);
    const double rate1 =
        (-kGravity * (2 * m1 + m2) * std::sin(a1) - m2 * kGravity * std::sin(a1 - 2 * a2) -
         2 * std::sin(between) * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * std::cos(between))) /
        (l1 * common);
    const double rate2 = 2 * std::sin(between) *
                         (w1 * w1 * l1 * (m1 + m2) + kGravity * (m1 + m2) * std::cos(a1) +
                          w2 * w2 * l2 * m2 * std::cos(between)) /
                         (l2 * common);
    EXPECT_NEAR(instant.spin_rate(1).y(), -rate1, kRounding);
    EXPECT_NEAR(instant.spin_rate(2).y(), -rate2, kRounding);
  }
}

TEST(Reference, PrescribedRotationNeedsTheTorqueOfItsInertiaAndWeight) {
  // A bar turned about a level axis at its end.
  constexpr double kLength = 2, kMass = 1.5, kTime = 0.3;
  Description d;
  d.add_body(rod("bar", Vec3::Zero(), {0, 0, -kLength}, kMass));
  d.add_joint(joint("pin", JointType::kRevolute, "ground", "bar", Vec3::Zero(), -Vec3::UnitY()));
  const double amplitude = 0.8, frequency = 4;
  d.add_force("drive", MotionDescription{.joint = "pin",
                                         .value = TimeFunction::Shape(
                                             TimeFunction::Sine{amplitude, frequency, 0, 0})});
  const Instant instant(d, kTime);
  const double angle = amplitude * std::sin(frequency * kTime);
  const double speed = amplitude * frequency * std::cos(frequency * kTime);
  const double rate = -frequency * frequency * angle;
  const double torque =
      kMass * kLength * kLength / 3 * rate + kMass * kGravity * kLength / 2 * std::sin(angle);
  EXPECT_LT((instant.spin_rate(1) - Vec3(0, -rate, 0)).norm(), kRounding);
  EXPECT_LT((instant.motion.reactions[0].head<3>() - Vec3(0, -torque, 0)).norm(), kRounding);
  EXPECT_NEAR(instant.power, torque * speed, kRounding);
}

TEST(Reference, PrescribedSlideNeedsTheForceOfItsMass) {
  Description d;
  d.add_body(brick("a"));
  d.add_joint(joint("lift", JointType::kPrismatic, "ground", "a"));
  d.add_force("drive",
              MotionDescription{.joint = "lift",
                                .value = TimeFunction::Shape(TimeFunction::Sine{0.5, 2, 0.4, 0})});
  const Instant instant(d, 0.2);
  const double rate = -4 * 0.5 * std::sin(0.8), speed = std::cos(0.8);
  const double force = 2 * (rate + kGravity);
  EXPECT_LT((instant.motion.reactions[0] - spatial(Vec3::Zero(), {0, 0, force})).norm(), kRounding);
  EXPECT_NEAR(instant.power, force * speed, kRounding);
}

/// A parallelogram: two upright cranks of length one and a level coupler of length two.
Description parallelogram(double angle, const char* sprung, CutPreference cut) {
  Description d = ring({{0, 0, 0}, {0, 0, -1}, {2, 0, -1}, {2, 0, 0}}, same(4, -Vec3::UnitY()));
  // The last joint as the first: ground, then rocker.
  d.joints[3] = joint("J4", JointType::kRevolute, "ground", "link3", {2, 0, 0}, -Vec3::UnitY());
  d.joints[3].cut = cut;
  d.joints[0].start = {{"angle", angle}};
  d.add_force("spring", JointSpringDescription{.joint = sprung, .stiffness = 5, .rest = 0.2});
  return d;
}

TEST(Reference, SpringOnAClosingJointActsAsOnAnyOther) {
  const double angle = 0.7;
  // Cranks of mass 1 about their ends, a coupler of mass 1 that only shifts.
  const double inertia = 2.0 / 3 + 1;
  const double rate = (-5 * (angle - 0.2) - (0.5 + 0.5 + 1) * kGravity * std::sin(angle)) / inertia;
  for (const char* sprung : {"J1", "J4"})
    for (const CutPreference cut : {CutPreference::kPrefer, CutPreference::kForbid}) {
      const Instant instant(parallelogram(angle, sprung, cut));
      EXPECT_NEAR(instant.spin_rate(1).y(), -rate, kRounding);
      EXPECT_NEAR(instant.spin_rate(3).y(), -rate, kRounding);
      EXPECT_LT(instant.spin_rate(2).norm(), kRounding);
    }
}

TEST(Reference, ReactionsBalanceEveryBody) {
  // Newton and Euler about each mass centre, with the reactions of the joints.
  Description d = four_bar();
  d.joints[0].speed = {{"angle", 3.0}};
  d.add_force("spring", JointSpringDescription{.joint = "J4", .stiffness = 5, .rest = 0.4});
  d.add_force("friction", JointFrictionDescription{.joint = "J2", .viscous = 0.3});
  const Instant instant(d);
  const Configuration& c = instant.motion.configuration;
  for (std::size_t i = 1; i < 4; ++i) {
    const Inertia& inertia = instant.model.bodies()[i].inertia;
    Vec3 force = Vec3(0, 0, -inertia.mass * kGravity);
    Vec3 torque = Vec3::Zero();
    for (std::size_t j = 0; j < 4; ++j) {
      const Joint& joint = instant.model.joints()[j];
      const auto b = static_cast<std::size_t>(joint.b.index);
      const Vec3 point = c.poses[b] * joint.X_BM.p;
      const double sign = joint.b.index == static_cast<int>(i)   ? 1
                          : joint.a.index == static_cast<int>(i) ? -1
                                                                 : 0;
      const Vec6& wrench = instant.motion.reactions[j];
      force += sign * wrench.tail<3>();
      torque += sign * (wrench.head<3>() + (point - c.poses[i].p).cross(wrench.tail<3>()));
    }
    const Vec3 w = c.velocities[i].head<3>();
    const Mat3 J = c.poses[i].R() * inertia.central * c.poses[i].R().transpose();
    const int body = static_cast<int>(i);
    EXPECT_LT((force - inertia.mass * instant.acceleration(body)).norm(), kRounding);
    EXPECT_LT((torque - J * instant.spin_rate(body) - w.cross(J * w)).norm(), kRounding);
  }
}

TEST(Reference, FlagsReactionsThatRedundancyLeavesOpen) {
  EXPECT_THAT(Instant(four_bar()).motion.reaction_is_unique, Each(0));
  const Instant determined(four_bar({JointType::kRevolute, JointType::kSpherical,
                                     JointType::kCylindrical, JointType::kRevolute}));
  EXPECT_THAT(determined.motion.reaction_is_unique, Each(1));
}

TEST(Reference, RedundancyDoesNotChangeTheMotion) {
  Description redundant = four_bar();
  Description determined = four_bar(
      {JointType::kRevolute, JointType::kSpherical, JointType::kCylindrical, JointType::kRevolute});
  redundant.joints[0].speed = determined.joints[0].speed = {{"angle", 2.0}};
  const Instant one(redundant), two(determined);
  for (int i = 1; i < 4; ++i) {
    EXPECT_LT((one.acceleration(i) - two.acceleration(i)).norm(), kRounding * 10);
    EXPECT_LT((one.spin_rate(i) - two.spin_rate(i)).norm(), kRounding * 10);
  }
}

TEST(Reference, OpenJointsBesideARedundantLoopStayUnique) {
  Description d = four_bar();
  d.add_body(brick("weight", {0, 3, 0}));
  d.add_joint(joint("aside", JointType::kRevolute, "ground", "weight", {0, 3, 1}, Vec3::UnitY()));
  const Instant instant(d);
  EXPECT_THAT(instant.motion.reaction_is_unique, ::testing::ElementsAre(0, 0, 0, 0, 1));
  EXPECT_LT((instant.motion.reactions[4].tail<3>() - Vec3(0, 0, 2 * kGravity)).norm(), kRounding);
}

TEST(Reference, EncodesAndDecodesTheSameConfiguration) {
  Description d = four_bar();
  d.joints[0].start = {{"angle", 7.0}};
  d.joints[0].speed = {{"angle", 1.0}};
  const Model model(d);
  const Configuration c = assemble(model).configuration;
  const auto formulation =
      make_formulation({.method = "reference"}, model, analyse_topology(model), c);
  std::vector<double> x(static_cast<std::size_t>(formulation->layout().size()));
  Discrete discrete;
  formulation->encode(c, x, discrete);
  Configuration back;
  formulation->decode(x, discrete, back);
  for (std::size_t i = 0; i < c.poses.size(); ++i) {
    EXPECT_LT((back.poses[i].R() - c.poses[i].R()).norm(), kRounding);
    EXPECT_EQ(back.poses[i].p, c.poses[i].p);
    EXPECT_EQ(back.velocities[i], c.velocities[i]);
  }
  for (std::size_t k = 0; k < c.coordinates.size(); ++k)
    EXPECT_NEAR(back.coordinates[k], c.coordinates[k], kRounding);  // turns included
}

TEST(Reference, AfterStepBringsTheStateBack) {
  const Model model(four_bar());
  const Configuration c = assemble(model).configuration;
  const auto formulation =
      make_formulation({.method = "reference"}, model, analyse_topology(model), c);
  const auto workspace = formulation->make_workspace();
  std::vector<double> x(static_cast<std::size_t>(formulation->layout().size()));
  Discrete discrete;
  formulation->encode(c, x, discrete);
  x[4] += 1e-4;  // the crank's origin
  x[20] += 1e-4;
  const AfterStep after = formulation->after_step(0, x, discrete, *workspace);
  ASSERT_TRUE(after.status.ok()) << after.status.reason;
  EXPECT_TRUE(after.changed);
  Configuration back;
  formulation->decode(x, discrete, back);
  VecX phi;
  ConstraintSystem(model).evaluate_positions(0, back, phi);
  EXPECT_LT(phi.norm(), 1e-13);  // some dozen roundings
}

TEST(Reference, SaysWhichBodyHasNoInertia) {
  Description d;
  d.add_body(brick("bob", {0, 0, -1}));
  d.bodies[0].inertia.setZero();
  d.add_joint(joint("ball", JointType::kSpherical, "ground", "bob"));
  const Model model(d);
  const Configuration c = assemble(model).configuration;
  const auto formulation =
      make_formulation({.method = "reference"}, model, analyse_topology(model), c);
  const auto workspace = formulation->make_workspace();
  std::vector<double> x(static_cast<std::size_t>(formulation->layout().size()));
  Discrete discrete;
  formulation->encode(c, x, discrete);
  Motion motion;
  const Status status = formulation->evaluate(0, x, discrete, *workspace, motion);
  EXPECT_EQ(status.code, Status::Code::kSingular);
  EXPECT_THAT(status.reason, HasSubstr("body 'bob'"));
}

TEST(MakeFormulation, SaysWhichMethodsThereAre) {
  const Model model(four_bar());
  const Configuration c = assemble(model).configuration;
  try {
    make_formulation({.method = "referense"}, model, analyse_topology(model), c);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no method 'referense'"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'reference'?"));
  }
}

}  // namespace
}  // namespace sarrus
