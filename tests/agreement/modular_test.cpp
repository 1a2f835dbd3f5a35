// uzawa, baumgarte and augmented-lagrangian against the judge.

#include <fmt/format.h>

#include "agreement/difference.h"
#include "agreement/instant.h"
#include "property/suite.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions modular_graph(std::uint32_t seed) {
  Random random(seed * 2654435761u + 13);
  RandomMechanismOptions options;
  options.bodies = 1 + random.below(random.chance(0.1) ? 24 : 10);
  options.loops = random.chance(0.7);
  options.redundant = random.chance(0.5);
  options.floating = random.chance(0.3);
  options.forces = random.chance(0.6);
  options.drives = random.chance(0.5);
  options.motions = random.chance(0.4);
  options.moving = random.chance(0.9);
  options.mass_ratio = 1e3;
  return options;
}

/// Against the judge at the same state, with the settings.
void expect_accelerates_as_the_judge(const Seeds& seeds, const std::string& method,
                                     const std::vector<MethodSetting>& settings) {
  constexpr double kAgrees = 1e-8;
  constexpr double kPower = 1e-7;  // one multiplier, which may be the small sum of large terms
  double worst = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    const Instant instant(random_mechanism(seed, modular_graph(seed)), 0);
    const Motion expected = instant.motion({.method = "reference"});
    const Motion motion = instant.motion({.method = method, .settings = settings});
    const double defect =
        difference(motion.accelerations, expected.accelerations, instant.model().gravity().norm());
    EXPECT_LE(defect, kAgrees);
    worst = std::max(worst, defect);
    const double power = instant.rates({.method = "reference"}).back();
    EXPECT_NEAR(instant.rates({.method = method, .settings = settings}).back(), power,
                kPower * (1 + std::abs(power)));
  });
  ::testing::Test::RecordProperty("worst", fmt::format("{:.1e}", worst));
}

TEST(ModularAgreement, BaumgarteAcceleratesAsTheReference) {
  expect_accelerates_as_the_judge({.first = 110001, .share = 100, .all = 2000}, "baumgarte",
                                  {{"omega", "20"}});
}

TEST(ModularAgreement, AugmentedLagrangianAcceleratesAsTheReference) {
  expect_accelerates_as_the_judge({.first = 110001, .share = 100, .all = 2000},
                                  "augmented-lagrangian", {{"omega", "20"}});
}

TEST(ModularAgreement, ConvergedUzawaAcceleratesAsTheReference) {
  expect_accelerates_as_the_judge({.first = 110001, .share = 150, .all = 2000}, "uzawa",
                                  {{"tolerance", "1e-10"}});
}

TEST(ModularAgreement, EliminationAcceleratesAsTheReference) {
  expect_accelerates_as_the_judge({.first = 110001, .share = 100, .all = 2000}, "uzawa",
                                  {{"iteration", "tree"}, {"tolerance", "1e-10"}});
}

}  // namespace
}  // namespace sarrus::testing
