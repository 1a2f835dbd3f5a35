#include "sarrus/constraints/kkt.h"

#include <gtest/gtest.h>

#include "unit/constraints/dense.h"
#include "unit/model/mechanisms.h"
#include "unit/spatial/random.h"

namespace sarrus {
namespace {

using namespace tests;

// Condition numbers here are up to 1e4; two rounds of refinement leave a few digits of margin.
constexpr double kSolved = 1e-10;

/// A body on every revolute joint in a chain: a system with five rows a body and links of length
/// two, so that rows in radians are scaled.
Model chain(int count) {
  Description d;
  for (int i = 0; i < count; ++i) {
    const Vec3 from(4.0 * i, 0, 0);
    const std::string name = "body" + std::to_string(i + 1);
    d.add_body(rod(name, from, from + Vec3(4, 0, 0)));
    d.add_joint(joint("J" + std::to_string(i + 1), JointType::kRevolute,
                      i == 0 ? "ground" : "body" + std::to_string(i), name, from));
  }
  return Model(d);
}

std::vector<Mat6> random_masses(int count, Random& random) {
  std::vector<Mat6> masses;
  for (int i = 0; i < count; ++i) {
    const Mat6 A = random.matrix(6, 6);
    masses.push_back(A * A.transpose() + 0.1 * Mat6::Identity());
  }
  return masses;
}

struct Answer {
  VecX a, lambda;
};

Answer solve(Kkt& kkt, const VecX& f, const VecX& g, int refinements = 2) {
  Answer answer;
  kkt.solve(f, g, answer.a, answer.lambda, refinements);
  return answer;
}

TEST(Kkt, AgreesWithThePseudoInverseOnIndependentRows) {
  const Model model = chain(3);
  const ConstraintSystem system(model);
  ASSERT_EQ(system.length(), 2);
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto masses = random_masses(3, random);
    const MatX J = random.matrix(15, 18);
    const VecX f = random.vector(18), g = random.vector(15);
    Kkt kkt(system);
    ASSERT_TRUE(kkt.factor(masses, J, 15));
    EXPECT_EQ(kkt.rank(), 15);
    const Answer got = solve(kkt, f, g);
    const auto expected = solve_densely(block_diagonal(masses), J, system.row_scale(), f, g);
    EXPECT_LT((got.a - expected.a).norm(), kSolved * expected.a.norm());
    EXPECT_LT((got.lambda - expected.lambda).norm(), kSolved * expected.lambda.norm());
  }
}

TEST(Kkt, AgreesWithThePseudoInverseOnRedundantRows) {
  const Model model = chain(3);
  const ConstraintSystem system(model);
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto masses = random_masses(3, random);
    const int rank = 4 + random.below(8);
    const MatX J = product(random.matrix(15, rank), random.matrix(rank, 18));
    const VecX f = random.vector(18);
    const VecX g = J * random.vector(18);  // so that it can be met
    Kkt kkt(system);
    ASSERT_TRUE(kkt.factor(masses, J, 15));
    EXPECT_EQ(kkt.rank(), rank);
    const Answer got = solve(kkt, f, g);
    const auto expected = solve_densely(block_diagonal(masses), J, system.row_scale(), f, g);
    EXPECT_LT((got.a - expected.a).norm(), kSolved * expected.a.norm());
    // The multipliers of least norm, measured in the scaled rows.
    EXPECT_LT((got.lambda - expected.lambda).norm(), kSolved * expected.lambda.norm());
  }
}

TEST(Kkt, MultipliersHaveNoShareInTheDependencies) {
  const Model model = chain(2);
  const ConstraintSystem system(model);
  Random random(1);
  const auto masses = random_masses(2, random);
  const MatX J = product(random.matrix(10, 6), random.matrix(6, 12));
  Kkt kkt(system);
  ASSERT_TRUE(kkt.factor(masses, J, 10));
  const MatX Z = kkt.dependencies();
  ASSERT_EQ(Z.cols(), 4);
  EXPECT_LT((product(Z.transpose(), Z) - MatX::Identity(4, 4)).norm(), kSolved);
  EXPECT_LT(product(J.transpose(), system.row_scale().asDiagonal() * Z).norm(), kSolved);
  const Answer got = solve(kkt, random.vector(12), J * random.vector(12));
  EXPECT_LT((Z.transpose() * got.lambda.cwiseQuotient(system.row_scale())).norm(),
            kSolved * got.lambda.norm());
}

TEST(Kkt, AllowedMotionsAreTheNullSpace) {
  const Model model = chain(2);
  const ConstraintSystem system(model);
  Random random(2);
  const MatX J = product(random.matrix(10, 6), random.matrix(6, 12));
  Kkt kkt(system);
  ASSERT_TRUE(kkt.factor(random_masses(2, random), J, 10));
  const MatX N = kkt.allowed_motions();
  EXPECT_EQ(N.cols(), 6);
  EXPECT_LT(product(J, N).norm(), kSolved);
  EXPECT_GT(singular_values(N)[5], kNoSingularValue);
}

TEST(Kkt, MeetsContradictoryRowsInTheLeastSquaresSense) {
  const Model model = chain(2);
  const ConstraintSystem system(model);
  Random random(3);
  const MatX J = product(random.matrix(10, 6), random.matrix(6, 12));
  const VecX g = random.vector(10);
  Kkt kkt(system);
  ASSERT_TRUE(kkt.factor(random_masses(2, random), J, 10));
  const Answer got = solve(kkt, random.vector(12), g);
  const VecX weights = system.row_scale().cwiseAbs2();
  // Normal equations of ‖D (J a − g)‖.
  EXPECT_LT((J.transpose() * weights.cwiseProduct(J * got.a - g)).norm(), kSolved);
}

