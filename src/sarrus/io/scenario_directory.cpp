#include "sarrus/io/scenario_directory.h"

#include <cstdlib>
#include <system_error>

namespace sarrus {

std::filesystem::path scenario_directory() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("SARRUS_SCENARIOS"); chosen != nullptr && *chosen != '\0') {
    return chosen;
  }

  // An installed program and its scenarios share a prefix, wherever that was moved to.
  std::error_code no_such_path;
  const fs::path program = fs::read_symlink("/proc/self/exe", no_such_path);
  if (!no_such_path) {
    const fs::path prefix = program.parent_path().parent_path();
    fs::path installed = prefix / "share" / "sarrus" / "scenarios";
    if (fs::is_directory(installed, no_such_path)) return installed;
  }

  return SARRUS_SOURCE_SCENARIOS;
}

}  // namespace sarrus
