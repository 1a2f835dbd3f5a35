#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of `sarrus`, one file each. Each function adds its own; the callback does the
/// work and leaves the exit status in `status`. Mistakes leave as exceptions: main.cpp tells them.
namespace sarrus::cli {

/// What scripts rely on.
enum ExitStatus {
  kDone = 0,
  kModelWrong = 1,
  kCommandWrong = 2,
  kNumbersFailed = 3,
  kNotTrusted = 4,     ///< reached, but a law does not hold
  kInterrupted = 130,  ///< as shells count a program that Ctrl-C ended
};

void add_simulate(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_scenarios(CLI::App& app, int& status);
void add_methods(CLI::App& app, int& status);
void add_expand(CLI::App& app, int& status);
void add_time(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_reproduce(CLI::App& app, int& status);
void add_picture(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);

}  // namespace sarrus::cli
