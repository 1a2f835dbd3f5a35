#include "sarrus/spatial/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "unit/spatial/differences.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;
using std::numbers::pi;

// A few roundings of numbers of size π.
constexpr double kAngleRounding = 1e-14;

// From no rotation over the seams of the series (1e-7, 1e-4, 1e-2) to almost half a turn.
constexpr double kAngles[] = {0,       1e-12, 0.99e-7, 1.01e-7, 0.99e-4, 1.01e-4,   0.99e-2,
                              1.01e-2, 0.3,   1.0,     2.0,     3.0,     pi - 1e-4, pi - 1e-9};

TEST(RotationVector, ExpIsTheRotationAboutItsAxis) {
  Random random(1);
  for (const double angle : kAngles) {
    const Vec3 axis = random.direction();
    const Mat3 expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LT((exp_rotation(angle * axis).toRotationMatrix() - expected).norm(), kAngleRounding)
        << angle;
  }
}

TEST(RotationVector, ExpGivesAUnitQuaternion) {
  Random random(2);
  for (const double angle : kAngles)
    EXPECT_NEAR(exp_rotation(angle * random.direction()).norm(), 1, kAngleRounding) << angle;
}

TEST(RotationVector, LogUndoesExp) {
  Random random(3);
  for (const double angle : kAngles) {
    const Vec3 u = angle * random.direction();
    EXPECT_LT((log_rotation(exp_rotation(u)) - u).norm(), kAngleRounding * std::max(angle, 1e-2))
        << angle;
  }
}

TEST(RotationVector, ExpUndoesLog) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Quat q = random.rotation();
    EXPECT_LT(exp_rotation(log_rotation(q)).angularDistance(q), 1e-7);  // a square root of rounding
    EXPECT_LT((exp_rotation(log_rotation(q)).toRotationMatrix() - q.toRotationMatrix()).norm(),
              kAngleRounding);
  }
}

TEST(RotationVector, LogGoesTheShorterWayRound) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const Quat q = random.rotation();
    const Quat same(-q.w(), -q.x(), -q.y(), -q.z());
    EXPECT_LE(log_rotation(q).norm(), pi + kAngleRounding);
    EXPECT_LT((log_rotation(q) - log_rotation(same)).norm(), kAngleRounding);
  }
}

TEST(RotationVector, LogOfHalfATurnHasLengthPi) {
  EXPECT_NEAR(log_rotation(Quat(0, 0.6, 0, 0.8)).norm(), pi, kAngleRounding);
}

/// Angular velocity of R(t) in the frame R maps to: [ω] = Ṙ Rᵀ.
Vec3 angular_velocity(const Mat3& R_rate, const Mat3& R) {
  const Mat3 W = R_rate * R.transpose();
  return {W(2, 1), W(0, 2), W(1, 0)};
}

TEST(LeftJacobian, TurnsRatesOfTheVectorIntoAngularVelocity) {
  Random random(6);
  for (const double angle : kAngles) {
    const Vec3 u = angle * random.direction();
    const Vec3 du = random.vec3(2);
    const auto R = [&](double t) -> Mat3 {
      const Vec3 v = u + t * du;
      return Eigen::AngleAxisd(v.norm(), v.norm() > 0 ? Vec3(v.normalized()) : Vec3::UnitX())
          .toRotationMatrix();
    };
    const Vec3 expected = angular_velocity(derivative(R, 0), R(0));
    EXPECT_LT((left_jacobian(u) * du - expected).norm(), kDifferenceError) << angle;
  }
}

TEST(LeftJacobian, InverseIsTheInverse) {
  Random random(7);
  for (const double angle : kAngles) {
    const Vec3 u = angle * random.direction();
    EXPECT_LT((left_jacobian_inverse(u) * left_jacobian(u) - Mat3::Identity()).norm(), 1e-13)
        << angle;
    // The right Jacobian is the transpose of the left one.
    EXPECT_LT((right_jacobian_inverse(u) * left_jacobian(u).transpose() - Mat3::Identity()).norm(),
              1e-13)
        << angle;
  }
}

