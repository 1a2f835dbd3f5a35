#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/io/report/stored_run.h"
#include "sarrus/io/results/results.h"

namespace sarrus::cli {
namespace {

struct ReportArguments {
  std::string directory;
  std::string out;
};

void report(const ReportArguments& arguments) {
  const StoredRun run = find_run(arguments.directory);
  const bool beside = arguments.out.empty();
  OutputFile file(beside ? run.directory / kPageFile : page_path(arguments.out));
  write_report(file, run);
  if (beside) print(file.path().string() + '\n');
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "report", "Make a page of a run from its results: animation, curves, summary");
  command->add_option("DIR", arguments->directory, "A folder that `simulate --out` has written")
      ->required()
      ->option_text(" ");
  command->add_option("--out", arguments->out, "The page; default report.html in that folder")
      ->option_text("FILE");
  command->footer("Example: sarrus report out --out five-bar.html");
  command->callback([arguments, &status] {
    report(*arguments);
    status = kDone;
  });
}

}  // namespace sarrus::cli
