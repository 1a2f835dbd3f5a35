#pragma once

#include "sarrus/formulations/hamiltonian_dca/kernels/system.h"

namespace sarrus::hamiltonian {

/// The fastest kernel that this processor can run.
const Kernel& best_kernel();

}  // namespace sarrus::hamiltonian
