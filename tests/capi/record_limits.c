/* The longest record that a runtime reads: the option, both edges, each compression, callers without it. */
#include <stddef.h>

#include "check.h"

static const char kFile[] = WEIR_BINARY_DIR "/capi_record_limits.tfrecord";

static weir_runtime runtime_with(int64_t record_bytes) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.thread_count = 2;
  options.record_bytes = record_bytes;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  return runtime;
}

/* Records of 3, `size` and 4 bytes. */
static void write_records(weir_runtime runtime, int32_t compression, uint64_t size) {
  weir_record_writer writer = {0};
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  char* bytes = calloc(size, 1);
  options.compression = compression;
  REQUIRE(bytes &&
          weir_record_writer_create(runtime, kFile, WEIR_STRLEN, &options, &writer, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, "one", 3, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, bytes, size, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, "last", 4, NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  weir_record_writer_destroy(writer);
  free(bytes);
}

static weir_iterator read_records(weir_runtime runtime) {
  char text[1024];
  weir_dataset dataset;
  weir_iterator iterator;
  snprintf(text, sizeof text,
           "tfrecord(\"%s\", compression: \"auto\") | map(r -> cast(string_length(r), int64))", kFile);
  dataset = parse(runtime, text);
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  return iterator;
}

/* The record at `offset` is the second one, and too long. */
static void refused(weir_iterator iterator, int64_t offset, const char* limit) {
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(error.code == WEIR_CODE_RESOURCE_EXHAUSTED);
  CHECK(error.record == 1 && error.offset == offset && text_is(error.file, kFile));
  CHECK(error.message.data && strstr(error.message.data, "the limit record_bytes") != NULL);
  CHECK(error.message.data && strstr(error.message.data, "record_bytes of weir_runtime_options") != NULL);
  CHECK(error.message.data && strstr(error.message.data, limit) != NULL);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_error_clear(&error);
  weir_element_destroy(element);
}

static void both_edges(void) {
  for (int32_t compression = WEIR_COMPRESSION_NONE; compression <= WEIR_COMPRESSION_ZLIB; ++compression) {
    for (uint64_t size = 100; size <= 101; ++size) {
      weir_runtime runtime = runtime_with(100);
      weir_element element = make_element();
      weir_iterator iterator;
      write_records(runtime, compression, size);
      iterator = read_records(runtime);
      CHECK(next_int64(iterator, element) == 3);
      if (size == 100) {
        CHECK(next_int64(iterator, element) == 100);
        CHECK(next_int64(iterator, element) == 4);
        CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
      } else {
        refused(iterator, 3 + 16, "at most 100 bytes");
      }
      weir_iterator_destroy(iterator);
      weir_element_destroy(element);
      weir_runtime_destroy(runtime);
    }
  }
}

/* Without the option, or for an older caller, 256 MiB: a header that claims as much is believed and the file
 * found to be cut short; one that claims a byte more is refused. */
static void by_default(void) {
  static const unsigned char kHeaders[2][12] = {
      {0x00, 0x00, 0x00, 0x10, 0, 0, 0, 0, 0xed, 0xf0, 0x34, 0x49},
      {0x01, 0x00, 0x00, 0x10, 0, 0, 0, 0, 0x45, 0x7f, 0x7f, 0xff},
  };
  for (int old = 0; old < 2; ++old) {
    for (int i = 0; i < 2; ++i) {
      weir_runtime runtime = {0};
      weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
      weir_element element = make_element();
      weir_error error = WEIR_ERROR_INIT;
      weir_iterator iterator;
      FILE* file;
      if (old) {
        options.struct_size = offsetof(weir_runtime_options, record_bytes);
        /* Memory of the caller's that is no field. */
        options.record_bytes = 1;
      }
      REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
      write_records(runtime, WEIR_COMPRESSION_NONE, 5);
      file = fopen(kFile, "r+b");
      REQUIRE(file && fseek(file, 3 + 16, SEEK_SET) == 0 && fwrite(kHeaders[i], 12, 1, file) == 1);
      REQUIRE(fclose(file) == 0);
      iterator = read_records(runtime);
      CHECK(next_int64(iterator, element) == 3);
      if (i == 0) {
        CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
        CHECK(error.code == WEIR_CODE_DATA_LOSS && error.record == 1 && error.offset == 19);
      } else {
        refused(iterator, 19, "at most 268435456 bytes");
      }
      weir_error_clear(&error);
      weir_iterator_destroy(iterator);
      weir_element_destroy(element);
      weir_runtime_destroy(runtime);
    }
  }
}

static void bad_options(void) {
  static const int64_t kBad[] = {-1, INT64_MIN};
  for (int i = 0; i < 2; ++i) {
    weir_runtime runtime = {7};
    weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
    weir_error error = WEIR_ERROR_INIT;
    options.record_bytes = kBad[i];
    CHECK(weir_runtime_create(&options, &runtime, &error) == -WEIR_CODE_INVALID_ARGUMENT);
    CHECK(runtime.value == 0 && strstr(error.message.data, "record_bytes") != NULL);
    weir_error_clear(&error);
  }
  weir_runtime_destroy(runtime_with(INT64_MAX));
}

/* A budget for what is held: beyond it elements are errors that name it; none is left when the iterator is
 * gone. */
static void memory_budget(void) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_element element = make_element();
  weir_dataset dataset;
  options.memory_bytes = -1;
  CHECK(weir_runtime_create(&options, &runtime, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data, "memory_bytes of 0 or more, found -1") != NULL);
  options.memory_bytes = 4 << 20;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  dataset = parse(runtime, "range(6000) | map(x -> full([125], x)) | shuffle(6000, seed: 1)");
  for (int pass = 0; pass < 2; ++pass) {
    weir_iterator iterator = iterate(runtime, dataset);
    int failed = 0;
    int given = 0;
    int32_t result;
    while ((result = weir_iterator_next(iterator, element, &error)) != WEIR_END) {
      REQUIRE(result == WEIR_OK || result == WEIR_ELEMENT_FAILED);
      given += result == WEIR_OK;
      if (result == WEIR_OK || failed++ > 0) continue;
      CHECK(error.code == WEIR_CODE_RESOURCE_EXHAUSTED);
      CHECK(strstr(error.message.data, "at most 4194304 bytes, the runtime's memory_bytes") != NULL);
    }
    CHECK(given > 3000 && failed > 1000 && given + failed == 6000);
    weir_iterator_destroy(iterator);
  }
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

int main(void) {
  memory_budget();
  both_edges();
  by_default();
  bad_options();
  remove(kFile);
  return failures();
}
