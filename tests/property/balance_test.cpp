// Laws that hold at every instant, for random mechanisms of all kinds.

#include "property/instant_laws.h"
#include "property/suite.h"

namespace sarrus::testing {
namespace {

class Balance : public EveryMethod {};

TEST_P(Balance, HoldsAtTheStart) {
  for_each_seed(
      Seeds{.first = 1, .share = 600, .all = 5000}.of(GetParam()), [](std::uint32_t seed) {
        if (const auto subject = taken(random_mechanism(seed, any_kind(seed)), GetParam()))
          check_instant(*subject);
      });
}

TEST_P(Balance, HoldsInFullMotion) {
  for_each_seed(
      Seeds{.first = 10001, .share = 60, .all = 1000}.of(GetParam()), [](std::uint32_t seed) {
        const auto subject = taken(random_mechanism(seed, any_smooth_kind(seed)), GetParam());
        if (!subject) return;
        subject->advance_to(0.2);
        check_instant(*subject);
      });
}

INSTANTIATE_TEST_SUITE_P(Method, Balance, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sarrus::testing
