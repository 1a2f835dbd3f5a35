#include "sarrus/io/load_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "sarrus/formulations/registry.h"
#include "sarrus/integration/make_stepper.h"
#include "sarrus/io/scenario_directory.h"
#include "sarrus/io/yaml_tree.h"

namespace sarrus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileInFolder = "model.yaml";

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none) && !fs::is_directory(path, none);
}

// Only the title is wanted, so the rest is not worked out, unless the title names parameters. A
// broken file is told when it is used.
std::string title_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  try {
    const io::YamlTree tree(std::move(text), file.string());
    const io::YamlNode* title = tree.root().find("title");
    if (title == nullptr) return "";
    const bool names_parameters = title->text.find('{') != std::string::npos;
    return names_parameters ? load_description(file).title : title->text;
  } catch (const ModelError&) {
    return "";
  }
}

// `name` → its file, without opening any.
std::vector<ScenarioInfo> find_scenarios() {
  std::vector<ScenarioInfo> scenarios;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(scenario_directory(), none))
    if (fs::path file = entry.path() / kFileInFolder; is_file(file))
      scenarios.push_back({entry.path().filename().string(), "", std::move(file)});
  std::sort(scenarios.begin(), scenarios.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return scenarios;
}

[[noreturn]] void fail_to_find(const std::string& word, const std::vector<ScenarioInfo>& known) {
  std::vector<std::string> names;
  for (const ScenarioInfo& scenario : known) names.push_back(scenario.name);
  const bool looks_like_file =
      word.find('/') != std::string::npos || fs::path(word).has_extension();
  std::error_code none;
  if (fs::is_directory(word, none))
    throw UsageError(fmt::format("there is no '{}' in the folder '{}'", kFileInFolder, word));
  if (looks_like_file && closest(word, names).empty())
    throw UsageError(fmt::format("there is no file '{}'", word));
  throw UsageError(
      fmt::format("there is no scenario and no file '{}'\n  hint: {}; a file is named by its path",
                  word, suggestion(word, names, "scenarios")));
}

// An override that fits nothing is a slip on the command line, not in the model; what else is wrong
// may only follow from it.
void throw_if_from_command_line(const ModelError& error) {
  std::string text;
  for (const Diagnostic& diagnostic : error.diagnostics())
    if (diagnostic.where.file.text().starts_with("--set "))
      text += (text.empty() ? "" : "\n") + to_string(diagnostic);
  if (!text.empty()) throw UsageError(text);
}

}  // namespace

std::vector<ScenarioInfo> list_scenarios() {
  std::vector<ScenarioInfo> scenarios = find_scenarios();
  for (ScenarioInfo& scenario : scenarios) scenario.title = title_of(scenario.file);
  return scenarios;
}

fs::path find_model_file(const std::string& name_or_path) {
  const std::vector<ScenarioInfo> scenarios = find_scenarios();
  for (const ScenarioInfo& scenario : scenarios)
    if (scenario.name == name_or_path) return scenario.file;
  if (is_file(name_or_path)) return name_or_path;
  if (fs::path inside = fs::path(name_or_path) / kFileInFolder;
      !name_or_path.empty() && is_file(inside))
    return inside;
  fail_to_find(name_or_path, scenarios);
}

Description load_model_description(const std::string& name_or_path, const Overrides& overrides) {
  const fs::path file = find_model_file(name_or_path);
  try {
    return load_description(file, overrides);
  } catch (const ModelError& error) {
    throw_if_from_command_line(error);
    throw;
  }
}

Model make_model(const Description& description) {
  std::vector<Diagnostic> problems;
  const auto check = [&](const std::optional<std::string>& word, const char* kind,
                         const std::vector<std::string>& known) {
    if (word && std::find(known.begin(), known.end(), *word) == known.end())
      problems.push_back({description.simulation.source.at(kind),
                          fmt::format("there is no {} '{}'", kind, *word),
                          suggestion(*word, known, fmt::format("{}s", kind))});
  };
  std::vector<std::string> method_names = {"auto"};
  for (const MethodInfo& method : methods()) method_names.push_back(method.name);
  check(description.simulation.method, "method", method_names);
  check(description.simulation.integrator, "integrator", integrator_names());
  if (problems.empty()) return Model(description);

  // Told together with whatever else is wrong.
  try {
    const Model model(description);
  } catch (const ModelError& error) {
    problems.insert(problems.begin(), error.diagnostics().begin(), error.diagnostics().end());
  }
  throw ModelError(std::move(problems));
}

Model load_model(const std::string& name_or_path, const Overrides& overrides) {
  return make_model(load_model_description(name_or_path, overrides));
}

}  // namespace sarrus
