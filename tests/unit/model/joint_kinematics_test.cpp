// Coordinate maps, motion and constraint subspaces of all joints, judged by differences in time.

#include <gtest/gtest.h>

#include <numbers>

#include "sarrus/model/joint.h"
#include "unit/constraints/dense.h"
#include "unit/model/joint_cases.h"
#include "unit/spatial/differences.h"

namespace sarrus {
namespace {

using namespace tests;

// A few roundings of numbers of size one.
constexpr double kKinematicRounding = 1e-13;

class EveryJoint : public ::testing::TestWithParam<JointType> {};

INSTANTIATE_TEST_SUITE_P(Types, EveryJoint, ::testing::ValuesIn(all_joint_types()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

/// A smooth motion q(t) with its speeds and their rates at t = 0, known in closed form.
struct Path {
  JointType type;
  VecX start, v, v_rate;  // numbers in q; speeds at t = 0
  Quat turn;
  Vec3 e1, e2;

  Path(JointType joint_type, Random& random) : type(joint_type) {
    const auto n = static_cast<Eigen::Index>(joint_coordinate_names(type).size());
    start = 1.4 * random.vector(n);
    v = 2 * random.vector(n);
    v_rate = 2 * random.vector(n);
    turn = random.rotation();
    e1 = random.direction();
    e2 = random.direction();
    if (has_quaternion(type)) {
      // turn · exp(θ1 e1) exp(θ2 e2) with θ1 = a t + b t²/2, θ2 = c t: body-axes angular velocity
      // exp(−θ2 e2) θ̇1 e1 + θ̇2 e2.
      v.head<3>() = kA * e1 + kC * e2;
      v_rate.head<3>() = kB * e1 - kC * e2.cross(kA * e1);
    }
  }
  std::vector<double> at(double t) const {
    std::vector<double> q;
    const VecX plain = start + t * v + t * t / 2 * v_rate;
    if (!has_quaternion(type)) return {plain.begin(), plain.end()};
    const Quat now = turn * Quat(Eigen::AngleAxisd(kA * t + kB * t * t / 2, e1)) *
                     Quat(Eigen::AngleAxisd(kC * t, e2));
    q = {now.w(), now.x(), now.y(), now.z()};
    if (type == JointType::kFree) q.insert(q.end(), plain.begin() + 3, plain.end());
    return q;
  }

 private:
  static constexpr double kA = 1.3, kB = -0.8, kC = 0.9;
};

Vec3 vex(const Mat3& W) {
  return 0.5 * Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
}

/// Twist of M in F, M axes, and its component-wise rate, from X_FM(t) alone.
struct Twist {
  Vec6 value, rate;
  Twist(const Joint& joint, const Path& path) {
    const auto R = [&](double t) -> Mat3 { return joint.X_FM(path.at(t).data()).R(); };
    const auto p = [&](double t) -> Vec3 { return joint.X_FM(path.at(t).data()).p; };
    const Mat3 R0 = R(0), R1 = derivative(R, 0), R2 = second_derivative(R, 0);
    const Vec3 p1 = derivative(p, 0), p2 = second_derivative(p, 0);
    value << vex(R0.transpose() * R1), R0.transpose() * p1;
    rate << vex(R0.transpose() * R2), R1.transpose() * p1 + R0.transpose() * p2;
  }
};

TEST_P(EveryJoint, MotionSubspaceTimesSpeedsIsTheTwist) {
  Random random(1);
  for (int i = 0; i < 10; ++i) {
    const Joint joint = make_joint(GetParam(), random);
    const Path path(GetParam(), random);
    const Vec6 expected = Twist(joint, path).value;
    EXPECT_LT((joint.S_M(path.at(0).data()) * path.v - expected).norm(), kDifferenceError);
  }
}

TEST_P(EveryJoint, BiasIsWhatTheSpeedRatesDoNotExplain) {
  Random random(2);
  for (int i = 0; i < 10; ++i) {
    const Joint joint = make_joint(GetParam(), random);
    const Path path(GetParam(), random);
    const std::vector<double> q = path.at(0);
    const Vec6 got = joint.S_M(q.data()) * path.v_rate + joint.bias_M(q.data(), path.v.data());
    EXPECT_LT((got - Twist(joint, path).rate).norm(), kDifferenceError);
  }
}

TEST_P(EveryJoint, ConstraintForcesDoNoWorkAndFillTheSpace) {
  Random random(3);
  for (int i = 0; i < 10; ++i) {
    const Joint joint = make_joint(GetParam(), random);
    const std::vector<double> q = Path(GetParam(), random).at(0);
    const MatX S = joint.S_M(q.data());
    const MatX T = joint.T_M(q.data());
    ASSERT_EQ(S.cols(), joint.nv());
    ASSERT_EQ(S.cols() + T.cols(), 6);
    EXPECT_EQ(T.cols(), joint.constraint_count());
    EXPECT_LT((T.transpose() * S).norm(), kKinematicRounding);
    MatX both(6, 6);
    both << S, T;
    const VecX sigma = tests::singular_values(both);
    EXPECT_GT(sigma[5], 0.1 * sigma[0]);
  }
}

TEST_P(EveryJoint, CountsAreConsistent) {
  Random random(4);
  const Joint joint = make_joint(GetParam(), random);
  EXPECT_EQ(joint.type(), GetParam());
  EXPECT_EQ(static_cast<std::size_t>(joint.nv()), joint_coordinate_names(GetParam()).size());
  EXPECT_EQ(joint.nq(), joint.nv() + (has_quaternion(GetParam()) ? 1 : 0));
  EXPECT_EQ(joint_type(name_of(GetParam())), GetParam());
}

/// The two bodies in the world with the joint at `coordinates`.
JointView closed_view(const Joint& joint, const double* coordinates, Random& random) {
  const Transform X_WA = random.pose();
  const Transform X_WB = X_WA * joint.X_AF * transform_from_coordinates(joint.kind, coordinates) *
                         joint.X_BM.inverse();
  return JointView(X_WA, Vec6::Zero(), joint.X_AF, X_WB, Vec6::Zero(), joint.X_BM);
}

TEST_P(EveryJoint, ConstraintRowsVanishOnItsOwnPoses) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Joint joint = make_joint(GetParam(), random);
    const std::vector<double> q = random_coordinates(GetParam(), random);
    const Rows rows = joint.constraint_rows(closed_view(joint, q.data(), random), q.data());
    EXPECT_EQ(rows.count, joint.constraint_count());
    for (const Row& row : rows) EXPECT_NEAR(row.value, 0, kKinematicRounding);
  }
}

TEST_P(EveryJoint, ConstraintRowsAreIndependentOnItsOwnPoses) {
  Random random(6);
  for (int i = 0; i < 10; ++i) {
    const Joint joint = make_joint(GetParam(), random);
    if (joint.constraint_count() == 0) return;
    const std::vector<double> q = random_coordinates(GetParam(), random);
    const Rows rows = joint.constraint_rows(closed_view(joint, q.data(), random), q.data());
    MatX J(rows.count, 6);
    for (int r = 0; r < rows.count; ++r) J.row(r) = rows[r].J_B.transpose();
    const VecX sigma = tests::singular_values(J);
    EXPECT_GT(sigma[rows.count - 1], 0.05 * sigma[0]);
  }
}

TEST_P(EveryJoint, CoordinateRowsReturnTheCoordinates) {
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const Joint joint = make_joint(GetParam(), random);
    const std::vector<double> q = random_coordinates(GetParam(), random);
    const Rows rows = joint.coordinate_rows(closed_view(joint, q.data(), random), q.data());
    ASSERT_EQ(rows.count, joint.nv());
    for (int k = 0; k < rows.count; ++k)
      EXPECT_NEAR(rows[k].value, q[static_cast<std::size_t>(k)], kKinematicRounding);
  }
}

TEST_P(EveryJoint, AnglesCountTurns) {
  Random random(8);
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const int turns : {-7, -1, 1, 3, 1000}) {
    const Joint joint = make_joint(GetParam(), random);
    std::vector<double> q = random_coordinates(GetParam(), random);
    for (int k = 0; k < joint.nv(); ++k)
      if (joint.is_angle(k)) q[static_cast<std::size_t>(k)] += kTurn * turns;
    // Angles are known to within less than half a turn.
    std::vector<double> near = q;
    for (int k = 0; k < joint.nv(); ++k)
      if (joint.is_angle(k)) near[static_cast<std::size_t>(k)] += random.uniform(-3, 3);
    const JointView view = closed_view(joint, q.data(), random);
    const Rows rows = joint.coordinate_rows(view, near.data());
    const double rounding = kKinematicRounding * (1 + kTurn * std::abs(turns));
    for (int k = 0; k < rows.count; ++k)
      EXPECT_NEAR(rows[k].value, q[static_cast<std::size_t>(k)], rounding);
    // The screw's thread is closed at the right turn only.
    for (const Row& row : joint.constraint_rows(view, near.data()))
      EXPECT_NEAR(row.value, 0, rounding);
  }
}

