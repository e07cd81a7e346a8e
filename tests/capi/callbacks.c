/* Callbacks: by element and by block, failing rows, destroy counted, next and destroy from inside. */
#include "check.h"

static weir_callback make_callback(int32_t (*function)(void*, weir_call), counts* counted, uint32_t flags,
                                   const char* result) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = function;
  callback.destroy = count_destroy;
  callback.user_data = counted;
  callback.flags = flags;
  callback.result_spec = result;
  callback.result_spec_size = result ? WEIR_STRLEN : 0;
  return callback;
}

static weir_argument named(const char* name, const weir_callback* callback) {
  weir_argument argument = WEIR_ARGUMENT_INIT;
  argument.name = name;
  argument.name_size = WEIR_STRLEN;
  argument.callback = callback;
  return argument;
}

/* x -> x * 10; 3 fails. */
static int32_t times_ten(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_rows(call) == 1 && weir_call_cancelled(call) == 0);
  CHECK(weir_call_input(call, 1, &in, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  if (*(const int64_t*)in.data == 3) {
    CHECK(weir_call_fail(call, 0, WEIR_CODE_DATA_LOSS, "three", WEIR_STRLEN, NULL) == WEIR_OK);
    return -1;
  }
  *(int64_t*)out = *(const int64_t*)in.data * 10;
  return WEIR_OK;
}

static void by_element(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = make_callback(times_ten, &counted, WEIR_CALLBACK_PURE, "int64");
  weir_argument argument = named("f", &callback);
  weir_dataset dataset = parse_with(runtime, "range(5) | map(@f)", &argument, 1);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset_unref(dataset);
  for (int64_t i = 0; i < 5; ++i) {
    if (i != 3) {
      CHECK(next_int64(iterator, element) == 10 * i);
      continue;
    }
    CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(error.code == WEIR_CODE_DATA_LOSS && strstr(error.message.data, "three"));
  }
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_END);
  CHECK(counted.calls == 5 && counted.destroyed == 0);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  CHECK(counted.destroyed == 1);
}

/* As many entries as the element says, and each row under a handle of its own; 5 fails. */
static weir_call g_before;
static int32_t counted_up(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  int64_t size = 0;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_rows(g_before) == 0 && weir_call_rows(call) == 1);
  CHECK(weir_call_output(g_before, 0, 1, &size, &out, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  g_before = call;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK && in.rank == 0);
  size = *(const int64_t*)in.data % 4;
  CHECK(weir_call_fail(call, 1, WEIR_CODE_ABORTED, "", 0, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_call_output(call, 0, 1, &size, &out, NULL) == WEIR_OK);
  for (int64_t i = 0; i < size; ++i) ((int64_t*)out)[i] = i + 1;
  return *(const int64_t*)in.data == 5 ? -1 : WEIR_OK;
}

/* "n", as many times as the element says, in memory of each row. */
static int32_t repeated(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  void* bytes = NULL;
  uint64_t size = 0;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  size = (uint64_t) * (const int64_t*)in.data;
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  CHECK(weir_call_allocate(call, size + 1, &bytes, NULL) == WEIR_OK);
  memset(bytes, 'n', (size_t)size);
  ((weir_string*)out)->data = size == 3 ? NULL : (const char*)bytes;
  ((weir_string*)out)->size = size;
  return WEIR_OK;
}

/* Rows of a block: of different shapes and with strings, beside rows that fail. */
static void by_element_in_blocks(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callbacks[2] = {make_callback(counted_up, &counted, WEIR_CALLBACK_PURE, "int64[?]"),
                                make_callback(repeated, &counted, WEIR_CALLBACK_PURE, "string")};
  weir_argument arguments[2] = {named("f", &callbacks[0]), named("g", &callbacks[1])};
  weir_dataset dataset = parse_with(
      runtime,
      "zip(range(9) | map(@f), range(9) | map(@g)) | map((v, s) -> (sum(v), s)) | ignore_errors() | batch(7)",
      arguments, 2);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK && view.dims[0] == 7);
  /* Without 3, whose string is none, and 5. */
  CHECK(((const int64_t*)view.data)[2] == 3 && ((const int64_t*)view.data)[3] == 0);
  CHECK(((const int64_t*)view.data)[4] == 3 && ((const int64_t*)view.data)[6] == 0);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  CHECK(weir_element_view(element, 1, &view, NULL) == WEIR_OK);
  CHECK(text_is(((const weir_string*)view.data)[0], "") && text_is(((const weir_string*)view.data)[2], "nn"));
  CHECK(text_is(((const weir_string*)view.data)[3], "nnnn") &&
        text_is(((const weir_string*)view.data)[6], "nnnnnnnn"));
  weir_element_destroy(element);
  CHECK(counted.calls == 18 && counted.destroyed == 2);
}

