# Tests: one Catch2 program per floor, linked with the objects of that floor and those below it, as a rule.

find_package(Catch2 REQUIRED)
add_library(weir_catch2 STATIC "${PROJECT_SOURCE_DIR}/cmake/catch2/main.cc")
target_link_libraries(weir_catch2 PUBLIC Catch2::Catch2)
target_compile_options(weir_catch2 PRIVATE $<$<CONFIG:Release>:-O1>)
if(Catch2_VERSION VERSION_LESS 3)
  # Debian 12 has Catch2 2; the tests are written for 3 and use what both have.
  target_include_directories(weir_catch2 PUBLIC "${PROJECT_SOURCE_DIR}/cmake/catch2")
else()
  target_link_libraries(weir_catch2 PUBLIC Catch2::Catch2WithMain)
  list(APPEND WEIR_CATCH_ARGUMENTS --allow-running-no-tests)
endif()
target_link_libraries(weir_catch2 PRIVATE weir_flags)
if(WEIR_SANITIZE)
  target_compile_options(weir_catch2 PRIVATE -fno-sanitize=all)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS context)

# Tests are compiled more often than they run. Undefined behaviour is looked for in the library: in the tests' own code,
# whose assertions are macros, the checks would take more than half of the compiler's time. FAST_COMPILE leaves out
# a try block for each assertion: an exception is reported for the test case, not for the line.
function(weir_compile_quickly program)
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${program} PRIVATE CATCH_CONFIG_FAST_COMPILE)
  set_target_properties(${program} PROPERTIES WEIR_TEST_CODE ON)
endfunction()

