// What an edit of a running mechanism costs: a joint cut, the same joint restored; beside it, one
// evaluation of the rates.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sarrus/analysis/moving_state.h"
#include "sarrus/base/stopwatch.h"
#include "sarrus/io/load_model.h"
#include "sarrus/simulation/live_edits.h"
#include "sarrus/simulation/simulation.h"

namespace sarrus::bench {
namespace {

struct Case {
  std::string model;
  Overrides parameters;
  std::string joint;  ///< cut and restored; empty: the one in the middle
};

struct Arguments {
  std::vector<std::string> methods = {
      "order-n",  "coordinate-reduction", "augmented-dca", "hamiltonian-dca",      "uzawa",
      "branches", "mass-matrix",          "baumgarte",     "augmented-lagrangian", "reference"};
  std::vector<std::string> models;
  int repetitions = 30;
};

double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }

// Functions of their own, so that a profiler can count the instructions of either:
// valgrind --tool=callgrind --toggle-collect='*cut_joint*' …
[[gnu::noinline]] EditReport cut_joint(Simulation& simulation, const std::string& joint) {
  return simulation.edit(Transaction{Edit{CutJoint{joint}}});
}
[[gnu::noinline]] EditReport restore_joint(Simulation& simulation, const std::string& joint) {
  return simulation.edit(Transaction{Edit{RestoreJoint{joint}}});
}

[[gnu::noinline]] Status evaluate_rates(const Formulation& method, const MovingState& at, double t,
                                        Workspace& workspace, std::span<double> rates) {
  return method.rates(t, at.x, at.discrete, workspace, rates);
}

double time_of_rates(Simulation& simulation, int repetitions) {
  const Formulation& method = simulation.formulation();
  MovingState at;
  at.x.resize(static_cast<std::size_t>(method.layout().size()));
  method.encode(simulation.sample().motion.configuration, at.x, at.discrete);
  const auto workspace = method.make_workspace();
  std::vector<double> rates(static_cast<std::size_t>(method.layout().tangent_size()));
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const Stopwatch watch;
    if (const Status status = evaluate_rates(method, at, simulation.time(), *workspace, rates);
        !status.ok())
      throw std::runtime_error(status.reason);
    times.push_back(watch.wall());
  }
  return least(times);
}

void print_case(const Case& one, const std::string& method, int repetitions) {
  SimulationOptions options;
  options.method = method;
  if (method == "order-n") options.settings = {{"baumgarte", "20"}};
  Simulation simulation(load_model(one.model, one.parameters), options);
  if (const Status status = simulation.advance_to(0.02); !status.ok())
    throw std::runtime_error(status.reason);
  const Model& model = simulation.model();
  const int bodies = model.body_count() - 1, loops = simulation.topology().loop_count();
  const std::string joint =
      one.joint.empty() ? model.joints()[model.joints().size() / 2].name : one.joint;
  std::vector<double> cut, restore;
  for (int i = 0; i < repetitions; ++i) {
    for (const auto& [times, edit] :
         {std::pair{&cut, &cut_joint}, std::pair{&restore, &restore_joint}}) {
      const Stopwatch watch;
      const EditReport report = edit(simulation, joint);
      times->push_back(watch.wall());
      if (!report.status.ok()) throw std::runtime_error(report.status.reason);
      if (const Status status = simulation.advance_to(simulation.time() + 1e-4); !status.ok())
        throw std::runtime_error(status.reason);
    }
  }
  fmt::print("{:<14}{:>8}{:>8}  {:<22}{:>10.3f}{:>10.3f}{:>12.3f}\n", one.model, bodies, loops,
             method, 1e3 * least(cut), 1e3 * least(restore),
             1e3 * time_of_rates(simulation, repetitions));
  std::fflush(stdout);
}

int run(int count, char** words) {
  Arguments arguments;
  CLI::App app(
      "Time of a cut, of the joint's restoring and of an evaluation of the rates, the least");
  app.add_option("--method", arguments.methods, "default: all");
  app.add_option("--model", arguments.models, "chain, ladder, n-four-bar; default: all");
  app.add_option("--repetitions", arguments.repetitions, "default 30");
  CLI11_PARSE(app, count, words);
  const std::vector<Case> cases{{"chain", {{"links", "50"}}, ""},
                                {"ladder", {{"cells", "25"}}, ""},
                                {"n-four-bar", {{"loops", "25"}}, ""}};
  fmt::print("{:<14}{:>8}{:>8}  {:<22}{:>10}{:>10}{:>12}\n", "mechanism", "bodies", "loops",
             "method", "cut [ms]", "restore", "evaluation");
  for (const Case& one : cases) {
    if (!arguments.models.empty() &&
        std::ranges::find(arguments.models, one.model) == arguments.models.end())
      continue;
    for (const std::string& method : arguments.methods) {
      try {
        print_case(one, method, method == "reference" ? 3 : arguments.repetitions);
      } catch (const std::exception& error) {
        fmt::print("{:<14}{:>16}  {:<22}{}\n", one.model, "", method, error.what());
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace sarrus::bench

int main(int count, char** words) {
  try {
    return sarrus::bench::run(count, words);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
