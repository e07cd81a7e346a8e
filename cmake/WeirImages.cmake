# The libraries behind src/format/image: libpng, shared; libjpeg-turbo and giflib's decoder, compiled in and hidden.

set(image_folder "${PROJECT_SOURCE_DIR}/src/format/image")
set(image_sources "${image_folder}/gif.cc" "${image_folder}/jpeg.cc" "${image_folder}/jpeg_encoder.cc"
                  "${image_folder}/png.cc" "${image_folder}/png_encoder.cc")
if(WEIR_IMAGES)
  find_package(PNG)
  if(NOT PNG_FOUND)
    message(FATAL_ERROR "The functions of images need libpng: run tools/install-deps, or leave them out with "
                        "-DWEIR_IMAGES=OFF")
  endif()
  weir_build_dependency(build-giflib weir_giflib_prefix)
  weir_build_dependency(build-libjpeg weir_libjpeg_prefix)
  target_link_libraries(weir_dependencies INTERFACE PNG::PNG "${weir_giflib_prefix}/libgif.a"
                                                    "${weir_libjpeg_prefix}/libjpeg.a")
  set_source_files_properties("${image_folder}/gif.cc" PROPERTIES INCLUDE_DIRECTORIES "${weir_giflib_prefix}")
  set_source_files_properties("${image_folder}/jpeg.cc" "${image_folder}/jpeg_encoder.cc"
                              PROPERTIES INCLUDE_DIRECTORIES "${weir_libjpeg_prefix}")
  set(image_left_out "${image_folder}/missing.cc")
else()
  set(image_left_out ${image_sources})
endif()
# Files that are not compiled.
set_source_files_properties(${image_left_out} PROPERTIES HEADER_FILE_ONLY TRUE)
