#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/base/diagnostics.h"
#include "sarrus/base/version.h"
#include "sarrus/io/results/hdf5_file.h"

namespace sarrus::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  sarrus scenarios                               what there is to simulate
  sarrus check five-bar                          freedoms, loops, redundant constraints
  sarrus simulate five-bar --until 5 --out out   five seconds of motion as CSV files in out/
  sarrus simulate five-bar --report motion.html  a page that shows the motion

Exit status: 0 done; 1 the model is wrong; 2 the command line is wrong; 3 the numbers failed;
130 interrupted.
`sarrus COMMAND --help` tells more about a command.)";

void add_commands(CLI::App& app, int& status) {
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("sarrus {}", kVersion), "Print the version");
  app.set_help_flag("-h,--help", "Print this text");
  app.footer(kFooter);
  app.get_formatter()->column_width(26);
  app.failure_message(CLI::FailureMessage::simple);
  add_simulate(app, status);
  add_check(app, status);
  add_scenarios(app, status);
  add_methods(app, status);
  add_picture(app, status);
  add_report(app, status);
  add_time(app, status);
  add_compare(app, status);
  add_expand(app, status);
  add_reproduce(app, status);
}

int parse(CLI::App& app, std::vector<std::string> arguments, const int& status) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
    return status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    throw UsageError(explain(error, app));
  }
}

int run(int count, const char* const* arguments) {
  int status = kDone;
  CLI::App app("Sarrus simulates mechanisms: bodies joined in any way, loops included.", "sarrus");
  add_commands(app, status);
  try {
    return finish_output(parse(app, split_arguments(count, arguments), status));
  } catch (const ModelError& error) {
    complain(fmt::format("{}\n", error.what()));
    return kModelWrong;
  } catch (const UsageError& error) {
    complain(fmt::format("sarrus: {}\n", error.what()));
    return kCommandWrong;
  }
}

}  // namespace
}  // namespace sarrus::cli

int main(int count, char** arguments) {
  sarrus::cli::survive_failed_writes();
  sarrus::Hdf5File::leave_alone_at_exit();
  try {
    return sarrus::cli::run(count, arguments);
  } catch (const std::exception& error) {
    // Out of memory, or a mistake of ours.
    std::fprintf(stderr, "sarrus: %s\n", error.what());
    return sarrus::cli::kNumbersFailed;
  }
}
