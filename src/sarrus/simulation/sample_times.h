#pragma once

#include <cstddef>
#include <vector>

namespace sarrus {

/// When samples are taken: rising times. A regular row of them takes no memory, however many there
/// are; others are given one by one.
class SampleTimes {
 public:
  SampleTimes() = default;                 ///< none
  SampleTimes(std::vector<double> times);  // NOLINT: a list of times is such a thing
  SampleTimes(std::initializer_list<double> times) : SampleTimes(std::vector<double>(times)) {}

  /// k·interval for k = 0, 1, … below `until`, then `until` itself. A multiple that misses `until`
  /// by round-off only is `until`.
  static SampleTimes every(double interval, double until);

  std::size_t size() const { return size_; }
  double operator[](std::size_t k) const;

  /// Which is the first that is not before t; `size()` when all are.
  std::size_t first_from(double t) const;

 private:
  std::size_t size_ = 0;
  std::vector<double> times_;  ///< empty for a regular row
  double interval_ = 0;
  double until_ = 0;
};

}  // namespace sarrus
