# The HDF5 library (C interface, serial) as the target sarrus::hdf5. CMake's own FindHDF5 asks compiler
# wrappers and needs C enabled; looking where the packages put it is enough. Installed as well: users
# of the static library link to it, too.

if(NOT TARGET sarrus::hdf5)
  find_path(SARRUS_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(SARRUS_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  mark_as_advanced(SARRUS_HDF5_INCLUDE SARRUS_HDF5_LIBRARY)
  if(NOT SARRUS_HDF5_INCLUDE OR NOT SARRUS_HDF5_LIBRARY)
    set(missing "HDF5 is missing: install libhdf5-dev, or set CMAKE_PREFIX_PATH")
    if(CMAKE_FIND_PACKAGE_NAME STREQUAL "sarrus")  # a user looks for us, perhaps just in case
      set(sarrus_FOUND FALSE)
      set(sarrus_NOT_FOUND_MESSAGE "${missing}")
      return()
    endif()
    message(FATAL_ERROR "${missing}")
  endif()
  add_library(sarrus::hdf5 UNKNOWN IMPORTED)
  set_target_properties(sarrus::hdf5 PROPERTIES
    IMPORTED_LOCATION ${SARRUS_HDF5_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SARRUS_HDF5_INCLUDE})
endif()
