#include "sarrus/integration/runge_kutta.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sarrus {
namespace {

// [step-over-singularity]  An unreliable error below this many tolerances, and no larger than rounding
// can be, is taken for that …
constexpr double kUnreliableError = 1e6;
// … and replaced by one that leaves the step about as it is.
constexpr double kSteady = 0.5;
// A mechanism that passes a singular position does so in a few steps. One that locks up there keeps
// failing, and is believed after this many steps in a row.
constexpr int kMostExcused = 20;
// Steps to try, as parts of the planned one, when a stage comes too close to a singular position.
// Whatever the place of the position in the planned step, one of them puts it well between two
// stages of dopri5 (between 0.3 and 0.8 of the step) or beyond the end.
constexpr std::array kDetours = {0.85, 0.7, 0.55, 1.2, 1.4, 0.4};

// What the first stage predicts must stay below this, so that few steps turn a body too far.
constexpr double kPlannedRotation = 1.4;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

RungeKutta::RungeKutta(const Formulation& formulation, Start start, const Tableau& tableau,
                       const IntegratorOptions& options)
    : OneStep(formulation, std::move(start), options),
      tableau_(tableau),
      rtol_(options.rtol),
      atol_(options.atol),
      slopes_(first_.size() * index(tableau.stages)),
      error_(first_.size()) {}

std::span<double> RungeKutta::slope(int stage) {
  return std::span(slopes_).subspan(index(stage) * first_.size(), first_.size());
}

std::span<const double> RungeKutta::slope(int stage) const {
  return std::span(slopes_).subspan(index(stage) * first_.size(), first_.size());
}

// [rk-first-step]  (Hairer, Nørsett, Wanner, II.4): from the sizes of the state, of its rate, and
// of the rate's change over a small step of Euler's.
void RungeKutta::choose_first_step(double limit) {
  const double longest = std::min(control_.largest_step(), limit - time_);
  const auto norm = [&](std::span<const double> u) {
    return layout_.error_norm(u, x_, x_, first_, rtol_, atol_);
  };
  for (const StateLayout::Block& block : layout_.blocks())
    for (int i = 0; i < block.tangent_size; ++i) {
      // Half of the error counts for a quaternion, and its size is one.
      const double unit = i == 0 ? 2 : 0;
      error_[index(block.tangent_offset + i)] =
          block.kind == StateLayout::Kind::kVector ? x_[index(block.offset + i)] : unit;
    }
  const double size = norm(error_);
  const double speed = norm(first_);
  const double guess = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
  const double probe = std::min(guess, longest);

  for (std::size_t i = 0; i < first_.size(); ++i) displacement_[i] = probe * first_[i];
  layout_.retract(x_, displacement_, trial_);
  const double probe_time = std::min(time_ + probe, std::nextafter(limit, time_));
  if (!rates(probe_time, trial_, discrete_, rate_).ok()) {
    control_.set_first_step(probe);  // the step itself will find a way or say why not
    return;
  }
  layout_.chart_rate(displacement_, rate_, rate_);
  for (std::size_t i = 0; i < first_.size(); ++i) error_[i] = rate_[i] - first_[i];
  const double fastest = std::max(speed, norm(error_) / probe);
  const double by_error =
      fastest <= 1e-15 ? std::max(1e-6, 1e-3 * probe) : std::pow(0.01 / fastest, 0.2);
  control_.set_first_step(std::min({100 * probe, by_error, longest}));
}

StepReport RungeKutta::advance(double limit) {
  StepReport report;
  report.time = time_;
  if (!(limit > time_)) return report;
  if (control_.crawls()) {
    report.status = failure({});
    return report;
  }
  report.status = update_first_rate();
  if (!report.status.ok()) {
    report.status.reason += fmt::format(" (at t = {:.9g} s)", time_);
    return report;
  }
  if (control_.needs_first_step()) choose_first_step(limit);

  const double turning = layout_.largest_rotation(first_);
  const double longest = turning > 0 ? kPlannedRotation / turning : limit - time_;
  double end = control_.plan_end(time_, limit, longest);
  const double planned = end - time_;
  std::size_t detours = 0;
  double least_spoilt = 0, least_estimate = 0;  // the best step that needs an excuse, and its error
  while (true) {
    const double step = end - time_;
    const double last = last_time(end, limit);
    Status status = attempt(end, last);
    // [step-over-singularity]  Place the stages on both sides of a singular position.
    const bool is_missed = trust_ == ErrorTrust::kMissed;
    if (status.ok() && (is_missed || excuses_error_) && excused_ < kMostExcused &&
        detours <= kDetours.size()) {
      if (!is_missed && (least_spoilt == 0 || estimate_ < least_estimate)) {
        least_spoilt = step;
        least_estimate = estimate_;
      }
      const bool is_last = detours == kDetours.size();
      const double other = is_last ? least_spoilt : kDetours[detours] * planned;
      ++detours;
      if (other > 0 && other != step) {
        end = std::min(limit, time_ + other);
        ++report.rejected;
        continue;
      }
    }
    const bool accurate = status.ok() && control_.accepts(error_norm_);
    if (accurate) status = after_step(end);
    if (accurate && status.ok()) {
      control_.accept(time_, end, limit, error_norm_);
      // Whoever goes on in shorter steps comes nearer, but not past.
      if (detours > 0) control_.propose_at_least(planned);
      excused_ = excuses_error_ || trust_ == ErrorTrust::kMissed ? excused_ + 1 : 0;
      accept(end, last, report);
      return report;
    }
    ++report.rejected;
    const double shorter =
        status.ok() ? control_.shrink_by_error(step, error_norm_) : control_.shrink_by_half(step);
    if (status.code == Status::Code::kInterrupted || shorter < smallest_step(time_)) {
      report.status = failure(std::move(status));
      return report;
    }
    end = time_ + shorter;
  }
}

Status RungeKutta::failure(Status cause) const {
  if (cause.code == Status::Code::kInterrupted) return cause;
  if (!cause.ok()) {
    cause.reason += fmt::format(" (just after t = {:.9g} s, however short the step)", time_);
    return cause;
  }
  const auto worst = std::ranges::max_element(
      error_, [](double a, double b) { return std::abs(a) < std::abs(b); });
  const std::string whose = formulation_.element_of(static_cast<int>(worst - error_.begin()));
  return {Status::Code::kDiverged,
          fmt::format("at t = {:.9g} s the tolerance asks for steps {}, {:.1e} s: the "
                      "motion{} jumps or grows without bound there{}",
                      time_, control_.crawls() ? "that do not get on" : "below round-off",
                      control_.crawls() ? time_ - previous_time_ : smallest_step(time_),
                      whose.empty() ? "" : " of " + whose,
                      trust_ == ErrorTrust::kReliable ? "" : ", at a singular position")};
}

void RungeKutta::combine(const Tableau::Row& weights, int count, double scale,
                         std::span<double> sum) const {
  std::ranges::fill(sum, 0.0);
  for (int stage = 0; stage < count; ++stage) {
    const double weight = weights[index(stage)];
    if (weight == 0) continue;
    const std::span<const double> k = slope(stage);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * k[i];
  }
  for (double& value : sum) value *= scale;
}

// [rk-stages]  u = h Σ a k and x = x₀ ⊞ u, into `displacement_` and `trial_`.
Status RungeKutta::displace(const Tableau::Row& weights, int count, double step) {
  combine(weights, count, step, displacement_);
  return retract("");  // a shorter step is tried
}

// One trial step; fills `trial_`, `displacement_`, `slopes_`, `rate_` and `error_norm_`.
Status RungeKutta::attempt(double end, double last) {
  const double step = end - time_;
  std::ranges::copy(first_, slope(0).begin());
  for (int stage = 1; stage < tableau_.stages; ++stage) {
    const double c = tableau_.c[index(stage)];
    const double t = c == 1 ? last : time_ + c * step;
    Status status = displace(tableau_.a[index(stage)], stage, step);
    if (status.ok()) status = rates(t, trial_, discrete_, rate_);
    if (!status.ok()) return status;
    layout_.chart_rate(displacement_, rate_, slope(stage));
  }
  // With first-same-as-last the last stage has left the end point in place.
  if (!tableau_.first_same_as_last)
    if (Status status = displace(tableau_.b, tableau_.stages, step); !status.ok()) return status;
  error_norm_ = 0;
  trust_ = {};
  excuses_error_ = false;
  if (control_.adaptive()) {
    combine(tableau_.error, tableau_.stages, step, error_);
    trust_ = formulation_.filter_error(error_, *workspace_);
    error_norm_ = estimate_ = layout_.error_norm(error_, x_, trial_, rate_, rtol_, atol_);
    // [step-over-singularity]  Keep the step that came here while the estimate is mere rounding.
    excuses_error_ = trust_ != ErrorTrust::kReliable && error_norm_ > kSteady &&
                     error_norm_ < std::min(kUnreliableError, trust_.rounding / rtol_) &&
                     excused_ < kMostExcused;
    if (excuses_error_) error_norm_ = kSteady;
  }
  return {};
}

void RungeKutta::accept(double end, double last, StepReport& report) {
  OneStep::accept(end, last, report);
  if (!tableau_.first_same_as_last) return;
  complete_polynomial(slope(tableau_.stages - 1));
  combine(tableau_.dense, tableau_.stages, report.step, polynomial_.quartic());
  // [rk-projection]  The last stage is the next step's first, unless the state was moved.
  if (changed_) return;
  first_.swap(rate_);
  first_is_valid_ = true;
}

}  // namespace sarrus
