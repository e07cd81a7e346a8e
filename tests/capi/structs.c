/* Versions of structs: size 0 means the first one, reserved and unknown fields must be zero, and what a
 * refused struct hands over is destroyed. */
#include <stddef.h>

#include "check.h"

static const int32_t kBad = -WEIR_CODE_INVALID_ARGUMENT;

static int32_t copies(void* user_data, weir_call call) {
  /* Sizes of 0 also inside a callback. */
  weir_view in = {0};
  void* out = NULL;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK && in.dtype == WEIR_DTYPE_INT64);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data + 1;
  return WEIR_OK;
}

/* A runtime whose structs are all {0} except for what they need. */
static weir_runtime make_zeroed_runtime(counts* allocated, counts* logged) {
  weir_allocator allocator = {0};
  weir_logger logger = {0};
  weir_runtime_options options = {0};
  weir_runtime runtime = {0};
  hand_over(&options, &allocator, allocated, &logger, logged);
  options.thread_count = 1;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  return runtime;
}

/* An iterator over (1, 1), (2, 1), (3, 1), made in the same way. */
static weir_iterator make_zeroed_iterator(weir_runtime runtime, counts* called) {
  weir_callback callback = {0};
  weir_argument arguments[2] = {{0}, {0}};
  weir_argument param = {0};
  weir_iterator_options options = {0};
  weir_dataset dataset;
  weir_iterator iterator = {0};
  callback.function = copies;
  callback.destroy = count_destroy;
  callback.user_data = called;
  arguments[0].name = "f";
  arguments[0].name_size = 1;
  arguments[0].callback = &callback;
  arguments[1].name = "word";
  arguments[1].name_size = 4;
  arguments[1].text = "a";
  arguments[1].text_size = 1;
  dataset = parse_with(runtime, "param n: int64 range($n) | map(@f) | map(x -> (x, int64(@word == \"a\")))",
                       arguments, 2);
  param.name = "n";
  param.name_size = 1;
  param.text = "3";
  param.text_size = 1;
  options.params = &param;
  options.param_count = 1;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  return iterator;
}

