// Scenario sarrus-linkage: a plate guided straight by two hinged pairs, through three singular positions.

#include <gtest/gtest.h>

#include <numbers>

#include "scenario/one_freedom.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

constexpr double kPlate = 0.5, kPlateMass = 1, kTopMass = 2, kThickness = 0.01, kPlateHeight = 0.8;

/// The closed form of the README: θ is the angle of the lower plates above the horizontal.
OneFreedom folding_pairs() {
  const double I = kPlateMass * (kPlate * kPlate + kThickness * kThickness) / 12;
  const double s2 = kPlate * kPlate;
  const double moving = 4 * (kPlateMass + kTopMass) * s2;
  const double weight = 2 * (2 * kPlateMass + kTopMass) * kGravity * kPlate;
  return {.inertia =
              [=](double q) { return 4 * I + kPlateMass * s2 + moving * std::pow(std::cos(q), 2); },
          .inertia_slope = [=](double q) { return -moving * std::sin(2 * q); },
          .force = [=](double q) { return -weight * std::cos(q); },
          .q = std::asin(kPlateHeight / (2 * kPlate))};
}

TEST(SarrusLinkage, FallsLikeTheClosedFormThroughItsFoldedAndStraightPositions) {
  // Errors of 1e-10 a step add up over a thousand of them at some five metres a second; three singular
  // positions are passed, at each of which a few steps are taken on trust.
  const double kPosition = 1e-7;
  const double kTurn = 1e-9;  // rounding, over the lever of a weak direction
  OneFreedom exact = folding_pairs();
  const std::vector<double> times = times_from(0, 2, 0.1);
  std::vector<double> heights;
  double lowest = 0;
  for (const double t : times) {
    exact.advance_to(t);
    heights.push_back(2 * kPlate * std::sin(exact.q));
    lowest = std::min(lowest, exact.q);
  }
  ASSERT_LT(lowest, -std::numbers::pi);  // folded, straight, folded again: the run sees all three
  for (const char* method : {"reference", "coordinate-reduction", "augmented-dca"}) {
    SCOPED_TRACE(method);
    const ScenarioRun run =
        run_scenario("sarrus-linkage", times, {.method = method, .tolerance = 1e-10});
    for (std::size_t i = 0; i < times.size(); ++i) {
      SCOPED_TRACE(times[i]);
      const BodyMotion top = body_motion(run, run.samples[i], "top");
      EXPECT_NEAR(top.p.z(), heights[i], kPosition);
      EXPECT_LT(top.p.head<2>().norm(), kTurn);
      EXPECT_LT(top.pose.q.vec().norm(), kTurn);
    }
  }
}

TEST(SarrusLinkage, IsSingularWhenFolded) {
  const Mobility mobility = mobility_of("sarrus-linkage", {{"height", "0"}});
  EXPECT_TRUE(mobility.singular());
  EXPECT_GT(mobility.instantaneous.freedoms, 1);
}

}  // namespace
}  // namespace sarrus::tests
