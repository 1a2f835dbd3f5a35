#include "sarrus/integration/step_control.h"

#include <algorithm>
#include <cmath>

namespace sarrus {
namespace {

// [rk-step-control]  Hairer and Wanner's numbers for dopri5.
constexpr double kBeta = 0.04;
constexpr double kExponent = 0.2 - 0.75 * kBeta;
constexpr double kSafety = 0.9;
constexpr double kLeastFactor = 0.2;
constexpr double kLargestFactor = 10;
constexpr double kErrorFloor = 1e-4;

// [rk-crawl]  So many steps in a row that have come no farther than this part of what is left.
constexpr int kRow = 1000;
constexpr double kNoProgress = 1e-8;

// A last step may be this much longer than planned rather than leave a sliver.
constexpr double kStretch = 1.01;
// Grid points are computed, limits are given: they may differ by round-off.
constexpr double kGridTolerance = 1e-9;

}  // namespace

double smallest_step(double t) {
  const double size = std::abs(t);
  return 16 * (std::nextafter(size, std::numeric_limits<double>::infinity()) - size);
}

StepControl::StepControl(const IntegratorOptions& options, double t0)
    : fixed_(options.step), anchor_(t0), previous_error_(kErrorFloor) {
  if (options.interval > 0) largest_ = options.interval / 10;
  if (options.max_step > 0) largest_ = std::min(largest_, options.max_step);
}

void StepControl::restart(double t) {
  anchor_ = t;
  grid_steps_ = 0;
  proposed_ = 0;
  previous_error_ = kErrorFloor;
  just_rejected_ = false;
  row_steps_ = 0;
  crawls_ = false;
}

double StepControl::plan_end(double t, double limit, double longest) const {
  if (!adaptive()) {
    const double grid = next_grid_point();
    return limit <= grid + kGridTolerance * fixed_ ? limit : grid;
  }
  const double largest = std::min(largest_, longest);
  const double step = std::max(std::min(proposed_, largest), smallest_step(t));
  const double left = limit - t;
  if (left <= step || left <= std::min(kStretch * step, largest)) return limit;
  // Two even steps rather than a whole one and a rest.
  return t + (left < 2 * step ? 0.5 * left : step);
}

double StepControl::raw_factor(double error) const { return std::pow(error, kExponent) / kSafety; }

double StepControl::shrink_by_error(double step, double error) {
  just_rejected_ = true;
  return step / std::min(1 / kLeastFactor, raw_factor(error));
}

double StepControl::shrink_by_half(double step) {
  just_rejected_ = true;
  return 0.5 * step;
}

void StepControl::accept(double t, double end, double limit, double error) {
  if (!adaptive()) {
    if (end == limit) {
      anchor_ = limit;
      grid_steps_ = 0;
    } else if (end >= next_grid_point()) {
      ++grid_steps_;
    }  // else a step that failed was cut: the rest of it follows
    return;
  }
  // [rk-step-control]  h_new = h · clamp(0.9 err^−α err_previous^β)
  const double step = end - t;
  const double divisor = std::clamp(raw_factor(error) / std::pow(previous_error_, kBeta),
                                    1 / kLargestFactor, 1 / kLeastFactor);
  const double next = step / divisor;
  if (just_rejected_) {
    proposed_ = std::min(next, step);
  } else {
    // A step cut so short that its error says nothing says nothing against the planned one either.
    const bool too_short_to_tell = divisor <= 1 / kLargestFactor && step < proposed_;
    proposed_ = too_short_to_tell ? std::max(next, proposed_) : next;
  }
  proposed_ = std::min(proposed_, largest_);
  previous_error_ = std::max(error, kErrorFloor);
  just_rejected_ = false;
  watch_progress(t, end, limit);
}

void StepControl::watch_progress(double t, double end, double limit) {
  if (row_steps_++ == 0) row_start_ = t;
  if (row_steps_ < kRow) return;
  crawls_ = end - row_start_ < kNoProgress * (limit - end);
  row_steps_ = 0;
}

}  // namespace sarrus
