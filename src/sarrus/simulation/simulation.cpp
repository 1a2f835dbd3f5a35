#include "sarrus/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sarrus/analysis/singular_start.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/model/typical_length.h"
#include "sarrus/simulation/engine.h"
#include "sarrus/simulation/guard.h"
#include "sarrus/simulation/live_edits.h"
#include "sarrus/simulation/options.h"

namespace sarrus {
namespace {

struct Watch {
  std::function<double(double, const Configuration&)> g;
  std::function<bool(double, const Configuration&)> then;
  ZeroCrossing crossing;
};

}  // namespace

struct Simulation::Parts {
  Parts(Model described, SimulationOptions asked) {
    const std::string method = method_of(asked, described);
    // So that edits can keep up to date what settings say of the model.
    Model model = prepared(std::move(described), method, asked.settings);
    options = resolved(asked, model);
    Topology topology = analyse_topology(model);
    assembly = assemble(model, topology);
    engine = std::make_unique<Engine>(
        std::make_unique<Mechanism>(std::move(model), std::move(topology), assembly.configuration),
        0, 0, options);
    // What is inside of a user's own subsystems is not in the model.
    if (options.guard != GuardAction::kOff && options.subsystems.empty()) guard.emplace(options);
    const auto& timeline = engine->model.timeline();
    const auto late = std::ranges::count_if(
        timeline, [&](const TimelineEntry& entry) { return entry.at > *options.until; });
    if (late > 0)
      statistics.notes.push_back(
          {0, fmt::format("the run ends at {:g} s, before {} of the timeline's {} entries",
                          *options.until, late, timeline.size())});
  }

  Stepper& stepper() { return *engine->stepper; }

  bool timeline_is_due() const {
    const auto& timeline = engine->model.timeline();
    return next_entry < timeline.size() && timeline[next_entry].at <= engine->stepper->time();
  }

  /// Takes a new engine into use, or tells why there is none.
  void take(EditOutcome& outcome) {
    if (!outcome.engine) return;
    const Counters& done = engine->stepper->counters();
    counters_before.evaluations += done.evaluations;
    counters_before.factorizations += done.factorizations;
    counters_before.iterations += done.iterations;
    engine = std::move(outcome.engine);
    ++revision;
    standing.clear();
    if (guard) guard->restart();
    const EditReport& report = outcome.report;
    for (std::size_t i = 0; i < report.told.size(); ++i) {
      std::string what = report.told[i];
      // The impulse is that of all together.
      if (i + 1 == report.told.size() && report.impact != 0)
        what += fmt::format("; the impact gave {:.9g} J", report.impact);
      statistics.notes.push_back({engine->stepper->time(), std::move(what)});
    }
    if (edit_callback) edit_callback(report);
  }

  EditReport edit(const Transaction& transaction) {
    EditOutcome outcome = make_edit(*engine, transaction, options);
    take(outcome);
    revision_of_user = revision;
    notes_before = statistics.notes.size();
    return std::move(outcome.report);
  }

  /// What is due of the timeline. A step of it that is refused ends the run.
  Status follow_timeline() {
    while (timeline_is_due()) {
      const auto timeline = engine->model.timeline()[next_entry++];
      if (EditReport report = edit(timeline.edits); !report.status.ok()) return report.status;
    }
    return {};
  }

  /// Methods remember what they have told, but one that soft joints had built anew does not.
  void tell_once(Note note) {
    const auto same = [&](const Note& told) { return told.what == note.what; };
    if (revision == revision_of_user ||
        std::none_of(statistics.notes.begin() + static_cast<long>(notes_before),
                     statistics.notes.end(), same))
      statistics.notes.push_back(std::move(note));
  }

  void tend() {
    if (engine->model.soft_joints().empty()) return;
    EditOutcome outcome = tend_soft_joints(*engine, options);
    const Status& status = outcome.report.status;
    if (!status.ok() && status.reason != refusal) {  // again at every step, but told once
      refusal = status.reason;
      statistics.notes.push_back(
          {engine->stepper->time(), "soft joints stay as they are: " + status.reason});
    }
    take(outcome);
  }

  Status evaluate(double t, Sample& sample, bool with_reactions = true) {
    return engine->evaluate(t, sample, with_reactions);
  }

  /// The state that a step has ended with. Where a step costs no more than an evaluation, and nobody
  /// looks, accelerations are not judged.
  Status judge(bool someone_looks) {
    Sample& next = before;  // its memory serves again
    if (!someone_looks && stepper().takes_one_evaluation())
      engine->look(next);
    else if (Status status = evaluate(stepper().time(), next, someone_looks); !status.ok())
      return status;
    std::swap(before, now);
    keep_statistics(now);
    return {};
  }

