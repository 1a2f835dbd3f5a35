# Language and compiler flags of our own code: set for this directory, never exported to users.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Bits are a promise: one machine gives the same results every time, whatever the number of threads,
# and nothing of ours differs between machines. So no fused multiply-add behind our back, no
# reordering of sums, and no -march=native. (What sin, exp and their kin return is up to the C
# library of the machine, which no flag can pin down.)
add_compile_options(-ffp-contract=off -fno-fast-math)

# -Wconversion is left out: it objects to every `int n = A.rows()`. Missing field initialisers are
# how options with defaults are written here: `{.step = 1e-3}`.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wfloat-conversion
                    -Wno-missing-field-initializers)
if(SARRUS_WERROR)
  add_compile_options(-Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC guesses these after inlining, and guesses wrong in the standard library and in Eigen:
    # they are shown, but do not break the build.
    add_compile_options(-Wno-error=array-bounds -Wno-error=maybe-uninitialized
                        -Wno-error=restrict -Wno-error=stringop-overflow
                        -Wno-error=stringop-overread)
  endif()
endif()

# __FILE__ in messages is relative to the project, wherever it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(SARRUS_SANITIZE)
  set(sanitize -fsanitize=${SARRUS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_compile_options(${sanitize})
  add_link_options(${sanitize})
endif()

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are cached only with these two allowances.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  if(SARRUS_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()
