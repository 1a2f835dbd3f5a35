// Mobility by elimination over the assembly tree, as large loops have it.

#include <gtest/gtest.h>

#include "sarrus/mobility/mobility.h"
#include "sarrus/mobility/rank_study.h"
#include "sarrus/testing/random_mechanism.h"
#include "unit/model/fence.h"

namespace sarrus {
namespace {

using namespace tests;

constexpr int kAllDense = 1000000;

void expect_same(const Mobility::Figures& one, const Mobility::Figures& other) {
  EXPECT_EQ(one.rows, other.rows);
  EXPECT_EQ(one.rank, other.rank);
}

TEST(TreeRank, AgreesWithOrthogonalFactorsOnRandomMechanisms) {
  int loops = 0, redundant = 0;
  for (unsigned seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(testing::random_mechanism(seed, {.bodies = 4 + static_cast<int>(seed % 11),
                                                       .loops = true,
                                                       .floating = seed % 3 == 0,
                                                       .redundant = seed % 2 == 0,
                                                       .motions = seed % 5 < 2}));
    const Topology topology = analyse_topology(model);
    const Configuration c = model.reference_configuration();
    const Mobility dense = compute_mobility(model, topology, c, kAllDense);
    const Mobility tree = compute_mobility(model, topology, c, 0);
    Topology hurried = topology;  // as edits of a running mechanism have it
    hurried.dense_joints = 0;
    hurried.step_to_generic = 3e-3;
    expect_same(compute_mobility(model, hurried, c).generic, dense.generic);
    expect_same(tree.generic, dense.generic);
    expect_same(tree.instantaneous, dense.instantaneous);
    expect_same(tree.generic_without_motions, dense.generic_without_motions);
    expect_same(tree.instantaneous_without_motions, dense.instantaneous_without_motions);
    EXPECT_EQ(tree.redundant_joints, dense.redundant_joints);
    EXPECT_EQ(tree.nonunique_reactions, dense.nonunique_reactions);
    loops += !topology.is_tree();
    redundant += dense.generic.redundant > 0;
  }
  EXPECT_GT(loops, 60);
  EXPECT_GT(redundant, 30);
}

Mobility mobility_of_fence(const Description& d) {
  const Model model(d);
  return compute_mobility(model, analyse_topology(model), model.reference_configuration());
}

TEST(TreeRank, OfThreeHundredLoopsInARow) {
  Description d = fence(300, Vec3::UnitZ());
  const Mobility free = mobility_of_fence(d);
  EXPECT_EQ(free.generic.freedoms, 1);
  EXPECT_EQ(free.generic.redundant, 900);
  EXPECT_FALSE(free.singular());
  EXPECT_EQ(free.redundant_joints.size(), d.joints.size());
  EXPECT_EQ(free.nonunique_reactions.size(), d.joints.size());

  // Two drives far apart: one too many, and all that is between them and the ground is stressed.
  for (const char* at : {"F0", "F300"})
    d.add_force(
        at, MotionDescription{.joint = at, .value = TimeFunction::Shape(TimeFunction::Constant{})});
  const Mobility driven = mobility_of_fence(d);
  EXPECT_EQ(driven.generic.freedoms, 0);
  EXPECT_EQ(driven.generic.redundant, 901);
  EXPECT_EQ(driven.generic_without_motions.freedoms, 1);
}

TEST(TreeRank, FindsTheOneLoopThatIsRedundantAmongMany) {
  // With ball joints at the rungs no row depends on others; then one joint is doubled.
  Description d = fence(20, Vec3::UnitZ());
  for (JointDescription& each : d.joints)
    if (each.name[0] != 'F') each.type = JointType::kSpherical;
  const Mobility before = mobility_of_fence(d);
  EXPECT_EQ(before.generic.redundant, 0);
  EXPECT_TRUE(before.redundant_joints.empty());
  JointDescription twin = d.joints[30];
  twin.name = "twin";
  d.add_joint(twin);
  const Mobility after = mobility_of_fence(d);
  EXPECT_EQ(after.generic.freedoms, before.generic.freedoms);
  EXPECT_EQ(after.generic.redundant, 3);
  EXPECT_EQ(after.redundant_joints, (std::vector<JointId>{JointId{30}, JointId{61}}));
}

}  // namespace
}  // namespace sarrus
