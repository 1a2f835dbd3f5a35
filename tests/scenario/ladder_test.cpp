// Scenario ladder: loops with collinear and parallel axes; with any number of cells it moves like one
// pendulum on a universal joint. Reference: reference.csv; see the scenario's README.

#include <gtest/gtest.h>

#include <cstdlib>

#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

struct Cells {
  const char* number;
  double dense_until, until;  // how long `reference` runs, which is slow, if at all; the others
};
class Ladder : public ::testing::TestWithParam<Cells> {};

TEST_P(Ladder, MovesLikeOnePendulumWhateverTheNumberOfCells) {
  // Five seconds at tolerance 1e-12; ten to a hundred times what a run is off.
  const double kPosition = 1e-10;
  const double kSpeed = 1e-9;
  const double kAcceleration = 1e-9;
  const double kEnergy = 3e-10;
  const Overrides cells = {{"cells", GetParam().number}};
  const Reference table("ladder");
  for (const std::string& method : methods_for("ladder", cells)) {
    SCOPED_TRACE(method);
    const double until = method == "reference"
                             ? GetParam().dense_until
                             : (std::getenv("SARRUS_LONG") ? 5 : GetParam().until);
    std::vector<double> times = table.numbers("t");
    std::erase_if(times, [&](double time) { return time > until; });
    if (times.empty()) continue;
    const ScenarioRun run = run_scenario("ladder", times, {.overrides = cells, .method = method});
    const Joint& hinge = run.model().joint(run.model().find_joint("H0"));
    for (std::size_t row = 0; row < times.size(); ++row) {
      const auto expected = [&](const char* column) { return table.number(row, column); };
      const Sample& sample = run.samples[row];
      SCOPED_TRACE(sample.motion.time);
      const double* q = sample.motion.configuration.coordinates.data() + hinge.first_freedom;
      EXPECT_NEAR(q[0], expected("q1"), kPosition);
      EXPECT_NEAR(q[1], expected("q2"), kPosition);
      // The rungs turn with the plane only.
      const BodyMotion rung = body_motion(run, sample, "rung1");
      EXPECT_NEAR(rung.w.x(), expected("u1"), kSpeed);
      EXPECT_NEAR(rung.w.tail<2>().norm(), 0, kSpeed);
      EXPECT_NEAR(rung.alpha.x(), expected("udot1"), kAcceleration);
      // And the struts lean about the plane's normal.
      const BodyMotion strut = body_motion(run, sample, "strut0");
      const Vec3 normal(0, -std::sin(q[0]), std::cos(q[0]));
      EXPECT_NEAR(normal.dot(strut.w), expected("u2"), kSpeed);
      EXPECT_NEAR(normal.dot(strut.alpha), expected("udot2"), kAcceleration);
      EXPECT_NEAR(sample.total(), expected("energy"), kEnergy);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, Ladder,
                         ::testing::Values(Cells{"1", 5, 5}, Cells{"3", 5, 5}, Cells{"8", 0, 0.5},
                                           Cells{"32", -1, 0.1}),
                         [](const auto& test) { return std::string(test.param.number); });

TEST(Ladder, HasTwoFreedomsWhateverTheNumberOfCells) {
  for (const int cells : {1, 2, 5, 300}) {
    const Mobility mobility = mobility_of("ladder", {{"cells", std::to_string(cells)}});
    EXPECT_EQ(mobility.generic.freedoms, 2) << cells;
    EXPECT_EQ(mobility.generic.redundant, 2 * cells) << cells;
  }
}

}  // namespace
}  // namespace sarrus::tests
