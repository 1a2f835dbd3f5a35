// coordinate-reduction against the judge: random mechanisms with loops of every kind.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "agreement/difference.h"
#include "property/suite.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/io/load_model.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions with_loops(std::uint32_t seed) {
  Random random(seed * 2654435761u + 17);
  RandomMechanismOptions options;
  options.bodies = 2 + random.below(23);
  options.loops = true;
  options.redundant = random.chance(0.5);
  options.floating = random.chance(0.3);
  options.point_masses = random.chance(0.2);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  options.mass_ratio = 1e3;
  return options;
}

TEST(CoordinateReductionAgreement, AccelerationsAreThoseOfTheReference) {
  // The judge itself is exact to its condition times rounding, with masses 1e3 apart: 1e-12 is
  // usual. One mechanism in a thousand may be near a singular position.
  constexpr double kUsual = 1e-9;
  constexpr double kAlways = 1e-7;
  constexpr double kBalance = 1e-10;
  const Seeds seeds{.first = 190001, .share = 250, .all = 10000};
  int unusual = 0;
  double worst_balance = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    const Description description = random_mechanism(seed, with_loops(seed));
    Subject judge(description, "reference");
    Subject subject(description, "coordinate-reduction");
    const Motion expected = judge.motion();
    const Motion motion = subject.motion();
    const double gravity = judge.model().gravity().norm();
    const double defect = difference(motion.accelerations, expected.accelerations, gravity);
    EXPECT_LE(defect, kAlways);
    if (!(defect <= kUsual)) ++unusual;
    const double power = judge.supplied_power();
    EXPECT_NEAR(subject.supplied_power(), power, kAlways * (1 + std::abs(power)));
    const Verdict balance = newton_euler(judge.model(), motion);
    worst_balance = std::max(worst_balance, balance.defect);
    EXPECT_LE(balance.defect, kBalance) << balance.sentence;
  });
  EXPECT_LE(unusual, seeds.count() / 1000) << "of " << seeds.count();
  RecordProperty("unusual", unusual);
  RecordProperty("worst_balance", fmt::format("{:.1e}", worst_balance));
}

}  // namespace
}  // namespace sarrus::testing
