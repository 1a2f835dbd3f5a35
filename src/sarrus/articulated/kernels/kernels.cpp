#include "sarrus/articulated/kernels/kernels.h"

#include "sarrus/simd/instruction_sets.h"

namespace sarrus::articulated {

SARRUS_DECLARE_KERNELS

std::span<const Kernel* const> available_kernels() { return runnable(kKernels); }

const Kernel* find_kernel(const std::string& name) {
  if (name.empty()) return available_kernels().back();
  for (const Kernel* kernel : available_kernels())
    if (name == kernel->name) return kernel;
  return nullptr;
}

const std::vector<std::string>& kernel_names() {
  static const std::vector<std::string> names = {"any", "x86-64-v3", "x86-64-v4"};
  return names;
}

}  // namespace sarrus::articulated
