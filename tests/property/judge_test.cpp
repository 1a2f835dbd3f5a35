// A judge that never condemns is worth nothing: each law must catch what breaks it.

#include "property/suite.h"
#include "sarrus/testing/energy_laws.h"
#include "sarrus/testing/same_mechanism.h"

namespace sarrus::testing {
namespace {

/// A part in a hundred wrong must give a defect far above every tolerance in use.
constexpr double kWrong = 1e-2;
constexpr double kCaught = 1e-6;

/// A mechanism with everything that can go wrong: loops, forces, drives and a prescribed motion.
Description busy_mechanism() {
  return random_mechanism(4, {.bodies = 6,
                              .loops = true,
                              .forces = true,
                              .drives = true,
                              .motions = true,
                              .mass_ratio = 10});
}

class Judge : public ::testing::Test {
 protected:
  Judge() : subject_(busy_mechanism()), model_(subject_.model()), motion_(subject_.motion()) {}

  std::size_t fastest_body() const {
    std::size_t best = 1;
    const auto& V = motion_.configuration.velocities;
    for (std::size_t i = 1; i < V.size(); ++i)
      if (V[i].head<3>().norm() > V[best].head<3>().norm()) best = i;
    return best;
  }

  /// The first joint with a freedom whose reaction is larger than nothing.
  std::size_t loaded_joint() const {
    std::size_t j = 0;
    while (model_.joints()[j].nv() == 0 || motion_.reactions[j].norm() < 1e-3) ++j;
    return j;
  }

