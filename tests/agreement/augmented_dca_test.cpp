// augmented-dca against the judge: random graphs of every kind; and against order-n on long chains.

#include <algorithm>

#include "property/suite.h"

namespace sarrus::testing {
namespace {

RandomMechanismOptions any_graph(std::uint32_t seed) {
  Random random(seed * 2654435761u + 11);
  RandomMechanismOptions options;
  options.bodies = 1 + random.below(24);
  options.loops = random.chance(0.7);
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

/// Largest difference of two lists of vectors, over the largest vector or `least`.
double distance(const std::vector<Vec6>& of, const std::vector<Vec6>& from, double least) {
  double size = least;
  double most = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    size = std::max(size, from[i].norm());
    most = std::max(most, (of[i] - from[i]).norm());
  }
  return most / size;
}

TEST(AugmentedDcaAgreement, AccelerationsAreThoseOfTheReference) {
  constexpr double kUsual = 1e-10;
  constexpr double kAlways = 1e-8;
  const Seeds seeds{.first = 90001, .share = 500, .all = 10000};
  int unusual = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    const Description description = random_mechanism(seed, any_graph(seed));
    Subject judge(description, "reference");
    Subject subject(description, "augmented-dca");
    const Motion expected = judge.motion();
    const Motion motion = subject.motion();
    const double gravity = judge.model().gravity().norm();
    const double defect = distance(motion.accelerations, expected.accelerations, gravity);
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
