#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/analysis/moving_state.h"
#include "sarrus/analysis/timing.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/summary.h"
#include "sarrus/simulation/options.h"

namespace sarrus::cli {
namespace {

struct TimeArguments {
  ModelArguments model;
  std::optional<std::string> method;
  int threads = 1;
  std::optional<int> repeat;
  bool profile = false;
  bool json = false;
};

/// Bytes in use on the heap; nothing where a sanitizer has taken it over.
double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

/// A formulation at a random state, and what it takes to keep it there.
struct Subject {
  std::unique_ptr<Model> model;
  std::unique_ptr<Topology> topology;
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<Workspace> workspace;
  MovingState state;
  std::vector<double> rates;
  double bytes = 0;
};

struct PhaseTiming {
  std::string name;
  Timing timing;
};

/// The numbers failed, before there was anything to time.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const Status& status)
      : std::runtime_error(status.reason.empty() ? std::string(name_of(status.code))
                                                 : status.reason) {}
};

void check(const Status& status) {
  if (!status.ok()) throw Failure(status);
}

Subject make_subject(const TimeArguments& arguments) {
  std::vector<MethodSetting> settings;
  std::optional<std::string> method = arguments.method;
  Overrides parameters;
  for (const Override& change : arguments.model.overrides())
    if (change.path == "method.name")
      method = change.value;
    else if (change.path.starts_with("method."))
      settings.push_back({change.path.substr(7), change.value});
    else
      parameters.push_back(change);
  const Description description = load_model_description(arguments.model.model, parameters);
  const double before = heap_bytes();
  Subject subject;
  subject.model = std::make_unique<Model>(make_model(description));
  const SimulationOptions options = resolved({.method = method}, *subject.model);
  subject.topology = std::make_unique<Topology>(analyse_topology(*subject.model));
  {
    const Configuration assembled = assemble(*subject.model, *subject.topology).configuration;
    // Without projection the rates are the same, but the state would not be consistent.
    const auto projects = [&](const MethodInfo& m) {
      return m.name != *options.method || m.projects;
    };
    const Projection projection =
        *options.projection == Projection::kOff && std::ranges::all_of(methods(), projects)
            ? Projection::kStep
            : *options.projection;
    subject.formulation =
        make_formulation({*options.method, projection, settings, arguments.threads}, *subject.model,
                         *subject.topology, assembled);
    subject.workspace = subject.formulation->make_workspace();
    subject.rates.assign(static_cast<std::size_t>(subject.formulation->layout().tangent_size()), 0);
    check(set_in_motion(*subject.formulation, {*subject.model, *subject.topology, assembled},
                        *subject.workspace, subject.state));
  }
  subject.bytes = std::max(0.0, heap_bytes() - before);
  return subject;
}

// What each phase of the method takes, at the same state.
std::vector<PhaseTiming> profile(Subject& subject, const TimingOptions& options) {
  const std::vector<Phase> phases =
      subject.formulation->phases(0, subject.state.x, subject.state.discrete, *subject.workspace);
  std::vector<PhaseTiming> result;
  for (const Phase& phase : phases) {
    check(phase.run());
    result.push_back({phase.name, measure_time([&] { phase.run(); }, options)});
  }
  return result;
}

double per_body(double value, const Subject& subject) {
  return value / std::max(1, subject.model->body_count() - 1);
}

std::string as_json(const TimeArguments& arguments, const Subject& subject, const Timing& timing,
                    const std::vector<PhaseTiming>& phases) {
  constexpr double kMicro = 1e6;
  const auto costs = [](const Timing& t) {
    return nlohmann::ordered_json{{"wall_median_us", kMicro * t.wall_median},
                                  {"wall_min_us", kMicro * t.wall_min},
                                  {"cpu_median_us", kMicro * t.cpu_median},
                                  {"cpu_min_us", kMicro * t.cpu_min}};
  };
  nlohmann::ordered_json json = {{"model", arguments.model.model},
                                 {"bodies", subject.model->body_count() - 1},
                                 {"method", std::string(subject.formulation->name())},
                                 {"variant", std::string(subject.formulation->variant())},
                                 {"threads", subject.formulation->threads()},
                                 {"samples", timing.samples},
                                 {"calls_per_sample", timing.calls}};
  json.update(costs(timing));
  json["bytes_per_body"] = per_body(subject.bytes, subject);
  if (arguments.profile) json["phases"] = nlohmann::ordered_json::array();
  for (const PhaseTiming& phase : phases) {
    nlohmann::ordered_json entry = {{"name", phase.name}};
    entry.update(costs(phase.timing));
    json["phases"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

// Some four digits, without powers of ten.
std::string digits(double value) {
  return value < 10 ? fmt::format("{:.3f}", value)
                    : fmt::format("{:.{}f}", value, value < 1000 ? 1 : 0);
}

std::string as_text(const TimeArguments& arguments, const Subject& subject, const Timing& timing,
                    const std::vector<PhaseTiming>& phases) {
  const auto row = [](const std::string& name, const Timing& t) {
    return fmt::format("  {:<20}{:>13}{:>13}{:>13}{:>13}\n", name, digits(1e6 * t.wall_median),
                       digits(1e6 * t.wall_min), digits(1e6 * t.cpu_median),
                       digits(1e6 * t.cpu_min));
  };
  const int bodies = subject.model->body_count() - 1;
  const std::string_view variant = subject.formulation->variant();
  std::string text = fmt::format(
      "{}: {} {}, method {}{}{}, {} {}\n"
      "one evaluation of the rates [µs], over {} {} of {} calls\n\n"
      "  {:<20}{:>13}{:>13}{:>13}{:>13}\n",
      subject.model->name(), bodies, bodies == 1 ? "body" : "bodies", subject.formulation->name(),
      variant.empty() ? "" : ", ", variant, subject.formulation->threads(),
      subject.formulation->threads() == 1 ? "thread" : "threads", timing.samples,
      timing.samples == 1 ? "sample" : "samples", timing.calls, "", "wall median", "wall least",
      "CPU median", "CPU least");
  text += row("all", timing);
  for (const PhaseTiming& phase : phases) text += row("  " + phase.name, phase.timing);
  if (arguments.profile && phases.empty())
    text += fmt::format("  method {}{}{} does not tell its phases\n", subject.formulation->name(),
                        variant.empty() ? "" : ", ", variant);
  return text + fmt::format("\n  {} ns a body (CPU least), {:.0f} bytes a body on the heap\n",
                            digits(1e9 * per_body(timing.cpu_min, subject)),
                            per_body(subject.bytes, subject));
}

int measure(const TimeArguments& arguments) {
  check_threads(arguments.threads);
  if (arguments.repeat && *arguments.repeat < 1)
    throw UsageError(fmt::format("--repeat must be at least 1, not {}", *arguments.repeat));
  try {
    Subject subject = make_subject(arguments);
    if (arguments.threads > subject.formulation->threads())
      complain(fmt::format("sarrus: method '{}' runs on one thread, whatever --threads says\n",
                           subject.formulation->name()));
    const Interrupt interrupt;
    const TimingOptions options = {.samples = arguments.repeat.value_or(0),
                                   .stop = Interrupt::asked};
    const Timing timing = measure_time(
        [&] {
          subject.formulation->rates(0, subject.state.x, subject.state.discrete, *subject.workspace,
                                     subject.rates);
        },
        options);
    std::vector<PhaseTiming> phases;
    if (arguments.profile && !Interrupt::asked()) phases = profile(subject, options);
    print((arguments.json ? as_json : as_text)(arguments, subject, timing, phases));
    std::fflush(stdout);
    if (!Interrupt::asked()) return kDone;
    complain("sarrus: interrupted; what was measured is reported\n");
    return kInterrupted;
  } catch (const Failure& failure) {
    complain(fmt::format("sarrus: the numbers failed: {}\n", failure.what()));
    return kNumbersFailed;
  }
}

}  // namespace

void add_time(CLI::App& app, int& status) {
  auto arguments = std::make_shared<TimeArguments>();
  CLI::App* command = app.add_subcommand(
      "time", "Tell what one evaluation of a method costs, at a random state in motion");
  add_model_arguments(*command, arguments->model);
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    command->add_option(name, value, text)->option_text(type);
  };
  add("--method", arguments->method, "M", "Method, see `sarrus methods`; default auto");
  add("--threads", arguments->threads, "N", "Threads to compute with, at least 1; default 1");
  add("--repeat", arguments->repeat, "K", "Samples; default: as many as fit into a second");
  command->add_flag("--profile", arguments->profile, "Tell what each phase of the method takes");
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  command->footer("Example: sarrus time five-bar --profile");
  command->callback([arguments, &status] { status = measure(*arguments); });
}

}  // namespace sarrus::cli
