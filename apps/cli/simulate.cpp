#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_text.h"
#include "cli/simulate_options.h"
#include "sarrus/base/stopwatch.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/report/report.h"
#include "sarrus/io/report/scene.h"
#include "sarrus/io/results/results.h"

namespace sarrus::cli {
namespace {

// Moves the simulation to its end and hands the samples on; leaves in `info` how it went.
void advance(Simulation& simulation, const SampleTimes& times, bool quiet,
             const std::function<void(const Sample&)>& record, RunInfo& info) {
  const Interrupt interrupt;
  const Stopwatch stopwatch;
  Progress progress(*simulation.options().until, !quiet);
  simulation.stop_when(Interrupt::asked);
  simulation.on_step([&](double time) { progress.show(time); });
  info.status =
      simulation.advance_to(*simulation.options().until, times, [&](const Sample& sample) {
        record(sample);
        progress.show(sample.motion.time);  // a step may hold very many
      });
  simulation.on_step({});
  info.wall_seconds = stopwatch.wall();
  info.cpu_seconds = stopwatch.cpu();
}

// A second opinion on what has been recorded.
Verification verify(const Simulation& simulation, Verifier& verifier, bool quiet) {
  const Interrupt interrupt;
  Progress progress(*simulation.options().until, !quiet);
  return verifier.verify(Interrupt::asked, [&](double time) { progress.show(time); });
}

// What a second opinion means for the exit status of a run that ended well.
int tell_verification(const std::optional<Verification>& verification) {
  if (!verification || verification->agrees()) return kDone;
  if (verification->status.code == Status::Code::kInterrupted) {
    complain("sarrus: interrupted while the run was being verified\n");
    return kInterrupted;
  }
  if (verification->status.ok())
    complain(
        fmt::format("sarrus: not to be trusted: {} at a tolerance of {:g} tells another motion, "
                    "{:.2g} off\n  hint: where small errors grow fast all methods part after a "
                    "while; a shorter --until shows how long they agree\n",
                    verification->method, verification->tolerance, verification->distance.pose));
  else
    complain(
        fmt::format("sarrus: the run could not be verified: {}\n", verification->status.reason));
  return kNotTrusted;
}

// Why the run ended early, if it did.
int tell_outcome(const Simulation& simulation, const Status& status, const std::string& out) {
  if (status.ok()) return kDone;
  const bool interrupted = status.code == Status::Code::kInterrupted;
  const std::string kept =
      out.empty() ? "" : fmt::format("; what was reached is kept in '{}'", out);
  if (status.code == Status::Code::kDoubtful) {
    complain(fmt::format(
        "sarrus: {}\n  reached t = {:.6g} s of {:.6g} s{}\n  hint: --verify compares with "
        "another method; another --method, a tighter --tolerance or a shorter --step may "
        "do better; --guard tell goes on all the same\n",
        status.reason, simulation.time(), *simulation.options().until, kept));
    return kNotTrusted;
  }
  if (interrupted)
    complain(fmt::format("sarrus: interrupted at t = {:.6g} s{}\n", simulation.time(), kept));
  else
    complain(fmt::format("sarrus: the numbers failed: {}\n  reached t = {:.6g} s of {:.6g} s{}\n",
                         status.reason.empty() ? name_of(status.code) : status.reason,
                         simulation.time(), *simulation.options().until, kept));
  return interrupted ? kInterrupted : kNumbersFailed;
}

std::vector<ConnectionOutline> connections_of(const Simulation& simulation) {
  std::vector<ConnectionOutline> connections;
  for (const ConnectingJoint& one : simulation.formulation().connecting_joints())
    connections.push_back(
        {simulation.model().joint(one.joint).name, one.closes_loop, one.piece_a, one.piece_b});
  return connections;
}

/// Where the samples of a run go besides the terminal.
class Outputs {
 public:
  /// Starts all files: what cannot be written is told before the run.
  Outputs(const SimulateArguments& arguments, const SimulateRequest& request,
          const Simulation& simulation, const std::string& title, std::size_t samples)
      : simulation_(simulation),
        title_(title),
        instant_(simulation.model(), connections_of(simulation)) {
    if (arguments.out.empty() && arguments.report.empty()) return;
    scene_ = scene_json(simulation.model(), simulation.assembly().configuration, title_);
    if (!arguments.out.empty())
      results_.emplace(arguments.out, instant_.layout(),
                       ResultsOptions{.format = request.format,
                                      .model = arguments.model.model,
                                      .method = std::string(simulation.formulation().name()),
                                      .instants = samples,
                                      .scene = scene_});
    if (arguments.report.empty()) return;
    page_.emplace(page_path(arguments.report));
    recording_.emplace(instant_.layout(), RecordingOptions{.samples = samples});
  }

