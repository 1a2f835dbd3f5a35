#pragma once

#include <functional>
#include <optional>

namespace sarrus {

/// Which way a function must pass through zero to count.
enum class Direction { kRising, kFalling, kBoth };

/// Finds where a function of the motion passes through zero within a step.
///
/// @code
/// ZeroCrossing touch_down({.direction = Direction::kFalling});
/// const auto height = [&](double t) {
///   stepper.configuration(t, configuration);
///   return configuration.poses[ball].p.z();
/// };
/// if (auto t = touch_down.find(height, stepper.previous_time(), stepper.time())) …
/// @endcode
///
/// One object follows one function from step to step. The function is sampled at a few points of a
/// step, and where it bends towards zero between them, so a short visit to the other side is found
/// too. Touching zero without passing is no crossing, but zero exactly at the end of a step counts,
/// since nobody knows yet where it goes.  [event-location]
class ZeroCrossing {
 public:
  using Function = std::function<double(double)>;

  struct Options {
    Direction direction = Direction::kBoth;
    int intervals = 4;         ///< in which a step is sampled
    double tolerance = 1e-13;  ///< of the time found, as a part of the step
  };

  ZeroCrossing();
  explicit ZeroCrossing(Options options);

  /// The first crossing in (start, end], on its far side or exactly on zero. A zero at `start`
  /// itself, or the crossing found last when that was at `start`, does not count again; so to find
  /// the next one in the same step, call with `start` at the one before.
  std::optional<double> find(const Function& g, double start, double end);

 private:
  Options options_;
  std::optional<double> found_;
};

}  // namespace sarrus
