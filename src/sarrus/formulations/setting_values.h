#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sarrus/formulations/formulation.h"

/// Reading the words of a method's settings.
namespace sarrus {

/// @throws UsageError when the value is not a positive number (or zero, where that is allowed).
double positive_number(const MethodSetting& setting, bool zero_too = false);

/// @throws UsageError when the value is not a whole number from 1 to `most`.
int whole_number(const MethodSetting& setting, int most);

/// The parts between commas.
std::vector<std::string> parts_of(const std::string& text);

/// The place of the value among `words`.
/// @throws UsageError when it is none of them.
int one_of(const MethodSetting& setting, const std::vector<std::string>& words);

}  // namespace sarrus
