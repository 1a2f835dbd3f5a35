#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/simulate_options.h"
#include "sarrus/formulations/registry.h"
#include "sarrus/io/comparison_report.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/report/comparison_recorder.h"

namespace sarrus::cli {
namespace {

constexpr double kComparedSeconds = 2;  ///< unless the model or the command line says otherwise

struct CompareArguments {
  ModelArguments model;
  std::optional<std::string> methods;
  std::optional<double> until, every, tolerance;
  int threads = 1;
  std::string report;
  bool json = false;
};

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::erase(word, ' ');
    if (!word.empty()) names.push_back(word);
  }
  return names;
}

/// Shows what runs just now, and keeps it for the page where one is wanted.
class Onlooker : public ComparisonObserver {
 public:
  explicit Onlooker(std::optional<ComparisonRecorder>& recorder) : recorder_(recorder) {}

  void begin(const Simulation& simulation) override {
    follow(simulation, std::string(simulation.formulation().name()));
    if (recorder_) recorder_->begin(simulation);
  }
  void begin_judge(const Simulation& simulation) override {
    follow(simulation, fmt::format("{}, the judge", simulation.formulation().name()));
  }
  void step(double time) override { progress_->show(time); }
  void record(const Sample& sample) override {
    if (recorder_) recorder_->record(sample);
  }
  void end(const Simulation& simulation, const MethodResult& result) override {
    if (recorder_) recorder_->end(simulation, result);
  }

 private:
  void follow(const Simulation& simulation, const std::string& what) {
    progress_.emplace(*simulation.options().until, true, what);
  }

  std::optional<ComparisonRecorder>& recorder_;
  std::optional<Progress> progress_;
};

ComparisonOptions comparison_options(const CompareArguments& arguments,
                                     const SimulationDescription& model) {
  ComparisonOptions options = {
      .methods = split_names(arguments.methods.value_or("")),
      .until = arguments.until.value_or(model.until.value_or(kComparedSeconds)),
      .every = arguments.every.value_or(model.every.value_or(kEvery)),
      .tolerance = arguments.tolerance,
      .threads = arguments.threads,
      .stop = Interrupt::asked};
  if (arguments.methods && options.methods.empty())
    throw UsageError("--methods names no method\n  hint: `sarrus methods` lists them");
  check_positive(arguments.every, "--every");
  check_positive(arguments.tolerance, "--tolerance");
  check_threads(arguments.threads);
  if (!(options.until > 0 && std::isfinite(options.until)))
    throw UsageError(fmt::format("{} must be a positive number, not {}",
                                 arguments.until ? "--until" : "the model's `until`",
                                 options.until));
  sample_times(options.until, options.every);  // not too many
  return options;
}

int compare(const CompareArguments& arguments) {
  const Overrides overrides = arguments.model.overrides();
  for (const Override& change : overrides)
    if (change.path.starts_with("method.") || change.path.starts_with("integrator."))
      throw UsageError(
          fmt::format("--set {}: a comparison runs all methods as they are; only "
                      "parameters of the model can be set",
                      change.path));
  const Description description = load_model_description(arguments.model.model, overrides);
  ComparisonOptions options = comparison_options(arguments, description.simulation);
  const Model model = make_model(description);
  std::optional<OutputFile> page;
  std::optional<ComparisonRecorder> recorder;
  if (!arguments.report.empty()) {
    page.emplace(page_path(arguments.report));
    recorder.emplace(RunInfo{.model = arguments.model.model,
                             .every = options.every,
                             .threads = options.threads,
                             .overrides = overrides,
                             .status = {}},
                     description.title,
                     options.methods.empty() ? methods().size() : options.methods.size(),
                     sample_times(options.until, options.every).size());
  }
  Comparison comparison;
  {
    const Interrupt interrupt;
    Onlooker onlooker(recorder);
    options.observer = &onlooker;
    comparison = compare_methods(model, options);
  }
  const std::string title =
      model.name() + (description.title.empty() ? "" : ": " + description.title);
  print(arguments.json ? comparison_json(arguments.model.model, comparison)
                       : comparison_text(title, comparison));
  if (page && !recorder->empty()) recorder->write(*page, comparison);
  if (Interrupt::asked()) {
    complain("sarrus: interrupted; what was compared is reported\n");
    return kInterrupted;
  }
  return comparison.succeeded() ? kDone : kNumbersFailed;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Move a mechanism by all methods: cost, drift, energy, agreement");
  add_model_arguments(*command, arguments->model);
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    command->add_option(name, value, text)->option_text(type);
  };
  add("--methods", arguments->methods, "A,B", "These methods; default: all that can");
  add("--until", arguments->until, "T", "End of the runs [s]; default 2");
  add("--every", arguments->every, "DT", "Time between samples [s]; default 0.01");
  add("--tolerance", arguments->tolerance, "R", "Of all methods; default 1e-8");
  add("--threads", arguments->threads, "N", "Threads to compute with, at least 1; default 1");
  add("--report", arguments->report, "FILE", "Write a page with the curves of all methods");
  command->add_flag("--json", arguments->json, "Print the table as JSON");
  command->footer(
      "Distances are those from `reference` at a thousandth of the tolerance, or from the "
      "cheapest\n"
      "method where that would take long.\n\n"
      "Example: sarrus compare five-bar --report methods.html");
  command->callback([arguments, &status] { status = compare(*arguments); });
}

}  // namespace sarrus::cli
