#include "sarrus/formulations/coordinate_reduction/kernels/kernels.h"

#include "sarrus/simd/instruction_sets.h"

namespace sarrus::coordinate_reduction {

SARRUS_DECLARE_KERNELS

const Kernel& best_kernel() { return *runnable(kKernels).back(); }

}  // namespace sarrus::coordinate_reduction
