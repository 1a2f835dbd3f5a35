// The stiff integrator on mechanisms: against dopri5 at a tight tolerance, and where it pays.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sarrus/base/diagnostics.h"
#include "sarrus/model/beam.h"
#include "scenario/scenario.h"

namespace sarrus::tests {
namespace {

double cvode_distance(const std::string& scenario, const std::vector<double>& times,
                      double tolerance, const Setup& judge) {
  Setup setup = judge;
  setup.tolerance = tolerance;
  setup.integrator = "cvode";
  const ScenarioRun found = run_scenario(scenario, times, setup);
  const ScenarioRun known = run_scenario(scenario, times, judge);
  double largest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Configuration& one = found.samples[i].motion.configuration;
    const Configuration& other = known.samples[i].motion.configuration;
    const LargestDifferences d = differences(one, other);
    largest = std::max({largest, d.position, d.orientation});
    for (std::size_t k = 0; k < one.modes.size(); ++k)
      largest = std::max(largest, std::abs(one.modes[k] - other.modes[k]));
  }
  EXPECT_LT(found.statistics().largest.position, 1e-10);
  return largest;
}

// A rigid loop with redundant rows, projected at every step.
TEST(CvodeScenario, FollowsAFourBar) {
  const tests::Setup judge{.tolerance = 1e-11};
  const double coarse = cvode_distance("four-bar", {0.5, 1}, 1e-6, judge);
  const double fine = cvode_distance("four-bar", {0.5, 1}, 1e-9, judge);
  // Errors of some hundred steps, and what the motion makes of them.
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, 1e-6);
  EXPECT_LT(fine, 0.05 * coarse);
}

TEST(CvodeScenario, FollowsOtherMethods) {
  for (const char* method : {"coordinate-reduction", "augmented-dca"})
    EXPECT_LT(cvode_distance("four-bar", {0.5}, 1e-8, {.method = method, .tolerance = 1e-11}), 1e-5)
        << method;
}

// Impulses of loops are taken into the momenta after every step: no history holds.
TEST(CvodeScenario, RefusesMomentaThatAreGaugedAnew) {
  try {
    run_scenario("four-bar", {0.5},
                 {.method = "hamiltonian-dca", .tolerance = 1e-8, .integrator = "cvode"});
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("dopri5"));
  }
}

TEST(CvodeScenario, FollowsAFlexibleSliderCrank) {
  const tests::Setup judge{.overrides = {{"modes", "1"}}, .tolerance = 1e-10};
  EXPECT_LT(cvode_distance("flexible-slider-crank", {0.01, 0.02}, 1e-8, judge), 1e-6);
}

TEST(CvodeScenario, FollowsABeamThatIsSpunUp) {
  EXPECT_LT(cvode_distance("spin-up-beam", {0.5, 1}, 1e-7, {.tolerance = 1e-10}), 1e-4);
}

/// A pendulum of rubber: three modes, each damped ten times as much as critically.
Description rubber_pendulum() {
  const BeamBody beam = make_beam({.length = 1,
                                   .mass_per_length = 2,
                                   .bending_stiffness_y = 200,
                                   .damping_ratio = 10,
                                   .bending_y = 3});
  auto flexible = std::make_shared<FlexibleDescription>();
  flexible->data = beam.data;
  Description d;
  d.add_body({.name = "beam",
              .mass = beam.inertia.mass,
              .center_of_mass = beam.inertia.center,
              .inertia = beam.inertia.central + 1e-4 * Mat3::Identity(),
              .flexible = flexible});
  JointDescription axle;
  axle.name = "axle";
  axle.body_b = "beam";
  d.gravity = {0, -9.81, 0};
  d.add_joint(axle);
  return d;
}

TEST(CvodeScenario, TakesATenthOfTheEvaluationsWhereABeamIsStiff) {
  const auto run = [](const char* integrator, double tolerance) {
    auto simulation = std::make_unique<Simulation>(Model(rubber_pendulum()),
                                                   SimulationOptions{.method = "reference",
                                                                     .settings = {},
                                                                     .integrator = integrator,
                                                                     .step = {},
                                                                     .tolerance = tolerance,
                                                                     .projection = {},
                                                                     .until = 0.1});
    EXPECT_TRUE(simulation->advance_to(0.1).ok());
    return simulation;
  };
  const auto stiff = run("cvode", 1e-6);
  const auto again = run("cvode", 1e-6);
  const auto plain = run("dopri5", 1e-6);
  const Configuration a = stiff->sample().motion.configuration;
  const Configuration b = plain->sample().motion.configuration;
  EXPECT_LT(differences(a, b).position, 1e-4);
  EXPECT_LT(differences(a, b).orientation, 1e-4);
  EXPECT_LT(10 * stiff->statistics().counters.evaluations,
            plain->statistics().counters.evaluations);
  EXPECT_EQ(a.modes, again->sample().motion.configuration.modes) << "the same bits twice";
  RecordProperty("evaluations", static_cast<int>(stiff->statistics().counters.evaluations));
  RecordProperty("explicit", static_cast<int>(plain->statistics().counters.evaluations));
}

}  // namespace
}  // namespace sarrus::tests
