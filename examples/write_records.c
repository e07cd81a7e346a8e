/* Writes a TFRecord file of tf.Examples, and reads it back.

     write_records FILE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/weir.h"

static void check(int32_t result, const weir_error* error) {
  if (result >= 0 && result != WEIR_ELEMENT_FAILED) return;
  fprintf(stderr, "write_records: %s\n", error->line.data);
  exit(1);
}

static void write_file(weir_runtime runtime, const char* file, weir_error* error) {
  static const char* const kCities[] = {"Lagos", "Lima", "Oslo"};
  static const float kDegrees[] = {31.5f, 22.0f, -4.5f};
  weir_record_writer writer = {0};
  weir_example example = {0};
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  options.compression = WEIR_COMPRESSION_GZIP;
  check(weir_record_writer_create(runtime, file, WEIR_STRLEN, &options, &writer, error), error);
  check(weir_example_create(&example, error), error);
  for (int64_t i = 0; i < 3; ++i) {
    /* Setting a feature again replaces it, so that one example serves for all records. */
    const weir_string city = {kCities[i], strlen(kCities[i])};
    weir_bytes record = WEIR_BYTES_INIT;
    check(weir_example_set(example, "id", WEIR_STRLEN, WEIR_DTYPE_INT64, &i, 1, error), error);
    check(weir_example_set(example, "city", WEIR_STRLEN, WEIR_DTYPE_STRING, &city, 1, error), error);
    check(weir_example_set(example, "degrees", WEIR_STRLEN, WEIR_DTYPE_FLOAT32, &kDegrees[i], 1, error),
          error);
    check(weir_example_serialize(example, &record, error), error);
    check(weir_record_writer_write(writer, record.data, record.size, error), error);
    weir_bytes_release(&record);
  }
  /* Only a file that was closed is complete. */
  check(weir_record_writer_close(writer, error), error);
  weir_example_destroy(example);
  weir_record_writer_destroy(writer);
}

static void read_file(weir_runtime runtime, const char* file, weir_error* error) {
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  /* A text argument is the string itself: the name needs no quotes and no escapes. */
  const weir_argument argument = WEIR_ARGUMENT_TEXT("file", file);
  const char* text =
      "tfrecord(@file, compression: \"gzip\")\n"
      "  | map(r -> parse_example(r, {id: int64, city: string, degrees: float32}))";
  check(weir_dataset_parse(runtime, text, WEIR_STRLEN, &argument, 1, &dataset, error), error);
  check(weir_iterator_create(runtime, dataset, NULL, &iterator, error), error);
  check(weir_element_create(&element, error), error);
  int32_t result;
  while ((result = weir_iterator_next(iterator, element, error)) == WEIR_OK) {
    weir_view id = WEIR_VIEW_INIT;
    weir_view city = WEIR_VIEW_INIT;
    weir_view degrees = WEIR_VIEW_INIT;
    check(weir_element_view(element, 0, &id, error), error);
    check(weir_element_view(element, 1, &city, error), error);
    check(weir_element_view(element, 2, &degrees, error), error);
    const weir_string* name = city.data;
    printf("%" PRId64 ": %.*s, %.1f degrees\n", *(const int64_t*)id.data, (int)name->size, name->data,
           (double)*(const float*)degrees.data);
  }
  check(result, error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

int main(int argc, char** argv) {
  weir_runtime runtime = {0};
  weir_error error = WEIR_ERROR_INIT;
  if (argc != 2) {
    fprintf(stderr, "usage: write_records FILE\n");
    return 2;
  }
  check(weir_runtime_create(NULL, &runtime, &error), &error);
  write_file(runtime, argv[1], &error);
  read_file(runtime, argv[1], &error);
  weir_runtime_destroy(runtime);
  return 0;
}
