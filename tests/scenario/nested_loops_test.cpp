// Scenario nested-loops: rhombi inside one another. However many there are, they have two freedoms,
// and Lagrange's equations of those have a closed form. Reference: reference.csv; see the scenario's
// README.

#include <gtest/gtest.h>

#include <cmath>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

/// T = ½ (P sin²φ + Q cos²φ + I) φ̇² + ½ (P cos²φ + Q sin²φ + I) ψ̇² and V = −g G cos φ cos ψ for the
/// swing ψ and the opening φ, the spring at rest. The scenario's default parameters.
struct NestedLoops {
  explicit NestedLoops(int depth) {
    const auto length = [&](int k) { return 1 - 0.6 / depth * (k - 1); };
    double total = 0;
    for (int k = 1; k <= depth + 1; ++k) total += 2 * length(k);
    double corner = 0;  // distance from the pivot along the line, over cos φ
    for (int k = 1; k <= depth + 1; ++k) {
      const double inward = k % 2 == 0 ? 1 : -1;
      if (k > 1) corner += 2 * inward * length(k);
      const double mass = 10 / total * 2 * length(k);  // of both rods
      const double along = corner - inward * length(k) / 2;
      P += mass * along * along;
      Q += mass * length(k) * length(k) / 4;
      I += mass * length(k) * length(k) / 12;
      G += mass * along;
    }
  }
  double P = 0, Q = 0, I = 0, G = 0;
};

/// What the outermost rods do together and against each other.
struct SwingAndOpening {
  SwingAndOpening(const ScenarioRun& run, const Sample& sample)
      : left(body_motion(run, sample, "left1")), right(body_motion(run, sample, "right1")) {
    const double l = coordinate(run, sample, "L1");
    const double r = coordinate(run, sample, "R1");
    swing = (l + r) / 2;
    opening = (r - l) / 2;
  }
  double w() const { return (right.w.z() + left.w.z()) / 2; }
  double u() const { return (right.w.z() - left.w.z()) / 2; }
  double wdot() const { return (right.alpha.z() + left.alpha.z()) / 2; }
  double udot() const { return (right.alpha.z() - left.alpha.z()) / 2; }
  BodyMotion left, right;
  double swing, opening;
};

TEST(NestedLoops, FollowTheirReference) {
  // Up to half a second at tolerance 1e-12, accelerations of some tens of rad/s²; thirty to a hundred
  // times what a run is off.
  const double kAngle = 1e-11;
  const double kSpeed = 1e-10;
  const double kAcceleration = 1e-9;
  const double kEnergy = 1e-9;  // of 63 J
  const Reference table("nested-loops");
  for (const std::string& method : methods_for("nested-loops")) {
    SCOPED_TRACE(method);
    std::vector<double> times = table.numbers("t");
    const double until = method == "reference" ? 0.1 : 0.5;  // the dense method is slow
    std::erase_if(times, [&](double time) { return time > until; });
    const ScenarioRun run = run_scenario("nested-loops", times, {.method = method});
    for (std::size_t row = 0; row < times.size(); ++row) {
      const auto expected = [&](const char* column) { return table.number(row, column); };
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      const SwingAndOpening outer(run, sample);
      EXPECT_NEAR(outer.swing, expected("swing"), kAngle);
      EXPECT_NEAR(outer.opening, expected("opening"), kAngle);
      EXPECT_NEAR(outer.w(), expected("w"), kSpeed);
      EXPECT_NEAR(outer.u(), expected("u"), kSpeed);
      EXPECT_NEAR(outer.wdot(), expected("wdot"), kAcceleration);
      EXPECT_NEAR(outer.udot(), expected("udot"), kAcceleration);
      EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
    }
  }
}

TEST(NestedLoops, StartAsTheClosedFormSaysAtAnyDepth) {
  const double kAcceleration =
      1e-11;  // rounding, over paths of up to 60 rods; a hundred times that
  const double psi = 0.3, phi = 0.7, spin = 0.5;
  const double s = std::sin(phi), c = std::cos(phi);
  for (const int depth : {1, 2, 7, 60}) {
    SCOPED_TRACE(depth);
    const NestedLoops sums(depth);
    const double slope = 2 * (sums.P - sums.Q) * s * c;
    const double wdot =
        -kGravity * sums.G * c * std::sin(psi) / (sums.P * c * c + sums.Q * s * s + sums.I);
    const double udot = -(slope * spin * spin / 2 + kGravity * sums.G * s * std::cos(psi)) /
                        (sums.P * s * s + sums.Q * c * c + sums.I);
    for (const std::string method : {"reference", "augmented-dca"}) {
      if (depth > 7 && method == "reference") continue;  // dense
      SCOPED_TRACE(method);
      const ScenarioRun run = run_scenario(
          "nested-loops", {0}, {.overrides = {{"depth", std::to_string(depth)}}, .method = method});
      const SwingAndOpening outer(run, run.last());
      EXPECT_NEAR(outer.wdot(), wdot, kAcceleration);
      EXPECT_NEAR(outer.udot(), udot, kAcceleration);
    }
  }
}

TEST(NestedLoops, HaveTwoFreedomsAtAnyDepth) {
  for (const int depth : {1, 2, 7, 300}) {
    const Mobility mobility = mobility_of("nested-loops", {{"depth", std::to_string(depth)}});
    EXPECT_EQ(mobility.generic.freedoms, 2) << depth;
    EXPECT_EQ(mobility.generic.redundant, 3 * depth) << depth;
    EXPECT_FALSE(mobility.singular()) << depth;
  }
}

TEST(NestedLoops, CloseAndGoOnAsRhombi) {
  // Without the spring all loops are flat at once after a third of a second, and each could turn into a kite there.
  const double kAngle = 1e-10;  // corners of rhombi open alike; a million times what they differ by
  for (const std::string method : {"reference", "augmented-dca"}) {
    SCOPED_TRACE(method);
    const ScenarioRun run = run_scenario(
        "nested-loops", {0.45},
        {.overrides = {{"stiffness", "0"}, {"depth", "3"}}, .method = method, .tolerance = 1e-8});
    const double opening = SwingAndOpening(run, run.last()).opening;
    EXPECT_LT(opening, -0.1);
    for (const char* corner : {"C2", "C3", "C4"})
      EXPECT_NEAR(std::abs(coordinate(run, run.last(), corner)), 2 * (0.7 - opening), kAngle);
    EXPECT_FALSE(run.statistics().notes.empty());  // it says that it passed a singular position
  }
}

TEST(NestedLoops, RunWhenDeep) {
  const double kEnergy = 1e-8;  // the default tolerance, on less than a joule of moving energy
  const ScenarioRun run =
      run_scenario("nested-loops", {0.0005},
                   {.overrides = {{"depth", "100"}}, .method = "augmented-dca", .tolerance = 1e-8});
  EXPECT_LT(run.statistics().energy_drift, kEnergy);
  EXPECT_LT(run.statistics().largest.position, 1e-13);  // rounding, over a path of 100 rods
}

}  // namespace
}  // namespace sarrus::tests
