// Scenario unequal-four-bars: a row of loops no two of which are alike, so that no term of one is that
// of another. Reference: reference.csv; see the scenario's README.

#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

TEST(UnequalFourBars, FollowTheirReference) {
  // Up to one second at tolerance 1e-12; thirty to fifty times what a run is off.
  const double kAngle = 1e-11;
  const double kSpeed = 1e-10;
  const double kAcceleration = 2e-10;
  const double kEnergy = 5e-10;  // of 37 J
  const Reference table("unequal-four-bars");
  for (const std::string& method : methods_for("unequal-four-bars")) {
    SCOPED_TRACE(method);
    std::vector<double> times = table.numbers("t");
    const double until = method == "reference" ? 0.1 : 1;  // the dense method is slow
    std::erase_if(times, [&](double time) { return time > until; });
    const ScenarioRun run = run_scenario("unequal-four-bars", times, {.method = method});
    for (std::size_t row = 0; row < times.size(); ++row) {
      const auto expected = [&](const std::string& column) { return table.number(row, column); };
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      for (const std::string i : {"0", "1", "2", "3", "4"}) {
        SCOPED_TRACE(i);
        const BodyMotion crank = body_motion(run, sample, "crank" + i);
        EXPECT_NEAR(coordinate(run, sample, "A" + i), expected("q" + i), kAngle);
        EXPECT_NEAR(crank.w.z(), expected("u" + i), kSpeed);
        EXPECT_NEAR(crank.alpha.z(), expected("udot" + i), kAcceleration);
        if (i == "0") continue;
        const BodyMotion coupler = body_motion(run, sample, "coupler" + i);
        EXPECT_NEAR(coupler.w.z(), expected("w" + i), kSpeed);
        EXPECT_NEAR(coupler.alpha.z(), expected("al" + i), kAcceleration);
      }
      EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
    }
  }
}

TEST(UnequalFourBars, HaveOneFreedomWhateverTheirNumber) {
  for (const int loops : {1, 2, 7, 100}) {
    const Mobility mobility = mobility_of("unequal-four-bars", {{"loops", std::to_string(loops)}});
    EXPECT_EQ(mobility.generic.freedoms, 1) << loops;
    EXPECT_EQ(mobility.generic.redundant, 3 * loops) << loops;
    EXPECT_FALSE(mobility.singular()) << loops;
  }
}

}  // namespace
}  // namespace sarrus::tests
