#include "sarrus/analysis/moving_state.h"

#include <gtest/gtest.h>

#include "sarrus/analysis/assembly.h"
#include "sarrus/constraints/norms.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/model/loads.h"
#include "sarrus/testing/random_mechanism.h"

namespace sarrus {
namespace {

// Poses and velocities of some units, rounded along chains of up to twelve joints.
constexpr double kChainRounding = 1e-12;
constexpr unsigned kSeeds = 30;

ConstraintNorms norms_of(const Model& model, const Configuration& configuration) {
  Motion motion;
  motion.configuration = configuration;
  motion.accelerations.assign(model.bodies().size(), Vec6::Zero());
  return compute_constraint_norms(model, motion);
}

TEST(RandomMotion, ObeysEveryJointOfAnOpenMechanism) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Model model(testing::random_mechanism(seed, {.bodies = 12, .floating = true}));
    const Topology topology = analyse_topology(model);
    const Configuration assembled = assemble(model).configuration;
    const Configuration moving = random_motion(model, topology, assembled, seed);
    const ConstraintNorms norms = norms_of(model, moving);
    EXPECT_LT(norms.position, kChainRounding) << seed;
    EXPECT_LT(norms.velocity, kChainRounding) << seed;
    // The coordinates are those of the poses, and both are new.
    Configuration again = moving;
    update_coordinates(model, again);
    for (std::size_t k = 0; k < again.coordinates.size(); ++k) {
      EXPECT_NEAR(again.coordinates[k], moving.coordinates[k], 1e-9) << seed;
      EXPECT_NE(moving.coordinates[k], assembled.coordinates[k]);
    }
    EXPECT_GT(kinetic_energy(model, moving), 0);
  }
}

TEST(RandomMotion, IsTheSameForTheSameSeed) {
  const Model model(testing::random_mechanism(1, {.bodies = 8}));
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  const Configuration a = random_motion(model, topology, assembled, 7);
  const Configuration b = random_motion(model, topology, assembled, 7);
  const Configuration c = random_motion(model, topology, assembled, 8);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(a.velocities, b.velocities);
  EXPECT_NE(a.velocities, c.velocities);
}

TEST(MovingState, ObeysLoopsAndPrescribedMotions) {
  const double kProjected = 1e-9;  // where the projection stops, at velocities of some units
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Model model(testing::random_mechanism(
        seed, {.bodies = 8, .loops = true, .redundant = true, .motions = true}));
    const Topology topology = analyse_topology(model);
    const Configuration assembled = assemble(model).configuration;
    const auto formulation = make_formulation({}, model, topology, assembled);
    const auto workspace = formulation->make_workspace();
    MovingState state;
    const Status status = make_moving_state(
        *formulation, random_motion(model, topology, assembled, seed), *workspace, state);
    ASSERT_TRUE(status.ok()) << status.reason;
    Configuration moving;
    formulation->decode(state.x, state.discrete, moving);
    const ConstraintNorms norms = norms_of(model, moving);
    EXPECT_LT(norms.position, kProjected) << seed;
    EXPECT_LT(norms.velocity, kProjected) << seed;
  }
}

TEST(Phases, OfReferenceDoTheWorkOfItsRates) {
  const Model model(testing::random_mechanism(3, {.bodies = 6, .loops = true, .redundant = true}));
  const Topology topology = analyse_topology(model);
  const Configuration assembled = assemble(model).configuration;
  const auto formulation = make_formulation({.method = "reference"}, model, topology, assembled);
  const auto workspace = formulation->make_workspace();
  MovingState state;
  ASSERT_TRUE(make_moving_state(*formulation, random_motion(model, topology, assembled, 1),
                                *workspace, state)
                  .ok());
  const auto phases = formulation->phases(0, state.x, state.discrete, *workspace);
  ASSERT_EQ(phases.size(), 4U);
  for (const Phase& phase : phases)
    for (int again = 0; again < 3; ++again) EXPECT_TRUE(phase.run().ok()) << phase.name;
}

}  // namespace
}  // namespace sarrus
