#pragma once

#include <string>
#include <vector>

#include "sarrus/base/diagnostics.h"
#include "sarrus/base/status.h"
#include "sarrus/model/model_editor.h"

namespace sarrus {

/// What an edit did, or why it was refused.
struct EditReport {
  Status status;                     ///< kRefused: nothing has changed
  std::vector<Diagnostic> problems;  ///< of a refused edit
  IdMap map;                         ///< of bodies and joints, old to new
  std::vector<std::string> told;     ///< what was done, a phrase each
  double supplied = 0;               ///< energy that came in by it, counted as supplied work [J]
  double impact = 0;  ///< of that, kinetic energy by the impulse of joints that closed [J]
};

}  // namespace sarrus
