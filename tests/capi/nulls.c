/* NULL with a size is refused for bytes, texts and arrays; NULL with 0 is an empty one. */
#include "check.h"

/* Sizes: one byte, WEIR_STRLEN, and more than any memory has. */
static const uint64_t kSizes[] = {1, WEIR_STRLEN, UINT64_MAX - 1};
enum { kSizeCount = 3 };

#define CHECK_REFUSED(call)                                                     \
  do {                                                                          \
    weir_error refusal = WEIR_ERROR_INIT;                                       \
    weir_error* error = &refusal;                                               \
    CHECK((call) == -WEIR_CODE_INVALID_ARGUMENT);                               \
    CHECK(refusal.message.data&& strstr(refusal.message.data, "NULL") != NULL); \
    weir_error_clear(&refusal);                                                 \
  } while (0)

static int32_t no_call(void* user_data, weir_call call) {
  (void)user_data;
  (void)call;
  return WEIR_OK;
}

static void texts(weir_runtime runtime) {
  weir_spec spec = {0};
  weir_dataset dataset = {0};
  weir_record_writer writer = {0};
  weir_checkpoint_manager manager = {0};
  weir_bytes described = WEIR_BYTES_INIT;
  weir_callback callback = WEIR_CALLBACK_INIT;
  counts counted = {0, 0};
  callback.function = no_call;
  callback.destroy = count_destroy;
  callback.user_data = &counted;
  for (int i = 0; i < kSizeCount; ++i) {
    CHECK_REFUSED(weir_spec_parse(NULL, kSizes[i], &spec, error));
    CHECK_REFUSED(weir_dataset_parse(runtime, NULL, kSizes[i], NULL, 0, &dataset, error));
    CHECK_REFUSED(weir_dataset_apply(runtime, NULL, kSizes[i], NULL, 0, NULL, 0, &dataset, error));
    CHECK_REFUSED(weir_dataset_deserialize(runtime, NULL, kSizes[i], NULL, 0, &dataset, error));
    CHECK_REFUSED(weir_record_writer_create(runtime, NULL, kSizes[i], NULL, &writer, error));
    CHECK_REFUSED(weir_checkpoint_manager_create(runtime, NULL, kSizes[i], NULL, &manager, error));
    CHECK_REFUSED(weir_checkpoint_describe(runtime, NULL, kSizes[i], 0, &described, error));
    CHECK_REFUSED(weir_runtime_register(runtime, NULL, kSizes[i], &callback, error));
    callback.result_spec_size = kSizes[i];
    CHECK_REFUSED(weir_runtime_register(runtime, "name", 4, &callback, error));
    callback.result_spec_size = 0;
    CHECK(counted.destroyed == 2 * i + 2);
  }
  CHECK(weir_spec_parse(NULL, 0, &spec, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_dataset_parse(runtime, NULL, 0, NULL, 0, &dataset, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_dataset_deserialize(runtime, NULL, 0, NULL, 0, &dataset, NULL) == -WEIR_CODE_DATA_LOSS);
  CHECK(weir_record_writer_create(runtime, NULL, 0, NULL, &writer, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_checkpoint_manager_create(runtime, NULL, 0, NULL, &manager, NULL) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(manager.value == 0 && described.data == NULL);
}

static void arrays(weir_runtime runtime) {
  weir_dataset input = parse(runtime, "range(4)");
  weir_dataset dataset = {0};
  weir_tensor tensor = {0};
  weir_iterator iterator = iterate(runtime, input);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator made = {0};
  int64_t number = 0;
  counts lent = {0, 0};
  for (int i = 0; i < kSizeCount; ++i) {
    weir_buffer buffer = WEIR_BUFFER_INIT;
    CHECK_REFUSED(weir_dataset_parse(runtime, "range(1)", 8, NULL, kSizes[i], &dataset, error));
    CHECK_REFUSED(weir_dataset_apply(runtime, "batch", 5, NULL, kSizes[i], NULL, 0, &dataset, error));
    CHECK_REFUSED(weir_dataset_apply(runtime, "batch", 5, &input, 1, NULL, kSizes[i], &dataset, error));
    options.param_count = kSizes[i];
    CHECK_REFUSED(weir_iterator_create(runtime, input, &options, &made, error));
    CHECK_REFUSED(weir_iterator_next_into(iterator, NULL, kSizes[i], error));
    buffer.capacity = kSizes[i];
    CHECK_REFUSED(weir_iterator_next_into(iterator, &buffer, 1, error));
  }
  CHECK_REFUSED(weir_tensor_copy(WEIR_DTYPE_INT64, 1, NULL, &number, 8, &tensor, error));
  CHECK_REFUSED(weir_tensor_copy(WEIR_DTYPE_INT64, 0, NULL, NULL, 8, &tensor, error));
  CHECK_REFUSED(
      weir_tensor_wrap(WEIR_DTYPE_INT64, 1, NULL, &number, 8, count_destroy, &lent, &tensor, error));
  CHECK_REFUSED(weir_tensor_wrap(WEIR_DTYPE_INT64, 0, NULL, NULL, 8, count_destroy, &lent, &tensor, error));
  CHECK(lent.destroyed == 2 && tensor.value == 0 && made.value == 0 && dataset.value == 0);
  /* With 0 they are empty. */
  number = 0;
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 1, &number, NULL, 0, &tensor, NULL) == WEIR_OK);
  weir_tensor_unref(tensor);
  CHECK(weir_dataset_apply(runtime, "repeat", 6, &input, 1, NULL, 0, &dataset, NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(input);
}

static void arguments(weir_runtime runtime) {
  weir_dataset dataset = {0};
  weir_dataset input = parse(runtime, "range(4)");
  for (int i = 0; i < kSizeCount; ++i) {
    weir_argument argument = WEIR_ARGUMENT_INIT;
    argument.name_size = kSizes[i];
    argument.dataset = input;
    CHECK_REFUSED(weir_dataset_parse(runtime, "range(1)", 8, &argument, 1, &dataset, error));
    argument.name_size = 0;
    argument.dataset.value = 0;
    argument.text_size = kSizes[i];
    CHECK_REFUSED(weir_dataset_apply(runtime, "batch", 5, &input, 1, &argument, 1, &dataset, error));
    /* A text's size beside something else sets two things at once. */
    argument.name = "d";
    argument.name_size = 1;
    argument.dataset = input;
    CHECK(weir_dataset_parse(runtime, "@d", 2, &argument, 1, &dataset, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
    argument.text_size = 0;
    CHECK(weir_dataset_parse(runtime, "@d", 2, &argument, 1, &dataset, NULL) == WEIR_OK);
    weir_dataset_unref(dataset);
  }
  weir_dataset_unref(input);
}

static void checkpoints(weir_runtime runtime) {
  static const char kFolder[] = WEIR_BINARY_DIR "/capi_nulls_checkpoints";
  weir_dataset dataset = parse(runtime, "range(3)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_checkpoint_manager manager = {0};
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  REQUIRE(weir_checkpoint_manager_create(runtime, kFolder, WEIR_STRLEN, NULL, &manager, NULL) == WEIR_OK);
  for (int i = 0; i < kSizeCount; ++i)
    CHECK_REFUSED(weir_checkpoint_manager_save(manager, iterator, NULL, kSizes[i], error));
  CHECK(weir_checkpoint_manager_save(manager, iterator, NULL, 0, NULL) == WEIR_OK);
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, &extra, NULL, NULL) == WEIR_OK &&
        extra.size == 0);
  weir_bytes_release(&position);
  weir_bytes_release(&extra);
  weir_checkpoint_manager_destroy(manager);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void examples_and_records(weir_runtime runtime) {
  static const char kFile[] = WEIR_BINARY_DIR "/capi_nulls.tfrecord";
  weir_example example = {0};
  weir_record_writer writer = {0};
  int64_t number = 1;
  REQUIRE(weir_example_create(&example, NULL) == WEIR_OK);
  REQUIRE(weir_record_writer_create(runtime, kFile, WEIR_STRLEN, NULL, &writer, NULL) == WEIR_OK);
  for (int i = 0; i < kSizeCount; ++i) {
    weir_string text = {NULL, kSizes[i]};
    weir_tensor tensor = {0};
    int64_t dims[1] = {1};
    CHECK_REFUSED(weir_example_set(example, NULL, kSizes[i], WEIR_DTYPE_INT64, &number, 1, error));
    CHECK_REFUSED(weir_example_set(example, "n", 1, WEIR_DTYPE_INT64, NULL, kSizes[i], error));
    CHECK_REFUSED(weir_example_set(example, "n", 1, WEIR_DTYPE_FLOAT32, NULL, kSizes[i], error));
    CHECK_REFUSED(weir_example_set(example, "n", 1, WEIR_DTYPE_STRING, NULL, kSizes[i], error));
    CHECK_REFUSED(weir_example_set(example, "n", 1, WEIR_DTYPE_STRING, &text, 1, error));
    CHECK_REFUSED(weir_tensor_copy(WEIR_DTYPE_STRING, 1, dims, &text, sizeof text, &tensor, error));
    CHECK_REFUSED(
        weir_tensor_wrap(WEIR_DTYPE_STRING, 1, dims, &text, sizeof text, NULL, NULL, &tensor, error));
    CHECK_REFUSED(weir_record_writer_write(writer, NULL, kSizes[i], error));
  }
  CHECK(weir_example_set(example, NULL, 0, WEIR_DTYPE_INT64, NULL, 0, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, NULL, 0, NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  weir_record_writer_destroy(writer);
  weir_example_destroy(example);
  remove(kFile);
}

/* What a callback passes: dimensions, messages, strings. */
static int32_t give_nulls(void* user_data, weir_call call) {
  void* out = NULL;
  weir_string* text;
  for (int i = 0; i < kSizeCount; ++i) {
    CHECK_REFUSED(weir_call_fail(call, 0, WEIR_CODE_ABORTED, NULL, kSizes[i], error));
  }
  CHECK_REFUSED(weir_call_output(call, 0, 1, NULL, &out, error));
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  text = out;
  text->data = NULL;
  text->size = kSizes[((counts*)user_data)->calls++ % kSizeCount];
  return WEIR_OK;
}

static void callbacks(weir_runtime runtime) {
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_element element = make_element();
  weir_iterator iterator;
  weir_dataset dataset;
  counts counted = {0, 0};
  callback.function = give_nulls;
  callback.user_data = &counted;
  callback.result_spec = "string";
  callback.result_spec_size = WEIR_STRLEN;
  argument.name = "f";
  argument.name_size = 1;
  argument.callback = &callback;
  dataset = parse_with(runtime, "range(3) | map(@f)", &argument, 1);
  iterator = iterate(runtime, dataset);
  for (int i = 0; i < kSizeCount; ++i) {
    weir_error error = WEIR_ERROR_INIT;
    CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(error.code == WEIR_CODE_INVALID_ARGUMENT && strstr(error.message.data, "NULL") != NULL);
    weir_error_clear(&error);
  }
  CHECK(counted.calls == kSizeCount);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  texts(runtime);
  arrays(runtime);
  arguments(runtime);
  checkpoints(runtime);
  examples_and_records(runtime);
  callbacks(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
