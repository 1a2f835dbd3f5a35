#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/formulations/registry.h"

namespace sarrus::cli {
namespace {

void print_methods() {
  std::vector<MethodInfo> all = {
      {"auto",
       "the default: the fastest method that can represent the mechanism; says which",
       "",
       {}}};
  all.insert(all.end(), methods().begin(), methods().end());
  std::size_t width = 0;
  for (const MethodInfo& method : all) width = std::max(width, method.name.size());
  for (const MethodInfo& method : all) {
    print(fmt::format("{:<{}}  {}{}\n", method.name, width, method.summary,
                      method.literature.empty() ? "" : fmt::format(" ({})", method.literature)));
    if (!method.settings.empty())
      print(fmt::format("{:<{}}  --set method.… : {}\n", "", width,
                        fmt::join(method.settings, ", ")));
  }
}

}  // namespace

void add_methods(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("methods", "List the methods that can move a mechanism");
  command->footer("Example: sarrus methods");
  command->callback([&status] {
    print_methods();
    status = kDone;
  });
}

}  // namespace sarrus::cli
