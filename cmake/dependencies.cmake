# What the library and the program need. Keep in step with cmake/sarrusConfig.cmake.in and
# tools/packages.txt. What only the tests need is in tests/CMakeLists.txt.

find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
include(cmake/hdf5.cmake)
include(cmake/sundials.cmake)

# yaml-cpp 0.8 renamed its target.
if(TARGET yaml-cpp::yaml-cpp)
  set(SARRUS_YAML_CPP yaml-cpp::yaml-cpp)
else()
  set(SARRUS_YAML_CPP yaml-cpp)
endif()
