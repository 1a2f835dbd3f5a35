#include "sarrus/simulation/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sarrus/analysis/moving_state.h"
#include "sarrus/analysis/timing.h"
#include "sarrus/base/stopwatch.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/simulation/motion_distance.h"
#include "sarrus/simulation/options.h"

namespace sarrus {
namespace {

constexpr double kTighter = 1e-3;     // the judge's tolerance, in parts of the methods'
constexpr double kTightest = 1e-13;   // below this, rounding decides
constexpr double kFixedStep = 1e-11;  // the judge's tolerance where the methods have none

// One dense system costs about this [s], cubed in the bodies' coordinates: not even one evaluation
// of a thousand bodies can be afforded.
double dense_evaluation(const Model& model) {
  constexpr double kCube = 6e-10;
  const double unknowns = 6.0 * (model.body_count() - 1) + model.mode_count();
  return kCube * unknowns * unknowns * unknowns;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string in_words(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 100) return fmt::format("{:.3g} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.0f} h", seconds / 3600);
}

std::string too_long(double seconds, double evaluation) {
  return fmt::format("would take about {}, at {} an evaluation", in_words(seconds),
                     in_words(evaluation));
}

void check_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const MethodInfo& method : methods()) known.push_back(method.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(fmt::format("there is no method '{}'\n  hint: {}", name,
                                   suggestion(name, known, "methods")));
}

/// One comparison under way.
class Contest {
 public:
  Contest(const Model& model, const ComparisonOptions& options)
      : model_(model),
        options_(options),
        observer_(options.observer != nullptr ? *options.observer : nobody_),
        times_(SampleTimes::every(options.every, options.until)) {
    const SimulationOptions all =
        resolved({.tolerance = options.tolerance, .until = options.until}, model);
    comparison_.until = options.until;
    comparison_.step = all.step;
    comparison_.tolerance = *all.tolerance;
  }

  Comparison run() {
    check_names(options_.methods);
    for (const MethodInfo& method : methods())
      if (options_.methods.empty() ? method.contends : is_named(method.name))
        try_method(method.name);
      else if (options_.methods.empty())
        leave_out(method.name, "runs only when named in --methods");
    if (!stopped()) judge();
    return std::move(comparison_);
  }

 private:
  bool is_named(const std::string& method) const {
    return std::ranges::find(options_.methods, method) != options_.methods.end();
  }
  bool stopped() const { return options_.stop && options_.stop(); }
  void leave_out(const std::string& method, const std::string& reason, bool slow = false) {
    comparison_.left_out.push_back({method, reason, is_named(method), slow});
  }

  std::unique_ptr<Simulation> make(const std::string& method, std::optional<double> tolerance) {
    // Whom the judge will look at need not be stopped before.
    return std::make_unique<Simulation>(model_, SimulationOptions{.method = method,
                                                                  .tolerance = tolerance,
                                                                  .until = options_.until,
                                                                  .threads = options_.threads,
                                                                  .guard = GuardAction::kTell});
  }

  // What an evaluation takes; nothing where no state in motion is found.
  std::optional<double> measure(const Simulation& simulation) const {
    const Formulation& formulation = simulation.formulation();
    const auto workspace = formulation.make_workspace();
    MovingState state;
    if (!set_in_motion(
             formulation,
             {simulation.model(), simulation.topology(), simulation.assembly().configuration},
             *workspace, state)
             .ok())
      return std::nullopt;
    std::vector<double> rates(static_cast<std::size_t>(formulation.layout().tangent_size()));
    const auto evaluate = [&] { formulation.rates(0, state.x, state.discrete, *workspace, rates); };
    return measure_time(evaluate, {.budget = 0.1, .stop = options_.stop}).wall_median;
  }

  // What a run is expected to take, from the evaluations that another method needed [s].
  double expected(double evaluation) const {
    return evaluation * static_cast<double>(evaluations_);
  }

  void try_method(const std::string& method) {
    const bool may_decline = !is_named(method);
    if (stopped()) return leave_out(method, "the comparison was stopped");
    if (may_decline && method == judging_method().name &&
        100 * dense_evaluation(model_) > options_.patience)
      return leave_out(method, "the mechanism is too large for one dense system", true);
    std::unique_ptr<Simulation> simulation;
    try {
      simulation = make(method, options_.tolerance);
    } catch (const UsageError& error) {
      return leave_out(method, first_line(error.what()));
    }
    if (may_decline && drifts(*simulation))
      return leave_out(method, fmt::format("{} has no projection: ask for it by name", method));
    const std::optional<double> evaluation = measure(*simulation);
    if (may_decline && evaluation && expected(*evaluation) > options_.patience)
      return leave_out(method, too_long(expected(*evaluation), *evaluation), true);
    move(*simulation, evaluation);
  }

  Status advance(Simulation& simulation, double until,
                 const std::function<void(const Sample&)>& record) {
    simulation.on_step([&](double time) { observer_.step(time); });
    return simulation.advance_to(until, times_, record);
  }

