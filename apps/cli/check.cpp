#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/io/assembly_report.h"
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
  const AssemblyTree tree = plan_assembly(model, topology);
  if (arguments.tree && !arguments.json) {
    print(fmt::format("{}\n{}", tree_text(model, topology), assembly_text(model, tree)));
    return;
  }
  const Assembly assembly = assemble(model, topology);
  const Mobility mobility = compute_mobility(model, topology, assembly.configuration);
  const CheckReport report = {model, topology, mobility, tree, assembly.moved};
  print(arguments.json ? check_json(report, arguments.tree) : check_text(report));
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a model; report loops, freedoms and redundant constraints");
  add_model_arguments(*command, arguments->model);
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  command->add_flag("--tree", arguments->tree,
                    "Print spanning and assembly tree instead; with --json: the first as well");
  command->footer("Example: sarrus check five-bar --json");
  command->callback([arguments, &status] {
    check(*arguments);
    status = kDone;
  });
}

}  // namespace sarrus::cli
