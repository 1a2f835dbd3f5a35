#pragma once

/// A broken invariant is our own mistake: say where and stop. On in debug builds and in tests.
#ifdef SARRUS_ASSERTS
#include <cstdio>
#include <cstdlib>
#define SARRUS_ASSERT(condition)                                                             \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: invariant broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#else
#define SARRUS_ASSERT(condition) static_cast<void>(0)
#endif
