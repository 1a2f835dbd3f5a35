#include "sarrus/integration/collocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sarrus/base/assert.h"
#include "sarrus/base/diagnostics.h"

namespace sarrus {
namespace {

/// As in RungeKutta: turns of a joint are counted only while bodies turn by less than half a turn.
constexpr double kFarthestTurn = 1.5;
/// Corrections are measured in units of rounding, against the state or 1.
constexpr double kRounding = std::numeric_limits<double>::epsilon();
/// A correction that no longer falls is rounding when it is below this many.
constexpr double kStagnation = 1e5;
constexpr int kMostIterations = 100;

bool are_all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::size_t nth(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Collocation::Collocation(const Formulation& formulation, Start start, const GaussTableau& tableau,
                         const IntegratorOptions& options)
    : formulation_(formulation),
      layout_(formulation.layout()),
      tableau_(tableau),
      control_(options, start.time),
      workspace_(formulation.make_workspace()),
      time_(start.time),
      previous_time_(start.time),
      x_(std::move(start.x)),
      start_(x_),
      trial_(x_),
      discrete_(std::move(start.discrete)),
      start_discrete_(discrete_),
      trial_discrete_(discrete_),
      first_(nth(layout_.tangent_size())),
      first_time_(start.time),
      slopes_{first_, first_},
      rate_(first_),
      displacement_(first_),
      change_(first_),
      last_slopes_{first_, first_},
      last_first_(first_),
      polynomial_(layout_.tangent_size()),
      sample_(x_),
      sample_displacement_(first_) {
  SARRUS_ASSERT(!control_.adaptive());
}

Counters Collocation::counters() const {
  Counters counters = workspace_->counters;
  counters.evaluations = evaluations_;
  counters.iterations += iterations_;
  return counters;
}

void Collocation::restart() {
  first_is_valid_ = false;
  first_time_ = time_;
  last_step_ = 0;
  polynomial_ends_in_state_ = false;  // the rates may have jumped
  control_.restart(time_);
}

Status Collocation::rates(double t, std::span<const double> x, const Discrete& discrete,
                          Vector& dx) {
  ++evaluations_;
  Status status = formulation_.rates(t, x, discrete, *workspace_, dx);
  if (status.ok() && !are_all_finite(dx))
    return {Status::Code::kNotFinite, "a rate of change is not a finite number"};
  return status;
}

Status Collocation::update_first_rate() {
  if (first_is_valid_) return {};
  Status status = rates(first_time_, x_, discrete_, first_);
  first_is_valid_ = status.ok();
  return status;
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
  if (!are_all_finite(displacement_))
    return {Status::Code::kNotFinite, "the state grows past all bounds"};
  if (layout_.largest_rotation(displacement_) > kFarthestTurn)
    return {Status::Code::kDiverged, "a body turns too far in one step; take a shorter one"};
  layout_.retract(x_, displacement_, trial_);
  return {};
}

// [gauss-iteration]  Stage after stage, each with the newest slopes of the others.
Status Collocation::find_slopes(double step) {
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostIterations; ++round) {
    ++iterations_;
    double correction = 0;
    for (int i = 0; i < tableau_.stages; ++i) {
      const auto stage = nth(i);
      Status status = displace(tableau_.a[stage], step);
      if (status.ok()) status = rates(time_ + tableau_.c[stage] * step, trial_, discrete_, rate_);
      if (!status.ok()) return status;
      layout_.chart_rate(displacement_, rate_, rate_);
      for (std::size_t n = 0; n < rate_.size(); ++n)
        change_[n] = step * (rate_[n] - slopes_[stage][n]);
      correction =
          std::max(correction, layout_.error_norm(change_, x_, trial_, kRounding, kRounding));
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

Status Collocation::attempt(double end, StepReport& report) {
  const double step = end - time_;
  guess_slopes(step);
  if (Status status = find_slopes(step); !status.ok()) return status;
  if (Status status = displace(tableau_.b, step); !status.ok()) return status;
  trial_discrete_ = discrete_;
  AfterStep after = formulation_.after_step(end, trial_, trial_discrete_, *workspace_);
  if (!after.status.ok()) return std::move(after.status);
  if (after.changed && !are_all_finite(trial_))
    return {Status::Code::kNotFinite, "the projected state is not finite"};
  report.notes = std::move(after.notes);
  polynomial_.set_parabola(time_, step, displacement_, first_);
  polynomial_is_complete_ = false;
  polynomial_ends_in_state_ = !after.changed;
  return {};
}

StepReport Collocation::advance(double limit) {
  StepReport report;
  report.time = time_;
  if (!(limit > time_)) return report;
  const double end = control_.plan_end(time_, limit, limit - time_);
  report.status = update_first_rate();
  if (report.status.ok()) report.status = attempt(end, report);
  if (!report.status.ok()) {
    if (report.status.code != Status::Code::kInterrupted)
      report.status.reason += fmt::format(" (just after t = {:.9g} s)", time_);
    return report;
  }
  control_.accept(time_, end, limit, 0);
  last_step_ = end - time_;
  last_first_.swap(first_);
  last_slopes_.swap(slopes_);
  report.step = end - time_;
  previous_time_ = std::exchange(time_, end);
  report.time = time_;
  start_.swap(x_);
  x_.swap(trial_);
  std::swap(start_discrete_, discrete_);
  std::swap(discrete_, trial_discrete_);
  first_is_valid_ = false;
  // [rk-limit]  A jump at the limit belongs to the next step.
  polynomial_end_time_ = end == limit ? std::nextafter(end, previous_time_) : end;
  first_time_ = polynomial_ends_in_state_ ? polynomial_end_time_ : time_;
  return report;
}

// The cubic of Hermite needs the rate at the end, mostly the next step's first. Should it fail, the
// parabola remains.
void Collocation::complete_polynomial() {
  if (polynomial_is_complete_) return;
  polynomial_is_complete_ = true;
  Status status;
  if (polynomial_ends_in_state_) {
    status = update_first_rate();
    if (status.ok()) layout_.chart_rate(polynomial_.end(), first_, rate_);
  } else {
    layout_.retract(start_, polynomial_.end(), sample_);
    status = rates(polynomial_end_time_, sample_, start_discrete_, rate_);
    if (status.ok()) layout_.chart_rate(polynomial_.end(), rate_, rate_);
  }
  if (status.ok()) polynomial_.set_last_rate(rate_);
}

Collocation::Sample Collocation::sample(double t) {
  if (!(t >= previous_time_ && t <= time_))
    throw UsageError(fmt::format("t = {:.17g} s lies outside the last step, {:.17g} to {:.17g} s",
                                 t, previous_time_, time_));
  if (t == time_) return {x_, discrete_};
  complete_polynomial();
  polynomial_.evaluate(t, sample_displacement_);
  layout_.retract(start_, sample_displacement_, sample_);
  return {sample_, start_discrete_};
}

Status Collocation::evaluate(double t, Motion& motion, bool with_reactions) {
  const Sample at = sample(t);
  if (!output_workspace_) output_workspace_ = formulation_.make_workspace();
  return with_reactions
             ? formulation_.evaluate(t, at.x, at.discrete, *output_workspace_, motion)
             : formulation_.evaluate_motion(t, at.x, at.discrete, *output_workspace_, motion);
}

void Collocation::configuration(double t, Configuration& configuration) {
  const Sample at = sample(t);
  formulation_.decode(at.x, at.discrete, configuration);
}

void Collocation::restart(double t, const Configuration& configuration) {
  const double supplied = sample(t).x.back();
  formulation_.encode(configuration, x_, discrete_);
  x_.back() = supplied;
  time_ = previous_time_ = t;
  start_ = x_;
  start_discrete_ = discrete_;
  polynomial_is_complete_ = true;  // there is no last step
  restart();
}

}  // namespace sarrus