TEST(Spherical, RotationVectorRunsOnBeyondHalfATurn) {
  Random random(12);
  const Joint joint = make_joint(JointType::kSpherical, random);
  for (const double angle : {2.0, 3.1, 3.2, 4.5, 5.5}) {
    const Vec3 u = angle * Vec3(2, -1, 2) / 3;
    const Vec3 near = 0.95 * u;
    const JointView view = closed_view(joint, u.data(), random);
    const Rows rows = joint.coordinate_rows(view, near.data());
    // The logarithm is short of digits near half a turn, where the scalar part vanishes.
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(rows[k].value, u[k], 100 * kKinematicRounding) << angle;
  }
}

TEST(Helical, IsOpenByALeadWhenATurnIsForgotten) {
  Random random(9);
  const Joint joint = make_joint(JointType::kHelical, random);
  const double q = 0.4;
  const double wrong = q + 2 * std::numbers::pi;
  const Rows rows = joint.constraint_rows(closed_view(joint, &q, random), &wrong);
  EXPECT_NEAR(rows[4].value, -0.7, kKinematicRounding);
}

TEST(Revolute, HalfTurnReversesTheNormals) {
  const double half = std::numbers::pi;
  const Mat3 R = Revolute{}.X_FM(&half).R();
  EXPECT_LT((R - Mat3(Vec3(-1, -1, 1).asDiagonal())).norm(), kKinematicRounding);
}

TEST(Universal, TurnsAboutXThenAboutY) {
  const double q[] = {0.3, -0.8};
  const Mat3 expected =
      (Eigen::AngleAxisd(q[0], Vec3::UnitX()) * Eigen::AngleAxisd(q[1], Vec3::UnitY()))
          .toRotationMatrix();
  EXPECT_LT((Universal{}.X_FM(q).R() - expected).norm(), kKinematicRounding);
}

TEST(Helical, AdvancesOneLeadATurn) {
  const double turn = 2 * std::numbers::pi;
  EXPECT_NEAR(Helical{0.02}.X_FM(&turn).p.z(), 0.02, kKinematicRounding);
}

}  // namespace
}  // namespace sarrus
