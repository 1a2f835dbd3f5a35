#include "sarrus/constraints/projector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sarrus/constraints/closing.h"
#include "sarrus/model/loads.h"
#include "unit/constraints/dense.h"
#include "unit/model/mechanisms.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::HasSubstr;

// Some dozen roundings of lengths up to three.
constexpr double kClosed = 1e-14;

/// Rounding of sums over all rows, with condition numbers up to 1e3.
constexpr double kRounding = 1e-11;

/// The four-bar has three redundant rows, the ring of seven none.
struct Mechanism {
  Model model;
  int rank;
};

Mechanism planar() { return {Model(four_bar()), 17}; }
Mechanism spatial_ring() { return {Model(seven_bar()), 35}; }

/// Largest distance between the two points that a joint should keep together, and largest angle
/// between its two axes.
double widest_gap(const Model& model, const Configuration& c) {
  double most = 0;
  for (const Joint& joint : model.joints()) {
    const Transform F = c.poses[static_cast<std::size_t>(joint.a.index)] * joint.X_AF;
    const Transform M = c.poses[static_cast<std::size_t>(joint.b.index)] * joint.X_BM;
    most = std::max(most, (F.p - M.p).norm());
    if (joint.type() == JointType::kRevolute)
      most = std::max(most, (F.R().col(2) - M.R().col(2)).norm());
  }
  return most;
}

Configuration near_closed(const Model& model, double size, Random& random) {
  Configuration c = model.reference_configuration();
  disturb(c, size, random);
  for (std::size_t i = 1; i < c.velocities.size(); ++i) c.velocities[i] = random.vec6(2);
  update_coordinates(model, c);
  return c;
}

TEST(Projector, ClosesPositionsToRounding) {
  for (const Mechanism& mechanism : {planar(), spatial_ring()})
    for (unsigned seed = 0; seed < 5; ++seed) {
      Random random(seed);
      Configuration c = near_closed(mechanism.model, 1e-3, random);
      EXPECT_GT(widest_gap(mechanism.model, c), 1e-4);
      const ConstraintSystem system(mechanism.model);
      Projector projector(system, mechanism.rank);
      const Status status = projector.project_positions(0, c);
      ASSERT_TRUE(status.ok()) << status.reason;
      EXPECT_LT(widest_gap(mechanism.model, c), kClosed);
    }
}

TEST(Projector, MovesPositionsAlongInverseMassTimesJacobian) {
  // To first order the displacement has no share, in the kinetic metric, along allowed motions.
  constexpr double kSize = 1e-5;
  const Mechanism mechanism = planar();
  const ConstraintSystem system(mechanism.model);
  Random random(1);
  const Configuration before = near_closed(mechanism.model, kSize, random);
  Configuration c = before;
  Projector projector(system, mechanism.rank);
  ASSERT_TRUE(projector.project_positions(0, c).ok());
  VecX delta(18);
  for (std::size_t i = 0; i < 3; ++i)
    delta.segment<6>(6 * static_cast<Eigen::Index>(i))
        << log_rotation(c.poses[i + 1].q * before.poses[i + 1].q.conjugate()),
        c.poses[i + 1].p - before.poses[i + 1].p;
  ConstraintValues values;
  system.evaluate(0, c, values);
  const MatX N = null_space(values.J);
  ASSERT_EQ(N.cols(), 1);
  const MatX M = block_diagonal(mass_blocks(system, c));
  EXPECT_LT((N.transpose() * (M * delta)).norm(), 100 * kSize * kSize);
  EXPECT_GT(delta.norm(), 0.1 * kSize);
}

