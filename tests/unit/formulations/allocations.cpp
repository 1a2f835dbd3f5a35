#include "unit/formulations/allocations.h"

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<long> allocation_count{0};
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  ++allocation_count;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocation_count;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++allocation_count;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocation_count;
  return __libc_memalign(alignment, bytes);
}
}
#endif

namespace sarrus::tests {

long allocations() { return allocation_count; }

}  // namespace sarrus::tests
