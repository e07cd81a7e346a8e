# The crates that weir-parquet is built of, which take longer than any file of the library. ninja begins what is ready in the order
# in which folders declare it, so the Python package, above the library's folder, includes this first: the last of the crates
# leaves a processor to the library's files.

if(TARGET weir_crates)
  return()
endif()
find_program(WEIR_CARGO cargo)
find_program(WEIR_RUSTC rustc)
set(rust_version 0)
if(WEIR_CARGO AND WEIR_RUSTC)
  execute_process(COMMAND "${WEIR_RUSTC}" --version OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9]+" rust_version "${said}")
endif()
if(NOT rust_version OR rust_version VERSION_LESS 1.88)
  message(STATUS "weir-parquet is left out: it needs cargo and Rust 1.88 (tools/install-deps --parquet)")
  return()
endif()

get_filename_component(crate "${CMAKE_CURRENT_LIST_DIR}/../extensions/parquet" ABSOLUTE)
set(WEIR_CARGO_FOLDER "${CMAKE_CURRENT_BINARY_DIR}/crates")
# Like the library, the extension takes the system's libzstd.
set(WEIR_CARGO_BUILD "${CMAKE_COMMAND}" -E env "CARGO_TARGET_DIR=${WEIR_CARGO_FOLDER}" ZSTD_SYS_USE_PKG_CONFIG=1)
set(cargo_arguments build --quiet --release --locked)
add_custom_command(
  OUTPUT "${WEIR_CARGO_FOLDER}/stamp"
  COMMAND ${WEIR_CARGO_BUILD} "${WEIR_CARGO}" ${cargo_arguments} -p parquet -p hdf5-reader
  COMMAND "${CMAKE_COMMAND}" -E touch "${WEIR_CARGO_FOLDER}/stamp"
  DEPENDS "${crate}/Cargo.toml" "${crate}/Cargo.lock"
  WORKING_DIRECTORY "${crate}"
  COMMENT "Building the crates of weir-parquet"
  VERBATIM)
add_custom_target(weir_crates DEPENDS "${WEIR_CARGO_FOLDER}/stamp")
list(APPEND WEIR_CARGO_BUILD "WEIR_LIB_DIR=$<TARGET_FILE_DIR:weir>" "${WEIR_CARGO}" ${cargo_arguments})