static void zeroed_outputs(weir_iterator iterator) {
  weir_error error = {0};
  weir_buffer buffers[2] = {{0}, {0}};
  weir_spec_info info = {0};
  weir_view view = {0};
  weir_spec spec = {0};
  weir_element element = make_element();
  int64_t values[2] = {0, 0};
  CHECK(weir_iterator_spec(iterator, &spec, &error) == WEIR_OK);
  CHECK(weir_spec_view(spec, &info, &error) == WEIR_OK && info.child_count == 2);
  CHECK(next_int64(iterator, element) == 1);
  CHECK(weir_element_view(element, 0, &view, &error) == WEIR_OK && *(const int64_t*)view.data == 1);
  for (int i = 0; i < 2; ++i) {
    buffers[i].data = &values[i];
    buffers[i].capacity = 8;
  }
  CHECK(weir_iterator_next_into(iterator, buffers, 2, &error) == WEIR_OK && values[0] == 2 && values[1] == 1);
  /* An error without a size is filled and cleared. */
  CHECK(weir_element_view(element, 7, &view, &error) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(error.code == WEIR_CODE_OUT_OF_RANGE && error.message.size > 0 && error.offset == -1);
  weir_error_clear(&error);
  CHECK(error.code == 0 && error.message.size == 0);
  weir_spec_unref(spec);
  weir_element_destroy(element);
}

/* Every struct of the header as {0} with what it needs, from the runtime to the last element. */
static void size_zero(void) {
  counts allocated = {0, 0};
  counts logged = {0, 0};
  counts called = {0, 0};
  weir_record_writer_options writing = {0};
  weir_record_writer writer = {0};
  weir_checkpoint_manager_options keeping = {0};
  weir_checkpoint_manager manager = {0};
  weir_runtime runtime = make_zeroed_runtime(&allocated, &logged);
  weir_iterator iterator = make_zeroed_iterator(runtime, &called);
  zeroed_outputs(iterator);
  CHECK(weir_record_writer_create(runtime, WEIR_BINARY_DIR "/structs.records", WEIR_STRLEN, &writing, &writer,
                                  NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  remove(WEIR_BINARY_DIR "/structs.records");
  weir_record_writer_destroy(writer);
  CHECK(weir_checkpoint_manager_create(runtime, WEIR_BINARY_DIR "/structs_checkpoints", WEIR_STRLEN, &keeping,
                                       &manager, NULL) == WEIR_OK);
  weir_checkpoint_manager_destroy(manager);
  weir_iterator_destroy(iterator);
  weir_runtime_destroy(runtime);
  CHECK(called.calls >= 2 && called.destroyed == 1 && allocated.destroyed == 1 && logged.destroyed == 1);
}

/* Sizes below the first version's, except 0, leave an error alone. */
static void sizes_of_errors(void) {
  static const uint32_t kSizes[] = {1, sizeof(weir_error) - 1, sizeof(weir_error), sizeof(weir_error) + 8, 0};
  for (int i = 0; i < 5; ++i) {
    weir_error error = WEIR_ERROR_INIT;
    weir_view view = WEIR_VIEW_INIT;
    weir_element none = {0};
    error.struct_size = kSizes[i];
    CHECK(weir_element_view(none, 0, &view, &error) == kBad);
    CHECK((error.code == WEIR_CODE_INVALID_ARGUMENT) == (i >= 2));
    weir_error_clear(&error);
  }
}

/* True if the error names the field. */
static int names(const weir_error* error, const char* field) {
  return strstr(error->line.data, field) != NULL;
}

static void reserved_fields(void) {
  counts allocated = {0, 0};
  counts logged = {0, 0};
  weir_error error = WEIR_ERROR_INIT;
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  weir_logger logger = WEIR_LOGGER_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_record_writer_options writing = WEIR_RECORD_WRITER_OPTIONS_INIT;
  weir_record_writer writer = {0};
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator;
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  hand_over(&options, &allocator, &allocated, &logger, &logged);
  options.thread_count = 1;
  options.flags = 0x80000000u;
  CHECK(weir_runtime_create(&options, &runtime, &error) == kBad && names(&error, "WEIR_RUNTIME_"));
  CHECK(runtime.value == 0 && allocated.destroyed == 1 && logged.destroyed == 1);
  options.flags = 0;
  allocator.reserved = 0x80000000u;
  CHECK(weir_runtime_create(&options, &runtime, &error) == kBad && names(&error, "weir_allocator.reserved"));
  CHECK(allocated.destroyed == 2 && logged.destroyed == 2);
  allocator.reserved = 0;
  logger.reserved = 7;
  CHECK(weir_runtime_create(&options, &runtime, &error) == kBad && names(&error, "weir_logger.reserved"));
  CHECK(allocated.destroyed == 3 && logged.destroyed == 3);
  logger.reserved = 0;
  REQUIRE(weir_runtime_create(&options, &runtime, &error) == WEIR_OK);
  writing.flags = 1u << 31;
  CHECK(weir_record_writer_create(runtime, WEIR_BINARY_DIR "/structs.records", WEIR_STRLEN, &writing, &writer,
                                  &error) == kBad);
  CHECK(names(&error, "WEIR_RECORD_WRITER_PLAIN") && writer.value == 0);
  dataset = parse(runtime, "range(3)");
  iterator = iterate(runtime, dataset);
  CHECK(next_int64(iterator, element) == 0);
  view.reserved = 1;
  CHECK(weir_element_view(element, 0, &view, &error) == kBad && names(&error, "weir_view.reserved"));
  CHECK(view.data == NULL);
  view.reserved = 0;
  CHECK(weir_element_view(element, 0, &view, &error) == WEIR_OK);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(allocated.destroyed == 4 && logged.destroyed == 4);
}

/* A callback in a refused argument, or after one, is destroyed like any other. */
static void refused_arguments(weir_runtime runtime) {
  /* One is registered, and goes with the runtime. */
  static counts counted = {0, 0};
  struct longer {
    weir_callback known;
    uint64_t later;
  } later;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument arguments[2] = {WEIR_ARGUMENT_CALLBACK("f", &callback),
                                WEIR_ARGUMENT_CALLBACK("g", &callback)};
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  callback.function = copies;
  callback.destroy = count_destroy;
  callback.user_data = &counted;
  arguments[0].kind = 99;
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, arguments, 2, &dataset, &error) == kBad);
  CHECK(names(&error, "weir_argument.kind") && counted.destroyed == 2);
  arguments[0].kind = 0;
  arguments[1].kind = 99;
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, arguments, 2, &dataset, &error) == kBad);
  CHECK(counted.destroyed == 4);
  arguments[1].kind = 0;
  callback.flags = 1u << 31;
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, arguments, 2, &dataset, &error) == kBad);
  CHECK(counted.destroyed == 6);
  CHECK(weir_runtime_register(runtime, "f", 1, &callback, &error) == kBad && counted.destroyed == 7);
  callback.flags = 0;
  /* A later version's field: refused, yet what this version knows is destroyed. */
  later.known = callback;
  later.known.struct_size = sizeof later;
  later.later = 1;
  CHECK(weir_runtime_register(runtime, "f", 1, &later.known, &error) == -WEIR_CODE_UNIMPLEMENTED);
  CHECK(counted.destroyed == 8);
  later.later = 0;
  CHECK(weir_runtime_register(runtime, "f", 1, &later.known, &error) == WEIR_OK && counted.destroyed == 8);
  /* An invalid size says nothing about the rest. */
  callback.struct_size = offsetof(weir_callback, save) - 1;
  CHECK(weir_runtime_register(runtime, "g", 1, &callback, &error) == kBad && counted.destroyed == 8);
  /* Callbacks that no parameter uses. */
  callback.struct_size = sizeof callback;
  {
    weir_iterator_options begin = WEIR_ITERATOR_OPTIONS_INIT;
    weir_iterator iterator = {0};
    dataset = parse(runtime, "range(1)");
    begin.params = arguments;
    begin.param_count = 2;
    CHECK(weir_iterator_create(runtime, dataset, &begin, &iterator, &error) == kBad &&
          counted.destroyed == 10);
    begin.struct_size = sizeof begin + 8 * 1024;
    CHECK(weir_iterator_create(runtime, dataset, &begin, &iterator, &error) == kBad &&
          counted.destroyed == 10);
    CHECK(names(&error, " to 4096, found "));
    weir_dataset_unref(dataset);
  }
  weir_error_clear(&error);
  CHECK(counted.calls == 0);
}