  Subject subject_;
  const Model& model_;
  Motion motion_;
};

TEST_F(Judge, TheMechanismIsSoundAndBusy) {
  EXPECT_FALSE(subject_.topology().is_tree());
  EXPECT_FALSE(model_.motions().empty());
  EXPECT_FALSE(model_.joint_springs().empty());
  EXPECT_LT(newton_euler(model_, motion_).defect, 1e-12);
}

TEST_F(Judge, WrongLinearAccelerationIsCaught) {
  motion_.accelerations[fastest_body()].tail<3>() *= 1 + kWrong;
  EXPECT_GT(newton_euler(model_, motion_).defect, kCaught);
  EXPECT_GT(momentum_balance(model_, motion_).defect, kCaught);
  EXPECT_GT(dalembert(model_, motion_).defect, kCaught);
  EXPECT_GT(constraint_accelerations(model_, motion_).defect, kCaught);
  EXPECT_GT(constraint_curvature(model_, motion_).defect, kCaught);
  EXPECT_GT(power_balance(model_, motion_, subject_.supplied_power()).defect, kCaught);
}

TEST_F(Judge, WrongAngularAccelerationIsCaught) {
  motion_.accelerations[fastest_body()].head<3>() *= 1 + kWrong;
  EXPECT_GT(newton_euler(model_, motion_).defect, kCaught);
  EXPECT_GT(constraint_accelerations(model_, motion_).defect, kCaught);
}

TEST_F(Judge, MissingGyroscopicTermIsCaught) {
  // As if ω×Jω had been forgotten: the acceleration differs by J⁻¹ of it.
  const std::size_t i = fastest_body();
  const Mat3 R = motion_.configuration.poses[i].R();
  const Mat3 J = R * model_.bodies()[i].inertia.central * R.transpose();
  const Vec3 w = motion_.configuration.velocities[i].head<3>();
  motion_.accelerations[i].head<3>() += J.inverse() * w.cross(J * w);
  EXPECT_GT(newton_euler(model_, motion_).defect, kCaught);
  EXPECT_GT(dalembert(model_, motion_).defect, kCaught);
}

TEST_F(Judge, WrongReactionIsCaught) {
  motion_.reactions[loaded_joint()] *= 1 + kWrong;
  EXPECT_GT(newton_euler(model_, motion_).defect, kCaught);
  EXPECT_LT(dalembert(model_, motion_).defect, 1e-11) << "has no look at reactions";
}

TEST_F(Judge, WrongReactionOfGroundIsCaught) {
  for (std::size_t j = 0; j < model_.joints().size(); ++j)
    if (model_.joints()[j].a == kGround) motion_.reactions[j] *= 1 + kWrong;
  EXPECT_GT(momentum_balance(model_, motion_).defect, kCaught);
}

TEST_F(Judge, ForceAlongAFreeMotionIsCaught) {
  // Friction, say, that the report forgot: a wrench along the first free motion of the joint.
  const std::size_t j = [&] {
    std::size_t at = 0;
    for (; at < model_.joints().size(); ++at)
      if (model_.joints()[at].nv() == 1 && model_.motions()[0].at.joint.index != int(at)) break;
    return at;
  }();
  ASSERT_LT(j, model_.joints().size());
  const Joint& joint = model_.joints()[j];
  const double q[7] = {};
  const Mat3 R =
      motion_.configuration.poses[static_cast<std::size_t>(joint.b.index)].R() * joint.X_BM.R();
  const Vec6 along = rotated(R, joint.S_M(q).col(0));
  motion_.reactions[j] += kWrong * motion_.reactions[j].norm() * along;
  EXPECT_GT(virtual_power(model_, motion_).defect, kCaught);
}

TEST_F(Judge, WrongVelocityIsCaught) {
  motion_.configuration.velocities[fastest_body()] *= 1 + kWrong;
  EXPECT_GT(constraint_velocities(model_, motion_).defect, kCaught);
}

TEST_F(Judge, WrongPowerIsCaught) {
  const double power = subject_.supplied_power();
  EXPECT_GT(power_balance(model_, motion_, (1 + kWrong) * power).defect, kCaught);
}

TEST_F(Judge, WrongMarkOfUniquenessIsCaught) {
  motion_.reaction_is_unique[0] = static_cast<char>(motion_.reaction_is_unique[0] == 0);
  EXPECT_EQ(reaction_uniqueness(model_, motion_).defect, 1);
}

TEST_F(Judge, AnotherMotionIsCaught) {
  Motion other = motion_;
  other.accelerations[1] *= 1 + kWrong;
  EXPECT_GT(same_motion(model_, motion_, model_, other).defect, kCaught);
  other = motion_;
  other.reactions[loaded_joint()] *= 1 + kWrong;
  EXPECT_GT(same_motion(model_, motion_, model_, other).defect, kCaught);
  const Transform shifted{Quat::Identity(), Vec3(kWrong, 0, 0)};
  EXPECT_GT(same_motion(model_, motion_, model_, motion_, shifted).defect, kCaught);
}

TEST_F(Judge, LostEnergyIsCaught) {
  std::vector<Motion> samples = {motion_};
  subject_.advance_to(0.1);
  samples.push_back(subject_.motion());
  EXPECT_LT(energy_balance(model_, samples).defect, kCaught);
  samples.back().configuration.velocities[1] *= 1 + kWrong;
  EXPECT_GT(energy_balance(model_, samples).defect, kCaught);
}

TEST_F(Judge, SlowConvergenceIsCaught) {
  EXPECT_NEAR((EnergyOrder{.coarse = 1e-4, .fine = 1e-4 / 16}).order(), 2, 1e-12);
  EXPECT_NEAR((EnergyOrder{.coarse = 1e-4, .fine = 1e-4}).order(), 0, 1e-12);
}

TEST_F(Judge, NotANumberIsNeverASmallDefect) {
  motion_.accelerations[1][0] = std::nan("");
  EXPECT_GT(newton_euler(model_, motion_).defect, 1);
  EXPECT_GT(constraint_accelerations(model_, motion_).defect, 1);
  EXPECT_GT(same_motion(model_, motion_, model_, motion_).defect, 1);
}

TEST_F(Judge, SentencesNameTheCulprit) {
  motion_.accelerations[3] *= 2;
  EXPECT_NE(newton_euler(model_, motion_).sentence.find(model_.bodies()[3].name),
            std::string::npos);
}

}  // namespace
}  // namespace sarrus::testing
