#include "sarrus/integration/newmark.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sarrus/base/assert.h"
#include "sarrus/base/diagnostics.h"

namespace sarrus {
namespace {

/// As in RungeKutta: turns of a joint are counted only while bodies turn by less than half a turn.
constexpr double kLargestTurn = 1.5;

bool is_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

struct Weights {
  double position = 0;  ///< of h² q̈ in the predicted position
  double velocity = 0;  ///< of h q̈ in the predicted velocity
};

Weights weights_of(NewmarkPredictor predictor) {
  return predictor == NewmarkPredictor::kPaper ? Weights{0.25, 0.5} : Weights{0.5, 1.0};
}

// [newmark-stability]  The largest eigenvalue of (φ, hφ̇, h²φ̈) over one step.
double growth(NewmarkPredictor predictor, double omega_h, double damping) {
  const Weights w = weights_of(predictor);
  const double k_p = omega_h * omega_h, k_v = 2 * damping * omega_h;
  const Eigen::RowVector3d position(1, 1, w.position), velocity(0, 1, w.velocity);
  const Eigen::RowVector3d a = -k_v * velocity - k_p * position;
  Eigen::Matrix3d step;
  step.row(0) = Eigen::RowVector3d(1, 1, 0.25) + 0.25 * a;
  step.row(1) = Eigen::RowVector3d(0, 1, 0.5) + 0.5 * a;
  step.row(2) = a;
  return Eigen::EigenSolver<Eigen::Matrix3d>(step, false).eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

double newmark_stability_limit(NewmarkPredictor predictor, double damping) {
  double stable = 0, unstable = 4;
  // Upwards from zero, since with strong damping there may be several intervals.
  constexpr double kGrid = 0.01;
  for (double omega_h = kGrid; omega_h < unstable; omega_h += kGrid) {
    if (growth(predictor, omega_h, damping) > 1 + 1e-12) {
      unstable = omega_h;
      break;
    }
    stable = omega_h;
  }
  while (unstable - stable > 1e-6) {
    const double middle = 0.5 * (stable + unstable);
    (growth(predictor, middle, damping) > 1 + 1e-12 ? unstable : stable) = middle;
  }
  return stable;
}

Newmark::Newmark(const Formulation& formulation, Start start, NewmarkPredictor predictor,
                 const IntegratorOptions& options)
    : formulation_(formulation),
      layout_(formulation.layout()),
      predictor_(predictor),
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
      rate_(static_cast<std::size_t>(layout_.tangent_size())),
      next_(rate_),
      displacement_(rate_),
      last_rate_(rate_),
      polynomial_(layout_.tangent_size()),
      sample_(x_),
      sample_displacement_(rate_) {
  SARRUS_ASSERT(!pairs_.empty());
}

Counters Newmark::counters() const {
  Counters counters = workspace_->counters;
  counters.evaluations = evaluations_;
  return counters;
}

void Newmark::restart() {
  rate_is_valid_ = false;
  control_.restart(time_);
}

Status Newmark::rates(double t, std::span<const double> x, std::vector<double>& dx) {
  ++evaluations_;
  Status status = formulation_.rates(t, x, discrete_, *workspace_, dx);
  if (status.ok() && !is_finite(dx))
    return {Status::Code::kNotFinite, "a rate of change is not a finite number"};
  return status;
}

// u = h q̇ + `position` h² q̈ for positions, `velocity` h q̈ for velocities, into `displacement_`.
void Newmark::displace(double h, double position, double velocity) {
  for (const VelocityPair& pair : pairs_)
    for (int i = 0; i < pair.count; ++i) {
      const auto q = static_cast<std::size_t>(pair.position + i);
      const auto v = static_cast<std::size_t>(pair.velocity + i);
      displacement_[q] = h * rate_[q] + position * h * h * rate_[v];
      displacement_[v] = velocity * h * rate_[v];
    }
  displacement_.back() = h * rate_.back();
}

StepReport Newmark::advance(double limit) {
  StepReport report;
  report.time = time_;
  if (!(limit > time_)) return report;
  if (!rate_is_valid_) {
    report.status = rates(time_, x_, rate_);
    rate_is_valid_ = report.status.ok();
  }
  const double end = control_.plan_end(time_, limit, limit - time_);
  if (report.status.ok()) report.status = attempt(end, end == limit, report);
  if (!report.status.ok()) {
    if (report.status.code != Status::Code::kInterrupted)
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

// [newmark-step]  Predict, evaluate, correct.
Status Newmark::attempt(double end, bool at_limit, StepReport& report) {
  const double h = end - time_;
  const Weights w = weights_of(predictor_);
  displace(h, w.position, w.velocity);
  if (!is_finite(displacement_))
    return {Status::Code::kNotFinite, "the state grows past all bounds"};
  layout_.retract(x_, displacement_, trial_);
  // A jump at the limit belongs to the next step.
  const double t = at_limit ? std::nextafter(end, time_) : end;
  if (Status status = rates(t, trial_, next_); !status.ok()) return status;
  displace(h, 0.25, 0.5);
  for (const VelocityPair& pair : pairs_)
    for (int i = 0; i < pair.count; ++i) {
      const auto q = static_cast<std::size_t>(pair.position + i);
      const auto v = static_cast<std::size_t>(pair.velocity + i);
      displacement_[q] += 0.25 * h * h * next_[v];
      displacement_[v] += 0.5 * h * next_[v];
      next_[q] = rate_[q] + displacement_[v];
    }
  displacement_.back() = 0.5 * h * (rate_.back() + next_.back());
  if (!is_finite(displacement_))
    return {Status::Code::kNotFinite, "the state grows past all bounds"};
  if (layout_.largest_rotation(displacement_) > kLargestTurn)
    return {Status::Code::kDiverged, "a body turns too far in one step; take a shorter one"};
  layout_.retract(x_, displacement_, trial_);

  trial_discrete_ = discrete_;
  AfterStep after = formulation_.after_step(end, trial_, trial_discrete_, *workspace_);
  if (!after.status.ok()) return std::move(after.status);
  report.notes = std::move(after.notes);
  polynomial_.set_parabola(time_, h, displacement_, rate_);
  layout_.chart_rate(displacement_, next_, last_rate_);
  polynomial_.set_last_rate(last_rate_);
  rate_.swap(next_);
  rate_is_valid_ = !after.changed;
  return {};
}

Newmark::Sample Newmark::sample(double t) {
  if (!(t >= previous_time_ && t <= time_))
    throw UsageError(fmt::format("t = {:.17g} s lies outside the last step, {:.17g} to {:.17g} s",
                                 t, previous_time_, time_));
  if (t == time_) return {x_, discrete_};
  polynomial_.evaluate(t, sample_displacement_);
  layout_.retract(start_, sample_displacement_, sample_);
  return {sample_, start_discrete_};
}

Status Newmark::evaluate(double t, Motion& motion, bool with_reactions) {
  const Sample at = sample(t);
  if (!output_workspace_) output_workspace_ = formulation_.make_workspace();
  return with_reactions
             ? formulation_.evaluate(t, at.x, at.discrete, *output_workspace_, motion)
             : formulation_.evaluate_motion(t, at.x, at.discrete, *output_workspace_, motion);
}

void Newmark::configuration(double t, Configuration& configuration) {
  const Sample at = sample(t);
  formulation_.decode(at.x, at.discrete, configuration);
}

void Newmark::restart(double t, const Configuration& configuration) {
  const double supplied = sample(t).x.back();
  formulation_.encode(configuration, x_, discrete_);
  x_.back() = supplied;
  time_ = previous_time_ = t;
  start_ = x_;
  start_discrete_ = discrete_;
  restart();
}

}  // namespace sarrus