TEST(Projector, ProjectsVelocitiesOrthogonallyInTheKineticMetric) {
  for (const Mechanism& mechanism : {planar(), spatial_ring()})
    for (unsigned seed = 0; seed < 5; ++seed) {
      Random random(seed);
      const ConstraintSystem system(mechanism.model);
      Configuration c = near_closed(mechanism.model, 1e-3, random);
      Projector projector(system, mechanism.rank);
      ASSERT_TRUE(projector.project_positions(0, c).ok());
      const VecX before = system.velocities(c);
      const double energy_before = kinetic_energy(mechanism.model, c);
      ASSERT_TRUE(projector.factor(0, c).ok());
      projector.project_velocities(0, c);
      const VecX change = system.velocities(c) - before;
      ConstraintValues values;
      system.evaluate(0, c, values);
      const MatX M = block_diagonal(mass_blocks(system, c));
      EXPECT_LT((values.J * system.velocities(c)).norm(), kRounding);
      EXPECT_LT((null_space(values.J).transpose() * (M * change)).norm(), kRounding);
      // Pythagoras: what is taken away is the energy of the change.
      const double energy_after = kinetic_energy(mechanism.model, c);
      EXPECT_LE(energy_after, energy_before);
      EXPECT_NEAR(energy_before - energy_after, 0.5 * change.dot(M * change), kRounding * 100);
      EXPECT_GT(energy_after, 0);
    }
}

TEST(Projector, LeavesAConsistentStateAlone) {
  const Mechanism mechanism = planar();
  const ConstraintSystem system(mechanism.model);
  Random random(2);
  Configuration c = near_closed(mechanism.model, 1e-3, random);
  Projector projector(system, mechanism.rank);
  ASSERT_TRUE(projector.project_positions(0, c).ok());
  ASSERT_TRUE(projector.factor(0, c).ok());
  projector.project_velocities(0, c);
  Configuration again = c;
  ASSERT_TRUE(projector.project_positions(0, again).ok());
  ASSERT_TRUE(projector.factor(0, again).ok());
  projector.project_velocities(0, again);
  EXPECT_LT((system.velocities(again) - system.velocities(c)).norm(), kRounding);
  for (std::size_t i = 1; i < c.poses.size(); ++i)
    EXPECT_LT((again.poses[i].p - c.poses[i].p).norm(), kClosed);
}

TEST(Projector, DoesNotCarryFactorsFromOnePoseToAnother) {
  const Mechanism mechanism = spatial_ring();
  const ConstraintSystem system(mechanism.model);
  Random random(21);
  Configuration closed = near_closed(mechanism.model, 1e-3, random);
  Projector used(system, mechanism.rank);
  // Twice, so that the second call moves nothing and would let its factors be used again.
  ASSERT_TRUE(used.project_positions(0, closed).ok());
  ASSERT_TRUE(used.project_positions(0, closed).ok());
  const Configuration other = near_closed(mechanism.model, 0.05, random);
  Configuration by_used = other, by_fresh = other;
  ASSERT_TRUE(used.project_positions(0, by_used).ok());
  Projector fresh(system, mechanism.rank);
  ASSERT_TRUE(fresh.project_positions(0, by_fresh).ok());
  for (std::size_t i = 1; i < other.poses.size(); ++i)
    EXPECT_EQ(by_used.poses[i].p, by_fresh.poses[i].p);  // the same sums, to the bit
}

TEST(Projector, GivesDrivenJointsTheirSpeed) {
  Description d = four_bar();
  d.add_force("drive",
              MotionDescription{.joint = "J1",
                                .value = TimeFunction::Shape(TimeFunction::Ramp{.rate = 3})});
  const Model model(d);
  const ConstraintSystem system(model);
  Configuration c = model.reference_configuration();
  Projector projector(system, 18);
  const double t = 0.01;
  ASSERT_TRUE(projector.project_positions(t, c).ok());
  ASSERT_TRUE(projector.factor(t, c).ok());
  projector.project_velocities(t, c);
  EXPECT_NEAR(c.coordinates[0], 0.03, kClosed);
  EXPECT_LT((c.velocities[1].head<3>() - Vec3(0, 3, 0)).norm(), kRounding);
  EXPECT_LT(widest_gap(model, c), kClosed);
}

TEST(Projector, SaysWhoCannotBeKeptClosed) {
  // A rocker far too short to reach.
  Description d = four_bar();
  const Model whole(d);
  d.joints[3].frame_a = whole.joints()[3].X_AF;
  d.joints[3].frame_b = whole.joints()[3].X_BM;
  d.joints[3].frame_b->p += Vec3(20, 0, 0);
  const Model model(d);
  const ConstraintSystem system(model);
  Configuration c = model.reference_configuration();
  Projector projector(system, 17);
  const Status status = projector.project_positions(0, c);
  EXPECT_EQ(status.code, Status::Code::kDiverged);
  EXPECT_THAT(status.reason, HasSubstr("joint 'J"));
}

