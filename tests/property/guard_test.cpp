// The guard of a run says nothing of motion that is right.

#include "property/suite.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus::testing {
namespace {

/// Of the runs under order-n: loops that drift by more than five tolerances in half a second. Counted over a
/// thousand mechanisms.
constexpr double kDrifting = 0.005;

class QuietGuard : public EveryMethod {};

// All kinds of mechanisms, at tolerances that people ask for. Where the numbers fail the run says so
// itself; what must not be is a doubt about those that did not.
TEST_P(QuietGuard, TrustsSoundRuns) {
  const Seeds seeds = Seeds{.first = 220001, .share = 30, .all = 1000}.of(GetParam());
  int asked = 0, runs = 0, drifted = 0;
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
    // Loops that nothing closes have come apart by more than was asked for: that is not sound.
    const bool has_drifted = !simulation.topology().is_tree() && GetParam() == "order-n" &&
                             status.reason.find("stays open") != std::string::npos;
    if (has_drifted)
      ++drifted;
    else
      EXPECT_NE(status.code, Status::Code::kDoubtful) << status.reason << " at " << tolerance;
  });
  EXPECT_LE(drifted, kDrifting * runs);
  RecordProperty("drifted", drifted);
  // Most are of a kind that every method takes.
  EXPECT_GE(2 * runs, asked);
  RecordProperty("runs", runs);
}

INSTANTIATE_TEST_SUITE_P(Method, QuietGuard, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
