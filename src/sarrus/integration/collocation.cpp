#include "sarrus/integration/collocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sarrus/base/assert.h"

namespace sarrus {
namespace {

/// Corrections are measured in units of rounding, against the state or 1.
constexpr double kRounding = std::numeric_limits<double>::epsilon();
/// A correction that no longer falls is rounding when it is below this many.
constexpr double kStagnation = 1e5;
constexpr int kMostIterations = 100;

std::size_t nth(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Collocation::Collocation(const Formulation& formulation, Start start, const GaussTableau& tableau,
                         const IntegratorOptions& options)
    : OneStep(formulation, std::move(start), options),
      tableau_(tableau),
      slopes_{first_, first_},
      change_(first_),
      last_slopes_{first_, first_},
      last_first_(first_) {
  SARRUS_ASSERT(!control_.adaptive());
}

void Collocation::forget() {
  last_step_ = 0;
  OneStep::forget();
}

// [gauss-guess]  The rate at the start, and how the rates of the last step change from its end on:
// a polynomial through those at its start and its stages.
void Collocation::guess_slopes(double step) {
  for (int i = 0; i < tableau_.stages; ++i) slopes_[nth(i)] = first_;
  if (last_step_ == 0) return;
  const int points = tableau_.stages + 1;
  std::array<double, 3> at{};  // in steps from the last one's start
  for (int j = 1; j < points; ++j) at[nth(j)] = tableau_.c[nth(j - 1)];
  const auto weight = [&](int j, double theta) {
    double w = 1;
    for (int k = 0; k < points; ++k)
      if (k != j) w *= (theta - at[nth(k)]) / (at[nth(j)] - at[nth(k)]);
    return w;
  };
  for (int i = 0; i < tableau_.stages; ++i) {
    const double theta = 1 + tableau_.c[nth(i)] * step / last_step_;
    Vector& slope = slopes_[nth(i)];
    for (int j = 0; j < points; ++j) {
      const double w = weight(j, theta) - weight(j, 1);
      const Vector& known = j == 0 ? last_first_ : last_slopes_[nth(j - 1)];
      for (std::size_t n = 0; n < slope.size(); ++n) slope[n] += w * known[n];
    }
  }
}

// u = h Σ a k and x = x₀ ⊞ u, into `displacement_` and `trial_`.
Status Collocation::displace(const std::array<double, 2>& weights, double step) {
  for (std::size_t n = 0; n < displacement_.size(); ++n) {
    double sum = 0;
    for (int j = 0; j < tableau_.stages; ++j) sum += weights[nth(j)] * slopes_[nth(j)][n];
    displacement_[n] = step * sum;
  }
  return retract();
}

// [gauss-iteration]  Stage after stage, each with the newest slopes of the others.
Status Collocation::find_slopes(double step) {
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostIterations; ++round) {
    ++work_.iterations;
    double correction = 0;
    for (int i = 0; i < tableau_.stages; ++i) {
      const auto stage = nth(i);
      Status status = displace(tableau_.a[stage], step);
      if (status.ok()) status = rates(time_ + tableau_.c[stage] * step, trial_, discrete_, rate_);
      if (!status.ok()) return status;
      layout_.chart_rate(displacement_, rate_, rate_);
      for (std::size_t n = 0; n < rate_.size(); ++n)
        change_[n] = step * (rate_[n] - slopes_[stage][n]);
      correction = std::max(correction,
                            layout_.error_norm(change_, x_, trial_, first_, kRounding, kRounding));
      slopes_[stage].swap(rate_);
    }
    if (correction == 0 || (correction >= 0.5 * before && correction < kStagnation)) return {};
    before = correction;
  }
  return {
      Status::Code::kDiverged,
      fmt::format("the stages of the step do not converge: the last of {} corrections is {:.1e}; "
                  "take a shorter step than {:.3g} s, or rk4 or dopri5",
                  kMostIterations, kRounding * before, step)};
}

Status Collocation::attempt(double end, double /*last*/) {
  const double step = end - time_;
  if (Status status = update_first_rate(); !status.ok()) return status;
  guess_slopes(step);
  if (Status status = find_slopes(step); !status.ok()) return status;
  return displace(tableau_.b, step);
}

void Collocation::accept(double end, double last, StepReport& report) {
  OneStep::accept(end, last, report);
  last_step_ = report.step;
  last_first_.swap(first_);
  last_slopes_.swap(slopes_);
}

}  // namespace sarrus
