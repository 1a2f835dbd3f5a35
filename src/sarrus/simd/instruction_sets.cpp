#include "sarrus/simd/instruction_sets.h"

namespace sarrus {

std::size_t instruction_sets() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 3;
  if (__builtin_cpu_supports("x86-64-v3")) return 2;
#endif
  return 1;
}

}  // namespace sarrus
