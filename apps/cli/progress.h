#pragma once

#include <chrono>
#include <string>

namespace sarrus::cli {

/// One line on a terminal's stderr that follows a run: part done, simulated time, speed against
/// real time, time left. It is as long as the terminal is wide at most, appears after a tenth of a
/// second and is gone at the end. Nothing at all where stderr is no terminal.
class Progress {
 public:
  /// @param until end of the run [s], @param wanted false for none in any case, @param what is
  /// running, where that needs to be said
  Progress(double until, bool wanted, std::string what = {});
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap enough to be called after every step.
  void show(double time);

  /// Wipes the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  double until_;
  bool enabled_;
  std::string what_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace sarrus::cli