TEST(RightJacobian, RateOfItsInverseIsItsDerivative) {
  Random random(8);
  for (const double angle : kAngles) {
    const Vec3 u = angle * random.direction();
    const Vec3 du = random.vec3(1);
    const Vec3 w = random.vec3(1);
    const auto value = [&](double t) -> Vec3 {
      return left_jacobian(u + t * du).transpose().inverse() * w;
    };
    EXPECT_LT((right_jacobian_inverse_rate(u, du, w) - derivative(value, 0)).norm(),
              kDifferenceError)
        << angle;
  }
}

TEST(RightJacobian, SeriesMeetsTheClosedForm) {
  // On both sides of the seam at 1e-2 rad the function is the same to rounding.
  const Vec3 axis = Vec3(1, -2, 3).normalized();
  const Vec3 du(0.3, 0.2, -0.5);
  const Vec3 w(-0.7, 0.4, 0.1);
  const double seam = 1e-2;
  const double gap = 1e-12;
  EXPECT_LT((right_jacobian_inverse_rate((seam - gap) * axis, du, w) -
             right_jacobian_inverse_rate((seam + gap) * axis, du, w))
                .norm(),
            1e-11);
}

TEST(Skew, MultipliesLikeTheCrossProduct) {
  Random random(9);
  const Vec3 a = random.vec3();
  const Vec3 b = random.vec3();
  EXPECT_LT((skew(a) * b - a.cross(b)).norm(), kAngleRounding);
}

void expect_frame(const Mat3& R, const Vec3& z) {
  EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), kAngleRounding);
  EXPECT_NEAR(R.determinant(), 1, kAngleRounding);
  EXPECT_LT((R.col(2) - z.normalized()).norm(), kAngleRounding);
}

TEST(FrameWithZ, KeepsZAndLeansTowardsTheHint) {
  Random random(10);
  for (int i = 0; i < 50; ++i) {
    const Vec3 z = random.vec3(3);
    const Vec3 hint = random.vec3(2);
    const Mat3 R = frame_with_z(z, hint);
    expect_frame(R, z);
    EXPECT_NEAR(R.col(1).dot(hint), 0, kAngleRounding * hint.norm() * 10);
    EXPECT_GT(R.col(0).dot(hint), 0);
  }
}

TEST(FrameWithZ, TakesAnyPerpendicularWithoutAUsableHint) {
  for (const Vec3& z : {Vec3(0, 0, 1), Vec3(-2, 0, 0), Vec3(1, 1, 1)}) {
    expect_frame(frame_with_z(z, Vec3::Zero()), z);
    expect_frame(frame_with_z(z, z), z);
    expect_frame(frame_with_z(z, -3 * z), z);
  }
}

TEST(LeastTurn, TakesOneDirectionToTheOtherAboutAnAxisAcrossBoth) {
  Random random(14);
  for (const double angle : kAngles) {
    const Vec3 from = random.direction(), across = from.unitOrthogonal();
    const Vec3 to = std::cos(angle) * from + std::sin(angle) * across;
    const Quat q = least_turn(2 * from, 3 * to);
    EXPECT_NEAR(q.norm(), 1, kAngleRounding) << angle;
    EXPECT_LT((q * from - to).norm(), kAngleRounding) << angle;
    EXPECT_NEAR(log_rotation(q).norm(), angle, kAngleRounding) << angle;
  }
}

TEST(LeastTurn, ToTheOppositeDirectionIsHalfATurn) {
  for (const Vec3& from : {Vec3(1, 0, 0), Vec3(0, -2, 0), Vec3(1, 2, 3)}) {
    const Quat q = least_turn(from, -from);
    EXPECT_LT((q * from + from).norm(), kAngleRounding);
    EXPECT_NEAR(q.norm(), 1, kAngleRounding);
  }
}

TEST(Transform, InverseUndoes) {
  Random random(11);
  const Transform X = random.pose();
  const Vec3 point = random.vec3();
  EXPECT_LT((X.inverse() * (X * point) - point).norm(), kAngleRounding);
  EXPECT_LT(((X * X.inverse()) * point - point).norm(), kAngleRounding);
}

TEST(Transform, ProductAppliesTheRightOneFirst) {
  Random random(12);
  const Transform X = random.pose();
  const Transform Y = random.pose();
  const Vec3 point = random.vec3();
  EXPECT_LT(((X * Y) * point - X * (Y * point)).norm(), kAngleRounding);
}

}  // namespace
}  // namespace sarrus
