# One precompiled header for all layers and one for all tests: reading Eigen, fmt and GoogleTest
# takes two to three seconds of every file otherwise, and the model one more. It only saves time: each
# file still includes what it uses, and the debug preset, which builds without, finds the ones that do
# not.

# sarrus_add_precompiled_header(<target> <header>...)
# Makes <target>, which holds nothing but the precompiled header, for others to reuse. Its flags
# must be those of its users: link it to what they link to.
function(sarrus_add_precompiled_header target)
  if(NOT SARRUS_PCH)
    return()
  endif()
  set(empty ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  if(NOT EXISTS ${empty})
    file(WRITE ${empty} "")
  endif()
  add_library(${target} OBJECT ${empty})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# sarrus_use_precompiled_header(<target> <target made by the function above>)
function(sarrus_use_precompiled_header target from)
  if(SARRUS_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# sarrus_join_sources(<target> <files>)
# Compiles that many sources of the target as one (0: all of them): instantiating Eigen, CLI11 and
# yaml-cpp over and over is most of a build. So names in unnamed namespaces must differ within a
# folder; the debug preset compiles every file by itself.
function(sarrus_join_sources target files)
  if(SARRUS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    # Joined sources look like headers to the compiler, and headers should not do this.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# sarrus_join_folders(<target>)
# The same with the sources of each folder as one.
function(sarrus_join_folders target)
  sarrus_join_sources(${target} 0)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()
