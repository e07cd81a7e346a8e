# What is installed: the headers, the library, the command, and how CMake and pkg-config find them. The components are
# those of the packages (WeirPackages.cmake): library, development, command.

include(CMakePackageConfigHelpers)

install(
  TARGETS weir
  EXPORT weirTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/weir" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
if(TARGET weir_command)
  install(TARGETS weir_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
endif()

set(weir_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/weir")
install(
  EXPORT weirTargets
  NAMESPACE weir::
  FILE weirConfig.cmake
  DESTINATION "${weir_package_folder}"
  COMPONENT development)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/weirConfigVersion.cmake" VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weirConfigVersion.cmake" DESTINATION "${weir_package_folder}"
        COMPONENT development)

# Relative to where weir.pc itself lies, so that an installed tree can be moved.
file(RELATIVE_PATH WEIR_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH WEIR_PC_LIBDIR "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH WEIR_PC_INCLUDEDIR "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
# Programs find the library where it is, also where the loader doesn't look; CMake's own switch leaves that out.
set(WEIR_PC_RPATH "-Wl,-rpath,\${libdir}")
if(CMAKE_SKIP_INSTALL_RPATH)
  set(WEIR_PC_RPATH "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/weir.pc.in" "${PROJECT_BINARY_DIR}/weir.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weir.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

# As they lie in the sources, so that links between them hold; a link to what isn't there becomes plain text.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT command)
install(FILES LICENSE NOTICE THIRD_PARTY_NOTICES.md README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT command)
install(CODE "set(weir_docdir \"${CMAKE_INSTALL_DOCDIR}\")" COMPONENT command)
install(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/drop_dead_links.cmake" COMPONENT command)
