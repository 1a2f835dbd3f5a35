#include "sarrus/formulations/singular_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sarrus/base/thresholds.h"
#include "sarrus/constraints/kkt.h"

namespace sarrus {

bool SingularWatch::is_weak(double strength) { return strength < thresholds::kWeak; }

void SingularWatch::see(double strength) {
  weakest_ = std::min(weakest_, strength);
  weakest_stage_ = std::min(weakest_stage_, strength);
}

ErrorTrust SingularWatch::take_trust() {
  const double strength = std::exchange(weakest_stage_, 1.0);
  if (!is_weak(strength)) return {};
  // [step-over-singularity]  Accelerations of the weak direction carry rounding over the third power.
  constexpr double kRounding = 2e-14;  // a hundred units in the last place
  const double least = std::max(strength, thresholds::kFaint);
  return {strength < thresholds::kFaint ? ErrorTrust::kMissed : ErrorTrust::kRounding,
          kRounding / (least * least * least)};
}

void SingularWatch::finish_step(double t, double strength, Discrete& discrete, AfterStep& result) {
  constexpr double kWorthTelling = 0.02;
  std::int64_t& noted = discrete.integers[kSingularNoted];
  const double weakest = std::exchange(weakest_, 1.0);
  if (weakest < kWorthTelling && noted == 0) {
    result.notes.push_back(
        {t, fmt::format("near a singular position: a constraint direction fell to {:.1e} of its "
                        "usual strength",
                        weakest)});
    noted = 1;
  }
  if (!is_weak(strength)) noted = 0;
}

}  // namespace sarrus
