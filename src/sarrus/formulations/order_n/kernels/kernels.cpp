#include "sarrus/formulations/order_n/kernels/kernels.h"

namespace sarrus::order_n {

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

const std::vector<const Kernel*>& available_kernels() {
  static const std::vector<const Kernel*> available = [] {
    std::vector<const Kernel*> kernels = {&any::kernel};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3")) kernels.push_back(&x86_64_v3::kernel);
    if (__builtin_cpu_supports("x86-64-v4")) kernels.push_back(&x86_64_v4::kernel);
#endif
    return kernels;
  }();
  return available;
}

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

}  // namespace sarrus::order_n
