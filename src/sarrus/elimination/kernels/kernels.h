#pragma once

#include "sarrus/elimination/kernels/system.h"

namespace sarrus::elimination {

/// The fastest kernel that this processor can run.
const Kernel& best_kernel();

}  // namespace sarrus::elimination