  /// Has the step that has ended in `now` broken a law? [guard-laws]
  Status watch_over(bool was_cut) {
    if (!guard || has_doubted) return {};
    if (!standing.empty())
      if (Status status = look_again(); !status.ok()) return status;
    std::string what = guard->look(*engine, before, now, was_cut);
    if (what.empty()) return {};
    has_doubted = true;
    what = fmt::format("not to be trusted from here on: {}", what);
    tell_doubt(what);
    if (options.guard == GuardAction::kTell) return {};
    return {Status::Code::kDoubtful, what + at_time()};
  }

  /// Can motion begin where the mechanism stands, with the loads of the present? [start-singular]
  Status look_at_start() {
    if (!guard) return {};
    Mechanism& mechanism = *engine->mechanism;
    StartLook look =
        sarrus::look_at_start(mechanism.study, mechanism.configuration, stepper().time());
    mechanism.study.forget_elimination();
    standing = std::move(look.standing);
    still = look.still;
    starts_well = look.status.ok() || options.guard == GuardAction::kTell;
    if (look.status.ok() || options.guard == GuardAction::kStop) return look.status;
    const std::string& why = look.status.reason;
    tell_doubt(why.substr(0, why.find('\n')));
    return {};
  }

  void tell_doubt(std::string what) {
    statistics.notes.push_back({stepper().time(), std::move(what)});
    if (!statistics.doubt) statistics.doubt = statistics.notes.back();
  }

  /// What stood on a singular position has begun to move: which way was not decided before. And some methods
  /// hold it there, whatever pulls, by forces without bound.
  Status look_again() {
    constexpr int kMostLooks = 16;
    constexpr long kEvery = 256;  // steps
    double fastest = 0;
    const double length = typical_length(engine->model.joints());
    for (const BodyId body : standing) {
      const Vec6& V = now.motion.configuration.velocities[body.slot()];
      fastest = std::max({fastest, length * V.head<3>().norm(), V.tail<3>().norm()});
    }
    const bool leaves = fastest * fastest > still * length;
    if (!leaves && statistics.steps % kEvery != 0) return {};
    Status status = look_at_start();
    if (!status.ok()) status.reason.insert(status.reason.find('\n'), at_time());
    if (leaves && ++looks == kMostLooks) standing.clear();
    return status;
  }

  std::string at_time() const { return fmt::format(" (at t = {:.9g} s)", engine->stepper->time()); }

  void keep_statistics(const Sample& sample) {
    ConstraintNorms& largest = statistics.largest;
    largest.position = std::max(largest.position, sample.constraints.position);
    largest.velocity = std::max(largest.velocity, sample.constraints.velocity);
    largest.acceleration = std::max(largest.acceleration, sample.constraints.acceleration);
    const double balance = sample.total() - sample.motion.supplied;
    if (!energy_at_start) energy_at_start = balance;
    statistics.energy_drift =
        std::max(statistics.energy_drift, std::abs(balance - *energy_at_start));
    statistics.counters = engine->stepper->counters();
    statistics.counters.evaluations += counters_before.evaluations;
    statistics.counters.factorizations += counters_before.factorizations;
    statistics.counters.iterations += counters_before.iterations;
  }

  /// The next time at which the integrator must stop: a corner of a force, an entry of the timeline
  /// or the end.
  double next_limit(double t_end) const {
    const auto& corners = engine->model.breakpoints();
    const auto& timeline = engine->model.timeline();
    const double t = engine->stepper->time();
    const auto next = std::upper_bound(corners.begin(), corners.end(), t);
    double limit = next == corners.end() ? t_end : std::min(t_end, *next);
    if (next_entry < timeline.size() && timeline[next_entry].at > t)
      limit = std::min(limit, timeline[next_entry].at);
    return limit;
  }

  /// True when a watched function ended the run inside the last step.
  bool serve_watches() {
    for (Watch& watch : watches) {
      double start = engine->stepper->previous_time();
      Configuration configuration;
      const auto g = [&](double t) {
        engine->stepper->configuration(t, configuration);
        return watch.g(t, configuration);
      };
      while (const auto t = watch.crossing.find(g, start, engine->stepper->time())) {
        engine->stepper->configuration(*t, configuration);
        if (watch.then(*t, configuration)) {
          engine->stepper->restart(*t, configuration);
          return true;
        }
        start = *t;
        if (start >= engine->stepper->time()) break;
      }
    }
    return false;
  }

