#pragma once

#include <array>
#include <cstddef>
#include <span>

/// Kernels are compiled once for each instruction set (src/sarrus/CMakeLists.txt). For a folder of
/// them: declares the one of each set, which has a namespace of its own, and lists them in
/// `kKernels`, the fastest last.
#define SARRUS_DECLARE_KERNEL(set) \
  namespace set {                  \
  extern const Kernel kernel;      \
  }
#if defined(__x86_64__)
#define SARRUS_DECLARE_KERNELS     \
  SARRUS_DECLARE_KERNEL(any)       \
  SARRUS_DECLARE_KERNEL(x86_64_v3) \
  SARRUS_DECLARE_KERNEL(x86_64_v4) \
  constexpr std::array kKernels = {&any::kernel, &x86_64_v3::kernel, &x86_64_v4::kernel};
#else
#define SARRUS_DECLARE_KERNELS \
  SARRUS_DECLARE_KERNEL(any)   \
  constexpr std::array kKernels = {&any::kernel};
#endif

namespace sarrus {

/// How many of these instruction sets this processor has, each of them with all before it.
std::size_t instruction_sets();

/// Numbers that one register of the fastest of them holds, where kernels use whole ones.
inline int lanes_at_once() { return instruction_sets() > 2 ? 8 : 4; }

/// Those of the kernels that this processor can run.
template <class Kernels>
auto runnable(const Kernels& kernels) {
  return std::span(kernels).first(instruction_sets());
}

}  // namespace sarrus
