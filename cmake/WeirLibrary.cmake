# libweir.so and the command `weir`, which uses nothing but the library's public face.

set(WEIR_SYMBOLS "${PROJECT_SOURCE_DIR}/capi/weir.symbols")
set(WEIR_VERSION_MAP "${PROJECT_BINARY_DIR}/weir.map")

# Writes the linker's version script from the list of exported symbols, NAME@@NODE each.
function(weir_write_version_map)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${WEIR_SYMBOLS}")
  file(STRINGS "${WEIR_SYMBOLS}" symbols REGEX "^[a-z0-9_]+@@")
  set(nodes ${symbols})
  list(TRANSFORM nodes REPLACE "^.*@@" "")
  list(REMOVE_DUPLICATES nodes)
  set(text "")
  foreach(node IN LISTS nodes)
    string(APPEND text "${node} {\n  global:\n")
    foreach(symbol IN LISTS symbols)
      if(symbol MATCHES "^(.*)@@${node}$")
        string(APPEND text "    ${CMAKE_MATCH_1};\n")
      endif()
    endforeach()
    string(APPEND text "  local:\n    *;\n};\n")
  endforeach()
  file(CONFIGURE OUTPUT "${WEIR_VERSION_MAP}" CONTENT "${text}" @ONLY)
endfunction()

# Adds the shared library from all floors. Only what the version map names stays visible.
function(weir_add_library)
  weir_write_version_map()
  get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
  add_library(weir SHARED "${PROJECT_SOURCE_DIR}/cmake/empty.cc")
  add_library(weir::weir ALIAS weir)
  target_link_libraries(weir PRIVATE ${floors})
  target_include_directories(
    weir INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                   "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  set_target_properties(
    weir PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                    LINK_DEPENDS "${WEIR_VERSION_MAP}")
  target_link_options(
    weir
    PRIVATE
    "-Wl,--version-script=${WEIR_VERSION_MAP}"
    -Wl,--exclude-libs,ALL
    -Wl,--gc-sections
    # The library's threads may still be running when a host closes it.
    -Wl,-z,nodelete
    -Wl,-z,now)
  if(NOT WEIR_SANITIZE)
    target_link_options(weir PRIVATE -Wl,-z,defs)
    # abidiff reads the types of the public face from the debug information of the topmost floor; of variables it reads nothing.
    get_property(capi GLOBAL PROPERTY WEIR_FLOOR_capi)
    foreach(library IN LISTS capi)
      target_compile_options(
        ${library} PRIVATE -g -fno-var-tracking $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking-assignments>)
    endforeach()
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT WEIR_SANITIZE)
    set(script "${PROJECT_SOURCE_DIR}/cmake/code_order.ld")
    target_link_options(weir PRIVATE "-Wl,-T,${script}")
    set_property(TARGET weir APPEND PROPERTY LINK_DEPENDS "${script}")
    add_custom_command(
      TARGET weir
      POST_BUILD
      COMMAND "${PROJECT_SOURCE_DIR}/tools/report-library" "$<TARGET_FILE:weir>"
      VERBATIM)
  endif()
endfunction()

# Adds the command from tools/weir, once there is one.
function(weir_add_command)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/weir/*.cc")
  if(NOT sources)
    return()
  endif()
  # Of the library's sources, which it doesn't export, those that look at texts and the beginnings of files.
  add_library(weir_command_parts OBJECT "${PROJECT_SOURCE_DIR}/src/core/text.cc"
                                        "${PROJECT_SOURCE_DIR}/src/format/csv_parser.cc"
                                        "${PROJECT_SOURCE_DIR}/src/format/json/json_string.cc"
                                        "${PROJECT_SOURCE_DIR}/src/format/tar/tar_header.cc"
                                        "${PROJECT_SOURCE_DIR}/src/format/tar/tar_members.cc"
                                        "${PROJECT_SOURCE_DIR}/src/format/signature.cc")
  target_include_directories(weir_command_parts PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(weir_command_parts PRIVATE weir_flags)
  add_executable(weir_command ${sources})
  weir_join_files(weir_command ${sources})
  set_target_properties(weir_command PROPERTIES OUTPUT_NAME weir)
  target_include_directories(weir_command PRIVATE "${PROJECT_SOURCE_DIR}/tools/weir" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(weir_command PRIVATE weir weir_command_parts weir_flags ZLIB::ZLIB)
  # It waits for the library, whose loops these are not.
  foreach(target weir_command weir_command_parts)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
  file(RELATIVE_PATH libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(weir_command PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
endfunction()
