#pragma once

#include <span>
#include <string>
#include <vector>

#include "sarrus/articulated/kernels/system.h"

namespace sarrus::articulated {

/// The kernels that this processor can run, the fastest last.
std::span<const Kernel* const> available_kernels();

/// The one of that name, or null when this processor cannot run it or it is not known. Empty: the
/// fastest.
const Kernel* find_kernel(const std::string& name);

/// Names of all kernels, available here or not.
const std::vector<std::string>& kernel_names();

}  // namespace sarrus::articulated
