// Runs with momenta: loops that are cut and restored, symplectic steps across edits, stiff friction.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "sarrus/io/load_model.h"
#include "sarrus/simulation/live_edits.h"
#include "sarrus/simulation/simulation.h"
#include "unit/simulation/chains.h"

namespace sarrus {
namespace {

constexpr const char* kMomenta = "hamiltonian-dca";

/// Largest distances of origins and angles of all bodies, and differences of velocities.
struct Apart {
  double pose = 0, velocity = 0;
};
Apart apart(const Configuration& a, const Configuration& b) {
  Apart most;
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    most.pose = std::max({most.pose, (a.poses[i].p - b.poses[i].p).norm(),
                          a.poses[i].q.angularDistance(b.poses[i].q)});
    most.velocity = std::max(most.velocity, (a.velocities[i] - b.velocities[i]).norm());
  }
  return most;
}

double balance_of(const Sample& sample) { return sample.total() - sample.motion.supplied; }

/// A loop that the kernels take, and one whose constraints are dependent.
std::vector<std::pair<Model, std::string>> loops_to_cut() {
  std::vector<std::pair<Model, std::string>> cases;
  cases.emplace_back(Model(tests::chain_of(8, true)), "J5");
  cases.emplace_back(Model(tests::chain_of(8, true)), "end");
  cases.emplace_back(load_model("five-bar"), "J3");
  return cases;
}

// What momenta stand for changes with the spanning tree at every edit: motion and energy do not.
TEST(HamiltonianEdits, LoopsAreCutAndRestoredAgainAndAgain) {
  // Rounding of some joules and metres, through coordinates, momenta and back.
  constexpr double kBalance = 1e-10, kSame = 1e-11, kSameSpeed = 1e-9;
  for (const auto& [model, joint] : loops_to_cut()) {
    SCOPED_TRACE(model.name() + " " + joint);
    Simulation simulation(model, {.method = kMomenta, .tolerance = 1e-11, .until = 1.0});
    for (int k = 0; k < 6; ++k) {
      ASSERT_TRUE(simulation.advance_to(0.03 * (k + 1)).ok());
      const Sample before = simulation.sample();
      const bool cuts = k % 2 == 0;
      const EditReport report =
          simulation.edit({cuts ? Edit{CutJoint{joint}, {}} : Edit{RestoreJoint{joint}, {}}});
      ASSERT_TRUE(report.status.ok()) << report.status.reason;
      const Sample after = simulation.sample();
      EXPECT_NEAR(balance_of(after), balance_of(before), kBalance);
      const Apart jump = apart(before.motion.configuration, after.motion.configuration);
      EXPECT_LE(jump.pose, kSame);
      if (cuts) {
        EXPECT_LE(jump.velocity, kSameSpeed);  // nothing strikes
      } else {
        EXPECT_LE(after.kinetic, before.kinetic * (1 + 1e-12));
        EXPECT_LE(after.constraints.velocity, 1e-11);
      }
    }
    ASSERT_TRUE(simulation.advance_to(0.3).ok());
    EXPECT_LE(simulation.statistics().energy_drift, 1e-8);
  }
}

// An edit ends one Hamiltonian system and begins another; steps go on from the same place.
TEST(HamiltonianEdits, SymplecticStepsGoOnAfterEdits) {
  const Model model(tests::chain_of(6, true));
  const auto run = [&](const SimulationOptions& options) {
    Simulation simulation(model, options);
    std::vector<Configuration> path;
    const auto look = [&](double until) {
      const Status status = simulation.advance_to(until);
      EXPECT_TRUE(status.ok()) << status.reason;
      path.push_back(simulation.sample().motion.configuration);
    };
    look(0.1);
    EXPECT_TRUE(simulation.edit({{CutJoint{"J4"}, {}}}).status.ok());
    look(0.2);
    EXPECT_TRUE(simulation.edit({{RestoreJoint{"J4"}, {}}}).status.ok());
    look(0.3);
    return std::pair(path, simulation.statistics());
  };
  const auto [steps, statistics] =
      run({.method = kMomenta, .integrator = "gauss4", .step = 5e-4, .until = 0.3});
  const auto [judge, of_judge] = run({.method = "reference", .tolerance = 1e-11, .until = 0.3});
  // Of fourth order, with an impact on the way that differences grow after.
  constexpr double kPath[] = {1e-7, 1e-7, 1e-6};
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_LE(apart(steps[i], judge[i]).pose, kPath[i]) << i;
  EXPECT_LE(statistics.energy_drift, 1e-7);
  EXPECT_LE(statistics.largest.velocity, 1e-11);
}

// Explicit steps fail at a tenth of that length; implicit ones are of first order. The judge is another
// method and takes small steps.
TEST(HamiltonianFriction, IsTakenInStepsLongerThanItsTimeConstant) {
  const Model model =
      load_model("falling-chain", {{"links", "20"}, {"separation", "0.51"}, {"damping", "2e-3"}});
  constexpr double kUntil = 0.3;
  const auto end_of = [&](const SimulationOptions& options) -> std::optional<Configuration> {
    Simulation simulation(model, options);
    if (!simulation.advance_to(kUntil).ok()) return std::nullopt;
    return simulation.sample().motion.configuration;
  };
  const auto judge = end_of({.method = "order-n", .tolerance = 1e-9, .until = kUntil});
  ASSERT_TRUE(judge);
  const auto error = [&](double step, const char* friction, const char* part_bodies) {
    const auto end = end_of({.method = kMomenta,
                             .settings = {{"friction", friction}, {"part_bodies", part_bodies}},
                             .integrator = "rk4",
                             .step = step,
                             .until = kUntil});
    return end ? apart(*end, *judge).pose : std::numeric_limits<double>::infinity();
  };
  EXPECT_GT(error(2e-4, "explicit", "128"), 0.1);
  const double coarse = error(2e-3, "implicit", "128");
  const double fine = error(1e-3, "implicit", "128");
  EXPECT_LE(coarse, 0.03);
  EXPECT_NEAR(coarse / fine, 2, 0.3);
  // Rods in a plane lack inertia in small parts: they are one part then as well.
  EXPECT_NEAR(error(2e-3, "implicit", "3"), coarse, 1e-9);
}

}  // namespace
}  // namespace sarrus
