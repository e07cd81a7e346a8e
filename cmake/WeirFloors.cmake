# Floors: one object library each, compiled once and linked into both the shared library and the tests.

# The object libraries so far, from the ground up.
set_property(GLOBAL PROPERTY WEIR_FLOORS "")

# Adds the object library weir_<name> from the files below <folder>; a floor without files is left out.
function(weir_add_floor name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cc"
                                              "${PROJECT_SOURCE_DIR}/${folder}/*.c")
  get_property(floors GLOBAL PROPERTY WEIR_FLOORS)
  if(name STREQUAL "format" AND TARGET weir_proto)
    list(APPEND floors weir_proto)
  endif()
  if(sources)
    weir_set_instruction_sets(${sources})
    weir_set_code_size(${sources})
    add_library(weir_${name} OBJECT ${sources})
    # Operators and rewrites keep their short names each: Params, spec, take.
    foreach(source IN LISTS sources)
      if(source MATCHES "/src/(ops|graph/rewrites)/")
        set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
    set_target_properties(
      weir_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                              C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_include_directories(
      weir_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                          "${PROJECT_SOURCE_DIR}")
    target_link_libraries(weir_${name} PUBLIC weir_flags weir_dependencies)
    if("weir_proto" IN_LIST floors)
      target_link_libraries(weir_${name} PUBLIC weir_protobuf)
      add_dependencies(weir_${name} weir_proto)
    endif()
    list(APPEND floors weir_${name})
  endif()
  set_property(GLOBAL PROPERTY WEIR_FLOORS "${floors}")
  set_property(GLOBAL PROPERTY WEIR_FLOORS_UP_TO_${name} "${floors}")
endfunction()

# Adds all floors in the order of tools/house-rules.json, which tools/check-layers holds the includes to.
function(weir_add_floors)
  set(rules_file "${PROJECT_SOURCE_DIR}/tools/house-rules.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${rules_file}")
  file(READ "${rules_file}" rules)
  string(JSON count LENGTH "${rules}" floors)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${rules}" floors ${i} name)
    string(JSON folder GET "${rules}" floors ${i} folder)
    list(APPEND names ${name})
    weir_add_floor(${name} ${folder})
  endforeach()
  set_property(GLOBAL PROPERTY WEIR_FLOOR_NAMES "${names}")
endfunction()
