#pragma once

#include <string>

#include "sarrus/simulation/comparison.h"

namespace sarrus {

/// A comparison as a table for people; `title` is its first line.
std::string comparison_text(const std::string& title, const Comparison& comparison);

/// The same for programs. Its keys: docs/reference/command_line.md.
std::string comparison_json(const std::string& model, const Comparison& comparison);

/// The table of a page, see Report::table.
std::string comparison_table(const Comparison& comparison);

}  // namespace sarrus
