// The guard of a run says nothing of motion that is right.

#include "property/suite.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus::testing {
namespace {

class QuietGuard : public EveryMethod {};

// All kinds of mechanisms, at tolerances that people ask for. Where the numbers fail the run says so
// itself; what must not be is a doubt about those that did not.
TEST_P(QuietGuard, TrustsSoundRuns) {
  const Seeds seeds = Seeds{.first = 220001, .share = 30, .all = 1000}.of(GetParam());
  int asked = 0, runs = 0;
  for_each_seed(seeds, [&](std::uint32_t seed) {
    const Description description = random_mechanism(seed, any_smooth_kind(seed));
    ++asked;
    if (taken(description, GetParam()) == nullptr) return;
    ++runs;
    Random random(seed);
    const double tolerance = std::pow(10, random.uniform(-10, -5));
    Simulation simulation(
        Model(description),
        {.method = GetParam(), .settings = {}, .tolerance = tolerance, .until = 0.5});
    const Status status = simulation.advance_to(0.5);
    EXPECT_NE(status.code, Status::Code::kDoubtful) << status.reason << " at " << tolerance;
  });
  // Most are of a kind that every method takes.
  EXPECT_GE(2 * runs, asked);
  RecordProperty("runs", runs);
}

INSTANTIATE_TEST_SUITE_P(Method, QuietGuard, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
