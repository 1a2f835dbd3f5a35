#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sarrus/io/model_file.h"

namespace sarrus::cli {

/// The MODEL and `--set` arguments that most subcommands have.
struct ModelArguments {
  std::string model;
  std::vector<std::string> set;

  /// @throws UsageError for a `--set` that is not PATH=VALUE.
  Overrides overrides() const;
};

void add_model_arguments(CLI::App& command, ModelArguments& arguments);

/// The arguments without the program's name, where `--set a=1 b=2` has become `--set a=1 --set b=2`,
/// so that a MODEL that follows is not taken for another value.
std::vector<std::string> split_arguments(int count, const char* const* arguments);

/// What is wrong with the command line, in a sentence, with the option that was perhaps meant.
std::string explain(const CLI::ParseError& error, const CLI::App& app);

/// @throws UsageError unless the option is positive, where it is given.
void check_positive(const std::optional<double>& value, const char* option);

/// @throws UsageError unless some threads are asked for, and not absurdly many.
void check_threads(int threads);

/// Where a page is to go. @throws UsageError when something is there that is no page.
std::filesystem::path page_path(const std::string& word);

}  // namespace sarrus::cli
