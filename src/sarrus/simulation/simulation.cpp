#include "sarrus/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/formulations/registry.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/model/loads.h"
#include "sarrus/simulation/options.h"

namespace sarrus {
namespace {

struct Watch {
  std::function<double(double, const Configuration&)> g;
  std::function<bool(double, const Configuration&)> then;
  ZeroCrossing crossing;
};

IntegratorOptions integrator_options(const SimulationOptions& options) {
  return {.method = *options.integrator,
          .step = options.step.value_or(0),
          .rtol = *options.tolerance,
          .atol = *options.tolerance,
          .max_step = 0,
          .interval = *options.until};
}

}  // namespace

struct Simulation::Parts {
  Parts(Model m, const SimulationOptions& o)
      : model(std::move(m)),
        options(resolved(o, model.simulation())),
        topology(analyse_topology(model)),
        assembly(assemble(model, topology)),
        formulation(
            make_formulation({*options.method, *options.projection, options.settings,
                              options.threads, options.step.value_or(0), options.subsystems},
                             model, topology, assembly.configuration)),
        stepper(
            make_stepper(*formulation, assembly.configuration, 0, integrator_options(options))) {}

  Status evaluate(double t, Sample& sample, bool with_reactions = true) {
    const Motion& motion = sample.motion;
    Status status = stepper->evaluate(t, sample.motion, with_reactions);
    if (!status.ok()) return status;
    sample.kinetic = kinetic_energy(model, motion.configuration);
    sample.potential = potential_energy(model, motion.configuration);
    sample.constraints = compute_constraint_norms(model, motion);
    return status;
  }

  void keep_statistics(const Sample& sample) {
    ConstraintNorms& largest = statistics.largest;
    largest.position = std::max(largest.position, sample.constraints.position);
    largest.velocity = std::max(largest.velocity, sample.constraints.velocity);
    largest.acceleration = std::max(largest.acceleration, sample.constraints.acceleration);
    const double balance = sample.total() - sample.motion.supplied;
    if (!energy_at_start) energy_at_start = balance;
    statistics.energy_drift =
        std::max(statistics.energy_drift, std::abs(balance - *energy_at_start));
    statistics.counters = stepper->counters();
  }

  /// The next time at which the integrator must stop: a corner of a force or the end.
  double next_limit(double t_end) const {
    const auto& corners = model.breakpoints();
    const auto next = std::upper_bound(corners.begin(), corners.end(), stepper->time());
    return next == corners.end() ? t_end : std::min(t_end, *next);
  }

  /// True when a watched function ended the run inside the last step.
  bool serve_watches() {
    for (Watch& watch : watches) {
      double start = stepper->previous_time();
      Configuration configuration;
      const auto g = [&](double t) {
        stepper->configuration(t, configuration);
        return watch.g(t, configuration);
      };
      while (const auto t = watch.crossing.find(g, start, stepper->time())) {
        stepper->configuration(*t, configuration);
        if (watch.then(*t, configuration)) {
          stepper->restart(*t, configuration);
          return true;
        }
        start = *t;
        if (start >= stepper->time()) break;
      }
    }
    return false;
  }

  Model model;
  SimulationOptions options;
  Topology topology;
  Assembly assembly;
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<Stepper> stepper;
  RunStatistics statistics;
  std::optional<double> energy_at_start;
  std::function<bool()> asked_to_stop;
  std::function<void(double)> step_callback;
  std::vector<Watch> watches;
};

Simulation::Simulation(Model model, SimulationOptions options)
    : parts_(std::make_unique<Parts>(std::move(model), options)) {}

Simulation::~Simulation() = default;

const Model& Simulation::model() const { return parts_->model; }
const Topology& Simulation::topology() const { return parts_->topology; }
const Formulation& Simulation::formulation() const { return *parts_->formulation; }
const Assembly& Simulation::assembly() const { return parts_->assembly; }
const SimulationOptions& Simulation::options() const { return parts_->options; }
double Simulation::time() const { return parts_->stepper->time(); }
const RunStatistics& Simulation::statistics() const { return parts_->statistics; }

void Simulation::stop_when(std::function<bool()> asked) {
  parts_->asked_to_stop = std::move(asked);
}

void Simulation::on_step(std::function<void(double)> callback) {
  parts_->step_callback = std::move(callback);
}

void Simulation::watch(std::function<double(double, const Configuration&)> g, Direction direction,
                       std::function<bool(double, const Configuration&)> then) {
  parts_->watches.push_back(
      {std::move(g), std::move(then), ZeroCrossing({.direction = direction})});
}

Status Simulation::advance_to(double t_end) { return advance_to(t_end, SampleTimes(), {}); }

Status Simulation::advance_to(double t_end, const SampleTimes& times,
                              const std::function<void(const Sample&)>& record) {
  Parts& p = *parts_;
  Stepper& stepper = *p.stepper;
  Sample now;
  Sample between;
  if (Status status = p.evaluate(stepper.time(), now); !status.ok()) return status;
  p.keep_statistics(now);
  std::size_t next = times.first_from(stepper.time());
  const auto record_now = [&] {
    if (next == times.size() || times[next] != stepper.time()) return;
    record(now);
    ++next;
  };
  record_now();
  while (stepper.time() < t_end) {
    if (p.asked_to_stop && p.asked_to_stop())
      return {Status::Code::kInterrupted, fmt::format("stopped at t = {:.6g} s", stepper.time())};
    StepReport report = stepper.advance(p.next_limit(t_end));
    p.statistics.rejected += report.rejected;
    if (!report.status.ok()) return report.status;
    ++p.statistics.steps;
    for (Note& note : report.notes) p.statistics.notes.push_back(std::move(note));
    const bool ended = p.serve_watches();
    for (; next != times.size() && times[next] < stepper.time(); ++next) {
      if (Status status = p.evaluate(times[next], between); !status.ok()) return status;
      record(between);
    }
    const bool recorded = next != times.size() && times[next] == stepper.time();
    if (Status status = p.evaluate(stepper.time(), now, recorded); !status.ok()) return status;
    p.keep_statistics(now);
    record_now();
    if (p.step_callback) p.step_callback(stepper.time());
    if (ended) return {};
    if (std::binary_search(p.model.breakpoints().begin(), p.model.breakpoints().end(),
                           stepper.time()))
      stepper.restart();
  }
  return {};
}

Sample Simulation::sample() {
  Sample sample;
  const Status status = parts_->evaluate(time(), sample);
  if (!status.ok()) throw UsageError("the present state cannot be evaluated: " + status.reason);
  return sample;
}

}  // namespace sarrus
