// Scenario bricard: IFToMM benchmark A04, a spatial loop of six revolute joints that moves only
// because of its proportions.

#include <gtest/gtest.h>

#include <cmath>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

void expect_stays_on_its_closure_curve(const std::string& method) {
  const double kClosed = 1e-14;  // rounding of lengths of 1 m, 30 rows
  const double kEnergy = 1e-9;   // [J], of some tens
  const double kCurve = 1e-10;   // angles of some radians from poses closed to rounding
  const ScenarioRun run = run_scenario("bricard", times_from(0, 10, 0.05), {.method = method});
  for (const Sample& sample : run.samples) {
    SCOPED_TRACE(sample.motion.time);
    const double q1 = coordinate(run, sample, "J1");
    const double q2 = coordinate(run, sample, "J2");
    EXPECT_NEAR((1 + std::sin(q1)) * (1 + std::sin(q2)), 1, kCurve);
    // Three axes move alike, and the other three.
    for (const char* joint : {"J3", "J5"})
      EXPECT_NEAR(coordinate(run, sample, joint), q1, kCurve) << joint;
    for (const char* joint : {"J4", "J6"})
      EXPECT_NEAR(coordinate(run, sample, joint), q2, kCurve) << joint;
  }
  EXPECT_LE(run.statistics().largest.position, kClosed);
  EXPECT_LE(run.statistics().energy_drift, kEnergy);
}

TEST(Bricard, StaysOnItsClosureCurve) { expect_stays_on_its_closure_curve("reference"); }

TEST(Bricard, StaysOnItsClosureCurveWithAugmentedDca) {
  expect_stays_on_its_closure_curve("augmented-dca");
}

}  // namespace
}  // namespace sarrus::tests
