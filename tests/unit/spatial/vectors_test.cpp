#include "sarrus/spatial/vectors.h"

#include <gtest/gtest.h>

#include "unit/spatial/differences.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;

// A few roundings of products of numbers of size one.
constexpr double kProductRounding = 1e-14;

TEST(ShiftMotion, GivesTheVelocityOfTheDisplacedPoint) {
  Random random(1);
  const Vec6 V = random.vec6();
  const Vec3 d = random.vec3();
  // The body turns about the axis through the old point; watch a point of it.
  const auto place = [&](double t) -> Vec3 {
    const Vec3 w = V.head<3>();
    return t * V.tail<3>() + Eigen::AngleAxisd(t * w.norm(), w.normalized()) * d;
  };
  const Vec6 shifted = shift_motion(V, d);
  EXPECT_LT((shifted.tail<3>() - derivative(place, 0)).norm(), kDifferenceError);
  EXPECT_EQ(Vec3(shifted.head<3>()), Vec3(V.head<3>()));
}

TEST(Shift, LeavesPowerUnchanged) {
  Random random(2);
  for (int i = 0; i < 20; ++i) {
    const Vec6 V = random.vec6();
    const Vec6 F = random.vec6();
    const Vec3 d = random.vec3();
    EXPECT_NEAR(shift_motion(V, d).dot(shift_force(F, d)), V.dot(F), kProductRounding);
  }
}

TEST(Shift, ThereAndBackIsNothing) {
  Random random(3);
  const Vec6 V = random.vec6();
  const Vec3 d = random.vec3();
  EXPECT_LT((shift_motion(shift_motion(V, d), -d) - V).norm(), kProductRounding);
  EXPECT_LT((shift_force(shift_force(V, d), -d) - V).norm(), kProductRounding);
}

TEST(Rotated, LeavesPowerUnchanged) {
  Random random(4);
  const Mat3 R = random.rotation().toRotationMatrix();
  const Vec6 V = random.vec6();
  const Vec6 F = random.vec6();
  EXPECT_NEAR(rotated(R, V).dot(rotated(R, F)), V.dot(F), kProductRounding);
}

TEST(Rotated, CommutesWithShiftAndCross) {
  Random random(5);
  const Mat3 R = random.rotation().toRotationMatrix();
  const Vec6 V = random.vec6();
  const Vec6 W = random.vec6();
  const Vec3 d = random.vec3();
  EXPECT_LT((rotated(R, shift_motion(V, d)) - shift_motion(rotated(R, V), R * d)).norm(),
            kProductRounding);
  EXPECT_LT((rotated(R, shift_force(V, d)) - shift_force(rotated(R, V), R * d)).norm(),
            kProductRounding);
  EXPECT_LT((rotated(R, cross_motion(V, W)) - cross_motion(rotated(R, V), rotated(R, W))).norm(),
            kProductRounding);
  EXPECT_LT((rotated(R, cross_force(V, W)) - cross_force(rotated(R, V), rotated(R, W))).norm(),
            kProductRounding);
}

TEST(Cross, MotionAndForceAreDual) {
  Random random(6);
  for (int i = 0; i < 20; ++i) {
    const Vec6 V = random.vec6();
    const Vec6 M = random.vec6();
    const Vec6 F = random.vec6();
    EXPECT_NEAR(cross_motion(V, M).dot(F), -M.dot(cross_force(V, F)), kProductRounding);
  }
}

TEST(Cross, MotionObeysJacobi) {
  Random random(7);
  const Vec6 A = random.vec6();
  const Vec6 B = random.vec6();
  const Vec6 C = random.vec6();
  const Vec6 sum = cross_motion(A, cross_motion(B, C)) + cross_motion(B, cross_motion(C, A)) +
                   cross_motion(C, cross_motion(A, B));
  EXPECT_LT(sum.norm(), kProductRounding);
  EXPECT_LT(cross_motion(A, A).norm(), kProductRounding);
}

TEST(Cross, IsTheRateOfAVectorCarriedAlong) {
  // A frame moves with V (at its own origin, its own axes); a motion vector and a wrench fixed in it,
  // seen from where the frame stood at t = 0.
  Random random(8);
  const Vec6 V = random.vec6();
  const Vec6 fixed = random.vec6();
  const auto seen = [&](double t, auto shift) -> Vec6 {
    const Vec3 w = V.head<3>();
    const Mat3 R = Eigen::AngleAxisd(t * w.norm(), w.normalized()).toRotationMatrix();
    return shift(rotated(R, fixed), Vec3(-t * V.tail<3>()));
  };
  const auto motion = [&](double t) -> Vec6 { return seen(t, shift_motion); };
  const auto force = [&](double t) -> Vec6 { return seen(t, shift_force); };
  EXPECT_LT((cross_motion(V, fixed) - derivative(motion, 0)).norm(), kDifferenceError);
  EXPECT_LT((cross_force(V, fixed) - derivative(force, 0)).norm(), kDifferenceError);
}

}  // namespace
}  // namespace sarrus
