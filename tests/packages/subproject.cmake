# weir by FetchContent, and what may not change for the project that fetches it. The project has a target and a test
# whose names weir uses itself where it is on its own.
include(FetchContent)

add_custom_target(format)
add_custom_target(lint)
enable_testing()
add_test(NAME command COMMAND "${CMAKE_COMMAND}" -E true)
set(CMAKE_CXX_STANDARD 17)

# Leaves in <result> what a file of this project is compiled and linked with, and where things go.
function(describe result)
  set(text "")
  foreach(name IN ITEMS BUILD_TESTING CMAKE_BUILD_TYPE CMAKE_C_COMPILER_LAUNCHER CMAKE_C_FLAGS CMAKE_C_FLAGS_RELEASE
                        CMAKE_C_STANDARD CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_EXTENSIONS CMAKE_CXX_FLAGS
                        CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_STANDARD CMAKE_EXE_LINKER_FLAGS CMAKE_EXPORT_COMPILE_COMMANDS
                        CMAKE_INSTALL_PREFIX CMAKE_MODULE_PATH CMAKE_PREFIX_PATH CMAKE_POSITION_INDEPENDENT_CODE
                        CPACK_PACKAGE_NAME)
    string(APPEND text "${name}=${${name}}\n")
  endforeach()
  foreach(name IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS LINK_LIBRARIES TESTS)
    get_directory_property(value ${name})
    string(APPEND text "${name}=${value}\n")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

describe(before)
FetchContent_Declare(weir SOURCE_DIR "${WEIR_SOURCES}" BINARY_DIR "${WEIR_BUILD}")
FetchContent_MakeAvailable(weir)
describe(after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "weir changed what it is included by, from\n${before}\nto\n${after}")
endif()

foreach(option IN ITEMS TESTS BENCH EXAMPLES COMMAND INSTALL REMOTE PARQUET)
  if(WEIR_${option})
    message(FATAL_ERROR "WEIR_${option} is on inside another project")
  endif()
endforeach()
get_property(targets DIRECTORY "${WEIR_SOURCES}" PROPERTY BUILDSYSTEM_TARGETS)
get_property(tests DIRECTORY "${WEIR_SOURCES}" PROPERTY TESTS)
list(FILTER targets EXCLUDE REGEX "^weir(_|$)")
if(targets OR tests)
  message(FATAL_ERROR "weir adds targets or tests that may be the project's own: ${targets} ${tests}")
endif()
foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FEATURES LINK_OPTIONS LINK_LIBRARIES)
  get_target_property(value weir INTERFACE_${property})
  if(value AND NOT value MATCHES "^(\\$<LINK_ONLY:.*>;?)+$")
    message(FATAL_ERROR "whoever links weir::weir gets ${property} ${value}")
  endif()
endforeach()
