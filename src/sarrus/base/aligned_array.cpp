#include "sarrus/base/aligned_array.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace sarrus::detail {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t alignment_of(std::size_t bytes) { return bytes < 2 * kHugePage ? kLine : kHugePage; }

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  void* memory = ::operator new(bytes, std::align_val_t{alignment});
  // A wish: where the system has no huge pages the program is only slower.
  if (alignment == kHugePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  return memory;
}

void free_aligned(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, std::align_val_t{alignment_of(bytes)});
}

}  // namespace sarrus::detail
