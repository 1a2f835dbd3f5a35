#include "sarrus/formulations/setting_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sarrus/base/diagnostics.h"

namespace sarrus {

double positive_number(const MethodSetting& setting, bool zero_too) {
  double value = 0;
  const std::string& text = setting.value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(value) || value < 0 || (value == 0 && !zero_too))
    throw UsageError(fmt::format("method.{} must be a {} number, not '{}'", setting.name,
                                 zero_too ? "non-negative" : "positive", text));
  return value;
}

int whole_number(const MethodSetting& setting, int most) {
  const double value = positive_number(setting);
  if (value != std::floor(value) || value > most)
    throw UsageError(fmt::format("method.{} must be a whole number from 1 to {}, not '{}'",
                                 setting.name, most, setting.value));
  return static_cast<int>(value);
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    parts.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return parts;
}

int one_of(const MethodSetting& setting, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, setting.value);
  if (found == words.end())
    throw UsageError(fmt::format("method.{} cannot be '{}'\n  hint: {}", setting.name,
                                 setting.value, suggestion(setting.value, words, "values")));
  return static_cast<int>(found - words.begin());
}

}  // namespace sarrus