# What the tests share. An archive, so that a test of a low floor draws nothing of the floors above it.
file(GLOB_RECURSE support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cc")
add_library(weir_support STATIC "${PROJECT_SOURCE_DIR}/cmake/empty.cc" ${support})
weir_compile_quickly(weir_support)
target_link_libraries(weir_support PUBLIC weir_catch2 Boost::context weir_flags weir_dependencies)
target_include_directories(
  weir_support PUBLIC "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                      "${PROJECT_SOURCE_DIR}")
target_compile_definitions(
  weir_support PUBLIC "WEIR_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"" "WEIR_BINARY_DIR=\"${PROJECT_BINARY_DIR}\"")
if(TARGET weir_proto)
  target_link_libraries(weir_support PUBLIC weir_protobuf)
  add_dependencies(weir_support weir_proto)
endif()

# Ends what hangs, in every test program.
add_library(weir_watchdog OBJECT "${PROJECT_SOURCE_DIR}/tests/support/watchdog.c")
target_include_directories(weir_watchdog PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(weir_watchdog PUBLIC weir_flags Threads::Threads)

# A driver in place of NVIDIA's, which programs linked with it are given for libcuda.so.1. Others find it through
# LD_LIBRARY_PATH.
set(fake_cuda "${PROJECT_SOURCE_DIR}/tests/fake_cuda")
add_library(weir_fake_cuda SHARED "${fake_cuda}/fake_cuda.cc" "${fake_cuda}/own_new.cc" "${fake_cuda}/world.cc")
set_target_properties(
  weir_fake_cuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1 CXX_VISIBILITY_PRESET hidden
                            LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fake_cuda"
                            LINK_DEPENDS "${fake_cuda}/exports.map")
target_include_directories(weir_fake_cuda PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(weir_fake_cuda PRIVATE weir_flags Threads::Threads)
target_link_options(
  weir_fake_cuda PRIVATE -static-libstdc++ LINKER:--exclude-libs,ALL LINKER:--version-script=${fake_cuda}/exports.map
  INTERFACE LINKER:--no-as-needed)

# Leaves in <result> whether the files hold a test that WEIR_TEST_FILTER selects: what will not run is not built.
function(weir_has_selected_tests result)
  set(${result} TRUE PARENT_SCOPE)
  if(WEIR_TEST_FILTER MATCHES "^\\[[a-z_]+\\]$")
    foreach(source IN LISTS ARGN)
      file(READ "${source}" text)
      string(FIND "${text}" "${WEIR_TEST_FILTER}" position)
      if(NOT position EQUAL -1)
        return()
      endif()
    endforeach()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Adds <name>_test from tests/<name>, linked with the given floors, and registers it; nothing without files.
function(weir_add_test_program name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${name}/*.cc")
  weir_has_selected_tests(selected ${sources})
  if(NOT sources OR NOT selected)
    return()
  endif()
  add_executable(${name}_test ${sources})
  weir_join_files(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE weir_watchdog weir_support ${ARGN})
  weir_compile_quickly(${name}_test)
  if(name MATCHES "^(device|ops|golden|simulation|contract)$")
    target_link_libraries(${name}_test PRIVATE weir_fake_cuda)
  endif()
  if("${ARGN}" MATCHES "weir_exec")
    target_link_options(${name}_test PRIVATE LINKER:--undefined=weir_watched)
  endif()
  set(filter ${WEIR_TEST_FILTER})
  if(WEIR_SANITIZE AND NOT filter)
    # Thousands of draws of functions that other cases call, too. With a filter, Catch2 runs hidden cases unless told not to.
    set(filter "~[statistics]~[.]")
  endif()
  add_test(NAME ${name} COMMAND ${name}_test ${WEIR_CATCH_ARGUMENTS} ${filter})
endfunction()

# Adds a test program for each floor that has tests.
function(weir_add_floor_tests)
  get_property(names GLOBAL PROPERTY WEIR_FLOOR_NAMES)
  list(REMOVE_ITEM names capi)
  foreach(name IN LISTS names)
    # Operators, and what carries them, are tested through text, which the floors above them read.
    if(name STREQUAL "dataset" OR name STREQUAL "ops")
      get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
    else()
      get_property(floors GLOBAL PROPERTY WEIR_FLOORS_UP_TO_${name})
    endif()
    weir_add_test_program(${name} ${floors})
  endforeach()
  weir_wrap_malloc(ops_test)
  if(TARGET expr_test)
    weir_add_example_messages(expr_test)
  endif()
  if(TARGET exec_test)
    # Some of its tests use oneTBB as a host does.
    target_link_libraries(exec_test PRIVATE TBB::tbb)
  endif()
  # For the databases that the tests of sql read.
  set(sql_test "${PROJECT_SOURCE_DIR}/tests/ops/sources/sql_test.cc")
  if(WEIR_SQLITE)
    set_source_files_properties("${sql_test}" PROPERTIES INCLUDE_DIRECTORIES "${weir_sqlite_prefix}")
  else()
    set_source_files_properties("${sql_test}" PROPERTIES HEADER_FILE_ONLY TRUE)
  endif()
endfunction()

# Buffers come from malloc, which tests of this program let fail, or meter (support/failing_malloc.cc).
function(weir_wrap_malloc program)
  if(TARGET ${program})
    target_link_options(${program} PRIVATE LINKER:--wrap=malloc,--wrap=realloc,--wrap=posix_memalign,--wrap=free)
  endif()
endfunction()

# Tells a test program which options are off that functions need.
function(weir_tell_what_is_left_out program)
  set(options WEIR_RE2 WEIR_FARMHASH WEIR_IMAGES WEIR_SQLITE)
  foreach(option IN LISTS options)
    if(${option})
      list(REMOVE_ITEM options ${option})
    endif()
  endforeach()
  if(NOT TARGET weir_parquet)
    list(APPEND options WEIR_PARQUET)
  endif()
  list(JOIN options " " options)
  if(TARGET ${program})
    target_compile_definitions(${program} PRIVATE "WEIR_LEFT_OUT=\"${options}\"")
  endif()
endfunction()

# Lets a test program load weir-parquet, which then calls the program's own weir.
function(weir_serve_extensions program)
  if(TARGET ${program} AND TARGET weir_parquet)
    set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
    add_dependencies(${program} weir_parquet)
  endif()
endfunction()

# Adds a test program that cuts through the whole house.
function(weir_add_suite name)
  get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
  weir_add_test_program(${name} ${floors})
endfunction()

# Adds one plain C program for each file of tests/capi, linked with the shared library only. A comment with the tag
# puts a program among the selected ones.
function(weir_add_c_tests)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/capi/*.c")
  foreach(source IN LISTS sources)
    weir_has_selected_tests(selected "${source}")
    if(NOT selected)
      continue()
    endif()
    get_filename_component(stem "${source}" NAME_WE)
    add_executable(capi_${stem} "${source}")
    target_link_libraries(capi_${stem} PRIVATE weir_watchdog weir weir_flags Threads::Threads m ${CMAKE_DL_LIBS})
    target_compile_definitions(
      capi_${stem} PRIVATE "WEIR_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"" "WEIR_BINARY_DIR=\"${PROJECT_BINARY_DIR}\"")
    add_test(NAME capi.${stem} COMMAND capi_${stem})
  endforeach()
  foreach(program capi_device capi_device_consumers)
    if(TARGET ${program})
      target_link_libraries(${program} PRIVATE weir_fake_cuda)
    endif()
  endforeach()
  if(TARGET capi_extensions)
    set(folder "${PROJECT_BINARY_DIR}/extensions/tests")
    foreach(extension hostile.cc memory.c)
      get_filename_component(name "${extension}" NAME_WE)
      add_library(weir_${name} MODULE "${PROJECT_SOURCE_DIR}/tests/extensions/${extension}")
      set_target_properties(weir_${name} PROPERTIES OUTPUT_NAME weir-${name} C_VISIBILITY_PRESET hidden
                                                    CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY "${folder}")
      target_link_libraries(weir_${name} PRIVATE weir weir_flags Threads::Threads)
      add_dependencies(capi_extensions weir_${name})
    endforeach()
    configure_file(tests/extensions/weir-memory.weir.json "${folder}/weir-memory.weir.json" COPYONLY)
    if(TARGET weir_example)
      add_dependencies(capi_extensions weir_example)
    endif()
  endif()
  if(TARGET capi_table_damage AND TARGET weir_parquet)
    add_dependencies(capi_table_damage weir_parquet)
  endif()
endfunction()

# Adds the tests of weir.hpp, linked with the shared library only: as C++17 with the warnings that strict hosts turn on,
# the file of C++20 as that, and a program without RTTI.
function(weir_add_cpp_tests)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/*_test.cc")
  weir_has_selected_tests(selected ${sources})
  if(NOT selected)
    return()
  endif()
  set(cxx20 "${PROJECT_SOURCE_DIR}/tests/cpp/cxx20_test.cc")
  list(REMOVE_ITEM sources "${cxx20}")
  add_executable(cpp_test ${sources})
  weir_join_files(cpp_test ${sources})
  set_target_properties(cpp_test PROPERTIES CXX_STANDARD 17)
  add_executable(cpp20_test "${cxx20}")
  foreach(program cpp_test cpp20_test)
    target_link_libraries(${program} PRIVATE weir_watchdog weir_catch2)
  endforeach()
  add_executable(cpp_no_rtti "${PROJECT_SOURCE_DIR}/tests/cpp/no_rtti.cc")
  set_target_properties(cpp_no_rtti PROPERTIES CXX_STANDARD 17)
  target_compile_options(cpp_no_rtti PRIVATE -fno-rtti)
  foreach(program cpp_test cpp20_test cpp_no_rtti)
    target_link_libraries(${program} PRIVATE weir weir_flags Threads::Threads)
    target_compile_options(${program} PRIVATE -Wpedantic -Wconversion -O1)
    target_compile_definitions(${program} PRIVATE "WEIR_BINARY_DIR=\"${PROJECT_BINARY_DIR}\"")
  endforeach()
  # What the manual at the top of weir.hpp shows.
  set(extract "${PROJECT_SOURCE_DIR}/tests/cpp/extract_manual_samples.py")
  set(header "${PROJECT_SOURCE_DIR}/include/weir/weir.hpp")
  set(manual "${PROJECT_BINARY_DIR}/cpp_manual.cc")
  add_custom_command(
    OUTPUT "${manual}"
    COMMAND "${extract}" "${header}" "${manual}"
    DEPENDS "${extract}" "${header}"
    VERBATIM)
  add_executable(cpp_manual "${manual}")
  set_target_properties(cpp_manual PROPERTIES CXX_STANDARD 17)
  target_link_libraries(cpp_manual PRIVATE weir weir_flags)
  weir_add_script_test(cpp.manual examples/program_test.py "$<TARGET_FILE:cpp_manual>"
                       "${PROJECT_SOURCE_DIR}/tests/cpp/manual.out")
  add_test(NAME cpp COMMAND cpp_test ${WEIR_CATCH_ARGUMENTS} ${WEIR_TEST_FILTER})
  add_test(NAME cpp.cxx20 COMMAND cpp20_test ${WEIR_CATCH_ARGUMENTS} ${WEIR_TEST_FILTER})
  add_test(NAME cpp.no_rtti COMMAND cpp_no_rtti)
  # All that `ctest -R '^cpp'` runs, for one who builds nothing else.
  add_custom_target(cpp_targets DEPENDS cpp_test cpp20_test cpp_no_rtti cpp_manual)
  if(TARGET weir_command AND NOT WEIR_TEST_FILTER)
    add_dependencies(cpp_targets weir_command)
    add_test(NAME cpp.operators COMMAND "${PROJECT_SOURCE_DIR}/tools/generate-cpp" "$<TARGET_FILE:weir_command>" --check)
  endif()
endfunction()

# Adds the programs of tests/preload, which run with the shim loaded before the system's own library.
function(weir_add_preload_tests)
  if(WEIR_TEST_FILTER)
    return()
  endif()
  set(folder "${PROJECT_SOURCE_DIR}/tests/preload")
  add_library(preload_shim MODULE "${folder}/shim.c")
  target_link_libraries(preload_shim PRIVATE ${CMAKE_DL_LIBS})
  foreach(name files failing)
    add_executable(preload_${name} "${folder}/${name}.c")
    target_link_libraries(preload_${name} PRIVATE weir_watchdog weir weir_flags Threads::Threads ${CMAKE_DL_LIBS})
    target_compile_definitions(preload_${name} PRIVATE "WEIR_BINARY_DIR=\"${PROJECT_BINARY_DIR}\"")
    add_dependencies(preload_${name} preload_shim)
    add_test(NAME preload.${name} COMMAND preload_${name})
    # The address sanitizer wants to be loaded first; it need not be.
    set_tests_properties(
      preload.${name}
      PROPERTIES ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:preload_shim>"
                 ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=path_list_append:verify_asan_link_order=0")
  endforeach()
endfunction()

# Adds the fuzz targets of tools/fuzz: with libFuzzer where WEIR_FUZZ is set, a program each; else in one program with a
# driver that goes through the golden files, or those of tests/fuzz, and a few changes of them.
function(weir_add_fuzz_targets)
  if(WEIR_TEST_FILTER)
    return()
  endif()
  get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
  set(folder "${PROJECT_SOURCE_DIR}/tools/fuzz")
  file(GLOB targets CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.cc")
  list(REMOVE_ITEM targets driver.cc)
  list(TRANSFORM targets REPLACE "\\.cc$" "")
  if(NOT WEIR_RE2)
    list(REMOVE_ITEM targets regex)
  endif()
  if(NOT WEIR_SQLITE)
    list(REMOVE_ITEM targets sqlite)
  endif()
  add_library(weir_golden STATIC "${PROJECT_SOURCE_DIR}/tests/golden/golden.cc")
  target_link_libraries(weir_golden PUBLIC weir_support)
  weir_compile_quickly(weir_golden)
  add_custom_target(fuzz_targets)
  if(WEIR_FUZZ)
    foreach(name IN LISTS targets)
      add_executable(fuzz_${name} "${folder}/${name}.cc")
      target_link_libraries(fuzz_${name} PRIVATE weir_golden ${floors})
      target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzz_targets fuzz_${name})
    endforeach()
    return()
  endif()
  add_executable(fuzz_test "${folder}/driver.cc")
  target_include_directories(fuzz_test PRIVATE "${PROJECT_BINARY_DIR}/fuzz")
  target_link_libraries(fuzz_test PRIVATE weir_watchdog weir_golden ${floors})
  weir_compile_quickly(fuzz_test)
  add_dependencies(fuzz_targets fuzz_test)
  set(list "")
  foreach(name IN LISTS targets)
    string(APPEND list "WEIR_FUZZ_TARGET(${name})\n")
    # One half is compiled at once (ADR 0078), and then the other.
    list(FIND targets ${name} number)
    math(EXPR half "${number} % 2")
    string(APPEND half_${half} "#define LLVMFuzzerTestOneInput weir_fuzz_${name}\n"
           "#include \"${folder}/${name}.cc\"\n#undef LLVMFuzzerTestOneInput\n")
    file(GLOB inputs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/golden/${name}-*"
         "${PROJECT_SOURCE_DIR}/tests/fuzz/${name}")
    if(name STREQUAL "image")
      set(inputs "${PROJECT_SOURCE_DIR}/tests/conformance/data_expr")
    endif()
    add_test(NAME fuzz.${name} COMMAND fuzz_test ${name} ${inputs})
    if(WEIR_SANITIZE OR name MATCHES "^(regex|sqlite)$")
      # Each change takes several times as long.
      set_tests_properties(fuzz.${name} PROPERTIES ENVIRONMENT WEIR_FUZZ_MUTATIONS=10000)
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/fuzz/fuzz_targets.inc" CONTENT "${list}")
  foreach(half 0 1)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/fuzz/half_${half}.cc" CONTENT "${half_${half}}" @ONLY)
    target_sources(fuzz_test PRIVATE "${PROJECT_BINARY_DIR}/fuzz/half_${half}.cc")
  endforeach()
endfunction()

# Registers a script of tests/, which gets the programs that it runs as arguments. A comment with the tag puts it
# among the selected ones.
function(weir_add_script_test name script)
  weir_has_selected_tests(selected "${PROJECT_SOURCE_DIR}/tests/${script}")
  if(selected)
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/${script}" ${ARGN})
  endif()
endfunction()

# Adds the test of the command, case by case.
function(weir_add_command_test)
  if(TARGET weir_command)
    weir_add_script_test(command command/command_test.py "$<TARGET_FILE:weir_command>")
    weir_add_script_test(command.seeing command/seeing_test.py "$<TARGET_FILE:weir_command>")
    weir_add_script_test(command.convert command/convert_test.py "$<TARGET_FILE:weir_command>")
    weir_add_script_test(command.files command/files_test.py "$<TARGET_FILE:weir_command>")
    weir_add_script_test(command.file_tools command/file_tools_test.py "$<TARGET_FILE:weir_command>"
                         "${PROJECT_SOURCE_DIR}/../shared/foreign")
    if(TEST command.file_tools)
      set_tests_properties(
        command.file_tools PROPERTIES ENVIRONMENT_MODIFICATION
                                      "LD_LIBRARY_PATH=path_list_prepend:$<TARGET_FILE_DIR:weir_fake_cuda>")
    endif()
    weir_add_script_test(command.written command/written_kill_test.py "$<TARGET_FILE:weir_command>")
    if(WEIR_SANITIZE AND TEST command.written)
      set_tests_properties(command.written PROPERTIES ENVIRONMENT WEIR_KILLS=5)
    endif()
    set(folder "${PROJECT_BINARY_DIR}/extensions/dir")
    add_library(weir_dir MODULE "${PROJECT_SOURCE_DIR}/tests/extensions/dir.c")
    set_target_properties(weir_dir PROPERTIES OUTPUT_NAME weir-dir C_VISIBILITY_PRESET hidden
                                              LIBRARY_OUTPUT_DIRECTORY "${folder}")
    target_link_libraries(weir_dir PRIVATE weir weir_flags)
    configure_file("${PROJECT_SOURCE_DIR}/tests/extensions/weir-dir.weir.json" "${folder}/weir-dir.weir.json" COPYONLY)
    weir_add_script_test(command.cache command/cache_kill_test.py "$<TARGET_FILE:weir_command>" "${folder}")
    weir_add_script_test(command.elsewhere command/elsewhere_test.py "$<TARGET_FILE:weir_command>"
                         "${PROJECT_BINARY_DIR}/extensions" "${folder}")
  endif()
endfunction()

# Adds what of bindings/ can be tested without another language; tools/test-rust, test-go and test-julia do the rest.
function(weir_add_bindings_tests)
  if(TARGET weir_command AND NOT WEIR_TEST_FILTER)
    add_test(NAME bindings.current COMMAND "${PROJECT_SOURCE_DIR}/tools/generate-bindings"
                                           "$<TARGET_FILE:weir_command>" --check)
  endif()
endfunction()

# Adds the documents whose elements have one hash in every language, for the command, C and C++.
function(weir_add_digest_test)
  if(WEIR_TEST_FILTER OR NOT TARGET weir_command)
    return()
  endif()
  add_executable(digest_c "${PROJECT_SOURCE_DIR}/tests/digest/digest.c")
  add_executable(digest_cpp "${PROJECT_SOURCE_DIR}/tests/digest/digest.cpp")
  target_link_libraries(digest_c PRIVATE weir weir_flags)
  target_link_libraries(digest_cpp PRIVATE weir weir_flags)
  weir_add_script_test(digest digest/digest_test.py "$<TARGET_FILE:weir_command>" "$<TARGET_FILE:digest_c>"
                       "$<TARGET_FILE:digest_cpp>")
endfunction()

# Adds the programs of the top README.
function(weir_add_readme_test)
  if(NOT WEIR_SANITIZE)
    weir_add_script_test(readme readme/readme_test.py "$<TARGET_FILE_DIR:weir>")
  endif()
endfunction()

# Adds the random pipelines: a model in Python, and the program that runs what it is told. Fewer under sanitizers;
# WEIR_RANDOM_GRAPHS in the environment sets another number.
function(weir_add_random_graphs_test)
  weir_has_selected_tests(selected "${PROJECT_SOURCE_DIR}/tests/random_graphs/random_graphs.py")
  if(NOT selected)
    return()
  endif()
  get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
  add_executable(random_graphs_runner "${PROJECT_SOURCE_DIR}/tests/random_graphs/runner.cc")
  target_link_libraries(random_graphs_runner PRIVATE weir_support ${floors})
  weir_compile_quickly(random_graphs_runner)
  set(count 2000)
  if(WEIR_SANITIZE)
    set(count 300)
  endif()
  weir_add_script_test(random_graphs random_graphs/random_graphs.py "$<TARGET_FILE:random_graphs_runner>" --count ${count})
  weir_add_script_test(random_graphs.rewrites random_graphs/random_graphs.py "$<TARGET_FILE:random_graphs_runner>"
                       --rewrites --seed 100000 --count 100)
  weir_add_script_test(random_graphs.self random_graphs/self_test.py "$<TARGET_FILE:random_graphs_runner>")
  add_executable(random_graphs_restorer "${PROJECT_SOURCE_DIR}/tests/random_graphs/restorer.cc")
  target_link_libraries(random_graphs_restorer PRIVATE weir_support ${floors})
  weir_compile_quickly(random_graphs_restorer)
  weir_add_script_test(random_graphs.restore random_graphs/restore.py "$<TARGET_FILE:random_graphs_restorer>")
endfunction()

# Adds the random expressions beside NumPy, and the program that runs them. Fewer under sanitizers; WEIR_ORACLE in the
# environment sets another number.
function(weir_add_oracle_test)
  weir_has_selected_tests(selected "${PROJECT_SOURCE_DIR}/tests/oracle/oracle.py")
  if(NOT selected)
    return()
  endif()
  get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
  add_executable(oracle_runner "${PROJECT_SOURCE_DIR}/tests/oracle/runner.cc")
  target_link_libraries(oracle_runner PRIVATE weir_support ${floors})
  weir_compile_quickly(oracle_runner)
  set(count 2000)
  if(WEIR_SANITIZE)
    set(count 500)
  endif()
  weir_add_script_test(oracle oracle/oracle.py "$<TARGET_FILE:oracle_runner>" --count ${count})
  weir_add_script_test(oracle.self oracle/self_test.py "$<TARGET_FILE:oracle_runner>")
endfunction()

# Adds the run that is killed and goes on from its folder of checkpoints, and what the command says of such files.
function(weir_add_checkpoints_test)
  weir_has_selected_tests(selected "${PROJECT_SOURCE_DIR}/tests/checkpoints/kill_test.py")
  if(NOT selected)
    return()
  endif()
  foreach(program IN ITEMS killed_run killed_rank)
    add_executable(${program} "${PROJECT_SOURCE_DIR}/tests/checkpoints/${program}.c")
    target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${program} PRIVATE weir_watchdog weir weir_flags Threads::Threads)
  endforeach()
  weir_add_script_test(checkpoints.kill checkpoints/kill_test.py "$<TARGET_FILE:killed_run>")
  weir_add_script_test(checkpoints.resize checkpoints/resize_kill_test.py "$<TARGET_FILE:killed_rank>")
  if(TARGET weir_command)
    add_executable(saver "${PROJECT_SOURCE_DIR}/tests/checkpoints/saver.c")
    target_include_directories(saver PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(saver PRIVATE weir_watchdog weir weir_flags Threads::Threads)
    weir_add_script_test(checkpoints.command checkpoints/command_test.py "$<TARGET_FILE:weir_command>" "$<TARGET_FILE:saver>")
  endif()
endfunction()

# Adds the count of instructions on the hot paths, which means something where the library is built as it is shipped.
function(weir_add_instructions_test)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR WEIR_SANITIZE)
    return()
  endif()
  add_executable(hot_paths "${PROJECT_SOURCE_DIR}/tests/instructions/hot_paths.c"
                           "${PROJECT_SOURCE_DIR}/tests/instructions/typed_loop.cc")
  target_link_libraries(hot_paths PRIVATE weir weir_flags)
  weir_add_script_test(instructions instructions/instructions_test.py "$<TARGET_FILE:hot_paths>")
  set_tests_properties(instructions PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# Adds the tests of the examples: that they print what is written beside them; that digits reaches its goal, and that a
# run of it survives being killed.
function(weir_add_example_tests)
  if(NOT TARGET digits OR WEIR_TEST_FILTER)
    return()
  endif()
  set(data "${PROJECT_SOURCE_DIR}/examples/digits/data")
  add_test(NAME examples.digits COMMAND digits --data "${data}" --epochs 30)
  weir_add_script_test(examples.digits_kill examples/digits_kill_test.py "$<TARGET_FILE:digits>" "${data}")
  weir_add_script_test(examples.digits_cpp examples/digits_cpp_test.py "$<TARGET_FILE:digits>"
                       "$<TARGET_FILE:digits_cpp>" "${PROJECT_SOURCE_DIR}/examples/digits")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    # {} is a file to write.
    set(arguments "")
    if(name STREQUAL "write_records")
      set(arguments "{}")
    endif()
    weir_add_script_test(examples.${name} examples/program_test.py "$<TARGET_FILE:example_${name}>"
                         "${PROJECT_SOURCE_DIR}/examples/${name}.out" ${arguments})
  endforeach()
  if(NOT WEIR_SANITIZE)
    weir_add_script_test(examples.failed_element examples/failed_element_test.py "$<TARGET_FILE_DIR:weir>"
                         "${CMAKE_C_COMPILER}")
  endif()
endfunction()

# Adds the test of what README, docs/samples, the command's help and the top of weir.h show.
function(weir_add_samples_test)
  if(NOT TARGET weir_command OR WEIR_TEST_FILTER)
    return()
  endif()
  set(extract "${PROJECT_SOURCE_DIR}/tests/samples/extract_header_sample.py")
  set(header "${PROJECT_SOURCE_DIR}/include/weir/weir.h")
  set(program "${PROJECT_BINARY_DIR}/header_sample.c")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND "${extract}" "${header}" "${program}"
    DEPENDS "${extract}" "${header}"
    VERBATIM)
  add_executable(header_sample "${program}")
  target_link_libraries(header_sample PRIVATE weir weir_flags)
  weir_add_script_test(samples samples/samples_test.py "$<TARGET_FILE:weir_command>" "$<TARGET_FILE:header_sample>"
                       "${PROJECT_SOURCE_DIR}")
  foreach(page tutorial language)
    weir_add_script_test(${page} samples/transcripts_test.py "$<TARGET_FILE:weir_command>" "${PROJECT_SOURCE_DIR}"
                         "${PROJECT_SOURCE_DIR}/docs/${page}.md")
  endforeach()
  weir_add_script_test(readme_pipeline samples/transcripts_test.py "$<TARGET_FILE:weir_command>" "${PROJECT_SOURCE_DIR}"
                       "${PROJECT_SOURCE_DIR}/README.md")
endfunction()

# Adds the test of what the library says about its operators and functions: examples, `weir help`, generated pages.
function(weir_add_reference_test)
  if(TARGET weir_command AND NOT WEIR_TEST_FILTER)
    set(examples_only "")
    if(WEIR_SANITIZE)
      set(examples_only --examples)
    endif()
    weir_add_script_test(reference reference/reference_test.py "$<TARGET_FILE:weir_command>" "${PROJECT_SOURCE_DIR}"
                         ${examples_only})
    set_tests_properties(
      reference PROPERTIES ENVIRONMENT_MODIFICATION
                           "LD_LIBRARY_PATH=path_list_prepend:$<TARGET_FILE_DIR:weir_fake_cuda>")
    # A sanitizer would have to be loaded before Python.
    if(NOT WEIR_SANITIZE)
      weir_add_script_test(reference.json reference/json_test.py "$<TARGET_FILE:weir>" "${PROJECT_SOURCE_DIR}")
    endif()
  endif()
endfunction()

# Adds the test that the library gets on with a program that has a oneTBB and a protobuf of its own, both shared and
# visible: protobuf's library comes with protoc. Sanitizers take two copies of the same code for a mistake.
function(weir_add_neighbours_test)
  find_library(WEIR_SHARED_PROTOBUF NAMES libprotobuf.so libprotobuf.so.32)
  if(NOT TARGET weir_proto OR WEIR_SANITIZE OR NOT WEIR_SHARED_PROTOBUF)
    return()
  endif()
  set(message "${PROJECT_BINARY_DIR}/proto/format/proto/graph.pb.cc")
  set_source_files_properties("${message}" PROPERTIES GENERATED ON)
  add_executable(neighbours "${PROJECT_SOURCE_DIR}/tests/neighbours/neighbours.cc" "${message}")
  set_target_properties(neighbours PROPERTIES ENABLE_EXPORTS ON)
  target_include_directories(neighbours PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/proto")
  target_link_libraries(neighbours PRIVATE "${WEIR_SHARED_PROTOBUF}" TBB::tbb ${CMAKE_DL_LIBS} weir_flags)
  add_dependencies(neighbours weir_proto weir)
  foreach(order first last)
    add_test(NAME neighbours.${order} COMMAND neighbours "$<TARGET_FILE:weir>" ${order})
  endforeach()
endfunction()
