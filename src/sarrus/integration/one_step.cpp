#include "sarrus/integration/one_step.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace sarrus {

OneStep::OneStep(const Formulation& formulation, Start start, const IntegratorOptions& options)
    : Integrator(formulation, std::move(start)),
      control_(options, time_),
      displacement_(static_cast<std::size_t>(layout_.tangent_size())),
      rate_(displacement_),
      first_(displacement_),
      first_time_(time_),
      polynomial_(layout_.tangent_size()),
      sample_displacement_(displacement_) {}

void OneStep::forget() {
  first_is_valid_ = false;
  first_time_ = time_;
  polynomial_ends_in_state_ = false;  // the rates may have jumped
  control_.restart(time_);
}

// [rk-limit]  A jump at the limit belongs to the next step.
double OneStep::last_time(double end, double limit) const {
  return end == limit ? std::nextafter(end, time_) : end;
}

StepReport OneStep::advance(double limit) {
  StepReport report;
  report.time = time_;
  if (!(limit > time_)) return report;
  const double end = control_.plan_end(time_, limit, limit - time_);
  const double last = last_time(end, limit);
  report.status = attempt(end, last);
  if (report.status.ok()) report.status = after_step(end);
  if (report.status.ok()) {
    control_.accept(time_, end, limit, 0);
    accept(end, last, report);
  } else if (report.status.code != Status::Code::kInterrupted) {
    report.status.reason += fmt::format(" (just after t = {:.9g} s)", time_);
  }
  return report;
}

void OneStep::accept(double end, double last, StepReport& report) {
  polynomial_.set_parabola(time_, end - time_, displacement_, first_);
  polynomial_is_complete_ = false;
  polynomial_ends_in_state_ = !changed_;
  polynomial_end_time_ = last;
  first_is_valid_ = false;
  first_time_ = changed_ ? end : last;
  accept_trial(end, report);
}

Status OneStep::update_first_rate() {
  if (first_is_valid_) return {};
  Status status = rates(first_time_, x_, discrete_, first_);
  first_is_valid_ = status.ok();
  return status;
}

Status OneStep::retract(const char* remedy) {
  if (!all_finite(displacement_))
    return {Status::Code::kNotFinite, "the state grows past all bounds"};
  if (layout_.largest_rotation(displacement_) > kLargestRotation)
    return {Status::Code::kDiverged, fmt::format("a body turns too far in one step{}", remedy)};
  layout_.retract(x_, displacement_, trial_);
  return {};
}

void OneStep::complete_polynomial(std::span<const double> last_rate) {
  polynomial_.set_last_rate(last_rate);
  polynomial_is_complete_ = true;
}

// A method without a stage at the end of the step needs the rate there for its cubic; mostly it is
// what the next step begins with and costs nothing. Should it fail, the parabola remains.
void OneStep::find_last_rate() {
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

std::span<const double> OneStep::inside(double t) {
  if (!polynomial_is_complete_) find_last_rate();
  polynomial_.evaluate(t, sample_displacement_);
  layout_.retract(start_, sample_displacement_, sample_);
  return sample_;
}

}  // namespace sarrus
