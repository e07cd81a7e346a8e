# How every file of this project is compiled: the language, the floating-point rules, visibility and sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  foreach(language IN ITEMS C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${WEIR_CCACHE}")
    endif()
  endforeach()
endif()

add_library(weir_flags INTERFACE)
target_compile_options(weir_flags INTERFACE -Wall -Wextra -ffunction-sections -fdata-sections)
# One value on every machine: no multiplication and addition is fused behind our back.
target_compile_options(weir_flags INTERFACE -ffp-contract=off)
# Nobody reads errno or the exception flags after arithmetic, and loops over sqrt or a comparison vectorise without.
target_compile_options(weir_flags INTERFACE -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(weir_flags INTERFACE -march=x86-64-v2)
endif()
# What is shipped says nothing about the machine that built it.
target_compile_options(weir_flags INTERFACE $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
# gcc 12 warns of `"x" + std::string` in optimised code, which is right (gcc bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(weir_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(WEIR_WERROR)
  target_compile_options(weir_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler looks for memory that it no longer needs only when it has a gigabyte: a tenth to a sixth less of its time, for
  # a fourth more of its memory (/usr/bin/time of g++, a unit of the release and one with the address sanitizer).
  target_compile_options(weir_flags INTERFACE --param=ggc-min-heapsize=1000000)
endif()
if(WEIR_SANITIZE)
  target_compile_options(
    weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE})
endif()
if(WEIR_SANITIZE MATCHES "undefined")
  # The address sanitizer stops at a null pointer and behind an object anyway; these checks of every access cost a third of
  # the compiler's time.
  target_compile_options(weir_flags INTERFACE -fno-sanitize=null,object-size,pointer-overflow,vptr)
  # Last, where it counts (weir_compile_quickly).
  target_compile_options(
    weir_flags INTERFACE $<$<BOOL:$<TARGET_PROPERTY:WEIR_TEST_CODE>>:-fno-sanitize=undefined>)
endif()

# Gives the files that are chosen at run time the instructions that their name promises.
function(weir_set_instruction_sets)
  foreach(source IN LISTS ARGN)
    if(source MATCHES "_avx512\\.cc$")
      set(flags -mavx2 -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
    elseif(source MATCHES "_avx2\\.cc$")
      set(flags -mavx2 -mfma)
    elseif(source MATCHES "_crc\\.cc$")
      set(flags -msse4.2 -mpclmul)
    else()
      continue()
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}")
  endforeach()
endfunction()

# The version reaches one file only, so that a new one compiles nothing else again.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/core/version.cc"
                            PROPERTIES COMPILE_DEFINITIONS "WEIR_LIBRARY_VERSION=\"${PROJECT_VERSION}\"")

# What is no loop over entries, rows or elements gets -O2: -O3 makes it larger and no faster. The loops are the kernels
# and the files named here. Those that are instantiated for every dtype get the vectoriser of -O3 only: peeled and
# unswitched loops double their code for nothing that can be measured.
set(WEIR_LOOPS
    "capi/(call|callback|element|iterator|handle_table)"
    "core/(block|rowstore|philox|digest)"
    "dataset/(batch_buffer|joined_buffer|padded_buffer|port|stage)"
    "expr/run/(chain|compiled|compiled_rows|evaluate|frame|run|tile_[a-z0-9_]+)"
    "expr/kernels/shared/(array|broadcast|image|power|reduce|resample|strided|trig)"
    "expr/types/generator"
    "expr/kernels/[a-z0-9_]+"
    "format/(base64|block_reader|crc32c[a-z0-9_]*|csv_parser|csv_rows|example|feature_[a-z]+|fixed_records)"
    "format/(sequence_example|tensor_proto|text_lines|tfrecord)"
    "format/(json|image)/[a-z0-9_]+"
    "iterator/iterator"
    "ops/batching/(batch_cursor|batch_rows|joined_batch|padding|value_rows)"
    "ops/shuffling/(index_shuffle|shuffle_order)"
    "ops/sources/(from_tensor_slices|random|range)"
    "ops/transforms/(batch|filter|padded_batch|shuffle|unbatch)")
set(WEIR_VECTORISED
    "expr/kernels/(adjust_[a-z]+|argmax|bitwise|bucketize|cast|clip|compare|convert_image_dtype|divide|floor_divide)"
    "expr/kernels/(gather|max|minimum|one_hot|pad|pow|saturate_cast|sort|sum|where)")

# Leaves in <result> whether the file is one of the patterns.
function(weir_is_among result source)
  set(${result} FALSE PARENT_SCOPE)
  foreach(pattern IN LISTS ARGN)
    if(source MATCHES "/${pattern}\\.cc$")
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Leaves in <result> how far the file is optimised in a release, for which WEIR_FLAGS_OF_<result> are the options.
function(weir_choose_code_size result source)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    set(${result} all PARENT_SCOPE)
    return()
  endif()
  weir_is_among(vectorised "${source}" ${WEIR_VECTORISED})
  weir_is_among(loops "${source}" ${WEIR_LOOPS})
  weir_is_among(building "${source}" ${WEIR_BUILDING})
  if(vectorised)
    set(${result} vectorised PARENT_SCOPE)
  elseif(loops)
    set(${result} loops PARENT_SCOPE)
  elseif(building)
    set(${result} building PARENT_SCOPE)
  else()
    set(${result} small PARENT_SCOPE)
  endif()
endfunction()
set(WEIR_FLAGS_OF_vectorised -O2 -ftree-vectorize $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
set(WEIR_FLAGS_OF_loops -O3)
set(WEIR_FLAGS_OF_small -O2)
# Runs when datasets are built, described, saved or opened, or once for a block of rows.
set(WEIR_BUILDING
    "src/(graph|syntax|expr/compile|expr/features|device)/.*"
    "src/core/(failed_reads|mixtures|part_positions|spec)"
    "src/exec/scheduler_tuning"
    "src/format/(npy|npz|record_index|record_writer|signature|sqlite|written_manifest|zip)"
    "src/format/tables/(arrow_value|table_types)"
    "src/dataset/(cardinality|dataset|dataset_order|found_names|params|run_time_params|slice|traits)"
    "src/fs/(block_folder|few_open_files|file_system|glob|local|machine_limits|remote_files|routed_files)"
    "src/iterator/(checkpoint_folder|checkpoint_group|describe_checkpoint|generation|iterator_stats|rank_positions|verdict)"
    "ops/files/(blocking_lane|file_cache|find_index|known_names|pipeline_digest|read_files)"
    "ops/files/(table_condition|table_source)"
    "ops/sources/(array_record|arrow|csv|fixed_length_record|hdf5|jsonl|list_files|lmdb|load|np[yz]|parquet|sql)"
    "ops/sources/(text_line|tfrecord|webdataset)"
    "ops/transforms/to_device"
    "capi/(arguments|arrow_stream|checkpoint_manager|dataset|describe|example|extensions|file|json|logging|record_writer)"
    "capi/(runtime|schema|spec|string_handle|table_format|tensor|top_page)")
set(WEIR_FLAGS_OF_building -Os)

# Lets about sixteen files of a target that lie in one folder be compiled at once (ADR 0078): most of the time for a file goes
# into headers. Kernels are compiled eight at a time: the optimiser takes their time, and one long unit would end the build. So
# are tests, whose helpers often have the same name and other parameters.
# Which files go together follows from their names, so that a new file moves no other, as long as the number of files stays
# below the next power of two.
function(weir_join_files target)
  if(NOT WEIR_UNITY)
    return()
  endif()
  set(folders ${ARGN})
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  set(first 0)
  foreach(folder IN LISTS folders)
    set(sources "")
    foreach(source IN LISTS ARGN)
      get_filename_component(parent "${source}" DIRECTORY)
      if(parent STREQUAL folder)
        list(APPEND sources "${source}")
      endif()
    endforeach()
    list(LENGTH sources count)
    set(most 18)
    if(folder MATCHES "/expr/kernels$" OR target MATCHES "_test$")
      set(most 8)
    endif()
    set(groups 1)
    while(count GREATER most)
      math(EXPR groups "${groups} * 2")
      math(EXPR count "${count} / 2")
    endwhile()
    foreach(source IN LISTS sources)
      get_filename_component(name "${source}" NAME)
      string(MD5 hash "${name}")
      string(SUBSTRING "${hash}" 0 6 hash)
      math(EXPR group "${first} + 0x${hash} % ${groups}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
    endforeach()
    math(EXPR first "${first} + ${groups}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class of one file may have members of types that nobody else can name; gcc takes such files for headers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    # It inlines less in large units; these are none, but several small ones.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:--param=large-unit-insns=100000>)
  endif()
endfunction()
