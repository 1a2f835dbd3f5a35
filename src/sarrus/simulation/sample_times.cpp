#include "sarrus/simulation/sample_times.h"

#include <cmath>
#include <utility>

#include "sarrus/base/assert.h"

namespace sarrus {

SampleTimes::SampleTimes(std::vector<double> times)
    : size_(times.size()), times_(std::move(times)) {}

SampleTimes SampleTimes::every(double interval, double until) {
  constexpr double kRoundOff = 1e-9;
  SARRUS_ASSERT(interval > 0 && until >= 0);
  SampleTimes times;
  times.interval_ = interval;
  times.until_ = until;
  times.size_ = static_cast<std::size_t>(std::ceil(until / interval - kRoundOff)) + 1;
  return times;
}

double SampleTimes::operator[](std::size_t k) const {
  if (!times_.empty()) return times_[k];
  return k + 1 == size_ ? until_ : static_cast<double>(k) * interval_;
}

std::size_t SampleTimes::first_from(double t) const {
  std::size_t low = 0;
  std::size_t high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if ((*this)[middle] < t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace sarrus
