// Starts on singular positions: regular ones are not taken for such, and what motion can leave is left.

#include "sarrus/analysis/singular_start.h"

#include "property/suite.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus::testing {
namespace {

StartLook start_of(const Description& description) {
  const Model model(description);
  const Topology topology = analyse_topology(model);
  const Configuration start = assemble(model, topology).configuration;
  RankStudy study(model, topology, start);
  return look_at_start(study, start, 0);
}

TEST(SingularStarts, RegularStartsAreFree) {
  for_each_seed({.first = 410001, .share = 300, .all = 10000}, [](std::uint32_t seed) {
    RandomMechanismOptions options = any_smooth_kind(seed);
    options.loops = true;
    options.redundant = seed % 2 == 0;
    options.flexible = seed % 5 == 0;
    const StartLook look = start_of(random_mechanism(seed, options));
    EXPECT_TRUE(look.status.ok()) << look.status.reason;
    EXPECT_TRUE(look.standing.empty());
  });
}

/// The largest difference of velocities, in m/s and rad/s.
double speeds_apart(Simulation& one, Simulation& other) {
  const std::vector<Vec6> a = one.sample().motion.configuration.velocities;
  const std::vector<Vec6> b = other.sample().motion.configuration.velocities;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

/// Twenty steps of 1e-8 in speeds of up to some hundred; another branch is off by what it moves.
constexpr double kSameMotion = 1e-4;

/// Of the mechanisms drawn.
constexpr double kTakenOfStarts = 0.8;

// Flat four-bars at rest, anywhere in a mechanism: where loads push them between their branches, no method
// moves them.
class SingularStarts : public EveryMethod {};

TEST_P(SingularStarts, AreLeftOrRefused) {
  int drawn = 0, left = 0, refused = 0;
  for_each_seed(
      Seeds{.first = 420001, .share = 60, .all = 2000}.of(GetParam()), [&](std::uint32_t seed) {
        RandomMechanismOptions options = any_smooth_kind(seed);
        options.singular = true;
        options.bodies = std::max(3, options.bodies);
        const Description description = random_mechanism(seed, options);
        ++drawn;
        if (taken(description, GetParam()) == nullptr) return;
        const StartLook look = start_of(description);
        // Motion is held against the reference here, and what methods that iterate say
        // of reactions at rest is not the question.
        const auto guard = look.status.ok() ? GuardAction::kTell : GuardAction::kStop;
        Simulation simulation(Model(description),
                              {.method = GetParam(), .settings = {}, .until = 0.2, .guard = guard});
        const Status status = simulation.advance_to(0.2);
        if (!look.status.ok()) {
          ++refused;
          EXPECT_EQ(status.code, Status::Code::kSingular) << status.reason;
          EXPECT_EQ(simulation.time(), 0);
          return;
        }
        ++left;
        EXPECT_TRUE(status.ok()) << status.reason;
        Simulation judge(Model(description),
                         {.method = "reference", .settings = {}, .tolerance = 1e-11, .until = 0.2});
        EXPECT_TRUE(judge.advance_to(0.2).ok());
        EXPECT_LT(speeds_apart(simulation, judge), kSameMotion);
      });
  RecordProperty("left", left);
  RecordProperty("refused", refused);
  EXPECT_GE(left + refused, kTakenOfStarts * drawn);
  EXPECT_GT(refused, 0);
  // Of 2,000 it is 55.
  if (drawn >= 60) {
    EXPECT_GT(left, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Method, SingularStarts, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
