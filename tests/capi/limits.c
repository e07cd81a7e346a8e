/* The bounds of the interface, each at its last good value and at the first bad one. */
#include "check.h"

enum { kNameBytes = 4096, kArgumentCount = 65536, kMessageBytes = 65536, kSpecBytes = 65536, kRows = 1024 };

static const int32_t kBad = -WEIR_CODE_INVALID_ARGUMENT;

static void runtimes(void) {
  static const int32_t kLevels[] = {-1, 0, WEIR_LOG_ERROR, WEIR_LOG_ERROR + 1};
  static const int32_t kThreads[] = {-1, 1, 1025};
  weir_runtime runtime = {0};
  for (int i = 0; i < 4; ++i) {
    weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
    options.thread_count = 1;
    options.log_level = kLevels[i];
    CHECK(weir_runtime_create(&options, &runtime, NULL) == (i == 0 || i == 3 ? kBad : WEIR_OK));
    weir_runtime_destroy(runtime);
  }
  for (int i = 0; i < 3; ++i) {
    weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
    options.thread_count = kThreads[i];
    CHECK(weir_runtime_create(&options, &runtime, NULL) == (i == 1 ? WEIR_OK : kBad));
    weir_runtime_destroy(runtime);
  }
}

static void names(void) {
  weir_example example = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  int64_t number = 5;
  char* name = malloc(kNameBytes + 2);
  REQUIRE(name && weir_example_create(&example, NULL) == WEIR_OK);
  memset(name, 'n', kNameBytes + 1);
  name[kNameBytes + 1] = '\0';
  CHECK(weir_example_set(example, name, kNameBytes, WEIR_DTYPE_INT64, &number, 1, NULL) == WEIR_OK);
  CHECK(weir_example_set(example, name, kNameBytes + 1, WEIR_DTYPE_INT64, &number, 1, NULL) == kBad);
  CHECK(weir_example_set(example, name, WEIR_STRLEN, WEIR_DTYPE_INT64, &number, 1, NULL) == kBad);
  CHECK(weir_example_set(example, name + 1, WEIR_STRLEN, WEIR_DTYPE_INT64, &number, 1, NULL) == WEIR_OK);
  CHECK(weir_example_serialize(example, &bytes, NULL) == WEIR_OK && bytes.size > kNameBytes);
  /* Counts are refused before the values are read. */
  CHECK(weir_example_set(example, "n", 1, WEIR_DTYPE_INT64, &number, (UINT64_C(1) << 28) + 1, NULL) == kBad);
  CHECK(weir_example_set(example, "n", 1, WEIR_DTYPE_FLOAT32, (const float*)name, (UINT64_C(1) << 29) + 1,
                         NULL) == kBad);
  weir_bytes_release(&bytes);
  weir_example_destroy(example);
  free(name);
}

