#pragma once

#include "sarrus/formulations/coordinate_reduction/kernels/system.h"

namespace sarrus::coordinate_reduction {

/// The fastest kernel that this processor can run.
const Kernel& best_kernel();

}  // namespace sarrus::coordinate_reduction
