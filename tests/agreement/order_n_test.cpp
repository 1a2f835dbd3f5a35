// order-n against the judge: random mechanisms of every kind, open and with loops.

#include <algorithm>

#include "agreement/judged.h"

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
