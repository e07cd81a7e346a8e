# The libraries behind the functions of strings: RE2 (regex_match, regex_replace), FarmHash (hash_bucket) and
# fast_float (to_number).

find_path(WEIR_FAST_FLOAT_INCLUDE fast_float/fast_float.h REQUIRED)

set(weir_strings_flags "")
if(WEIR_SANITIZE MATCHES "thread")
  set(weir_strings_flags -fsanitize=thread)
endif()

# Links a library that a tool builds, and tells the kernel's file that it is there.
function(weir_add_string_library tool header archive kernel definition)
  find_path(WEIR_INCLUDE_OF_${definition} ${header} REQUIRED)
  weir_build_dependency(${tool} prefix ${weir_strings_flags})
  target_link_libraries(weir_dependencies INTERFACE "${prefix}/${archive}")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/expr/kernels/${kernel}" PROPERTIES COMPILE_DEFINITIONS
                                                                                           ${definition})
endfunction()

if(WEIR_RE2)
  weir_add_string_library(build-re2 re2/re2.h libre2.a regex.cc WEIR_HAVE_RE2)
endif()
if(WEIR_FARMHASH)
  weir_add_string_library(build-farmhash farmhash.h libfarmhash.a hash_bucket.cc WEIR_HAVE_FARMHASH)
endif()
