# CVODE of SUNDIALS as the target sarrus::sundials. SUNDIALS' own package file asks for whatever it was
# built with, MPI and PETSc among them; CVODE's library holds all that is needed here. Installed as
# well: users of the static library link to it, too.

if(NOT TARGET sarrus::sundials)
  find_path(SARRUS_SUNDIALS_INCLUDE cvode/cvode_proj.h)
  find_library(SARRUS_SUNDIALS_LIBRARY NAMES sundials_cvode)
  mark_as_advanced(SARRUS_SUNDIALS_INCLUDE SARRUS_SUNDIALS_LIBRARY)
  if(NOT SARRUS_SUNDIALS_INCLUDE OR NOT SARRUS_SUNDIALS_LIBRARY)
    set(missing "SUNDIALS (6 or later, with CVODE) is missing: install libsundials-dev, or set "
                "CMAKE_PREFIX_PATH")
    string(CONCAT missing ${missing})
    if(CMAKE_FIND_PACKAGE_NAME STREQUAL "sarrus")  # a user looks for us, perhaps just in case
      set(sarrus_FOUND FALSE)
      set(sarrus_NOT_FOUND_MESSAGE "${missing}")
      return()
    endif()
    message(FATAL_ERROR "${missing}")
  endif()
  add_library(sarrus::sundials UNKNOWN IMPORTED)
  set_target_properties(sarrus::sundials PROPERTIES
    IMPORTED_LOCATION ${SARRUS_SUNDIALS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SARRUS_SUNDIALS_INCLUDE})
endif()
