#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace sarrus::io {

/// A function that expressions may call; one with more arguments than two folds them in pairs.
struct Function {
  std::string_view name;
  int arguments = 1;
  bool variadic = false;  ///< `arguments` or more
  double (*call)(double a, double b) = nullptr;
};

/// sin, cos, … ; `if`, `sum` and `root` are none: they work an argument out never or often.
const std::vector<Function>& functions();

/// Index in functions(), or −1.
int find_function(std::string_view name);

/// pi, deg, true, false.
std::optional<double> constant(std::string_view name);

}  // namespace sarrus::io