  void record(const Sample& sample) {
    if (!results_ && !recording_) return;
    if (std::exchange(revision_, simulation_.revision()) != simulation_.revision())
      instant_.follow(simulation_.model());
    instant_.update(sample);
    if (results_) results_->record(instant_);
    if (recording_) recording_->add(instant_.time(), instant_.numbers());
  }

  /// Completes all files; says which.
  std::string complete(const RunInfo& info) {
    const std::vector<Note>& notes = simulation_.statistics().notes;
    const std::string summary = summary_json(simulation_, info);
    std::vector<std::string> written;
    if (results_) {
      results_->complete(notes, summary);
      written.push_back(fmt::format("{}: {}", results_->directory().string(),
                                    fmt::join(results_->file_names(), ", ")));
    }
    if (page_) {
      recording_->finish();
      write_report(
          *page_,
          {.title = simulation_.model().name(),
           .description = title_,
           .scene = scene_,
           .table = {},
           .runs = {{std::string(simulation_.formulation().name()), summary, *recording_, notes}}});
      written.push_back(page_->path().string());
    }
    return fmt::format("{}", fmt::join(written, "; "));
  }

 private:
  const Simulation& simulation_;
  std::string title_;
  Instant instant_;
  long revision_ = 0;
  std::string scene_;
  std::optional<Results> results_;
  std::optional<OutputFile> page_;
  std::optional<Recording> recording_;
};

int simulate(const SimulateArguments& arguments) {
  const Stopwatch setup;
  const SimulateRequest request = make_request(arguments);
  const Description description = load_model_description(arguments.model.model, request.parameters);
  const Model model = make_model(description);
  Simulation simulation(model, request.options);

  RunInfo info = {.model = arguments.model.model,
                  .every = arguments.every.value_or(description.simulation.every.value_or(kEvery)),
                  .threads = arguments.threads,
                  .overrides = arguments.model.overrides(),
                  .status = {}};
  note_start(simulation, info);
  info.setup_wall_seconds = setup.wall();
  const SampleTimes times = sample_times(*simulation.options().until, info.every);
  Outputs outputs(arguments, request, simulation, description.title, times.size());
  Excerpt excerpt;
  std::optional<Verifier> verifier;
  if (arguments.verify) verifier.emplace(simulation, model, request.options, times);
  const auto record = [&](const Sample& sample) {
    outputs.record(sample);
    excerpt.add(sample);
    if (verifier) verifier->record(sample);
  };
  advance(simulation, times, arguments.quiet, record, info);
  if (verifier && info.status.code != Status::Code::kInterrupted)
    info.verification = verify(simulation, *verifier, arguments.quiet);

  const auto tell = [&](const std::string& written) {
    if (!arguments.quiet)
      print(run_text({.simulation = simulation,
                      .info = info,
                      .excerpt = excerpt,
                      .title = description.title,
                      .written = written}));
    std::fflush(stdout);
  };
  try {
    tell(outputs.complete(info));
  } catch (const UsageError&) {  // the run is worth telling all the same
    tell("");
    tell_outcome(simulation, info.status, "");
    throw;
  }
  const int outcome = tell_outcome(simulation, info.status, arguments.out);
  return outcome == kDone ? tell_verification(info.verification) : outcome;
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
