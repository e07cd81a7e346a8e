# The messages of src/format/proto, generated into the build folder, and protobuf's lite runtime.

find_program(WEIR_PROTOC protoc REQUIRED)
set(weir_protobuf_flags "")
if(WEIR_SANITIZE MATCHES "thread")
  set(weir_protobuf_flags -fsanitize=thread)
endif()
weir_build_dependency(build-protobuf-lite weir_protobuf_prefix ${weir_protobuf_flags})

set(weir_proto_folder "${PROJECT_BINARY_DIR}/proto")
set(weir_proto_sources "")
foreach(proto IN LISTS weir_protos)
  file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}/src" "${proto}")
  string(REGEX REPLACE "\\.proto$" "" stem "${path}")
  set(outputs "${weir_proto_folder}/${stem}.pb.cc" "${weir_proto_folder}/${stem}.pb.h")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${CMAKE_COMMAND} -E make_directory "${weir_proto_folder}"
    COMMAND ${WEIR_PROTOC} "--proto_path=${PROJECT_SOURCE_DIR}/src" "--cpp_out=${weir_proto_folder}" "${path}"
    DEPENDS "${proto}" ${weir_protos}
    VERBATIM)
  list(APPEND weir_proto_sources ${outputs})
endforeach()

# What includers need: `#include "format/proto/<name>.pb.h"`.
add_library(weir_protobuf INTERFACE)
target_include_directories(weir_protobuf SYSTEM INTERFACE "${weir_proto_folder}")
target_link_libraries(weir_protobuf INTERFACE "${weir_protobuf_prefix}/libprotobuf-lite.a" Threads::Threads)

add_library(weir_proto OBJECT ${weir_proto_sources})
set_target_properties(weir_proto PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                            VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(weir_proto PUBLIC weir_flags weir_protobuf)
target_compile_options(weir_proto PRIVATE $<$<CONFIG:Release>:-O2>)

# Adds the messages of tf.Example to a program that compares with protobuf's own parser: `#include "example.pb.h"`.
function(weir_add_example_messages program)
  set(folder "${PROJECT_BINARY_DIR}/example_messages")
  if(NOT TARGET weir_example_messages)
    set(source "${PROJECT_SOURCE_DIR}/tests/support")
    add_custom_command(
      OUTPUT "${folder}/example.pb.cc" "${folder}/example.pb.h"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
      COMMAND ${WEIR_PROTOC} "--proto_path=${source}" "--cpp_out=${folder}" example.proto
      DEPENDS "${source}/example.proto"
      VERBATIM)
    add_library(weir_example_messages OBJECT EXCLUDE_FROM_ALL "${folder}/example.pb.cc")
    target_link_libraries(weir_example_messages PRIVATE weir_flags weir_protobuf)
  endif()
  target_include_directories(${program} SYSTEM PRIVATE "${folder}")
  target_link_libraries(${program} PRIVATE weir_example_messages weir_protobuf)
  add_dependencies(${program} weir_example_messages)
endfunction()
