#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/scenario_directory.h"

namespace sarrus::cli {
namespace {

void print_scenarios() {
  const auto scenarios = list_scenarios();
  if (scenarios.empty())
    throw UsageError(
        fmt::format("there are no scenarios in '{}'; SARRUS_SCENARIOS may name "
                    "another folder",
                    scenario_directory().string()));
  std::size_t width = 0;
  for (const auto& scenario : scenarios) width = std::max(width, scenario.name.size());
  for (const auto& [name, title, file] : scenarios)
    print((title.empty() ? name : fmt::format("{:<{}}  {}", name, width, title)) + '\n');
}

}  // namespace

void add_scenarios(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("scenarios", "List the mechanisms that come along");
  command->footer("Example: sarrus scenarios");
  command->callback([&status] {
    print_scenarios();
    status = kDone;
  });
}

}  // namespace sarrus::cli
