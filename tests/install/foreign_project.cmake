# Installs the build into an empty prefix, then configures, builds and runs a project that knows
# nothing but find_package(sarrus).

set(work ${BUILD_DIRECTORY}/tests/install)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work}/prefix ${work}/foreign)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nanswered ${status}:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIRECTORY} --prefix ${prefix})

# Nothing gets out but what users may include, and all of that.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../cmake/public_headers.txt public REGEX "^sarrus/")
file(GLOB_RECURSE installed RELATIVE ${prefix}/include ${prefix}/include/*)
list(SORT public)
list(SORT installed)
if(NOT public STREQUAL installed)
  set(left_out ${public})
  list(REMOVE_ITEM left_out ${installed})
  list(REMOVE_ITEM installed ${public})
  message(FATAL_ERROR "headers that are installed and not public: ${installed}; "
                      "public and not installed: ${left_out}")
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/foreign -B ${work}/foreign -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
    -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${work}/foreign)
run(${work}/foreign/foreign)

# The installed program finds the installed scenarios.
run(${prefix}/bin/sarrus check five-bar)

# It has its page with it, and writes what needs other libraries.
run(${prefix}/bin/sarrus simulate five-bar --until 0.1 --quiet --format both
    --out ${work}/results --report ${work}/page.html)
run(${prefix}/bin/sarrus report ${work}/results)
