// order-n against the judge: random open mechanisms of every kind.

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

}  // namespace
}  // namespace sarrus::testing
