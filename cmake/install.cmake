# What `cmake --install` puts where: libraries, headers, the program, scenarios, and the package
# files that find_package(sarrus) reads.

include(CMakePackageConfigHelpers)

list(TRANSFORM SARRUS_LAYERS PREPEND sarrus_ OUTPUT_VARIABLE layer_targets)
install(TARGETS ${layer_targets} sarrus EXPORT sarrusTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/sarrus)
install(EXPORT sarrusTargets NAMESPACE sarrus:: DESTINATION ${package_directory})
configure_package_config_file(cmake/sarrusConfig.cmake.in ${PROJECT_BINARY_DIR}/sarrusConfig.cmake
                              INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sarrusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sarrusConfig.cmake
              ${PROJECT_BINARY_DIR}/sarrusConfigVersion.cmake
              cmake/hdf5.cmake
              cmake/sundials.cmake
        DESTINATION ${package_directory})

# The program looks here from its own place: ../share/sarrus/scenarios.
install(DIRECTORY scenarios/ DESTINATION share/sarrus/scenarios OPTIONAL)
install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
