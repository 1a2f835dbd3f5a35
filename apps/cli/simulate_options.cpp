#include "cli/simulate_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sarrus/simulation/options.h"

namespace sarrus::cli {
namespace {

double number(const std::string& text, const std::string& name) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} must be a number, not '{}'", name, text));
  return value;
}

template <class T>
void set_once(std::optional<T>& field, T value, const std::string& path) {
  if (field)
    throw UsageError(fmt::format("--set {} repeats an option that is given already", path));
  field = std::move(value);
}

// The settings there are beside the model's parameters.
void apply_setting(const Override& setting, SimulateArguments& arguments) {
  static const std::vector<std::string> kPaths = {"integrator.name", "integrator.step",
                                                  "integrator.tolerance"};
  const auto& [path, value] = setting;
  if (path == "method.name")
    set_once(arguments.method, value, path);
  else if (path == "method.projection")
    set_once(arguments.projection, value, path);
  else if (path.starts_with("method."))
    arguments.settings.push_back({path.substr(7), value});  // the method knows what it means
  else if (path == "integrator.name")
    set_once(arguments.integrator, value, path);
  else if (path == "integrator.step")
    set_once(arguments.step, number(value, path), path);
  else if (path == "integrator.tolerance")
    set_once(arguments.tolerance, number(value, path), path);
  else
    throw UsageError(fmt::format("--set {}: there is no such setting\n  hint: {}", path,
                                 suggestion(path, kPaths, "settings")));
}

Projection projection_of(const std::string& name) {
  if (const auto projection = projection_from(name)) return *projection;
  throw UsageError(fmt::format("there is no projection '{}'\n  hint: {}", name,
                               suggestion(name, {"auto", "off", "step", "stage"}, "projections")));
}

GuardAction guard_of(const std::string& name) {
  static const std::vector<std::string> kNames = {"stop", "tell",
                                                  "off"};  // in the order of GuardAction
  const auto found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<GuardAction>(found - kNames.begin());
  throw UsageError(
      fmt::format("--guard cannot be '{}'\n  hint: {}", name, suggestion(name, kNames, "choices")));
}

}  // namespace

void add_simulate_arguments(CLI::App& command, SimulateArguments& arguments) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    return command.add_option(name, value, text)->option_text(type);
  };
  add_model_arguments(command, arguments.model);
  add("--method", arguments.method, "M",
      "Method, see `sarrus methods`; default auto, the fastest that will do");
  add("--until", arguments.until, "T", "End of the run [s]; default 10");
  add("--every", arguments.every, "DT", "Time between samples [s]; default 0.01");
  add("--integrator", arguments.integrator, "I", "Integrator; default dopri5");
  add("--step", arguments.step, "H", "Fixed step [s] instead of an adaptive one");
  add("--tolerance", arguments.tolerance, "R",
      "Relative and absolute tolerance of adaptive steps; default 1e-8");
  add("--projection", arguments.projection, "WHEN",
      "Back onto the constraints: auto, off, step or stage; default auto");
  add("--threads", arguments.threads, "N", "Threads to compute with, at least 1; default 1");
  add("--out", arguments.out, "DIR", "Write the results into this folder");
  add("--format", arguments.format, "F", "Of the results: csv, hdf5 or both; default csv");
  add("--report", arguments.report, "FILE", "Write a page that shows the run: animation, curves");
  add("--guard", arguments.guard, "WHAT",
      "Where the motion breaks a law: stop (exit 4), tell or off; default stop");
  command.add_flag("--verify", arguments.verify,
                   "Repeat the run with another method, tell the digits both share");
  command.add_flag("--quiet", arguments.quiet, "No report and no progress; errors are still told");
}

SimulateRequest make_request(const SimulateArguments& given) {
  SimulateArguments arguments = given;
  SimulateRequest request;
  for (const Override& change : given.model.overrides())
    if (change.path.starts_with("method.") || change.path.starts_with("integrator."))
      apply_setting(change, arguments);
    else
      request.parameters.push_back(change);

  if (arguments.step && arguments.tolerance)
    throw UsageError("--step and --tolerance exclude each other: a fixed step has no tolerance");
  check_positive(arguments.step, "--step");
  check_positive(arguments.tolerance, "--tolerance");
  check_positive(arguments.every, "--every");
  if (arguments.until && !(*arguments.until >= 0 && std::isfinite(*arguments.until)))
    throw UsageError(fmt::format("--until must be a number ≥ 0, not {}", *arguments.until));
  check_threads(arguments.threads);

  request.options = {.method = arguments.method,
                     .settings = arguments.settings,
                     .integrator = arguments.integrator,
                     .step = arguments.step,
                     .tolerance = arguments.tolerance,
                     .projection = std::nullopt,
                     .until = arguments.until,
                     .threads = arguments.threads,
                     .subsystems = {},
                     .guard = guard_of(arguments.guard)};
  if (arguments.projection) request.options.projection = projection_of(*arguments.projection);
  request.format = results_format(arguments.format);
  if (arguments.out.empty() && request.format != ResultsFormat::kCsv)
    throw UsageError(
        "--format is that of the results, and nothing says where they go\n"
        "  hint: add --out DIR");
  return request;
}

SampleTimes sample_times(double until, double every) {
  constexpr double kMost = 1e9;
  if (!(until / every < kMost))
    throw UsageError(
        fmt::format("a sample every {:g} s until {:g} s makes {:.3g} of them; take a "
                    "larger --every",
                    every, until, until / every));
  return SampleTimes::every(every, until);
}

}  // namespace sarrus::cli