/* weir_argument as it was first: programs that were compiled with it pass arrays of it. */
typedef struct first_argument {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;
  uint64_t name_size;
  const char* text;
  uint64_t text_size;
  const weir_callback* callback;
  weir_dataset dataset;
  weir_tensor tensor;
} first_argument;

static void first_arguments(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = WEIR_CALLBACK_INIT;
  first_argument arguments[3] = {{sizeof(first_argument), 0, "a", 1, "x", 1, NULL, {0}, {0}},
                                 {sizeof(first_argument), 0, "f", 1, NULL, 0, NULL, {0}, {0}},
                                 {sizeof(first_argument), 0, "b", 1, "yz", 2, NULL, {0}, {0}}};
  weir_dataset dataset = {0};
  weir_iterator iterator;
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  const char* text = "range(2) | map(@f) | map(x -> (x, string_join([@a, @b])))";
  CHECK(sizeof(first_argument) == offsetof(weir_argument, generator));
  callback.function = copies;
  callback.destroy = count_destroy;
  callback.user_data = &counted;
  arguments[1].callback = &callback;
  REQUIRE(weir_dataset_parse(runtime, text, WEIR_STRLEN, (const weir_argument*)(const void*)arguments, 3,
                             &dataset, &error) == WEIR_OK);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_OK &&
        prints(element, WEIR_TEXT, "(1, \"xyz\")"));
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  CHECK(counted.calls == 1 && counted.destroyed == 1);
  /* Smaller ones never were; different ones lie nowhere. */
  arguments[0].struct_size = sizeof(first_argument) - 8;
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, (const weir_argument*)(const void*)arguments, 1,
                           &dataset, &error) == kBad);
  CHECK(names(&error, "weir_argument.struct_size"));
  weir_error_clear(&error);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  size_zero();
  first_arguments(runtime);
  sizes_of_errors();
  reserved_fields();
  refused_arguments(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
