// order-n against the judge: random mechanisms of every kind, open and with loops.

#include <algorithm>

#include "agreement/judged.h"
#include "sarrus/formulations/registry.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions any_open_kind(std::uint32_t seed) {
  Random random(seed * 2654435761u + 7);
  RandomMechanismOptions options;
  options.bodies = 1 + random.below(24);
  options.floating = random.chance(0.4);
  options.point_masses = random.chance(0.2);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  return options;
}

TEST(OrderNAgreement, AccelerationsAndReactionsAreThoseOfTheReference) {
  // Random mechanisms are conditioned up to 1e4 with masses up to 1e4 apart: what is left of sixteen
  // digits. 99.9 % must agree to 1e-10, all to 1e-8.
  Defects defects{.usual = 1e-10, .always = 1e-8};
  for_each_seed({.first = 70001, .share = 500, .all = 10000}, [&](std::uint32_t seed) {
    Judged both(random_mechanism(seed, any_open_kind(seed)), "order-n");
    double mass = 0;
    for (const Body& body : both.judge.model().bodies()) mass = std::max(mass, body.inertia.mass);
    defects.add(std::max(both.defect(), difference(both.motion.reactions, both.expected.reactions,
                                                   both.gravity * mass)));
    both.expect_same_power(defects.always);
  });
  defects.expect_few_unusual();
}

/// A random mechanism with a free joint from its last body to another or to ground, told first.
Description with_a_free_joint_beside(std::uint32_t seed, bool loops) {
  Random random(seed * 2654435761u + 19);
  RandomMechanismOptions options;
  options.bodies = 2 + random.below(8);
  options.forces = random.chance(0.5);
  options.loops = loops;
  Description d = random_mechanism(seed, options);
  const BodyDescription& tip = d.bodies.back();
  JointDescription beside{.name = "beside", .type = JointType::kFree, .body_b = tip.name};
  if (random.chance(0.5)) beside.body_a = d.bodies.front().name;
  beside.at = tip.pose;
  d.joints.insert(d.joints.begin(), beside);
  return d;
}

// It measures; nothing else is different with it, under any method.
TEST(OrderNAgreement, AFreeJointThatOnlyMeasuresChangesNothingUnderAnyMethod) {
  // As the accelerations of the reference, of methods that lose a digit or two.
  constexpr double kAgree = 1e-7;
  // Both runs are exact to the tolerance of a step, 1e-9, a few hundred times over.
  constexpr double kAgreeAfter = 1e-5;
  const IntegratorOptions integrator{.rtol = 1e-9, .atol = 1e-9};
  for_each_seed({.first = 78001, .share = 6, .all = 200}, [&](std::uint32_t seed) {
    const Description d = with_a_free_joint_beside(seed, seed % 2 == 0);
    for (const MethodInfo& method : methods()) {
      SCOPED_TRACE(method.name);
      Judged both(d, method.name);
      EXPECT_LE(both.defect(), kAgree);
      const auto judge = taken(d, "reference", integrator);
      const auto subject = taken(d, method.name, integrator);
      ASSERT_NE(subject, nullptr);
      if (seed % 2 != 0) {
        EXPECT_TRUE(subject->topology().is_tree());
      }
      judge->advance_to(0.2);
      subject->advance_to(0.2);
      const Configuration expected = judge->motion().configuration;
      const Configuration found = subject->motion().configuration;
      for (std::size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(found.coordinates[k], expected.coordinates[k], kAgreeAfter) << k;
    }
  });
}

/// Without point masses: with the loops cut they would turn without inertia.
RandomMechanismOptions any_closed_kind(std::uint32_t seed) {
  Random random(seed * 2654435761u + 13);
  RandomMechanismOptions options;
  options.bodies = 2 + random.below(23);
  options.redundant = random.chance(0.5);
  options.loops = !options.redundant || random.chance(0.5);
  options.floating = random.chance(0.3);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  return options;
}

TEST(OrderNAgreement, WithLoopsAccelerationsAreThoseOfTheReferenceAndBodiesBalance) {
  // As above, and the loops are closed by one factorisation in double precision more. Reactions may
  // be undetermined, so every body's balance is asked for instead; what passes through it are sums
  // of large forces where masses are up to 1e4 apart.
  Defects defects{.usual = 1e-9, .always = 1e-7};
  constexpr double kBalance = 1e-10;
  int with_loops = 0;
  for_each_seed({.first = 75001, .share = 120, .all = 10000}, [&](std::uint32_t seed) {
    Judged both(random_mechanism(seed, any_closed_kind(seed)), "order-n");
    if (!both.subject.topology().is_tree()) ++with_loops;
    defects.add(both.defect());
    EXPECT_LAW(newton_euler(both.subject.model(), both.motion), kBalance);
    EXPECT_LAW(reaction_uniqueness(both.subject.model(), both.motion), 0);
    both.expect_same_power(defects.always);
  });
  defects.expect_few_unusual();
  EXPECT_GT(with_loops, defects.count / 2);
}

}  // namespace
}  // namespace sarrus::testing
