#pragma once

#include <chrono>
#include <ctime>

namespace sarrus {

/// Wall and processor time since it was made [s].
class Stopwatch {
 public:
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double cpu() const { return static_cast<double>(std::clock() - clock_) / CLOCKS_PER_SEC; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t clock_ = std::clock();
};

}  // namespace sarrus