TEST(Projector, NamesTheBodyThatMovesWithoutInertia) {
  Description d;
  BodyDescription bob = brick("bob", {0, 0, -1});
  bob.inertia.setZero();
  d.add_body(bob);
  d.add_joint(joint("ball", JointType::kSpherical, "ground", "bob"));
  const Model model(d);
  const ConstraintSystem system(model);
  Projector projector(system, 3);
  const Status status = projector.factor(0, model.reference_configuration());
  EXPECT_EQ(status.code, Status::Code::kSingular);
  EXPECT_THAT(status.reason, HasSubstr("body 'bob'"));
}

TEST(Projector, TellsNumbersThatAreNotFinite) {
  const Mechanism mechanism = planar();
  const ConstraintSystem system(mechanism.model);
  Configuration c = mechanism.model.reference_configuration();
  c.poses[1].q.x() = std::nan("");
  Projector projector(system, 17);
  EXPECT_EQ(projector.factor(0, c).code, Status::Code::kNotFinite);
}

class RoughPose : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Seeds, RoughPose, testing::Range(0, 10));

TEST_P(RoughPose, OfAPlanarFourBarCloses) {
  Random random(static_cast<unsigned>(GetParam()));
  const Model model(four_bar());
  const ConstraintSystem system(model);
  Configuration c = model.reference_configuration();
  disturb(c, 0.3, random);
  const Closing closing = close_constraints(system, 0, c);
  ASSERT_TRUE(closing.status.ok()) << closing.status.reason;
  EXPECT_LT(widest_gap(model, c), kClosed);
  EXPECT_LT(closing.iterations, 30);
}

TEST_P(RoughPose, OfASpatialRingCloses) {
  Random random(static_cast<unsigned>(GetParam()));
  const Model model(seven_bar());
  const ConstraintSystem system(model);
  Configuration c = model.reference_configuration();
  disturb(c, 0.15, random);
  const Closing closing = close_constraints(system, 0, c);
  ASSERT_TRUE(closing.status.ok()) << closing.status.reason;
  EXPECT_LT(widest_gap(model, c), kClosed);
}

TEST(Closing, CountsTheTurnsOfAScrew) {
  Description d;
  d.add_body(brick("nut", {0, 0, 0.5}));
  d.add_joint(joint("screw", JointType::kHelical, "ground", "nut"));
  d.joints[0].lead = 0.1;
  d.joints[0].reference = {{"angle", 31.0}};
  const Model model(d);
  const ConstraintSystem system(model);
  Configuration c = model.reference_configuration();
  Random random(3);
  disturb(c, 0.2, random);
  ASSERT_TRUE(close_constraints(system, 0, c).status.ok());
  EXPECT_NEAR(c.coordinates[0], 31, 1);
  EXPECT_NEAR(c.poses[1].p.z() - 0.5, 0.1 / (2 * std::numbers::pi) * (c.coordinates[0] - 31),
              kClosed * 10);
}

TEST(Closing, NamesAJointOfTheLoopThatCannotClose) {
  Description d = four_bar();
  d.add_body(brick("weight", {0, 3, 0}));
  d.add_joint(joint("aside", JointType::kRevolute, "ground", "weight", {0, 3, 1}));
  const Model whole(d);
  d.joints[3].frame_a = whole.joints()[3].X_AF;
  d.joints[3].frame_b = whole.joints()[3].X_BM;
  d.joints[3].frame_b->p += Vec3(9, 0, 0);
  const Model model(d);
  const ConstraintSystem system(model);
  Configuration c = model.reference_configuration();
  const Closing closing = close_constraints(system, 0, c);
  EXPECT_EQ(closing.status.code, Status::Code::kDiverged);
  EXPECT_THAT(closing.status.reason, HasSubstr("joint 'J"));
  EXPECT_THAT(closing.worst, HasSubstr("joint 'J"));
  EXPECT_GT(closing.residual, 1);
}

}  // namespace
}  // namespace sarrus
