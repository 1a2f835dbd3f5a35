#include "sarrus/analysis/timing.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace sarrus {
namespace {

constexpr int kFewest = 5;
constexpr int kMost = 200;

double wall_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_now() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// How many calls make a sample long enough.
long calls_per_sample(const std::function<void()>& call, double shortest) {
  for (long calls = 1;; calls *= 2) {
    const double start = wall_now();
    for (long i = 0; i < calls; ++i) call();
    if (wall_now() - start >= shortest) return calls;
  }
}

}  // namespace

Timing measure_time(const std::function<void()>& call, const TimingOptions& options) {
  call();
  Timing timing;
  timing.calls = calls_per_sample(call, options.shortest);
  std::vector<double> wall;
  std::vector<double> cpu;
  const double begin = wall_now();
  const auto enough = [&] {
    const int count = static_cast<int>(wall.size());
    if (count > 0 && options.stop && options.stop()) return true;
    if (options.samples > 0) return count >= options.samples;
    return count >= kMost || (count >= kFewest && wall_now() - begin >= options.budget);
  };
  while (!enough()) {
    const double wall_start = wall_now();
    const double cpu_start = cpu_now();
    for (long i = 0; i < timing.calls; ++i) call();
    cpu.push_back((cpu_now() - cpu_start) / static_cast<double>(timing.calls));
    wall.push_back((wall_now() - wall_start) / static_cast<double>(timing.calls));
  }
  timing.samples = static_cast<int>(wall.size());
  timing.wall_median = median(wall);
  timing.wall_min = *std::ranges::min_element(wall);
  timing.cpu_median = median(cpu);
  timing.cpu_min = *std::ranges::min_element(cpu);
  return timing;
}

}  // namespace sarrus
