#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sarrus/model/description.h"

namespace sarrus {

/// Another value for a parameter of a model file, as `--set path=value` gives it: an expression, or
/// a word where the parameter holds a text.
struct Override {
  std::string path;
  std::string value;
};
using Overrides = std::vector<Override>;

/// What a model file says, and the values its parameters had.
struct ModelFile {
  Description description;
  std::map<std::string, double> parameters;
  std::map<std::string, std::string> text_parameters;
};

/// Reads a model file, whose format docs/reference/model_format.md describes.
///
/// Finds all that can be wrong with the file by itself, in one pass: grammar, unknown keys, missing
/// values, bad expressions. What needs the whole mechanism (names that nothing has, masses that no
/// body can have) `Model` finds, from the places that every element's `Source` keeps.
///
/// @throws ModelError with every mistake, each with its line and column.
/// @throws UsageError when the file cannot be read.
ModelFile load_model_file(const std::filesystem::path& path, const Overrides& overrides = {});
Description load_description(const std::filesystem::path& path, const Overrides& overrides = {});

/// The same from a text; `file_name` is what messages call it.
ModelFile parse_model_file(std::string_view text, std::string file_name,
                           const Overrides& overrides = {});
Description parse_description(std::string_view text, std::string file_name,
                              const Overrides& overrides = {});

}  // namespace sarrus
