#pragma once

#include <string>

#include "sarrus/io/results/layout.h"

namespace sarrus {

/// The text as a CSV field: quoted where it must be.
std::string csv_field(const std::string& text);

/// First line of a table's file, with its end.
std::string csv_header(const ResultTable& table);

/// What stands between the time and the numbers of a row, with the comma before it.
std::string csv_names(const ResultRow& row);

}  // namespace sarrus
