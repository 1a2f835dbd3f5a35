// Total energy less the work supplied is constant along the motion.

#include "property/suite.h"
#include "sarrus/testing/energy_laws.h"

namespace sarrus::testing {
namespace {

/// The integrator's tolerance is 1e-10 a step; some hundred steps, and speeds that square.
constexpr double kBalance = 1e-8;

/// The classical Runge–Kutta method has order 4; fast mechanisms are not quite in its range yet.
constexpr double kOrder = 3.2;

/// A quarter of the step leaves 1/256 of the error, which must still stand out from rounding (1e-12):
/// smaller errors have no order that could be seen.
constexpr double kTooSmallToTell = 3e-10;

bool is_taken(const Description& description, const std::string& method) {
  return taken(description, method) != nullptr;
}

class Energy : public EveryMethod {};

TEST_P(Energy, IsBalancedToTheTolerance) {
  for_each_seed(Seeds{.first = 60001, .share = 50, .all = 1000}.of(GetParam()),
                [](std::uint32_t seed) {
                  const Description description = random_mechanism(seed, any_smooth_kind(seed));
                  if (!is_taken(description, GetParam())) return;
                  EXPECT_LAW(energy_balance(description, {.method = GetParam()}), kBalance);
                });
}

TEST_P(Energy, ErrorFallsWithTheFourthPowerOfTheStep) {
  int tried = 0, told = 0;
  for_each_seed(
      Seeds{.first = 70001, .share = 25, .all = 300}.of(GetParam()), [&](std::uint32_t seed) {
        RandomMechanismOptions options = any_smooth_kind(seed);
        options.mass_ratio = 100;  // a very light body is too quick for steps of this length
        const Description description = random_mechanism(seed, options);
        if (!is_taken(description, GetParam())) return;
        const EnergyOrder found =
            energy_order(description, 0.01, {.method = GetParam(), .duration = 0.16, .samples = 4});
        ++tried;
        if (found.coarse < kTooSmallToTell) return;
        ++told;
        EXPECT_GT(found.order(), kOrder) << found.coarse << " falls to " << found.fine;
      });
  RecordProperty("told", told);
  EXPECT_GE(3 * told, tried) << "too few errors are large enough to show an order";
}

INSTANTIATE_TEST_SUITE_P(Method, Energy, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
