#include "sarrus/formulations/branches/kernels/kernels.h"

namespace sarrus::branches {

namespace any {
extern const Kernel kernel;
}
#if defined(__x86_64__)
namespace x86_64_v3 {
extern const Kernel kernel;
}
namespace x86_64_v4 {
extern const Kernel kernel;
}
#endif

const Kernel& best_kernel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return x86_64_v4::kernel;
  if (__builtin_cpu_supports("x86-64-v3")) return x86_64_v3::kernel;
#endif
  return any::kernel;
}

}  // namespace sarrus::branches
