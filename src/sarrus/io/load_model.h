#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sarrus/io/model_file.h"
#include "sarrus/model/model.h"

namespace sarrus {

/// A mechanism that comes with the program: one folder of scenario_directory().
struct ScenarioInfo {
  std::string name;   ///< the folder's: `five-bar`
  std::string title;  ///< from its model file; empty where that has none or cannot be read
  std::filesystem::path file;
};

/// All scenarios, by name.
std::vector<ScenarioInfo> list_scenarios();

/// The model file that a word on the command line means: a scenario's name, a file, or a folder
/// with a `model.yaml` in it.
/// @throws UsageError when there is no such thing; the message says which name is near.
std::filesystem::path find_model_file(const std::string& name_or_path);

/// Finds and reads a model.
/// @throws UsageError when it cannot be found or read, or an override fits no parameter; ModelError
///         for mistakes in the file.
Description load_model_description(const std::string& name_or_path,
                                   const Overrides& overrides = {});

/// The model of a description, checked for words that only the upper layers know: methods and
/// integrators in its `simulation:` block.
/// @throws ModelError with every mistake.
Model make_model(const Description& description);

/// Both in one.
Model load_model(const std::string& name_or_path, const Overrides& overrides = {});

}  // namespace sarrus
