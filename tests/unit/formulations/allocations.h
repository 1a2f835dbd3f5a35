#pragma once

namespace sarrus::tests {

/// How often memory has been asked for so far, by anyone in this program: Eigen too, which does not go
/// through operator new.
long allocations();

/// Sanitizers bring an allocator of their own; under them nothing is counted.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
inline constexpr bool kCountsAllocations = true;
#else
inline constexpr bool kCountsAllocations = false;
#endif

}  // namespace sarrus::tests
