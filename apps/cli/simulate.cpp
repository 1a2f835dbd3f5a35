#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/simulate_options.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/results/results.h"

namespace sarrus::cli {
namespace {

constexpr double kEvery = 0.01;  ///< [s] between samples, unless something else is asked for

/// Wall and processor time since it was made [s].
class Stopwatch {
 public:
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double cpu() const { return static_cast<double>(std::clock() - clock_) / CLOCKS_PER_SEC; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t clock_ = std::clock();
};

// Moves the simulation to its end and hands the samples on; leaves in `info` how it went.
void advance(Simulation& simulation, const SampleTimes& times, bool quiet,
             const std::function<void(const Sample&)>& record, RunInfo& info) {
  const Interrupt interrupt;
  const Stopwatch stopwatch;
  Progress progress(*simulation.options().until, !quiet);
  simulation.stop_when(Interrupt::asked);
  simulation.on_step([&](double time) { progress.show(time); });
  info.status = simulation.advance_to(*simulation.options().until, times, record);
  simulation.on_step({});
  info.wall_seconds = stopwatch.wall();
  info.cpu_seconds = stopwatch.cpu();
}

// Closes all files; says which.
std::string finish(Results& results, const Simulation& simulation, const RunInfo& info) {
  results.complete(simulation.statistics().notes, summary_json(simulation, info));
  return fmt::format("{}: {}", results.directory().string(), fmt::join(results.file_names(), ", "));
}

// Why the run ended early, if it did.
int tell_outcome(const Simulation& simulation, const Status& status, const std::string& out) {
  if (status.ok()) return kDone;
  const bool interrupted = status.code == Status::Code::kInterrupted;
  const std::string kept =
      out.empty() ? "" : fmt::format("; what was reached is kept in '{}'", out);
  if (interrupted)
    complain(fmt::format("sarrus: interrupted at t = {:.6g} s{}\n", simulation.time(), kept));
  else
    complain(fmt::format("sarrus: the numbers failed: {}\n  reached t = {:.6g} s of {:.6g} s{}\n",
                         status.reason.empty() ? name_of(status.code) : status.reason,
                         simulation.time(), *simulation.options().until, kept));
  return interrupted ? kInterrupted : kNumbersFailed;
}

int simulate(const SimulateArguments& arguments) {
  const Stopwatch setup;
  const SimulateRequest request = make_request(arguments);
  const Description description = load_model_description(arguments.model.model, request.parameters);
  Simulation simulation(make_model(description), request.options);

  RunInfo info = {.model = arguments.model.model,
                  .every = arguments.every.value_or(description.simulation.every.value_or(kEvery)),
                  .threads = arguments.threads,
                  .overrides = arguments.model.overrides(),
                  .status = {},
                  .mobility = affordable_mobility(simulation)};
  info.setup_wall_seconds = setup.wall();
  const SampleTimes times = sample_times(*simulation.options().until, info.every);
  Instant instant(simulation.model());
  std::unique_ptr<Results> results;
  if (!arguments.out.empty())
    results = std::make_unique<Results>(
        arguments.out, instant.layout(),
        ResultsOptions{.format = request.format,
                       .model = arguments.model.model,
                       .method = std::string(simulation.formulation().name()),
                       .instants = times.size()});

  Excerpt excerpt;
  const auto record = [&](const Sample& sample) {
    excerpt.add(sample);
    if (!results) return;
    instant.update(sample);
    results->record(instant);
  };
  advance(simulation, times, arguments.quiet, record, info);

  const std::string written = results ? finish(*results, simulation, info) : "";
  if (!arguments.quiet)
    print(run_report({.simulation = simulation,
                      .info = info,
                      .excerpt = excerpt,
                      .title = description.title,
                      .written = written}));
  std::fflush(stdout);
  return tell_outcome(simulation, info.status, arguments.out);
}

}  // namespace

void add_simulate(CLI::App& app, int& status) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = app.add_subcommand("simulate", "Move a mechanism through time");
  add_simulate_arguments(*command, *arguments);
  command->footer(
      "What the model's `simulation:` block says comes before the defaults above.\n"
      "--projection moves the state back onto the constraints after every step, at every stage of\n"
      "one (redundant constraints need that), or never.\n"
      "--set takes numbers, expressions and words: --set length=0.5 n=2*4. It takes, too,\n"
      "method.name, method.projection, method.… (see `sarrus methods`), integrator.name,\n"
      "integrator.step, integrator.tolerance.\n\n"
      "Example: sarrus simulate five-bar --until 5 --every 0.05 --tolerance 1e-10 --out out");
  command->callback([arguments, &status] { status = simulate(*arguments); });
}

}  // namespace sarrus::cli
