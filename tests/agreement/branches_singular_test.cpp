// branches and mass-matrix where loops are singular or redundant, and where what is prescribed
// contradicts itself.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agreement/difference.h"
#include "agreement/instant.h"
#include "sarrus/io/load_model.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus::testing {
namespace {

constexpr const char* kBothMethods[] = {"branches", "mass-matrix"};

/// How a run of ten seconds ended.
struct Ended {
  Status status;
  RunStatistics statistics;
  Configuration configuration;
};

Ended run_of(const std::string& scenario, const std::string& method, double tolerance) {
  Simulation simulation(load_model(scenario),
                        {.method = method, .tolerance = tolerance, .until = 10});
  Ended end;
  end.status = simulation.advance_to(10);
  end.statistics = simulation.statistics();
  end.configuration = simulation.sample().motion.configuration;
  return end;
}

/// The largest distance of a body's origin [m] or difference of a velocity [m/s, rad/s].
double distance_between(const Ended& one, const Ended& other) {
  double most = 0;
  const Configuration &a = one.configuration, &b = other.configuration;
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    most = std::max(most, (a.poses[i].p - b.poses[i].p).norm());
    most = std::max(most, (a.velocities[i] - b.velocities[i]).norm());
  }
  return most;
}

bool tells_of_a_singular_position(const Ended& end) {
  return std::ranges::any_of(end.statistics.notes, [](const Note& note) {
    return note.what.find("singular position") != std::string::npos;
  });
}

/// What another method of the same kind is off at the same tolerance, times so much: where stages fall
/// beside a singular position is a matter of luck.
constexpr double kAsGood = 10;

TEST(BranchesSingular, PassesFlatPositionsAsExactlyAsCoordinateReduction) {
  constexpr double kTolerance = 1e-10;
  for (const char* scenario : {"rhombus", "n-four-bar"}) {
    const Ended exact = run_of(scenario, "coordinate-reduction", 1e-12);
    const Ended other = run_of(scenario, "coordinate-reduction", kTolerance);
    for (const char* method : kBothMethods) {
      SCOPED_TRACE(fmt::format("{} {}", scenario, method));
      const Ended end = run_of(scenario, method, kTolerance);
      ASSERT_TRUE(end.status.ok()) << end.status.reason;
      EXPECT_LE(end.statistics.energy_drift, kAsGood * other.statistics.energy_drift);
      EXPECT_LE(distance_between(end, exact), kAsGood * distance_between(other, exact));
      EXPECT_LE(end.statistics.steps, 1.1 * static_cast<double>(other.statistics.steps));
      EXPECT_TRUE(tells_of_a_singular_position(end));
    }
  }
}

TEST(BranchesSingular, FollowsARedundantSpatialLoopInAsManySteps) {
  // The stages of a step are off the loop, where its redundant row contradicts the others.
  constexpr double kTolerance = 1e-8;
  const Ended exact = run_of("bricard", "coordinate-reduction", 1e-12);
  const Ended other = run_of("bricard", "coordinate-reduction", kTolerance);
  for (const char* method : kBothMethods) {
    SCOPED_TRACE(method);
    const Ended end = run_of("bricard", method, kTolerance);
    ASSERT_TRUE(end.status.ok()) << end.status.reason;
    EXPECT_LE(distance_between(end, exact), kAsGood * distance_between(other, exact));
    EXPECT_LE(end.statistics.steps, 1.1 * static_cast<double>(other.statistics.steps));
    EXPECT_LE(end.statistics.rejected, 10);
    EXPECT_FALSE(tells_of_a_singular_position(end));
    // A hundredth of the tolerance: at least a tenth of the error.
    EXPECT_LE(10 * end.statistics.energy_drift,
              run_of("bricard", method, 100 * kTolerance).statistics.energy_drift);
  }
}

TEST(BranchesSingular, StagesAreProjectedWhereRedundantRowsDisagree) {
  const auto chosen = [](const char* scenario, const char* method) {
    return Instant(load_model(scenario), 0).under({.method = method})->projection();
  };
  for (const char* method : kBothMethods) {
    SCOPED_TRACE(method);
    for (const char* scenario : {"bricard", "bennett", "ladder"})
      EXPECT_EQ(chosen(scenario, method), Projection::kStage) << scenario;
    // Redundant for being planar, which joints of a plane cannot violate; or not redundant.
    for (const char* scenario : {"rhombus", "four-bar", "n-four-bar", "parallel-robot"})
      EXPECT_EQ(chosen(scenario, method), Projection::kStep) << scenario;
    EXPECT_EQ(chosen("chain", method), Projection::kOff);
  }
}

