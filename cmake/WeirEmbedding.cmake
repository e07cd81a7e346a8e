# Hosts that have what weir has inside, in another version or as shared libraries, and processes that fork: the tests of
# tests/embedding that need nothing to be installed. tools/test-embedding runs them too, and those with frameworks.

# Adds a library that defines what the given ones export: every function is a trap.
function(weir_add_traps name)
  set(source "${PROJECT_BINARY_DIR}/traps/${name}.c")
  set(script "${PROJECT_SOURCE_DIR}/tests/embedding/make_traps.py")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${script}" ${ARGN} > "${source}"
    DEPENDS "${script}" ${ARGN}
    VERBATIM)
  add_library(weir_traps_${name} MODULE "${source}")
  # Functions whose names the compiler knows are declared otherwise.
  target_compile_options(weir_traps_${name} PRIVATE -O1 -w)
endfunction()

function(weir_add_embedding_tests)
  if(WEIR_SANITIZE OR WEIR_TEST_FILTER OR NOT WEIR_IMAGES OR NOT WEIR_RE2
     OR NOT WEIR_SQLITE)
    return()
  endif()
  set(folder "${PROJECT_SOURCE_DIR}/tests/embedding")
  set(neighbours "")
  set(traps "")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/traps")
  foreach(name IN ITEMS protobuf tbb spdlog fmt jpeg re2 sqlite3 gif)
    find_library(WEIR_SYSTEM_${name} ${name})
    if(NOT WEIR_SYSTEM_${name} MATCHES "\\.so")
      return()
    endif()
    list(APPEND neighbours "${WEIR_SYSTEM_${name}}")
    weir_add_traps(${name} "${WEIR_SYSTEM_${name}}")
    list(APPEND traps weir_traps_${name})
  endforeach()
  # All of them at once.
  weir_add_traps(all ${neighbours})
  list(APPEND traps weir_traps_all)

  # Those that weir shares with the host, so that traps would catch it.
  find_library(WEIR_SYSTEM_png png)
  find_library(WEIR_SYSTEM_z z)
  list(APPEND neighbours "${WEIR_SYSTEM_png}" "${WEIR_SYSTEM_z}")

  add_library(weir_probe SHARED "${folder}/probe.c" "${folder}/state.c")
  target_include_directories(weir_probe PUBLIC "${folder}" PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(weir_probe PRIVATE weir_flags Threads::Threads m ${CMAKE_DL_LIBS})
  add_executable(trap_host "${folder}/trap_host.c")
  target_link_libraries(trap_host PRIVATE weir_probe weir_flags ${CMAKE_DL_LIBS})
  add_executable(library_host "${folder}/library_host.cc")
  set_target_properties(library_host PROPERTIES ENABLE_EXPORTS ON)
  target_compile_definitions(library_host PRIVATE SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
  target_link_libraries(library_host PRIVATE weir_probe weir_flags ${neighbours} Threads::Threads)
  add_custom_target(embedding_targets DEPENDS weir trap_host library_host ${traps})

  add_test(NAME embedding.hosts COMMAND "${folder}/native_test.py")
  add_test(NAME embedding.processes COMMAND "${folder}/processes.py")
  add_test(NAME embedding.page COMMAND "${PROJECT_SOURCE_DIR}/tools/test-embedding" --check)
  set_tests_properties(
    embedding.hosts embedding.processes
    PROPERTIES
      ENVIRONMENT
      "WEIR_LIBRARY=$<TARGET_FILE:weir>;WEIR_PROBE=$<TARGET_FILE:weir_probe>;WEIR_FOLDER=${PROJECT_SOURCE_DIR};WEIR_BUILD=${PROJECT_BINARY_DIR}"
  )
endfunction()
