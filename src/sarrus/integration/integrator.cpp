#include "sarrus/integration/integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/base/assert.h"
#include "sarrus/base/diagnostics.h"

namespace sarrus {

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

Integrator::Integrator(const Formulation& formulation, Start start)
    : formulation_(formulation),
      layout_(formulation.layout()),
      workspace_(formulation.make_workspace()),
      time_(start.time),
      previous_time_(start.time),
      x_(std::move(start.x)),
      start_(x_),
      discrete_(std::move(start.discrete)),
      start_discrete_(discrete_),
      trial_(x_),
      trial_discrete_(discrete_),
      sample_(x_) {
  SARRUS_ASSERT(x_.size() == static_cast<std::size_t>(layout_.size()));
}

Counters Integrator::counters() const {
  Counters sum = workspace_->counters;
  sum.evaluations = work_.evaluations;
  sum.factorizations += work_.factorizations;
  sum.iterations += work_.iterations;
  return sum;
}

Status Integrator::rates(double t, std::span<const double> x, const Discrete& discrete,
                         std::span<double> dx) {
  ++work_.evaluations;
  Status status = formulation_.rates(t, x, discrete, *workspace_, dx);
  if (status.ok() && !all_finite(dx))
    return {Status::Code::kNotFinite, "a rate of change is not a finite number"};
  return status;
}

// [rk-projection]  On copies, so that a failure leaves the state as it was.
Status Integrator::after_step(double end) {
  trial_discrete_ = discrete_;
  AfterStep after = formulation_.after_step(end, trial_, trial_discrete_, *workspace_);
  if (!after.status.ok()) return std::move(after.status);
  if (!all_finite(trial_)) return {Status::Code::kNotFinite, "the projected state is not finite"};
  changed_ = after.changed;
  notes_ = std::move(after.notes);
  return {};
}

void Integrator::accept_trial(double end, StepReport& report) {
  report.time = end;
  report.step = end - time_;
  report.notes = std::move(notes_);
  previous_time_ = std::exchange(time_, end);
  start_.swap(x_);
  x_.swap(trial_);
  std::swap(start_discrete_, discrete_);
  std::swap(discrete_, trial_discrete_);
}

// [rk-dense-output]  Inside the step the state is that before `after_step`, with the discrete state
// the step was made with: a formulation that switches coordinates gives the end another meaning.
Integrator::Sample Integrator::sample(double t) {
  if (!(t >= previous_time_ && t <= time_))
    throw UsageError(fmt::format("t = {:.17g} s lies outside the last step, {:.17g} to {:.17g} s",
                                 t, previous_time_, time_));
  if (t == time_) return {x_, discrete_};
  return {inside(t), start_discrete_};
}

Status Integrator::evaluate(double t, Motion& motion, bool with_reactions) {
  const Sample at = sample(t);
  // Apart from the workspace of the steps, so that output cannot change a run.
  if (!output_workspace_) output_workspace_ = formulation_.make_workspace();
  return with_reactions
             ? formulation_.evaluate(t, at.x, at.discrete, *output_workspace_, motion)
             : formulation_.evaluate_motion(t, at.x, at.discrete, *output_workspace_, motion);
}

void Integrator::configuration(double t, Configuration& configuration) {
  const Sample at = sample(t);
  formulation_.decode(at.x, at.discrete, configuration);
}

void Integrator::restart(double t, const Configuration& configuration) {
  const double supplied = sample(t).x.back();
  formulation_.encode(configuration, x_, discrete_);
  x_.back() = supplied;
  time_ = previous_time_ = t;
  forget();
}

}  // namespace sarrus
