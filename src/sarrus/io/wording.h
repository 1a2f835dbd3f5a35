#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "sarrus/model/model.h"

/// Words and lists of names for reports.
namespace sarrus {

/// "a, b, c" or "a, b, … and 40 more".
inline std::string shortened(const std::vector<std::string>& names, std::size_t most = 8) {
  if (names.size() <= most + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "{}, … and {} more",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), ", "),
      names.size() - most);
}

/// "4 bodies", "1 body": regular plurals, and body.
inline std::string counted(std::size_t n, std::string_view noun) {
  if (n == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", n, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", n, noun);
}
inline std::string counted(int n, std::string_view noun) {
  return counted(static_cast<std::size_t>(n), noun);
}

inline std::vector<std::string> names_of(const Model& model, const std::vector<JointId>& joints) {
  std::vector<std::string> names;
  for (const JointId joint : joints) names.push_back(model.joint(joint).name);
  return names;
}
inline std::vector<std::string> names_of(const Model& model, const std::vector<BodyId>& bodies) {
  std::vector<std::string> names;
  for (const BodyId body : bodies) names.push_back(model.body(body).name);
  return names;
}

}  // namespace sarrus
