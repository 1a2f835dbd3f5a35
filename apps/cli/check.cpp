#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/io/check_report.h"
#include "sarrus/io/load_model.h"

namespace sarrus::cli {
namespace {

struct CheckArguments {
  ModelArguments model;
  bool json = false;
  bool tree = false;
};

void check(const CheckArguments& arguments) {
  const Model model = load_model(arguments.model.model, arguments.model.overrides());
  const Topology topology = analyse_topology(model);
  if (arguments.tree && !arguments.json) {
    fmt::print("{}", tree_text(model, topology));
    return;
  }
  const Assembly assembly = assemble(model, topology);
  const Mobility mobility = compute_mobility(model, topology, assembly.configuration);
  const CheckReport report = {model, topology, mobility, assembly.moved};
  fmt::print("{}", arguments.json ? check_json(report, arguments.tree) : check_text(report));
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a model; report loops, freedoms and redundant constraints");
  add_model_arguments(*command, arguments->model);
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  command->add_flag("--tree", arguments->tree,
                    "Print the spanning tree and the cut joints instead; with --json: as well");
  command->footer("Example: sarrus check five-bar --json");
  command->callback([arguments, &status] {
    check(*arguments);
    status = kDone;
  });
}

}  // namespace sarrus::cli