/// Speeds' rates at a state off the loops by `drift`, against those of the state itself.
double deviation_of_rates(const Instant& instant, const char* method, double drift) {
  const auto formulation = instant.under({.method = method, .projection = Projection::kStage});
  const auto workspace = formulation->make_workspace();
  const MovingState state = instant.state_of(*formulation);
  const StateLayout& layout = formulation->layout();
  const auto size = static_cast<std::size_t>(layout.tangent_size());
  std::vector<double> exact(size), drifted(size), off(size);
  Random random(11);
  for (std::size_t i = 0; i + 1 < size; ++i) off[i] = random.uniform(-drift, drift);
  std::vector<double> x = state.x;
  layout.retract(state.x, off, x);
  EXPECT_TRUE(formulation->rates(0, state.x, state.discrete, *workspace, exact).ok());
  EXPECT_TRUE(formulation->rates(0, x, state.discrete, *workspace, drifted).ok());
  double most = 0, largest = 1;
  for (std::size_t i = size / 2; i + 1 < size; ++i) {
    largest = std::max(largest, std::abs(exact[i]));
    most = std::max(most, std::abs(drifted[i] - exact[i]));
  }
  return most / largest;
}

TEST(BranchesSingular, ProjectedStagesFeelNoMoreThanTheirDrift) {
  constexpr double kFactor = 100;  // the condition of Bennett's linkage
  for (const char* scenario : {"bennett", "bricard", "five-bar"}) {
    const Instant instant(load_model(scenario), 3);
    for (const char* method : kBothMethods)
      for (const double drift : {1e-8, 1e-6, 1e-4, 1e-3}) {
        SCOPED_TRACE(fmt::format("{} {} {}", scenario, method, drift));
        EXPECT_LE(deviation_of_rates(instant, method, drift), kFactor * drift);
      }
  }
}

/// A four-bar, two joints of which are told to turn by different angles.
Model contradiction(const char* first, const char* second) {
  Description description = load_model_description("four-bar");
  const auto turn = [&](const char* joint, double by) {
    const auto it = std::ranges::find(description.joints, joint, &JointDescription::name);
    it->reference = {};  // all begin at zero
    description.add_force(
        fmt::format("motion of {}", joint),
        MotionDescription{.joint = joint,
                          .coordinate = {},
                          .value = TimeFunction(TimeFunction::Step{.to = by, .duration = 2})});
  };
  turn(first, 0.5);
  turn(second, 0.1);
  return make_model(description);
}

TEST(BranchesSingular, ContradictingMotionsEndTheRunAndNameAJoint) {
  // Both begin at rest and without acceleration: the angles are 1e-8 apart after some milliseconds.
  constexpr double kSoon = 0.005;      // [s]
  constexpr double kStillShut = 1e-8;  // [m]: above what cannot be closed, 1e-9 of the size
  for (const char* method : kBothMethods)
    for (const auto& [first, second] :
         {std::pair{"J1", "J4"}, {"J1", "J3"}, {"J1", "J2"}, {"J2", "J3"}, {"J3", "J4"}}) {
      SCOPED_TRACE(fmt::format("{}, {} and {}", method, first, second));
      // The guard of the run would be sooner.
      Simulation simulation(contradiction(first, second), {.method = method,
                                                           .settings = {},
                                                           .until = 1,
                                                           .subsystems = {},
                                                           .guard = GuardAction::kOff});
      const Status status = simulation.advance_to(1);
      EXPECT_EQ(status.code, Status::Code::kDiverged);
      EXPECT_THAT(status.reason, ::testing::HasSubstr("joint 'J"));
      EXPECT_THAT(status.reason, ::testing::HasSubstr("cannot be kept closed"));
      EXPECT_LE(simulation.time(), kSoon);
      EXPECT_LE(simulation.statistics().largest.position, kStillShut);
    }
}

}  // namespace
}  // namespace sarrus::testing
