// Rows of all joints along motions of both bodies that do not respect the joint: rate and
// acceleration against differences of the value in time.

#include <gtest/gtest.h>

#include <functional>

#include "sarrus/model/joint.h"
#include "unit/model/joint_cases.h"
#include "unit/spatial/differences.h"

namespace sarrus {
namespace {

using namespace tests;

/// A body turning about two axes at changing speeds while its origin flies along a parabola.
struct Flight {
  Transform start;
  Vec3 e1, e2, velocity, acceleration;
  double a, b, c, d;

  explicit Flight(Random& random, const Transform& at) : start(at) {
    e1 = random.direction();
    e2 = random.direction();
    velocity = random.vec3();
    acceleration = random.vec3();
    a = random.uniform(-1.5, 1.5);
    b = random.uniform(-1.5, 1.5);
    c = random.uniform(-1.5, 1.5);
    d = random.uniform(-1.5, 1.5);
  }
  Transform pose(double t) const {
    const Quat turn = Quat(Eigen::AngleAxisd(a * t + b * t * t, e1)) *
                      Quat(Eigen::AngleAxisd(c * t + d * t * t, e2));
    return {turn * start.q, start.p + t * velocity + t * t / 2 * acceleration};
  }
  Vec6 V(double t) const {
    const Mat3 R0 = pose(t).R();
    return spatial(vex(derivative(R(), t) * R0.transpose()), velocity + t * acceleration);
  }
  Vec6 A(double t) const {
    const Mat3 R0 = pose(t).R();
    // R̈ Rᵀ = [ω̇] + [ω]², whose skew part is [ω̇].
    return spatial(vex(second_derivative(R(), t) * R0.transpose()), acceleration);
  }

 private:
  std::function<Mat3(double)> R() const {
    return [this](double t) -> Mat3 { return pose(t).R(); };
  }
  static Vec3 vex(const Mat3& W) {
    return 0.5 * Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
  }
};

struct Scene {
  Joint joint;
  std::vector<double> near;
  Flight A, B;

  /// Body B stands where the joint would have it, and then some: off the manifold.
  Scene(JointType type, Random& random)
      : joint(make_joint(type, random)),
        near(random_coordinates(type, random)),
        A(random, random.pose()),
        B(random, disturbed(random, A.start * joint.X_AF *
                                        transform_from_coordinates(joint.kind, near.data()) *
                                        joint.X_BM.inverse())) {}

