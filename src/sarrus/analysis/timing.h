#pragma once

#include <functional>

namespace sarrus {

/// What one call costs [s], over samples of many calls each. The least is what the machine can do
/// undisturbed; the median what it does today.
struct Timing {
  int samples = 0;
  long calls = 0;  ///< in each sample
  double wall_median = 0;
  double wall_min = 0;
  double cpu_median = 0;  ///< of all threads of the process
  double cpu_min = 0;
};

struct TimingOptions {
  int samples = 0;         ///< how many; 0: as many as fit into `budget`, at least 5, at most 200
  double budget = 1;       ///< [s]
  double shortest = 3e-4;  ///< a sample, so that the clocks' grain does not count [s]
  std::function<bool()> stop;  ///< asked after each sample; may be empty
};

/// Calls once to warm up, then times.
Timing measure_time(const std::function<void()>& call, const TimingOptions& options = {});

}  // namespace sarrus