TEST(Kkt, RankLimitIgnoresDirectionsThatOnlyLookIndependent) {
  // Redundant rows off the manifold: independent by 1e-7. Believed, they take forces of 1e7.
  const Model model = chain(2);
  const ConstraintSystem system(model);
  Random random(4);
  const auto masses = random_masses(2, random);
  const MatX exact = product(random.matrix(10, 6), random.matrix(6, 12));
  constexpr double kNoise = 1e-7;
  const MatX J = exact + kNoise * random.matrix(10, 12);
  const VecX f = random.vector(12);
  const VecX g = exact * random.vector(12);
  Kkt believing(system);
  ASSERT_TRUE(believing.factor(masses, J, 10));
  EXPECT_EQ(believing.rank(), 10);
  EXPECT_GT(solve(believing, f, g).lambda.norm(), 1e4);
  Kkt limited(system);
  ASSERT_TRUE(limited.factor(masses, J, 6));
  EXPECT_EQ(limited.rank(), 6);
  const Answer got = solve(limited, f, g);
  const auto expected = solve_densely(block_diagonal(masses), exact, system.row_scale(), f, g);
  constexpr double kAmplified = 1e-4;  // the noise times the condition number, generously
  EXPECT_LT((got.a - expected.a).norm(), kAmplified * expected.a.norm());
  EXPECT_LT((got.lambda - expected.lambda).norm(), kAmplified * expected.lambda.norm());
}

TEST(Kkt, TakesPointMassesWhoseTurningIsConstrained) {
  const Model model = chain(1);
  const ConstraintSystem system(model);
  Random random(5);
  const Inertia point{2, random.vec3(), Mat3::Zero()};
  const std::vector<Mat6> masses = {point.matrix()};
  MatX J = random.matrix(5, 6);
  J.topRows(3) << Mat3::Identity(), Mat3::Zero();
  const VecX f = random.vector(6), g = random.vector(5);
  Kkt kkt(system);
  ASSERT_TRUE(kkt.factor(masses, J, 5));
  const Answer got = solve(kkt, f, g);
  const auto expected = solve_densely(masses[0], J, system.row_scale(), f, g);
  EXPECT_LT((got.a - expected.a).norm(), kSolved * expected.a.norm());
  EXPECT_LT((got.lambda - expected.lambda).norm(), kSolved * expected.lambda.norm());
}

TEST(Kkt, NamesTheBodyThatMovesWithoutInertia) {
  const Model model = chain(3);
  const ConstraintSystem system(model);
  Random random(6);
  auto masses = random_masses(3, random);
  masses[1] = Inertia{2, Vec3::Zero(), Mat3::Zero()}.matrix();  // a point mass that may spin
  MatX J = random.matrix(15, 18);
  J.block(0, 6, 15, 3).setZero();
  J.bottomRows(8).setZero();
  Kkt kkt(system);
  EXPECT_FALSE(kkt.factor(masses, J, 15));
  ASSERT_TRUE(kkt.massless_body().valid());
  EXPECT_EQ(model.body(kkt.massless_body()).name, "body2");
}

TEST(Kkt, NamesABodyWithoutAnyMass) {
  const Model model = chain(1);
  const ConstraintSystem system(model);
  Kkt kkt(system);
  EXPECT_FALSE(kkt.factor({Mat6::Zero()}, MatX::Zero(5, 6), 5));
  EXPECT_EQ(kkt.massless_body().index, 1);
}

TEST(Kkt, NeedsNoRows) {
  Description d;
  d.add_body(brick("a"));
  const Model model(d);
  const ConstraintSystem system(model);
  Random random(7);
  const auto masses = random_masses(1, random);
  const VecX f = random.vector(6);
  Kkt kkt(system);
  ASSERT_TRUE(kkt.factor(masses, MatX(0, 6), 0));
  const Answer got = solve(kkt, f, VecX(0));
  EXPECT_LT((masses[0] * got.a - f).norm(), kSolved);
  EXPECT_EQ(kkt.dependencies().cols(), 0);
}

TEST(Kkt, RefinementImprovesIllConditionedSystems) {
  // A heavy body on the first hinge and a light one, 1e8 times lighter, on the last; loads under which
  // both accelerate alike. A rounding of the heavy one's forces is a large error for the light one.
  const Model model = chain(3);
  const ConstraintSystem system(model);
  ConstraintValues values;
  system.evaluate(0, model.reference_configuration(), values);
  const MatX N = null_space(values.J);
  double before = 0, after = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    auto masses = random_masses(3, random);
    masses[0] *= 1e4;
    masses[2] *= 1e-4;
    const MatX M = block_diagonal(masses);
    const VecX f = M * (N * random.vector(3)) + values.J.transpose() * random.vector(15) * 1e-4;
    const VecX g = VecX::Zero(15);
    Kkt kkt(system);
    ASSERT_TRUE(kkt.factor(masses, values.J, 15));
    const auto expected = solve_densely(M, values.J, system.row_scale(), f, g);
    const auto error = [&](int refinements) {
      return (solve(kkt, f, g, refinements).a - expected.a).norm() / expected.a.norm();
    };
    before += error(0);
    after += error(2);
  }
  EXPECT_LT(after, 0.1 * before);
  EXPECT_LT(after, 1e-10);
}

}  // namespace
}  // namespace sarrus