  SimulationOptions options;
  Assembly assembly;
  std::unique_ptr<Engine> engine;
  std::size_t next_entry = 0;  ///< of the timeline
  long revision = 0;
  long revision_of_user = 0;     ///< the last that was asked for, not made by soft joints
  std::size_t notes_before = 0;  ///< how many there were then
  bool moves = false;            ///< advance_to is under way
  std::string refusal;           ///< of the last attempt to tend soft joints
  Counters counters_before;      ///< of engines that edits have replaced
  RunStatistics statistics;
  Sample before, now;  ///< both ends of the last step
  std::optional<Guard> guard;
  bool starts_well = false;      ///< the start has been looked at
  bool has_doubted = false;      ///< the guard has
  std::vector<BodyId> standing;  ///< see StartLook
  double still = 0;
  int looks = 0;  ///< since the start, at what stands
  std::optional<double> energy_at_start;
  std::function<bool()> asked_to_stop;
  std::function<void(double)> step_callback;
  std::function<void(const EditReport&)> edit_callback;
  std::vector<Watch> watches;
};

Simulation::Simulation(Model model, SimulationOptions options)
    : parts_(std::make_unique<Parts>(std::move(model), options)) {}

Simulation::~Simulation() = default;

const Model& Simulation::model() const { return parts_->engine->model; }
const Topology& Simulation::topology() const { return parts_->engine->topology; }
const Formulation& Simulation::formulation() const { return *parts_->engine->formulation; }
const Assembly& Simulation::assembly() const { return parts_->assembly; }
const SimulationOptions& Simulation::options() const { return parts_->options; }
double Simulation::time() const { return parts_->engine->stepper->time(); }
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
  const struct Moving {
    explicit Moving(bool& is_moving) : flag(is_moving) { flag = true; }
    ~Moving() { flag = false; }
    bool& flag;
  } moving(p.moves);
  Sample& now = p.now;
  Sample between;
  std::size_t next = times.first_from(time());
  const auto someone_looks = [&] {
    return (next != times.size() && times[next] == time()) || p.timeline_is_due();
  };
  const bool is_start = p.guard ? !p.starts_well : !p.energy_at_start;
  if (someone_looks() || is_start) {
    if (Status status = p.judge(true); !status.ok()) return status;
    if (is_start && p.guard) p.guard->start(now);
    if (Status status = is_start ? p.look_at_start() : Status(); !status.ok()) {
      if (next != times.size() && times[next] == time()) record(now);
      return status;
    }
  }
  // An edit is seen from both sides by those who look: just before it and just after.
  const auto look_and_edit = [&]() -> Status {
    bool looked = false;
    const bool due = p.timeline_is_due();
    if (next != times.size() && times[next] == time()) {
      record(now);
      ++next;
      looked = true;
    }
    if (!due) return {};
    if (times.size() > 0 && !looked) record(now);
    if (Status status = p.follow_timeline(); !status.ok()) return status;
    if (Status status = p.evaluate(time(), now); !status.ok()) return status;
    p.keep_statistics(now);
    if (times.size() > 0) record(now);
    // A sample that misses this instant by round-off only is it.
    while (next != times.size() && times[next] <= time() * (1 + 1e-14)) ++next;
    return {};
  };
  if (Status status = look_and_edit(); !status.ok()) return status;
  while (time() < t_end) {
    if (p.asked_to_stop && p.asked_to_stop())
      return {Status::Code::kInterrupted, fmt::format("stopped at t = {:.6g} s", time())};
    StepReport report = p.stepper().advance(p.next_limit(t_end));
    p.statistics.rejected += report.rejected;
    if (!report.status.ok()) return report.status;
    ++p.statistics.steps;
    for (Note& note : report.notes) p.tell_once(std::move(note));
    const bool ended = p.serve_watches();
    for (; next != times.size() && times[next] < time(); ++next) {
      if (Status status = p.evaluate(times[next], between); !status.ok()) return status;
      record(between);
    }
    if (Status status = p.judge(someone_looks()); !status.ok()) return status;
    if (Status status = p.watch_over(report.rejected > 0); !status.ok()) {
      if (next != times.size() && times[next] == time()) record(now);
      return status;
    }
    if (Status status = look_and_edit(); !status.ok()) return status;
    p.tend();
    if (p.step_callback) p.step_callback(time());
    if (ended) return {};
    const auto& corners = model().breakpoints();
    if (std::binary_search(corners.begin(), corners.end(), time())) p.stepper().restart();
  }
  return {};
}

long Simulation::revision() const { return parts_->revision; }

EditReport Simulation::edit(const Transaction& transaction) {
  if (!parts_->moves) return parts_->edit(transaction);
  EditReport report;
  report.status = {
      Status::Code::kRefused,
      "the mechanism cannot be edited in the middle of a step\n  hint: post the edit to "
      "a LiveRun's queue, or edit when advance_to has returned"};
  return report;
}

void Simulation::on_edit(std::function<void(const EditReport&)> callback) {
  parts_->edit_callback = std::move(callback);
}

Sample Simulation::sample() {
  Sample sample;
  const Status status = parts_->evaluate(time(), sample);
  if (!status.ok()) throw UsageError("the present state cannot be evaluated: " + status.reason);
  return sample;
}

}  // namespace sarrus
