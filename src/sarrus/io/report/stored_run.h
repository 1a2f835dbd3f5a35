#pragma once

#include <filesystem>

#include "sarrus/io/output_file.h"
#include "sarrus/io/report/scene.h"

namespace sarrus {

/// A folder of results, as found.
struct StoredRun {
  std::filesystem::path directory;
  std::string summary;  ///< JSON
  std::string scene;    ///< JSON
  SceneOutline outline;
};

/// @throws UsageError when that is no folder of results, or one that is not complete; says what
///         is missing.
StoredRun find_run(const std::filesystem::path& directory);

/// The page that the run would have made itself. @throws UsageError as write_report() and
/// read_results() do.
void write_report(OutputFile& file, const StoredRun& run);

}  // namespace sarrus