  void move(Simulation& simulation, std::optional<double> evaluation) {
    MethodResult result = {.method = std::string(simulation.formulation().name()),
                           .variant = std::string(simulation.formulation().variant()),
                           .status = {},
                           .evaluation_seconds = evaluation,
                           .statistics = {},
                           .distance = {}};
    result.named = is_named(result.method);
    MotionTrace trace(model_, times_.size());
    observer_.begin(simulation);
    // What an evaluation takes says little about projections and output.
    const bool may_stop = !result.named && evaluations_ > 0;
    const Stopwatch stopwatch;
    simulation.stop_when(
        [&] { return stopped() || (may_stop && stopwatch.wall() > 2 * options_.patience); });
    result.status = advance(simulation, options_.until, [&](const Sample& sample) {
      trace.add(sample);
      observer_.record(sample);
    });
    if (result.status.code == Status::Code::kInterrupted && !stopped())
      result.status.reason = fmt::format("it took longer than {}", in_words(2 * options_.patience));
    result.wall_seconds = stopwatch.wall();
    result.cpu_seconds = stopwatch.cpu();
    result.time = simulation.time();
    result.statistics = simulation.statistics();
    observer_.end(simulation, result);
    if (result.status.ok())
      evaluations_ = std::max(evaluations_, result.statistics.counters.evaluations);
    comparison_.step = simulation.options().step;
    comparison_.tolerance = *simulation.options().tolerance;
    comparison_.length = mechanism_extent(model_, simulation.assembly().configuration);
    comparison_.results.push_back(std::move(result));
    traces_.push_back(std::move(trace));
  }

  double tight_tolerance() const {
    if (comparison_.step) return kFixedStep;
    return std::max(kTightest, kTighter * comparison_.tolerance);
  }

  // Nothing, and the reason, where it would take too long.
  std::unique_ptr<Simulation> try_reference() {
    std::string& reason = comparison_.judge.reason;
    // A step of fifth order is shorter by the fifth root.
    const double more = comparison_.step ? 1 : std::pow(kTighter, -0.2);
    if (100 * more * dense_evaluation(model_) > options_.patience) {
      reason = fmt::format("the mechanism is too large for the dense system of {}",
                           judging_method().name);
      return nullptr;
    }
    try {
      auto reference = make(judging_method().name, tight_tolerance());
      const std::optional<double> evaluation = measure(*reference);
      if (!evaluation || more * expected(*evaluation) <= options_.patience) return reference;
      reason = fmt::format("{} {}", judging_method().name,
                           too_long(more * expected(*evaluation), *evaluation));
    } catch (const UsageError& error) {
      reason = first_line(error.what());
    }
    return nullptr;
  }

  // The dense judge where it takes not too long, else the cheapest method that got to the end.
  std::unique_ptr<Simulation> choose_judge() {
    if (auto reference = try_reference(); reference != nullptr) return reference;
    const MethodResult* cheapest = nullptr;
    for (const MethodResult& result : comparison_.results)
      if (result.status.ok() &&
          (cheapest == nullptr || result.wall_seconds < cheapest->wall_seconds))
        cheapest = &result;
    return cheapest == nullptr ? nullptr : make(cheapest->method, tight_tolerance());
  }

  void judge() {
    if (comparison_.results.empty()) return;
    const std::unique_ptr<Simulation> simulation = choose_judge();
    if (simulation == nullptr) return;
    MotionTrace trace(model_, times_.size());
    observer_.begin_judge(*simulation);
    const Stopwatch stopwatch;
    simulation->stop_when(options_.stop);
    // Where all methods failed, the judge would only take longer to do so.
    double reached = 0;
    for (const MotionTrace& other : traces_) reached = std::max(reached, other.end());
    const Status status =
        advance(*simulation, reached, [&](const Sample& sample) { trace.add(sample); });
    Judge& judge = comparison_.judge;
    judge.method = simulation->formulation().name();
    judge.tolerance = *simulation->options().tolerance;
    judge.wall_seconds = stopwatch.wall();
    if (!status.ok()) {
      if (!judge.reason.empty()) judge.reason += "; ";
      judge.reason += fmt::format("it stopped at t = {:.6g} s", simulation->time());
      if (!status.reason.empty()) judge.reason += ": " + status.reason;
    }
    comparison_.instants = trace.instants();
    // All start from the same state: that says nothing.
    for (std::size_t i = 0; i < traces_.size(); ++i)
      if (std::min(trace.instants(), traces_[i].instants()) > 1)
        comparison_.results[i].distance = traces_[i].distance_from(trace, comparison_.length);
  }

  const Model& model_;
  const ComparisonOptions& options_;
  ComparisonObserver nobody_;
  ComparisonObserver& observer_;
  SampleTimes times_;
  Comparison comparison_;
  std::vector<MotionTrace> traces_;  ///< of the results
  long evaluations_ = 0;             ///< most that any method needed
};

}  // namespace

bool drifts(const Simulation& simulation) {
  return !simulation.topology().is_tree() &&
         simulation.formulation().projection() == Projection::kOff &&
         *simulation.options().projection != Projection::kOff;
}

bool Comparison::succeeded() const {
  return std::ranges::any_of(results, [](const auto& r) { return r.status.ok(); }) &&
         std::ranges::none_of(results, [](const auto& r) { return r.named && !r.status.ok(); }) &&
         std::ranges::none_of(left_out, &LeftOut::named);
}

Comparison compare_methods(const Model& model, const ComparisonOptions& options) {
  return Contest(model, options).run();
}

}  // namespace sarrus
