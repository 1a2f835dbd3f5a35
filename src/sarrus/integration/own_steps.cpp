#include "sarrus/integration/own_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/base/assert.h"
#include "sarrus/base/diagnostics.h"

namespace sarrus {
namespace {

/// As in RungeKutta: turns of a joint are counted only while bodies turn by less than half a turn.
constexpr double kLargestTurnOfAStep = 1.5;

/// Where in x the component of a tangent stands; rotations have none.
std::vector<int> places_in_state(const StateLayout& layout) {
  std::vector<int> places(static_cast<std::size_t>(layout.tangent_size()), -1);
  for (const StateLayout::Block& block : layout.blocks())
    if (block.kind == StateLayout::Kind::kVector)
      for (int i = 0; i < block.size; ++i)
        places[static_cast<std::size_t>(block.tangent_offset + i)] = block.offset + i;
  return places;
}

}  // namespace

OwnSteps::OwnSteps(const Formulation& formulation, Start start, const IntegratorOptions& options)
    : formulation_(formulation),
      layout_(formulation.layout()),
      pairs_(formulation.velocity_pairs()),
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
      displacement_(static_cast<std::size_t>(layout_.tangent_size())),
      first_rate_(displacement_),
      last_rate_(displacement_),
      polynomial_(layout_.tangent_size()),
      sample_(x_),
      sample_displacement_(displacement_) {
  SARRUS_ASSERT(formulation.steps_itself() && !pairs_.empty());
  const std::vector<int> places = places_in_state(layout_);
  velocity_place_.assign(displacement_.size(), -1);
  for (const VelocityPair& pair : pairs_)
    for (int i = 0; i < pair.count; ++i)
      velocity_place_[static_cast<std::size_t>(pair.position + i)] =
          places[static_cast<std::size_t>(pair.velocity + i)];
}

Counters OwnSteps::counters() const {
  Counters sum = workspace_->counters;
  sum.evaluations += counters_before_.evaluations;
  sum.factorizations += counters_before_.factorizations;
  sum.iterations += counters_before_.iterations;
  return sum;
}

// What a workspace remembers of the steps before is good for the equations before.
void OwnSteps::restart() {
  counters_before_ = counters();
  workspace_ = formulation_.make_workspace();
  control_.restart(time_);
}

StepReport OwnSteps::advance(double limit) {
  StepReport report;
  report.time = time_;
  if (!(limit > time_)) return report;
  const double end = control_.plan_end(time_, limit, limit - time_);
  report.status = attempt(end, end == limit, report);
  if (!report.status.ok()) {
    report.status.reason += fmt::format(" (just after t = {:.9g} s)", time_);
    return report;
  }
  control_.accept(time_, end, limit, 0);
  report.step = end - time_;
  previous_time_ = std::exchange(time_, end);
  report.time = time_;
  start_.swap(x_);
  x_.swap(trial_);
  std::swap(start_discrete_, discrete_);
  std::swap(discrete_, trial_discrete_);
  return report;
}

Status OwnSteps::attempt(double end, bool at_limit, StepReport& report) {
  trial_ = x_;
  trial_discrete_ = discrete_;
  AfterStep after = formulation_.step(
      {.start = time_, .end = end, .before_end = at_limit ? std::nextafter(end, time_) : end},
      trial_, trial_discrete_, *workspace_);
  if (!after.status.ok()) return std::move(after.status);
  if (!std::ranges::all_of(trial_, [](double value) { return std::isfinite(value); }))
    return {Status::Code::kNotFinite, "the state grows past all bounds"};
  layout_.difference(trial_, x_, displacement_);
  if (layout_.largest_rotation(displacement_) > kLargestTurnOfAStep)
    return {Status::Code::kDiverged, "a body turns too far in one step; take a shorter one"};
  interpolate(end - time_);
  report.notes = std::move(after.notes);
  return {};
}

// Positions leave and arrive with their velocities; all else goes in a straight line.
void OwnSteps::interpolate(double h) {
  for (std::size_t i = 0; i < displacement_.size(); ++i) {
    const int place = velocity_place_[i];
    first_rate_[i] = place >= 0 ? x_[static_cast<std::size_t>(place)] : displacement_[i] / h;
    last_rate_[i] = place >= 0 ? trial_[static_cast<std::size_t>(place)] : displacement_[i] / h;
  }
  polynomial_.set_parabola(time_, h, displacement_, first_rate_);
  layout_.chart_rate(displacement_, last_rate_, last_rate_);
  polynomial_.set_last_rate(last_rate_);
}

OwnSteps::Sample OwnSteps::sample(double t) {
  if (!(t >= previous_time_ && t <= time_))
    throw UsageError(fmt::format("t = {:.17g} s lies outside the last step, {:.17g} to {:.17g} s",
                                 t, previous_time_, time_));
  if (t == time_) return {x_, discrete_};
  polynomial_.evaluate(t, sample_displacement_);
  layout_.retract(start_, sample_displacement_, sample_);
  return {sample_, start_discrete_};
}

Status OwnSteps::evaluate(double t, Motion& motion, bool with_reactions) {
  const Sample at = sample(t);
  if (!output_workspace_) output_workspace_ = formulation_.make_workspace();
  return with_reactions
             ? formulation_.evaluate(t, at.x, at.discrete, *output_workspace_, motion)
             : formulation_.evaluate_motion(t, at.x, at.discrete, *output_workspace_, motion);
}

void OwnSteps::configuration(double t, Configuration& configuration) {
  const Sample at = sample(t);
  formulation_.decode(at.x, at.discrete, configuration);
}

void OwnSteps::restart(double t, const Configuration& configuration) {
  const double supplied = sample(t).x.back();
  formulation_.encode(configuration, x_, discrete_);
  x_.back() = supplied;
  time_ = previous_time_ = t;
  start_ = x_;
  start_discrete_ = discrete_;
  restart();
}

}  // namespace sarrus
