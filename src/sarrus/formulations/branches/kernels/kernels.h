#pragma once

#include "sarrus/formulations/branches/kernels/system.h"

namespace sarrus::branches {

/// The fastest kernel that this processor can run.
const Kernel& best_kernel();

}  // namespace sarrus::branches
