#pragma once

#include <algorithm>
#include <limits>

#include "sarrus/integration/integrator_options.h"

namespace sarrus {

/// Smallest step worth taking at time t: 16 units in the last place of t.
double smallest_step(double t);

/// Decides how long steps are: on a fixed grid, or by the error of the steps before.
class StepControl {
 public:
  StepControl(const IntegratorOptions& options, double t0);

  bool adaptive() const { return fixed_ == 0; }
  double largest_step() const { return largest_; }

  /// Forgets the past: at t the grid starts anew, or a first step is asked for.
  void restart(double t);
  bool needs_first_step() const { return adaptive() && proposed_ == 0; }
  void set_first_step(double step) { proposed_ = step; }

  /// Where the next trial step from t should end: at most `limit`, which is met without leaving a
  /// sliver, and, when adaptive, at most `longest` away.  [rk-limit]
  double plan_end(double t, double limit, double longest) const;

  bool accepts(double error) const { return !adaptive() || error <= 1; }

  /// The next size to try after a trial step was rejected for its error …
  double shrink_by_error(double step, double error);
  /// … or because something failed in it.
  double shrink_by_half(double step);

  /// To be called with every accepted step.
  void accept(double t, double end, double limit, double error);

  /// The step just accepted was shorter than one planned, and not for its error.
  void propose_at_least(double planned) { proposed_ = std::max(proposed_, planned); }

  /// Have accepted steps been so short for so long that the limit is out of reach?  [rk-crawl]
  bool crawls() const { return crawls_; }

 private:
  void watch_progress(double t, double end, double limit);
  double next_grid_point() const { return anchor_ + (grid_steps_ + 1) * fixed_; }
  double raw_factor(double error) const;

  double fixed_;
  double largest_ = std::numeric_limits<double>::infinity();
  double anchor_;          // start of the fixed grid
  double grid_steps_ = 0;  // whole steps done on it
  double proposed_ = 0;    // next adaptive step; 0: none yet
  double previous_error_;  // of the last accepted step: the integral part
  bool just_rejected_ = false;

  // Of the present row of steps.
  int row_steps_ = 0;
  double row_start_ = 0;
  bool crawls_ = false;
};

}  // namespace sarrus
