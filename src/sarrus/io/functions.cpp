#include "sarrus/io/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "sarrus/io/expression.h"

namespace sarrus::io {
namespace {

struct Constant {
  std::string_view name;
  double value;
};
constexpr std::array<Constant, 4> kConstants = {
    {{"pi", std::numbers::pi}, {"deg", std::numbers::pi / 180}, {"true", 1}, {"false", 0}}};

// The remainder with the divisor's sign, so that mod(i - 1, n) goes round a ring.
double floored_mod(double a, double b) {
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"sin", 1, false, [](double a, double) { return std::sin(a); }},
      {"cos", 1, false, [](double a, double) { return std::cos(a); }},
      {"tan", 1, false, [](double a, double) { return std::tan(a); }},
      {"asin", 1, false, [](double a, double) { return std::asin(a); }},
      {"acos", 1, false, [](double a, double) { return std::acos(a); }},
      {"atan", 1, false, [](double a, double) { return std::atan(a); }},
      {"atan2", 2, false, [](double a, double b) { return std::atan2(a, b); }},
      {"sqrt", 1, false, [](double a, double) { return std::sqrt(a); }},
      {"abs", 1, false, [](double a, double) { return std::abs(a); }},
      {"exp", 1, false, [](double a, double) { return std::exp(a); }},
      {"log", 1, false, [](double a, double) { return std::log(a); }},
      {"floor", 1, false, [](double a, double) { return std::floor(a); }},
      {"ceil", 1, false, [](double a, double) { return std::ceil(a); }},
      {"round", 1, false, [](double a, double) { return std::round(a); }},
      {"min", 2, true, [](double a, double b) { return std::min(a, b); }},
      {"max", 2, true, [](double a, double b) { return std::max(a, b); }},
      {"mod", 2, false, floored_mod},
      {"hypot", 2, true, [](double a, double b) { return std::hypot(a, b); }},
  };
  return all;
}

int find_function(std::string_view name) {
  const auto& all = functions();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Function& function) { return function.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

std::optional<double> constant(std::string_view name) {
  for (const Constant& known : kConstants)
    if (known.name == name) return known.value;
  return std::nullopt;
}

const std::vector<std::string>& reserved_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Function& function : functions()) all.emplace_back(function.name);
    for (const Constant& known : kConstants) all.emplace_back(known.name);
    for (const char* word : {"if", "sum", "root", "and", "or", "not"}) all.emplace_back(word);
    return all;
  }();
  return names;
}

bool is_reserved(std::string_view name) {
  const auto& names = reserved_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace sarrus::io
