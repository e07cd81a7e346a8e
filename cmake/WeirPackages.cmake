# Debian packages, by `cmake --build --preset deb`: libweir0 with the library, libweir-dev with what programs are compiled
# with, weir with the command and the documentation, weir-remote and weir-parquet with these extensions. Each has its licences
# in /usr/share/doc, as Debian wants them.

set(weir_library_package "libweir${PROJECT_VERSION_MAJOR}")
set(weir_package_of_library "${weir_library_package}")
set(weir_package_of_development libweir-dev)
set(weir_package_of_command weir)
set(weir_package_of_remote weir-remote)
set(weir_package_of_parquet weir-parquet)
set(components library development)
foreach(component IN ITEMS command remote parquet)
  if(TARGET weir_${component})
    list(APPEND components ${component})
  endif()
endforeach()

# One file with all licences, since every package is installed without the others.
file(READ "${PROJECT_SOURCE_DIR}/NOTICE" notice)
file(READ "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md" third_parties)
set(copyright "${PROJECT_BINARY_DIR}/packages/copyright")
file(CONFIGURE OUTPUT "${copyright}" CONTENT
"@notice@
On Debian systems the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0.

@third_parties@" @ONLY)

foreach(component IN LISTS components)
  install(FILES "${copyright}" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${weir_package_of_${component}}"
          COMPONENT ${component})
endforeach()

# Which version of the package has each symbol, for programs that are packaged themselves: WEIR_0.1 came with 0.1.0.
file(STRINGS "${WEIR_SYMBOLS}" symbols REGEX "^[a-z0-9_]+@@")
list(TRANSFORM symbols REPLACE "^(.*)@@WEIR_([0-9.]+)$" " \\1@WEIR_\\2 \\2.0")
list(JOIN symbols "\n" symbols)
set(symbols_file "${PROJECT_BINARY_DIR}/packages/symbols")
file(CONFIGURE OUTPUT "${symbols_file}" CONTENT
"libweir.so.${PROJECT_VERSION_MAJOR} ${weir_library_package} #MINVER#
${symbols}
" @ONLY)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "the weir contributors <weir@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Debian wants folders that everybody can read, whatever the umask of who builds.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)

set(same_version "${weir_library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME "${weir_library_package}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "This package has the shared library.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${symbols_file}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Looked up at run time, so that dpkg-shlibdeps does not see them.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libtbb12, libisal2")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "weir-remote, weir-parquet")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libweir-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "This package has the headers for C and C++ and what CMake and pkg-config need.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same_version}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS weir)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME weir)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "This package has the command weir, which checks, explains and runs pipelines, and the documentation.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${same_version}")

set(CPACK_DEBIAN_REMOTE_PACKAGE_NAME weir-remote)
set(CPACK_DEBIAN_REMOTE_DESCRIPTION "This package lets the library read and write files of http, s3, gs, az and hf.")
set(CPACK_DEBIAN_PARQUET_PACKAGE_NAME weir-parquet)
set(CPACK_DEBIAN_PARQUET_DESCRIPTION "This package lets the library read Parquet, Arrow and ArrayRecord files.")
foreach(extension IN ITEMS REMOTE PARQUET)
  set(CPACK_DEBIAN_${extension}_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_${extension}_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_${extension}_PACKAGE_DEPENDS "${same_version}")
endforeach()

include(CPack)