static void dtypes_and_ranks(void) {
  static const int32_t kDtypes[] = {-1, 0, WEIR_DTYPE_BOOL, WEIR_DTYPE_STRING, WEIR_DTYPE_DATASET, INT32_MAX};
  static const int64_t kDims[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  weir_tensor tensor = {0};
  char entries[16] = "";
  for (int i = 0; i < 6; ++i) {
    uint64_t size = kDtypes[i] == WEIR_DTYPE_STRING ? 16 : 1;
    int32_t result = weir_tensor_copy(kDtypes[i], 0, NULL, entries, size, &tensor, NULL);
    CHECK(result == (i == 2 || i == 3 ? WEIR_OK : kBad));
    weir_tensor_unref(tensor);
  }
  for (int32_t rank = -1; rank <= 9; ++rank) {
    int32_t result = weir_tensor_copy(WEIR_DTYPE_UINT8, rank, kDims, entries, 1, &tensor, NULL);
    CHECK(result == (rank >= 0 && rank <= 8 ? WEIR_OK : kBad));
    weir_tensor_unref(tensor);
  }
}

/* As many arguments as a call accepts, each with its own name, and one more. */
static void argument_counts(weir_runtime runtime) {
  static char names[kArgumentCount][8];
  int64_t number = 4;
  weir_dataset dataset = {0};
  weir_tensor tensor = {0};
  weir_argument* arguments = calloc(kArgumentCount + 1, sizeof *arguments);
  REQUIRE(arguments && weir_tensor_copy(WEIR_DTYPE_INT64, 0, NULL, &number, 8, &tensor, NULL) == WEIR_OK);
  for (int i = 0; i < kArgumentCount; ++i) {
    const weir_argument init = WEIR_ARGUMENT_INIT;
    arguments[i] = init;
    snprintf(names[i], sizeof names[i], "a%d", i);
    arguments[i].name = names[i];
    arguments[i].name_size = WEIR_STRLEN;
    arguments[i].tensor = tensor;
  }
  arguments[kArgumentCount] = arguments[0];
  CHECK(weir_dataset_parse(runtime, "from_tensors(@a65535)", WEIR_STRLEN, arguments, kArgumentCount, &dataset,
                           NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  CHECK(weir_dataset_parse(runtime, "from_tensors(@a65535)", WEIR_STRLEN, arguments, kArgumentCount + 1,
                           &dataset, NULL) == kBad);
  weir_tensor_unref(tensor);
  free(arguments);
}

/* Fails with a message of this many bytes; -1 means that it was refused. */
static int32_t fail_at_length(void* user_data, weir_call call) {
  uint64_t size = *(const uint64_t*)user_data;
  char* message = malloc(size);
  int32_t result;
  memset(message, 'm', size);
  result = weir_call_fail(call, 0, WEIR_CODE_ABORTED, message, size, NULL);
  free(message);
  CHECK(result == (size <= kMessageBytes ? WEIR_OK : kBad));
  return WEIR_OK - 1;
}

static void callbacks(weir_runtime runtime) {
  weir_element element = make_element();
  for (uint64_t size = kMessageBytes; size <= kMessageBytes + 1; ++size) {
    weir_argument argument = WEIR_ARGUMENT_INIT;
    weir_callback callback = WEIR_CALLBACK_INIT;
    weir_error error = WEIR_ERROR_INIT;
    weir_dataset dataset;
    weir_iterator iterator;
    callback.function = fail_at_length;
    callback.user_data = &size;
    argument.name = "f";
    argument.name_size = 1;
    argument.callback = &callback;
    dataset = parse_with(runtime, "range(1) | map(@f)", &argument, 1);
    iterator = iterate(runtime, dataset);
    CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK((error.message.size == kMessageBytes) == (size == kMessageBytes));
    weir_error_clear(&error);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  for (uint32_t flags = 31; flags <= 32; ++flags) {
    weir_callback callback = WEIR_CALLBACK_INIT;
    callback.function = fail_at_length;
    callback.flags = flags;
    CHECK(weir_runtime_register(runtime, flags == 31 ? "good" : "bad", WEIR_STRLEN, &callback, NULL) ==
          (flags == 31 ? WEIR_OK : kBad));
  }
  for (int more = 0; more < 2; ++more) {
    char* spec = malloc(kSpecBytes + 1);
    weir_callback callback = WEIR_CALLBACK_INIT;
    memset(spec, ' ', kSpecBytes + 1);
    memcpy(spec, "int64", 5);
    callback.function = fail_at_length;
    callback.result_spec = spec;
    callback.result_spec_size = (uint64_t)kSpecBytes + (uint64_t)more;
    CHECK(weir_runtime_register(runtime, more ? "longer" : "long", WEIR_STRLEN, &callback, NULL) ==
          (more ? kBad : WEIR_OK));
    free(spec);
  }
  weir_element_destroy(element);
}

static void iterators(weir_runtime runtime) {
  static const int64_t kMaxRows[] = {INT64_MIN, 0, 1, kRows, kRows + 1, INT64_C(1) << 32};
  weir_dataset dataset = parse(runtime, "range(5000)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator made = {0};
  weir_element element = make_element();
  for (int i = 0; i < 6; ++i) {
    int64_t rows = 7;
    int32_t result = weir_iterator_next_block(iterator, kMaxRows[i], element, &rows, NULL);
    CHECK(result == (i == 2 || i == 3 ? WEIR_OK : kBad));
    CHECK(result == WEIR_OK ? rows >= 1 && rows <= kMaxRows[i] : rows == 0);
  }
  for (uint32_t flags = 0; flags <= 4; ++flags) {
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    options.flags = flags;
    CHECK(weir_iterator_create(runtime, dataset, &options, &made, NULL) == (flags < 4 ? WEIR_OK : kBad));
    weir_iterator_destroy(made);
  }
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

static void record_writers(weir_runtime runtime) {
  static const char kFile[] = WEIR_BINARY_DIR "/capi_limits.tfrecord";
  static const int32_t kLevels[] = {-1, 0, 1, 9, 10};
  static const int32_t kCompressions[] = {-1, WEIR_COMPRESSION_NONE, WEIR_COMPRESSION_ZLIB,
                                          WEIR_COMPRESSION_ZLIB + 1};
  weir_record_writer writer = {0};
  for (int i = 0; i < 5; ++i) {
    weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
    options.compression = WEIR_COMPRESSION_GZIP;
    options.level = kLevels[i];
    CHECK(weir_record_writer_create(runtime, kFile, WEIR_STRLEN, &options, &writer, NULL) ==
          (i == 0 || i == 4 ? kBad : WEIR_OK));
    weir_record_writer_destroy(writer);
  }
  for (int i = 0; i < 4; ++i) {
    weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
    options.compression = kCompressions[i];
    CHECK(weir_record_writer_create(runtime, kFile, WEIR_STRLEN, &options, &writer, NULL) ==
          (i == 0 || i == 3 ? kBad : WEIR_OK));
    weir_record_writer_destroy(writer);
  }
  /* Refused before a byte of it is read. */
  REQUIRE(weir_record_writer_create(runtime, kFile, WEIR_STRLEN, NULL, &writer, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, kFile, (UINT64_C(1) << 30) + 1, NULL) == kBad);
  weir_record_writer_destroy(writer);
  remove(kFile);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  runtimes();
  names();
  dtypes_and_ranks();
  argument_counts(runtime);
  callbacks(runtime);
  iterators(runtime);
  record_writers(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