/* The same by block, with strings in the result. */
static int32_t block_to_text(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  int64_t rows = weir_call_rows(call);
  const int64_t vast[2] = {rows, INT64_C(1) << 33};
  weir_error error = WEIR_ERROR_INIT;
  void* out = NULL;
  void* bytes = NULL;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(in.rank == 1 && in.dims[0] == rows);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == -WEIR_CODE_INVALID_ARGUMENT && out == NULL);
  CHECK(weir_call_output(call, 0, 2, vast, &out, &error) == -WEIR_CODE_RESOURCE_EXHAUSTED);
  CHECK(strstr(error.message.data, "of at most 4294967296 entries") != NULL);
  weir_error_clear(&error);
  CHECK(weir_call_output(call, 0, 1, &rows, &out, NULL) == WEIR_OK);
  CHECK(weir_call_allocate(call, (uint64_t)rows * 24, &bytes, NULL) == WEIR_OK);
  CHECK(weir_call_allocate(call, UINT64_MAX, &bytes, NULL) == -WEIR_CODE_RESOURCE_EXHAUSTED);
  CHECK(weir_call_allocate(call, (uint64_t)rows * 24, &bytes, NULL) == WEIR_OK);
  for (int64_t i = 0; i < rows; ++i) {
    weir_string* text = (weir_string*)out + i;
    char* place = (char*)bytes + 24 * i;
    int64_t value = ((const int64_t*)in.data)[i];
    if (value == 1) CHECK(weir_call_fail(call, i, 99, "one", WEIR_STRLEN, NULL) == WEIR_OK);
    text->size = (uint64_t)snprintf(place, 24, "n%" PRId64, value);
    text->data = place;
  }
  CHECK(weir_call_fail(call, rows, 1, "", 0, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  return WEIR_OK;
}

static void by_block(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = make_callback(block_to_text, &counted, WEIR_CALLBACK_BLOCK, "string");
  weir_argument argument = named("f", &callback);
  weir_dataset dataset =
      parse_with(runtime, "range(100) | map(@f) | ignore_errors() | batch(99)", &argument, 1);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK && view.dims[0] == 99);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  CHECK(counted.destroyed == 1 && counted.calls < 100);
  /* The strings outlive the callback. */
  CHECK(text_is(((const weir_string*)view.data)[0], "n0"));
  CHECK(text_is(((const weir_string*)view.data)[1], "n2"));
  CHECK(text_is(((const weir_string*)view.data)[98], "n99"));
  weir_element_destroy(element);
}

/* Fails in the ways that set no error. */
static int32_t returns_a_number(void* user_data, weir_call call) {
  (void)call;
  return *(int32_t*)user_data;
}

/* Any result of a callback but WEIR_OK means `unknown`: C programs return -1 for any failure. */
static void failing_without_words(weir_runtime runtime) {
  static const int32_t kResults[] = {-1,       -WEIR_CODE_DATA_LOSS, WEIR_END, WEIR_ELEMENT_FAILED, INT32_MIN,
                                     INT32_MAX};
  static const uint32_t kFlags[] = {0, WEIR_CALLBACK_BLOCK};
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  for (int i = 0; i < 12; ++i) {
    int32_t given = kResults[i / 2];
    weir_callback callback = make_callback(returns_a_number, NULL, kFlags[i % 2], NULL);
    weir_argument argument = named("f", &callback);
    weir_dataset dataset;
    weir_iterator iterator;
    char number[16];
    snprintf(number, sizeof number, "%" PRId32, given);
    callback.destroy = NULL;
    callback.user_data = &given;
    dataset = parse_with(runtime, "range(1) | map(@f)", &argument, 1);
    iterator = iterate(runtime, dataset);
    CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(error.code == WEIR_CODE_UNKNOWN && strstr(error.message.data, number));
    CHECK(weir_iterator_next(iterator, element, &error) == WEIR_END);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  weir_error_clear(&error);
  weir_element_destroy(element);
}

/* Rows 1 and 2 of a block fail, and their strings point nowhere. */
static int32_t fails_two_rows(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  int64_t dims[2];
  void* out = NULL;
  dims[0] = weir_call_rows(call);
  dims[1] = 2;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 2, dims, &out, NULL) == WEIR_OK);
  for (int64_t i = 0; i < dims[0]; ++i) {
    weir_string* texts = (weir_string*)out + 2 * i;
    const int64_t value = ((const int64_t*)in.data)[i];
    const int fails = value == 1 || value == 2;
    for (int j = 0; j < 2; ++j) {
      texts[j].data = fails ? (value == 1 ? NULL : (const char*)0x10) : "good";
      texts[j].size = fails ? UINT64_MAX / 2 : 4;
    }
    if (fails) CHECK(weir_call_fail(call, i, WEIR_CODE_NOT_FOUND, "no", 2, NULL) == WEIR_OK);
  }
  return WEIR_OK;
}

