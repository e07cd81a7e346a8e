# What the library stands on. Most is private: linked statically or header-only, and hidden.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
foreach(library zstd lz4)
  string(TOUPPER ${library} name)
  find_path(WEIR_${name}_INCLUDE NAMES ${library}.h REQUIRED)
  find_library(WEIR_${name}_LIBRARY NAMES ${library} REQUIRED)
endforeach()

add_library(weir_dependencies INTERFACE)
target_link_libraries(weir_dependencies INTERFACE ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA "${WEIR_ZSTD_LIBRARY}"
                                                  "${WEIR_LZ4_LIBRARY}" Threads::Threads ${CMAKE_DL_LIBS})
target_include_directories(weir_dependencies SYSTEM INTERFACE "${WEIR_ZSTD_INCLUDE}" "${WEIR_LZ4_INCLUDE}")
# spdlog and fmt are compiled into us from their headers, so that neither's shared library is needed.
target_compile_definitions(weir_dependencies INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY=1)

# Runs one of tools/ that builds a dependency into the cache; the last line that it prints is the prefix.
function(weir_build_dependency script result)
  message(STATUS "Looking for a cached build: tools/${script}")
  execute_process(
    COMMAND "${PROJECT_SOURCE_DIR}/tools/${script}" ${ARGN}
    OUTPUT_VARIABLE prefix
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE ".*\n" "" prefix "${prefix}")
  set(${result} "${prefix}" PARENT_SCOPE)
endfunction()

# Those that aren't cached are built at the same time, since one of them is a single long file.
set(builds COMMAND "${PROJECT_SOURCE_DIR}/tools/build-protobuf-lite" COMMAND
           "${PROJECT_SOURCE_DIR}/tools/build-simdjson")
if(WEIR_RE2)
  list(APPEND builds COMMAND "${PROJECT_SOURCE_DIR}/tools/build-re2")
endif()
if(WEIR_SANITIZE MATCHES "thread")
  list(TRANSFORM builds REPLACE "(.*/build-.*)" "\\1;-fsanitize=thread")
endif()
if(WEIR_SQLITE)
  list(APPEND builds COMMAND "${PROJECT_SOURCE_DIR}/tools/build-sqlite")
endif()
if(WEIR_IMAGES)
  list(APPEND builds COMMAND "${PROJECT_SOURCE_DIR}/tools/build-libjpeg")
endif()
execute_process(${builds} OUTPUT_QUIET)

# ThreadSanitizer cannot see through a oneTBB that was built without it: every hand-over would look like a race.
if(WEIR_SANITIZE MATCHES "thread")
  weir_build_dependency(build-tbb tbb_prefix)
  list(PREPEND CMAKE_PREFIX_PATH "${tbb_prefix}")
endif()
find_package(TBB CONFIG REQUIRED)
if(WEIR_SANITIZE)
  target_link_libraries(weir_dependencies INTERFACE TBB::tbb)
  target_compile_definitions(weir_dependencies INTERFACE WEIR_LINKS_ONETBB)
else()
  # Its declarations; the library itself is looked up at run time (exec/onetbb.cc).
  target_include_directories(weir_dependencies SYSTEM INTERFACE $<TARGET_PROPERTY:TBB::tbb,INTERFACE_INCLUDE_DIRECTORIES>)
endif()

# The messages of src/format/proto, where there are any.
file(GLOB weir_protos CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/format/proto/*.proto")
if(weir_protos)
  include(WeirProtobuf)
endif()

include(WeirStrings)

# ISA-L's declarations; the library itself is looked up at run time (format/codecs/isal.cc).
if(WEIR_ISAL)
  find_path(WEIR_ISAL_INCLUDE isa-l/igzip_lib.h)
  if(WEIR_ISAL_INCLUDE)
    set(isal_source "${PROJECT_SOURCE_DIR}/src/format/codecs/isal.cc")
    set_source_files_properties("${isal_source}" PROPERTIES COMPILE_DEFINITIONS WEIR_HAVE_ISAL)
    if(NOT WEIR_ISAL_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      set_source_files_properties("${isal_source}" PROPERTIES INCLUDE_DIRECTORIES "${WEIR_ISAL_INCLUDE}")
    endif()
  else()
    message(STATUS "ISA-L is not there: gzip and zlib are read by zlib alone")
  endif()
endif()

# SQLite, behind format/sqlite.cc.
set(sqlite_left_out "${PROJECT_SOURCE_DIR}/src/format/sqlite.cc")
if(WEIR_SQLITE)
  weir_build_dependency(build-sqlite weir_sqlite_prefix)
  target_link_libraries(weir_dependencies INTERFACE "${weir_sqlite_prefix}/libsqlite3.a")
  set_source_files_properties("${sqlite_left_out}" PROPERTIES INCLUDE_DIRECTORIES "${weir_sqlite_prefix}")
  set(sqlite_left_out "${PROJECT_SOURCE_DIR}/src/format/sqlite_missing.cc")
endif()
set_source_files_properties("${sqlite_left_out}" PROPERTIES HEADER_FILE_ONLY TRUE)

# simdjson, behind format/json/json_index.cc.
set(simdjson_flags "")
if(WEIR_SANITIZE MATCHES "thread")
  set(simdjson_flags -fsanitize=thread)
endif()
weir_build_dependency(build-simdjson weir_simdjson_prefix ${simdjson_flags})
target_link_libraries(weir_dependencies INTERFACE "${weir_simdjson_prefix}/libsimdjson.a")
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/format/json/json_index.cc"
                            PROPERTIES COMPILE_OPTIONS "-isystem;${weir_simdjson_prefix}")

include(WeirImages)
