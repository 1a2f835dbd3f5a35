#include "sarrus/integration/chart_polynomial.h"

#include <algorithm>

#include "sarrus/base/assert.h"

namespace sarrus {

ChartPolynomial::ChartPolynomial(int tangent_size)
    : end_(static_cast<std::size_t>(tangent_size)),
      first_(end_.size()),
      last_(end_.size()),
      quartic_(end_.size()) {}

void ChartPolynomial::set_parabola(double start, double step, std::span<const double> end,
                                   std::span<const double> first_rate) {
  start_ = start;
  step_ = step;
  for (std::size_t i = 0; i < end_.size(); ++i) {
    end_[i] = end[i];
    first_[i] = step * first_rate[i] - end[i];
  }
  std::ranges::fill(last_, 0.0);
  std::ranges::fill(quartic_, 0.0);
}

void ChartPolynomial::set_last_rate(std::span<const double> last_rate) {
  for (std::size_t i = 0; i < end_.size(); ++i)
    last_[i] = end_[i] - step_ * last_rate[i] - first_[i];
}

// [rk-dense-output]
void ChartPolynomial::evaluate(double t, std::span<double> u) const {
  SARRUS_ASSERT(step_ > 0);
  const double theta = (t - start_) / step_;
  const double rest = 1 - theta;
  for (std::size_t i = 0; i < end_.size(); ++i)
    u[i] = theta * (end_[i] + rest * (first_[i] + theta * (last_[i] + rest * quartic_[i])));
}

}  // namespace sarrus