/* The outputs of a failed row may hold anything: the rest of the pipeline runs on whole blocks. */
static void outputs_of_failed_rows(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = make_callback(fails_two_rows, &counted, WEIR_CALLBACK_BLOCK, "string[2]");
  weir_argument argument = named("f", &callback);
  weir_dataset dataset = parse_with(
      runtime, "range(5) | map(@f) | map(x -> (x + \"!\", x == \"good\")) | ignore_errors() | batch(3)",
      &argument, 1);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(prints(
      element, WEIR_TEXT,
      "([[\"good!\", \"good!\"], [\"good!\", \"good!\"], [\"good!\", \"good!\"]], [[true, true], [true, true], [true, true]])"));
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  CHECK(counted.calls > 0 && counted.calls < 5);
}

/* Every second call fails all its rows and fills nothing. */
static int32_t fails_whole_blocks(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  int64_t dims[2];
  void* out = NULL;
  dims[0] = weir_call_rows(call);
  dims[1] = 3;
  if (++((counts*)user_data)->calls % 2 == 0) {
    for (int64_t i = 0; i < dims[0]; ++i)
      CHECK(weir_call_fail(call, i, WEIR_CODE_NOT_FOUND, "no", 2, NULL) == WEIR_OK);
    return WEIR_OK;
  }
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 1, dims, &out, NULL) == WEIR_OK);
  memcpy(out, in.data, (size_t)dims[0] * sizeof(int64_t));
  CHECK(weir_call_output(call, 1, 2, dims, &out, NULL) == WEIR_OK);
  for (int64_t i = 0; i < 3 * dims[0]; ++i) ((weir_string*)out)[i] = (weir_string){"good", 4};
  return WEIR_OK;
}

/* Nobody reads what the memory of a failed block had before: neither how many rows nor strings of which
 * length. */
