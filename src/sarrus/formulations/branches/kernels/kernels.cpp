#include "sarrus/formulations/branches/kernels/kernels.h"

#include "sarrus/simd/instruction_sets.h"

namespace sarrus::branches {

SARRUS_DECLARE_KERNELS

const Kernel& best_kernel() { return *runnable(kKernels).back(); }

}  // namespace sarrus::branches