  static Transform disturbed(Random& random, const Transform& X) {
    return {Quat(Eigen::AngleAxisd(0.3, random.direction())) * X.q, X.p + random.vec3(0.3)};
  }
  JointView view(double t) const {
    return JointView(A.pose(t), A.V(t), joint.X_AF, B.pose(t), B.V(t), joint.X_BM);
  }
  /// Without velocities, which the values do not need and which cost time.
  JointView still(double t) const {
    return JointView(A.pose(t), joint.X_AF, B.pose(t), joint.X_BM);
  }
};

double acceleration(const Row& row, const Vec6& a_A, const Vec6& a_B) {
  return row.J_A.dot(a_A) + row.J_B.dot(a_B) + row.gamma;
}

class EveryJointRow : public ::testing::TestWithParam<JointType> {};

INSTANTIATE_TEST_SUITE_P(Types, EveryJointRow, ::testing::ValuesIn(all_joint_types()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

template <class MakeRows>
void expect_rows_differentiate(const Scene& scene, MakeRows make_rows) {
  const Rows rows = make_rows(scene.view(0));
  for (int k = 0; k < rows.count; ++k) {
    const auto value = [&](double t) { return make_rows(scene.still(t))[k].value; };
    EXPECT_NEAR(rows[k].rate(scene.A.V(0), scene.B.V(0)), derivative(value, 0), kDifferenceError)
        << "row " << k;
    EXPECT_NEAR(acceleration(rows[k], scene.A.A(0), scene.B.A(0)), second_derivative(value, 0),
                kDifferenceError)
        << "row " << k;
  }
}

TEST_P(EveryJointRow, AtRestHasTheSameValueAndMatrixAndNoGamma) {
  Random random(3);
  const Scene scene(GetParam(), random);
  const JointView moving = scene.view(0.1), still = scene.still(0.1);
  const double* near = scene.near.data();
  const auto expect_same = [](const Rows& rows, const Rows& at_rest) {
    ASSERT_EQ(rows.count, at_rest.count);
    for (int k = 0; k < rows.count; ++k) {
      EXPECT_EQ(rows[k].value, at_rest[k].value);
      EXPECT_EQ(rows[k].J_A, at_rest[k].J_A);
      EXPECT_EQ(rows[k].J_B, at_rest[k].J_B);
      EXPECT_EQ(at_rest[k].gamma, 0);
    }
  };
  expect_same(scene.joint.constraint_rows(moving, near), scene.joint.constraint_rows(still, near));
  expect_same(scene.joint.coordinate_rows(moving, near), scene.joint.coordinate_rows(still, near));
  expect_same(scene.joint.speed_rows(moving, near), scene.joint.speed_rows(still, near));
}

TEST_P(EveryJointRow, ConstraintDifferentiatesOffTheManifold) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Scene scene(GetParam(), random);
    expect_rows_differentiate(scene, [&](const JointView& view) {
      return scene.joint.constraint_rows(view, scene.near.data());
    });
  }
}

TEST_P(EveryJointRow, CoordinateDifferentiatesOffTheManifold) {
  for (unsigned seed = 100; seed < 108; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Scene scene(GetParam(), random);
    expect_rows_differentiate(scene, [&](const JointView& view) {
      return scene.joint.coordinate_rows(view, scene.near.data());
    });
  }
}

TEST_P(EveryJointRow, SpeedIsTheRateAndDifferentiates) {
  for (unsigned seed = 200; seed < 204; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Scene scene(GetParam(), random);
    const auto rows_at = [&](double t) {
      return scene.joint.speed_rows(scene.view(t), scene.near.data());
    };
    const Rows rows = rows_at(0);
    const Rows coordinates = scene.joint.coordinate_rows(scene.view(0), scene.near.data());
    ASSERT_EQ(rows.count, scene.joint.nv());
    const Vec6 V_A = scene.A.V(0), V_B = scene.B.V(0);
    const Mat3 R_M = scene.B.pose(0).R() * scene.joint.X_BM.R();
    const Vec3 relative = R_M.transpose() * (V_B - V_A).head<3>();
    for (int k = 0; k < rows.count; ++k) {
      const bool turning = has_quaternion(GetParam()) && k < 3;
      const double expected = turning ? relative[k] : coordinates[k].rate(V_A, V_B);
      EXPECT_NEAR(rows[k].rate(V_A, V_B), expected, kDifferenceError);
      const auto rate = [&](double t) { return rows_at(t)[k].rate(scene.A.V(t), scene.B.V(t)); };
      EXPECT_NEAR(acceleration(rows[k], scene.A.A(0), scene.B.A(0)), derivative(rate, 0),
                  kDifferenceError);
    }
  }
}

void expect_equal_and_opposite(const Rows& rows, const Vec3& p_A, const Vec3& p_B) {
  // A few roundings of numbers of size one.
  constexpr double kRounding = 1e-13;
  for (const Row& row : rows)
    EXPECT_LT((shift_force(row.J_A, -p_A) + shift_force(row.J_B, -p_B)).norm(), kRounding);
}

TEST_P(EveryJointRow, ForcesAreEqualAndOpposite) {
  // The two halves of a row, as wrenches on the two bodies, have no resultant. Springs and drives
  // act along coordinates and speeds anywhere; reactions act on the manifold.
  Random random(300);
  for (int i = 0; i < 8; ++i) {
    const Scene scene(GetParam(), random);
    const double* near = scene.near.data();
    const Transform& X_A = scene.A.start;
    const JointView off = scene.still(0);
    expect_equal_and_opposite(scene.joint.coordinate_rows(off, near), X_A.p, scene.B.start.p);
    expect_equal_and_opposite(scene.joint.speed_rows(off, near), X_A.p, scene.B.start.p);
    const Transform X_B = X_A * scene.joint.X_AF *
                          transform_from_coordinates(scene.joint.kind, near) *
                          scene.joint.X_BM.inverse();
    const JointView on(X_A, Vec6::Zero(), scene.joint.X_AF, X_B, Vec6::Zero(), scene.joint.X_BM);
    expect_equal_and_opposite(scene.joint.constraint_rows(on, near), X_A.p, X_B.p);
  }
}

}  // namespace
}  // namespace sarrus