static void blocks_that_fail(weir_runtime runtime) {
  weir_element element = make_element();
  for (int round = 0; round < 50; ++round) {
    counts counted = {0, 0};
    weir_callback callback =
        make_callback(fails_whole_blocks, &counted, WEIR_CALLBACK_BLOCK, "(int64, string[3])");
    weir_argument argument = named("f", &callback);
    weir_dataset dataset =
        parse_with(runtime, "range(200) | map(@f, num_parallel_calls: 2) | prefetch(2)", &argument, 1);
    weir_iterator iterator = iterate(runtime, dataset);
    int elements = 0;
    int32_t result = WEIR_OK;
    while ((result = weir_iterator_next(iterator, element, NULL)) != WEIR_END) {
      CHECK(result == WEIR_ELEMENT_FAILED || (result == WEIR_OK && int64_of(element, 0) == elements));
      ++elements;
    }
    CHECK(elements == 200);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  weir_element_destroy(element);
}

/* A ragged value of two entries with the given splits. */
static int32_t gives_splits(void* user_data, weir_call call) {
  static const int64_t kTwo[] = {2};
  static const int64_t kThree[] = {3};
  void* out = NULL;
  CHECK(weir_call_output(call, 0, 1, kTwo, &out, NULL) == WEIR_OK);
  ((int64_t*)out)[0] = 7;
  ((int64_t*)out)[1] = 8;
  CHECK(weir_call_output(call, 1, 1, kThree, &out, NULL) == WEIR_OK);
  memcpy(out, user_data, 3 * sizeof(int64_t));
  return WEIR_OK;
}

/* Splits beyond the values are not followed. */
static void ragged_results(weir_runtime runtime) {
  static int64_t splits[][3] = {{0, 1, 2}, {0, 0, 2}, {0, 1, 3}, {1, 1, 2}, {0, 3, 2}, {0, -1, 2}, {0, 1, 1}};
  static const char* const kTexts[] = {"ragged([[7], [8]])", "ragged([[], [7, 8]])"};
  weir_element element = make_element();
  for (int i = 0; i < 7; ++i) {
    weir_callback callback = WEIR_CALLBACK_INIT;
    const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
    weir_dataset dataset;
    weir_iterator iterator;
    weir_bytes text = WEIR_BYTES_INIT;
    callback.function = gives_splits;
    callback.user_data = splits[i];
    callback.result_spec = "ragged<int64>[?, ?]";
    callback.result_spec_size = WEIR_STRLEN;
    dataset = parse_with(runtime, "range(1) | map(@f)", &argument, 1);
    iterator = iterate(runtime, dataset);
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    if (i < 2) {
      CHECK(prints(element, WEIR_TEXT, kTexts[i]));
    } else {
      CHECK(weir_element_format(element, WEIR_TEXT, &text, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
    }
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  weir_element_destroy(element);
}

static int32_t forgets(void* user_data, weir_call call) {
  *(weir_call*)user_data = call;
  return WEIR_OK;
}

/* A callback that fills nothing fails its element; its call is stale afterwards. */
static void stale_calls(weir_runtime runtime) {
  weir_call kept = {0};
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  weir_error error = WEIR_ERROR_INIT;
  callback.function = forgets;
  callback.user_data = &kept;
  argument = named("f", &callback);
  dataset = parse_with(runtime, "range(1) | map(@f)", &argument, 1);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(kept.value != 0);
  CHECK(weir_call_input(kept, 0, &view, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_call_rows(kept) == 0 && weir_call_cancelled(kept) == 1);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* Every call that fails destroys it exactly once. */
static void handed_to_failing_calls(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = make_callback(times_ten, &counted, 0, "int64");
  weir_argument arguments[2];
  weir_runtime stale = {12345};
  weir_dataset dataset = {0};
  arguments[0] = named("f", &callback);
  arguments[1] = named("g", &callback);
  CHECK(weir_dataset_parse(runtime, "range(", WEIR_STRLEN, arguments, 2, &dataset, NULL) < 0);
  CHECK(counted.destroyed == 2);
  CHECK(weir_dataset_parse(stale, "range(1)", WEIR_STRLEN, arguments, 1, &dataset, NULL) < 0);
  CHECK(counted.destroyed == 3);
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, arguments, 1, NULL, NULL) < 0);
  CHECK(counted.destroyed == 4);
  CHECK(weir_dataset_apply(runtime, "nonsense", WEIR_STRLEN, NULL, 0, arguments, 2, &dataset, NULL) < 0);
  CHECK(counted.destroyed == 6);
  CHECK(weir_dataset_deserialize(runtime, "x", 1, arguments, 1, &dataset, NULL) < 0);
  CHECK(counted.destroyed == 7);
  /* A bad one beside a good one. */
  arguments[1].text = "1";
  arguments[1].text_size = 1;
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, arguments, 2, &dataset, NULL) < 0);
  CHECK(counted.destroyed == 9);
  callback.result_spec = "int65";
  CHECK(weir_runtime_register(runtime, "bad", WEIR_STRLEN, &callback, NULL) < 0);
  CHECK(counted.destroyed == 10);
  callback.result_spec = "int64";
  CHECK(weir_runtime_register(runtime, "no name", WEIR_STRLEN, &callback, NULL) < 0);
  CHECK(weir_runtime_register(stale, "name", WEIR_STRLEN, &callback, NULL) < 0);
  CHECK(counted.destroyed == 12);
  CHECK(weir_runtime_register(runtime, "name", WEIR_STRLEN, NULL, NULL) < 0);
  CHECK(counted.calls == 0 && dataset.value == 0);
}

static void registered(void) {
  counts counted = {0, 0};
  weir_runtime runtime = make_runtime();
  weir_callback callback = make_callback(times_ten, &counted, WEIR_CALLBACK_PURE, "int64");
  weir_element element = make_element();
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_dataset dataset;
  weir_dataset again = {0};
  weir_iterator iterator;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_runtime_register(runtime, "ten", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
  CHECK(weir_runtime_register(runtime, "ten", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_ALREADY_EXISTS);
  CHECK(counted.destroyed == 1);
  CHECK(weir_dataset_parse(runtime, "range(3) | map(x -> ten(x))", WEIR_STRLEN, NULL, 0, &again, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data,
               "there is no function 'ten'; a callback without a signature is written @ten(…)"));
  weir_error_clear(&error);
  dataset = parse(runtime, "range(3) | map(x -> @ten(x))");
  CHECK(weir_dataset_serialize(dataset, &bytes, NULL) == WEIR_OK);
  CHECK(weir_dataset_deserialize(runtime, bytes.data, bytes.size, NULL, 0, &again, NULL) == WEIR_OK);
  iterator = iterate(runtime, again);
  weir_bytes_release(&bytes);
  weir_dataset_unref(dataset);
  weir_dataset_unref(again);
  weir_runtime_destroy(runtime);
  CHECK(next_int64(iterator, element) == 0 && next_int64(iterator, element) == 10);
  CHECK(counted.destroyed == 1);
  weir_iterator_destroy(iterator);
  CHECK(counted.destroyed == 2);
  weir_element_destroy(element);
}

/* The data of a callback that uses the library from inside. */
typedef struct inside {
  weir_iterator outer;
  weir_iterator other;
  weir_element outer_element;
  weir_element element;
  int destroys;
  int calls;
} inside;

static int32_t pulls_inside(void* user_data, weir_call call) {
  inside* self = (inside*)user_data;
  void* out = NULL;
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_dataset none = {0};
  ++self->calls;
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = next_int64(self->other, self->element) * 100;
  /* It would wait for its own iterator for ever. */
  CHECK(weir_iterator_next(self->outer, self->element, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_iterator_next(self->other, self->outer_element, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_iterator_save(self->outer, &bytes, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_iterator_initialize(self->outer, none, NULL, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  if (self->destroys) {
    weir_iterator_destroy(self->outer);
    CHECK(weir_call_cancelled(call) == 1);
    CHECK(weir_iterator_next(self->outer, self->element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  }
  return WEIR_OK;
}

static void from_inside(weir_runtime runtime, int destroys) {
  inside self;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument;
  weir_dataset dataset;
  weir_dataset other = parse(runtime, "range(10)");
  int32_t result;
  memset(&self, 0, sizeof self);
  self.destroys = destroys;
  self.element = make_element();
  self.outer_element = make_element();
  callback.function = pulls_inside;
  callback.user_data = &self;
  callback.result_spec = "int64";
  callback.result_spec_size = 5;
  argument = named("f", &callback);
  dataset = parse_with(runtime, "range(2) | map(@f)", &argument, 1);
  self.outer = iterate(runtime, dataset);
  self.other = iterate(runtime, other);
  weir_dataset_unref(dataset);
  weir_dataset_unref(other);
  result = weir_iterator_next(self.outer, self.outer_element, NULL);
  if (destroys) {
    CHECK(result == WEIR_OK || result == -WEIR_CODE_CANCELLED);
    CHECK(weir_iterator_next(self.outer, self.outer_element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
    CHECK(self.calls == 1);
  } else {
    CHECK(result == WEIR_OK && int64_of(self.outer_element, 0) == 0);
    CHECK(next_int64(self.outer, self.outer_element) == 100);
  }
  weir_iterator_destroy(self.outer);
  weir_iterator_destroy(self.other);
  weir_element_destroy(self.element);
  weir_element_destroy(self.outer_element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  by_element(runtime);
  by_element_in_blocks(runtime);
  by_block(runtime);
  failing_without_words(runtime);
  outputs_of_failed_rows(runtime);
  blocks_that_fail(runtime);
  ragged_results(runtime);
  stale_calls(runtime);
  handed_to_failing_calls(runtime);
  registered();
  from_inside(runtime, 0);
  from_inside(runtime, 1);
  weir_runtime_destroy(runtime);
  return failures();
}
