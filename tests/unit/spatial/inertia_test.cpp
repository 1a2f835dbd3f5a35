#include "sarrus/spatial/inertia.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sarrus/spatial/vectors.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Sums of some twenty products of numbers of size one.
constexpr double kSumRounding = 1e-13;

/// A body made of point masses: everything about it follows from sums.
struct Cloud {
  std::vector<double> masses;
  std::vector<Vec3> points;

  static Cloud random(Random& random) {
    Cloud cloud;
    for (int i = 0; i < 9; ++i) {
      cloud.masses.push_back(random.uniform(0.1, 1));
      cloud.points.push_back(random.vec3());
    }
    return cloud;
  }
  Mat3 tensor_about(const Vec3& o) const {
    Mat3 J = Mat3::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 r = points[i] - o;
      J += masses[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    return J;
  }
  Inertia inertia() const {
    double mass = 0;
    Vec3 moment = Vec3::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
      mass += masses[i];
      moment += masses[i] * points[i];
    }
    return {mass, moment / mass, tensor_about(moment / mass)};
  }
  double kinetic_energy(const Vec6& V) const {
    double energy = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      energy += 0.5 * masses[i] * (V.tail<3>() + V.head<3>().cross(points[i])).squaredNorm();
    return energy;
  }
};

TEST(Inertia, AboutOriginIsTheSumOverTheCloud) {
  Random random(1);
  const Cloud cloud = Cloud::random(random);
  EXPECT_LT((cloud.inertia().about_origin() - cloud.tensor_about(Vec3::Zero())).norm(),
            kSumRounding);
}

TEST(Inertia, KineticEnergyIsThatOfTheCloud) {
  Random random(2);
  for (int i = 0; i < 10; ++i) {
    const Cloud cloud = Cloud::random(random);
    const Vec6 V = random.vec6();
    EXPECT_NEAR(0.5 * V.dot(cloud.inertia().matrix() * V), cloud.kinetic_energy(V), kSumRounding);
  }
}

TEST(Inertia, KineticEnergyDoesNotDependOnTheAxes) {
  Random random(3);
  const Inertia inertia = Cloud::random(random).inertia();
  const Mat3 R = random.rotation().toRotationMatrix();
  const Vec6 V = random.vec6();
  const Vec6 V_world = rotated(R, V);
  EXPECT_NEAR(V_world.dot(inertia.matrix(R) * V_world), V.dot(inertia.matrix() * V), kSumRounding);
}

TEST(Inertia, MatrixIsSymmetric) {
  Random random(4);
  const Mat6 M = Cloud::random(random).inertia().matrix(random.rotation().toRotationMatrix());
  EXPECT_LT((M - M.transpose()).norm(), kSumRounding);
}

TEST(Inertia, InFrameIsTheMovedCloud) {
  Random random(5);
  Cloud cloud = Cloud::random(random);
  const Inertia before = cloud.inertia();
  const Transform X = random.pose();
  for (Vec3& point : cloud.points) point = X * point;
  const Inertia moved = before.in_frame(X.R(), X.p);
  const Inertia expected = cloud.inertia();
  EXPECT_NEAR(moved.mass, expected.mass, kSumRounding);
  EXPECT_LT((moved.center - expected.center).norm(), kSumRounding);
  EXPECT_LT((moved.central - expected.central).norm(), kSumRounding);
}

TEST(Inertia, SumIsTheWeldedCloud) {
  Random random(6);
  const Cloud first = Cloud::random(random);
  const Cloud second = Cloud::random(random);
  Cloud both = first;
  both.masses.insert(both.masses.end(), second.masses.begin(), second.masses.end());
  both.points.insert(both.points.end(), second.points.begin(), second.points.end());
  const Inertia sum = first.inertia() + second.inertia();
  EXPECT_LT((sum.matrix() - both.inertia().matrix()).norm(), kSumRounding);
}

TEST(Inertia, SumOfMasslessBodiesIsMassless) {
  const Inertia sum = Inertia{} + Inertia{};
  EXPECT_EQ(sum.mass, 0);
  EXPECT_TRUE(sum.center.allFinite());
  EXPECT_EQ(sum.central, Mat3(Mat3::Zero()));
}

Inertia with_moments(double x, double y, double z) {
  return {1, Vec3::Zero(), Vec3(x, y, z).asDiagonal()};
}

TEST(InertiaDefect, AcceptsRealBodies) {
  Random random(7);
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(inertia_defect(Cloud::random(random).inertia()), IsEmpty());
  EXPECT_THAT(inertia_defect(Inertia{}), IsEmpty());
  EXPECT_THAT(inertia_defect(with_moments(0, 0, 0)), IsEmpty());  // a point mass
  EXPECT_THAT(inertia_defect(with_moments(0, 1, 1)), IsEmpty());  // a line
  EXPECT_THAT(inertia_defect(with_moments(1, 1, 2)), IsEmpty());  // a plate
}

TEST(InertiaDefect, TellsWhatNoBodyCanHave) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(inertia_defect({-1, Vec3::Zero(), Mat3::Zero()}), HasSubstr("mass -1"));
  EXPECT_THAT(inertia_defect({kNan, Vec3::Zero(), Mat3::Zero()}), HasSubstr("mass"));
  EXPECT_THAT(inertia_defect({kInfinity, Vec3::Zero(), Mat3::Zero()}), HasSubstr("mass"));
  EXPECT_THAT(inertia_defect({1, Vec3(0, kNan, 0), Mat3::Zero()}), HasSubstr("mass centre"));
  EXPECT_THAT(inertia_defect(with_moments(1, kInfinity, 1)), HasSubstr("not finite"));
  EXPECT_THAT(inertia_defect(with_moments(1, -1, 1)), HasSubstr("negative principal moment -1"));
  EXPECT_THAT(inertia_defect(with_moments(1, 1, 2.1)), HasSubstr("triangle"));
  Inertia crooked = with_moments(1, 1, 1);
  crooked.central(0, 1) = 0.1;
  EXPECT_THAT(inertia_defect(crooked), HasSubstr("not symmetric"));
}

TEST(InertiaDefect, LooksAtPrincipalMomentsNotAtTheDiagonal) {
  Random random(8);
  const Mat3 R = random.rotation().toRotationMatrix();
  const Inertia bad = with_moments(1, 1, 2.5).in_frame(R, Vec3::Zero());
  EXPECT_THAT(inertia_defect({1, Vec3::Zero(), 0.5 * (bad.central + bad.central.transpose())}),
              HasSubstr("triangle"));
}

}  // namespace
}  // namespace sarrus
