#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sarrus::cli {
namespace {

// The subcommand that the user called, or the program itself.
const CLI::App& called(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : *subcommands.front();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({}))
    names.push_back(subcommand->get_name());
  return names;
}

std::string explain_unexpected(const std::string& word, const CLI::App& app) {
  const CLI::App& command = called(app);
  if (word.starts_with("-"))
    return fmt::format(
        "there is no option '{}'\n  hint: {}", word,
        suggestion(word.substr(0, word.find('=')), option_names(command), "options"));
  if (&command == &app)
    return fmt::format("there is no command '{}'\n  hint: {}", word,
                       suggestion(word, subcommand_names(app), "commands"));
  return fmt::format("'{}' is one word too many for '{}'", word, command.get_name());
}

// CLI11's messages in our words, where they are known; else as they are.
std::string reworded(const std::string& message) {
  constexpr std::string_view kConversion = "Could not convert: ";
  if (message.starts_with(kConversion)) {
    const std::size_t equals = message.find(" = ");
    if (equals != std::string::npos)
      return fmt::format("{} must be a number, not '{}'",
                         message.substr(kConversion.size(), equals - kConversion.size()),
                         message.substr(equals + 3));
  }
  const std::string option = message.substr(0, message.find(':'));
  if (message.ends_with(" missing")) return fmt::format("{} needs a value", option);
  if (message.find("required but received") != std::string::npos)
    return fmt::format("{} is given more than once", option);
  return message;
}

}  // namespace

Overrides ModelArguments::overrides() const {
  Overrides all;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      throw UsageError(fmt::format("--set needs PATH=VALUE, not '{}'", text));
    all.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return all;
}

void add_model_arguments(CLI::App& command, ModelArguments& arguments) {
  command
      .add_option("MODEL", arguments.model,
                  "A scenario's name (see `sarrus scenarios`) or a model file")
      ->required()
      ->option_text(" ");
  command.add_option("--set", arguments.set, "Other values for parameters of the model")
      ->allow_extra_args(false)
      ->option_text("PATH=VALUE ...");
}

std::vector<std::string> split_arguments(int count, const char* const* arguments) {
  std::vector<std::string> split;
  bool after_set = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const bool is_value = !word.starts_with("-") && word.find('=') != std::string::npos;
    if (after_set && is_value && split.back() != "--set") split.emplace_back("--set");
    after_set = word == "--set" || (after_set && is_value);
    split.push_back(word);
  }
  return split;
}

std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool has_command = &called(app) != &app;
  if (const auto words = app.remaining(true); !words.empty() && (is_extra || !has_command))
    return explain_unexpected(words.front(), app);
  if (is_required && has_command)
    return fmt::format("'{0}' needs a {1}; see `sarrus {0} --help`", called(app).get_name(),
                       called(app).get_option_no_throw("MODEL") != nullptr ? "MODEL" : "DIR");
  if (is_required)
    return fmt::format("a command is missing\n  hint: known commands: {}; see `sarrus --help`",
                       fmt::join(subcommand_names(app), ", "));
  return reworded(error.what());
}

void check_positive(const std::optional<double>& value, const char* option) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    throw UsageError(fmt::format("{} must be a positive number, not {}", option, *value));
}

void check_threads(int threads) {
  constexpr int kMost = 256;
  if (threads < 1 || threads > kMost)
    throw UsageError(
        fmt::format("--threads must be from 1 to {}, not {}; more than there are cores do not help",
                    kMost, threads));
}

std::filesystem::path page_path(const std::string& word) {
  const std::filesystem::path path = word;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && path.extension() != ".html" &&
      path.extension() != ".htm")
    throw UsageError(
        fmt::format("'{}' is there, and is no page\n  hint: give the page a name that ends in "
                    ".html",
                    word));
  return path;
}

}  // namespace sarrus::cli
