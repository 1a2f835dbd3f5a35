#pragma once

#include "sarrus/formulations/formulation.h"

namespace sarrus {

/// Where Discrete::integers keeps whether the present singular position has been told of.
inline constexpr std::size_t kSingularNoted = 0;

/// Tells of a singular position once. `nearest`: the weakest direction of the constraints since the
/// last step, of its usual strength; `is_past`: all are strong again.
void note_singular_position(double t, double nearest, bool is_past, Discrete& discrete,
                            AfterStep& result);

}  // namespace sarrus
