// order-n against the judge: random mechanisms of every kind, open and with loops.

#include <algorithm>

#include "agreement/difference.h"
#include "property/suite.h"

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
  constexpr double kUsual = 1e-10;
  constexpr double kAlways = 1e-8;
  const Seeds seeds{.first = 70001, .share = 500, .all = 10000};
  int unusual = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    const Description description = random_mechanism(seed, any_open_kind(seed));
    Subject judge(description, "reference");
    Subject subject(description, "order-n");
    const Motion expected = judge.motion();
    const Motion motion = subject.motion();
    double mass = 0;
    for (const Body& body : judge.model().bodies()) mass = std::max(mass, body.inertia.mass);
    // A mechanism that cannot move is compared with its weight.
    const double gravity = judge.model().gravity().norm();
    const double defect =
        std::max(difference(motion.accelerations, expected.accelerations, gravity),
                 difference(motion.reactions, expected.reactions, gravity * mass));
    EXPECT_LE(defect, kAlways);
    if (!(defect <= kUsual)) ++unusual;
    const double power = judge.supplied_power();
    EXPECT_NEAR(subject.supplied_power(), power, kAlways * (1 + std::abs(power)));
  });
  EXPECT_LE(unusual, seeds.count() / 1000) << "of " << seeds.count();
  RecordProperty("unusual", unusual);
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
  constexpr double kUsual = 1e-9;
  constexpr double kAlways = 1e-7;
  constexpr double kBalance = 1e-10;
  const Seeds seeds{.first = 75001, .share = 120, .all = 10000};
  int unusual = 0;
  int with_loops = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    const Description description = random_mechanism(seed, any_closed_kind(seed));
    Subject judge(description, "reference");
    Subject subject(description, "order-n");
    if (!subject.topology().is_tree()) ++with_loops;
    const Motion expected = judge.motion();
    const Motion motion = subject.motion();
    const double gravity = judge.model().gravity().norm();
    const double defect = difference(motion.accelerations, expected.accelerations, gravity);
    EXPECT_LE(defect, kAlways);
    if (!(defect <= kUsual)) ++unusual;
    EXPECT_LAW(newton_euler(subject.model(), motion), kBalance);
    EXPECT_LAW(reaction_uniqueness(subject.model(), motion), 0);
    const double power = judge.supplied_power();
    EXPECT_NEAR(subject.supplied_power(), power, kAlways * (1 + std::abs(power)));
  });
  EXPECT_LE(unusual, seeds.count() / 1000) << "of " << seeds.count();
  EXPECT_GT(with_loops, seeds.count() / 2);
  RecordProperty("unusual", unusual);
}

}  // namespace
}  // namespace sarrus::testing
