#include "sarrus/formulations/hamiltonian_dca/kernels/kernels.h"

#include "sarrus/simd/instruction_sets.h"

namespace sarrus::hamiltonian {

SARRUS_DECLARE_KERNELS

const Kernel& best_kernel() { return *runnable(kKernels).back(); }

}  // namespace sarrus::hamiltonian
