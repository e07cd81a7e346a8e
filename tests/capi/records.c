/* Examples built, written as records in each compression, read back through a pipeline. */
#include "check.h"

static weir_bytes example_of(int64_t number) {
  weir_example example = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_string name;
  float half = (float)number / 2;
  name.data = "abc";
  name.size = (uint64_t)(number % 4);
  REQUIRE(weir_example_create(&example, NULL) == WEIR_OK);
  CHECK(weir_example_set(example, "n", WEIR_STRLEN, WEIR_DTYPE_INT64, &number, 1, NULL) == WEIR_OK);
  CHECK(weir_example_set(example, "half", WEIR_STRLEN, WEIR_DTYPE_FLOAT32, &half, 1, NULL) == WEIR_OK);
  CHECK(weir_example_set(example, "name", WEIR_STRLEN, WEIR_DTYPE_STRING, &name, 1, NULL) == WEIR_OK);
  CHECK(weir_example_set(example, "x", WEIR_STRLEN, WEIR_DTYPE_INT64, NULL, UINT64_MAX, NULL) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_example_set(example, NULL, 5, WEIR_DTYPE_INT64, &number, 1, NULL) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  name.size = UINT64_MAX;
  CHECK(weir_example_set(example, "name", WEIR_STRLEN, WEIR_DTYPE_STRING, &name, 1, NULL) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_example_serialize(example, &bytes, NULL) == WEIR_OK);
  weir_example_destroy(example);
  weir_example_destroy(example);
  CHECK(weir_example_set(example, "n", 1, WEIR_DTYPE_INT64, &number, 1, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  return bytes;
}

static void round_trip(weir_runtime runtime, int32_t compression, const char* name, int32_t level) {
  char file[512];
  char text[2048];
  weir_record_writer writer = {0};
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  weir_element element = make_element();
  weir_dataset dataset;
  weir_iterator iterator;
  snprintf(file, sizeof file, "%s/capi_records_%d.tfrecord", WEIR_BINARY_DIR, (int)compression);
  options.compression = compression;
  options.compression_name = name;
  options.compression_name_size = name ? WEIR_STRLEN : 0;
  options.level = level;
  REQUIRE(weir_record_writer_create(runtime, file, WEIR_STRLEN, &options, &writer, NULL) == WEIR_OK);
  for (int64_t i = 0; i < 10; ++i) {
    weir_bytes bytes = example_of(i);
    CHECK(weir_record_writer_write(writer, bytes.data, bytes.size, NULL) == WEIR_OK);
    weir_bytes_release(&bytes);
  }
  CHECK(weir_record_writer_write(writer, NULL, 1, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_record_writer_write(writer, file, UINT64_MAX, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  weir_record_writer_destroy(writer);
  weir_record_writer_destroy(writer);
  snprintf(
      text, sizeof text,
      "tfrecord(\"%s\", compression: \"auto\") | map(r -> parse_example(r, {n: int64, half: float32, name: string}))",
      file);
  dataset = parse(runtime, text);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "{n: 2, half: 1.0, name: \"ab\"}"));
  for (int i = 3; i < 10; ++i) CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  remove(file);
}

static void failures_to_open(weir_runtime runtime) {
  weir_record_writer writer = {7};
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_record_writer_create(runtime, "/no/such/folder/file", WEIR_STRLEN, NULL, &writer, &error) < 0);
  CHECK(writer.value == 0 && text_is(error.file, "/no/such/folder/file"));
  options.compression = 9;
  CHECK(weir_record_writer_create(runtime, "x", 1, &options, &writer, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  options.compression = 0;
  options.level = 10;
  CHECK(weir_record_writer_create(runtime, "x", 1, &options, &writer, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  options.compression_name = "zstd";
  options.compression_name_size = 4;
  options.level = 23;
  CHECK(weir_record_writer_create(runtime, "x", 1, &options, &writer, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  options.level = 0;
  options.compression_name_size = 3;
  CHECK(weir_record_writer_create(runtime, "x", 1, &options, &writer, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  options.compression_name_size = 4;
  options.compression = WEIR_COMPRESSION_GZIP;
  CHECK(weir_record_writer_create(runtime, "x", 1, &options, &writer, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  static const char* const names[] = {"gzip", "zlib", "zstd", "lz4", "bz2", "xz"};
  round_trip(runtime, WEIR_COMPRESSION_NONE, NULL, 0);
  round_trip(runtime, WEIR_COMPRESSION_GZIP, NULL, 9);
  round_trip(runtime, WEIR_COMPRESSION_ZLIB, NULL, 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) round_trip(runtime, 0, names[i], 1 + (int32_t)i);
  failures_to_open(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
