// The random mechanisms are what their description promises.

#include <map>
#include <set>

#include "property/suite.h"
#include "sarrus/constraints/constraint_system.h"
#include "sarrus/mobility/mobility.h"
#include "sarrus/model/loads.h"
#include "sarrus/testing/same_mechanism.h"

namespace sarrus::testing {
namespace {

/// Some roundings of lengths of a few metres.
constexpr double kClosed = 1e-14;

Mobility mobility_of(const Model& model) {
  return compute_mobility(model, analyse_topology(model), assemble(model).configuration);
}

TEST(RandomMechanism, SameSeedGivesTheSameBits) {
  for_each_seed({.share = 20, .all = 20}, [](std::uint32_t seed) {
    const Model a(random_mechanism(seed, any_kind(seed)));
    const Model b(random_mechanism(seed, any_kind(seed)));
    ASSERT_EQ(a.body_count(), b.body_count());
    ASSERT_EQ(a.joint_count(), b.joint_count());
    for (std::size_t i = 1; i < a.bodies().size(); ++i)
      EXPECT_EQ(a.bodies()[i].X_WB.p, b.bodies()[i].X_WB.p);
  });
}

// The numbers themselves: they must not change with the compiler or the standard library. Whoever
// changes the generator on purpose changes them here.
TEST(RandomMechanism, RandomNumbersArePinnedDown) {
  Random random(1);
  EXPECT_EQ(random.uniform(), 0.41702200470257400);
  EXPECT_EQ(random.below(1000), 720);
}

TEST(RandomMechanism, ClosesByConstruction) {
  for_each_seed({.share = 300, .all = 5000}, [](std::uint32_t seed) {
    const Model model(random_mechanism(seed, any_kind(seed)));
    Configuration c = model.reference_configuration();
    VecX phi;
    const ConstraintSystem system(model);
    system.evaluate_positions(0, c, phi);
    EXPECT_LT(phi.lpNorm<Eigen::Infinity>(), kClosed);
    // Reference coordinates, turns included, are those of the pose.
    const std::vector<double> described = c.coordinates;
    update_coordinates(model, c);
    for (std::size_t i = 0; i < described.size(); ++i)
      EXPECT_NEAR(described[i], c.coordinates[i], 10 * kClosed);
  });
}

TEST(RandomMechanism, HasTheFeaturesAskedFor) {
  for_each_seed({.share = 60, .all = 500}, [](std::uint32_t seed) {
    const Model tree(random_mechanism(seed, {}));
    EXPECT_TRUE(analyse_topology(tree).is_tree());
    EXPECT_TRUE(analyse_topology(tree).floating_roots.empty());
    EXPECT_EQ(tree.body_count(), 7);
    const Model redundant(random_mechanism(seed, {.redundant = true}));
    EXPECT_GT(mobility_of(redundant).generic.redundant, 0);
    const Model singular(random_mechanism(seed, {.singular = true}));
    EXPECT_TRUE(mobility_of(singular).singular());
  });
}

TEST(RandomMechanism, IsRefusedOutOfRange) {
  EXPECT_THROW(random_mechanism(1, {.bodies = 0}), UsageError);
  EXPECT_THROW(random_mechanism(1, {.bodies = 25}), UsageError);
  EXPECT_THROW(random_mechanism(1, {.mass_ratio = 0.5}), UsageError);
}

/// Which joint types close loops, which force kinds act on which types, and on which closing ones.
struct Coverage {
  std::set<JointType> closing;
  std::set<std::pair<std::size_t, JointType>> forces;
  std::set<std::size_t> forces_on_closing;
  double lightest = 1e300, heaviest = 0;
  int floating = 0, point_masses = 0, movable = 0;

  void add(const Description& description) {
    const Model model(description);
    const Topology topology = analyse_topology(model);
    std::set<std::string> cut;
    for (JointId joint : topology.cut_joints) {
      closing.insert(model.joint(joint).type());
      cut.insert(model.joint(joint).name);
    }
    for (const ForceDescription& force : description.forces)
      std::visit([&](const auto& what) { add_force(force, what, model, cut); }, force.what);
    for (const BodyDescription& body : description.bodies) {
      lightest = std::min(lightest, body.mass);
      heaviest = std::max(heaviest, body.mass);
      point_masses += body.inertia.isZero(0);
    }
    floating += !topology.floating_roots.empty();
  }

  template <class Force>
  void add_force(const ForceDescription& force, const Force& what, const Model& model,
                 const std::set<std::string>& cut) {
    if constexpr (requires { what.joint; }) {
      forces.emplace(force.what.index(), model.joint(model.find_joint(what.joint)).type());
      if (cut.contains(what.joint)) forces_on_closing.insert(force.what.index());
    }
  }
};

TEST(RandomMechanism, CoversEveryJointForceAndDrive) {
  Coverage coverage;
  for_each_seed({.share = 600, .all = 600},
                [&](std::uint32_t seed) { coverage.add(random_mechanism(seed, any_kind(seed))); });
  EXPECT_EQ(coverage.closing.size(), 9u) << "every joint type closes loops";
  // Spring, friction, torque, motor and motion on every type but the fixed one.
  EXPECT_EQ(coverage.forces.size(), 5u * 8u);
  EXPECT_EQ(coverage.forces_on_closing.size(), 5u);
  EXPECT_GT(coverage.heaviest / coverage.lightest, 5e3);
  EXPECT_GT(coverage.floating, 50);
  EXPECT_GT(coverage.point_masses, 50);
}

TEST(SameMechanism, TellsItReallyOtherwise) {
  int reversed_joints = 0, other_cuts = 0, loops = 0;
  for_each_seed({.share = 100, .all = 100}, [&](std::uint32_t seed) {
    const Description description = random_mechanism(seed, {.loops = true, .forces = true});
    const Description swapped = with_reversals(description, seed);
    for (std::size_t j = 0; j < description.joints.size(); ++j)
      reversed_joints += description.joints[j].body_a != swapped.joints[j].body_a;
    const Topology a = analyse_topology(Model(description));
    const Topology b = analyse_topology(Model(with_other_cuts(description, seed)));
    loops += !a.is_tree();
    other_cuts += a.cut_joints != b.cut_joints;
  });
  EXPECT_GT(loops, 90);
  EXPECT_GT(reversed_joints, 150);
  EXPECT_GT(other_cuts, 30);
}

}  // namespace
}  // namespace sarrus::testing
