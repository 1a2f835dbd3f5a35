#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "sarrus/io/results/layout.h"

namespace sarrus {

using InstantVisitor = std::function<void(double time, std::span<const double> numbers)>;

/// Reads the motion in a folder of results back, HDF5 where that is there, else CSV: every instant
/// in its turn, its numbers in the order of the layout and to the bit as they were written.
/// @throws UsageError when something is missing or does not fit the layout.
void read_results(const std::filesystem::path& directory, const ResultsLayout& layout,
                  const InstantVisitor& visit);

/// The whole text of a file. @throws UsageError when it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace sarrus
