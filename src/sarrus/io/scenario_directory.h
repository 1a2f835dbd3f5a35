#pragma once

#include <filesystem>

namespace sarrus {

/// The folder that holds the scenarios, one folder each.
///
/// The first of: the environment variable SARRUS_SCENARIOS, taken as it is; the installed
/// `../share/sarrus/scenarios` seen from the running program; `scenarios` in the source tree that
/// this library was built from. The last is returned whether or not it exists.
std::filesystem::path scenario_directory();

}  // namespace sarrus
