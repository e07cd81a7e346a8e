/* Datasets and iterators: every function's happy path, errors in elements, parameters, blocks, buffers. */
#include "check.h"

static void datasets(weir_runtime runtime) {
  weir_dataset range = parse(runtime, "range( 10 )");
  weir_dataset batched = {0};
  weir_dataset again = {0};
  weir_dataset zipped = {0};
  weir_dataset pair[2];
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_bytes text = WEIR_BYTES_INIT;
  weir_dataset_info first = WEIR_DATASET_INFO_INIT;
  weir_dataset_info second = WEIR_DATASET_INFO_INIT;
  weir_error error = WEIR_ERROR_INIT;
  int64_t cardinality = 0;
  weir_spec spec = {0};
  argument.name = "n";
  argument.name_size = 1;
  argument.text = "4";
  argument.text_size = 1;
  CHECK(weir_dataset_apply(runtime, "batch", WEIR_STRLEN, &range, 1, &argument, 1, &batched, &error) ==
        WEIR_OK);
  CHECK(weir_dataset_format(batched, &text, NULL) == WEIR_OK);
  CHECK(text.data && strcmp(text.data, "range(10) | batch(4)") == 0);
  weir_bytes_release(&text);
  CHECK(count_of(batched, &cardinality) == WEIR_OK && cardinality == 3);
  CHECK(weir_dataset_spec(batched, &spec, NULL) == WEIR_OK);
  CHECK(weir_spec_format(spec, &text, NULL) == WEIR_OK && strcmp(text.data, "int64[?]") == 0);
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  CHECK(weir_dataset_serialize(batched, &text, &error) == WEIR_OK);
  CHECK(weir_dataset_deserialize(runtime, text.data, text.size, NULL, 0, &again, &error) == WEIR_OK);
  CHECK(weir_dataset_deserialize(runtime, text.data, text.size / 2, NULL, 0, &zipped, NULL) < 0);
  weir_bytes_release(&text);
  CHECK(weir_dataset_view(batched, &first, NULL) == WEIR_OK);
  CHECK(weir_dataset_view(again, &second, NULL) == WEIR_OK);
  CHECK(first.fingerprint[0] == second.fingerprint[0] && first.fingerprint[1] == second.fingerprint[1]);
  CHECK(weir_dataset_view(range, &second, NULL) == WEIR_OK);
  CHECK(first.fingerprint[0] != second.fingerprint[0]);
  pair[0] = range;
  pair[1] = batched;
  CHECK(weir_dataset_apply(runtime, "zip", WEIR_STRLEN, pair, 2, NULL, 0, &zipped, &error) == WEIR_OK);
  CHECK(weir_dataset_ref(zipped, NULL) == WEIR_OK);
  weir_dataset_unref(zipped);
  CHECK(count_of(zipped, &cardinality) == WEIR_OK && cardinality == 3);
  weir_dataset_unref(zipped);
  CHECK(count_of(zipped, &cardinality) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_dataset_parse(runtime, "range(3", WEIR_STRLEN, NULL, 0, &zipped, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(zipped.value == 0 && strstr(error.message.data, "line 1") != NULL);
  CHECK(weir_dataset_parse(runtime, "range(3)", UINT64_MAX - 1, NULL, 0, &zipped, NULL) < 0);
  weir_error_clear(&error);
  weir_dataset_unref(range);
  weir_dataset_unref(batched);
  weir_dataset_unref(again);
}

static void elements(weir_runtime runtime) {
  weir_dataset dataset =
      parse(runtime, "range(4) | map(x -> {n: x, s: if x == 2 then assert(x < 0, \"no\", x) else x})");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes text = WEIR_BYTES_INIT;
  weir_spec spec = {0};
  weir_view view = WEIR_VIEW_INIT;
  weir_dataset_unref(dataset);
  CHECK(weir_element_format(element, WEIR_TEXT, &text, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_element_view(element, 0, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "{n: 0, s: 0}"));
  CHECK(prints(element, 0, "{\"n\": 0, \"s\": 0}"));
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_OK);
  CHECK(int64_of(element, 1) == 1);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(error.code == WEIR_CODE_INVALID_ARGUMENT && text_is(error.path, "map"));
  CHECK(weir_element_view(element, 0, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_OK);
  CHECK(int64_of(element, 0) == 3);
  weir_element_clear(element);
  CHECK(weir_element_view(element, 0, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_END);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_END);
  CHECK(weir_iterator_spec(iterator, &spec, NULL) == WEIR_OK);
  CHECK(weir_spec_format(spec, &text, NULL) == WEIR_OK && strcmp(text.data, "{n: int64, s: int64}") == 0);
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
}

static void json(weir_runtime runtime) {
  weir_dataset dataset = parse(
      runtime,
      "from_tensors((1.5, [true, false], \"a\\\"b\\n\", \"\\xff\", {k: [[1, 2], [3, 4]]}, nan, [inf, -inf]))");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(prints(
      element, 0,
      "[1.5, [true, false], \"a\\\"b\\n\", {\"base64\": \"/w==\"}, {\"k\": [[1, 2], [3, 4]]}, \"NaN\", [\"Infinity\", \"-Infinity\"]]"));
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void parameters(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "param n: int64 range($n)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_argument param = WEIR_ARGUMENT_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset same = {0};
  int64_t two = 2;
  CHECK(weir_iterator_next(iterator, element, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  param.name = "n";
  param.name_size = 1;
  param.text = "1";
  param.text_size = 1;
  options.params = &param;
  options.param_count = 1;
  CHECK(weir_iterator_initialize(iterator, same, &options, &error) == WEIR_OK);
  CHECK(next_int64(iterator, element) == 0);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_END);
  param.text = NULL;
  param.text_size = 0;
  CHECK(weir_tensor_copy(WEIR_DTYPE_INT64, 0, NULL, &two, sizeof two, &param.tensor, NULL) == WEIR_OK);
  CHECK(weir_iterator_initialize(iterator, same, &options, &error) == WEIR_OK);
  CHECK(next_int64(iterator, element) == 0);
  /* After a failure the old position still works. */
  param.name = "m";
  CHECK(weir_iterator_initialize(iterator, same, &options, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_initialize(iterator, same, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(next_int64(iterator, element) == 1);
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_END);
  weir_error_clear(&error);
  weir_tensor_unref(param.tensor);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void reinitialisable(weir_runtime runtime) {
  weir_dataset first = parse(runtime, "range(2) | map(x -> {a: x, b: float32(x)})");
  weir_dataset other = parse(runtime, "range(9) | map(x -> {b: float32(x) * 2.0, a: x})");
  weir_dataset wrong = parse(runtime, "range(2)");
  weir_dataset none = {0};
  weir_element element = make_element();
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  weir_spec spec = {0};
  REQUIRE(weir_dataset_spec(first, &spec, NULL) == WEIR_OK);
  iterator = iterator_of(runtime, spec);
  weir_spec_unref(spec);
  CHECK(weir_iterator_next(iterator, element, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_iterator_initialize(iterator, none, NULL, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_iterator_initialize(iterator, first, NULL, &error) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
        prints(element, WEIR_TEXT, "{a: 0, b: 0.0}"));
  CHECK(weir_iterator_initialize(iterator, wrong, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
        prints(element, WEIR_TEXT, "{a: 1, b: 1.0}"));
  /* Keys in another order are the same structure, and come out in the iterator's order. */
  CHECK(weir_iterator_initialize(iterator, other, NULL, &error) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
        prints(element, WEIR_TEXT, "{a: 1, b: 2.0}"));
  /* A cancelled iterator stays cancelled until it is initialised again. */
  weir_iterator_cancel(iterator);
  CHECK(weir_iterator_next(iterator, element, NULL) == -WEIR_CODE_CANCELLED);
  CHECK(weir_iterator_try_next(iterator, element, NULL) == -WEIR_CODE_CANCELLED);
  CHECK(weir_iterator_initialize(iterator, none, NULL, &error) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
        prints(element, WEIR_TEXT, "{a: 0, b: 0.0}"));
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_dataset_unref(first);
  weir_dataset_unref(other);
  weir_dataset_unref(wrong);
}

/* Parts that are no dense tensors print row by row. */
static void printed_blocks(weir_runtime runtime) {
  weir_dataset dataset = parse(
      runtime,
      "range(-1, 2) | map(x -> (x, ragged([1, 2], [0, abs(x), 2]), if x == 0 then nothing(int64) else some(x)))");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  int64_t rows = 0;
  /* How wide a row is shows in the first one. */
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_next_block(iterator, 8, element, &rows, NULL) == WEIR_OK && rows == 2);
  CHECK(prints(element, WEIR_TEXT, "([0, 1], [ragged([[], [1, 2]]), ragged([[1], [2]])], [none, some(1)])"));
  CHECK(prints(element, 0,
               "[[0, 1], [{\"values\": [1, 2], \"row_splits\": [0, 0, 2]}, "
               "{\"values\": [1, 2], \"row_splits\": [0, 1, 2]}], [null, {\"some\": 1}]]"));
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  dataset = parse(runtime, "range(4) | window(2) | batch(2)");
  iterator = iterate(runtime, dataset);
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "[dataset([0, 1]), dataset([2, 3])]"));
  CHECK(prints(element, 0, "[[0, 1], [2, 3]]"));
  weir_dataset inner = {0};
  CHECK(weir_element_dataset(element, 0, &inner, NULL) == -WEIR_CODE_INVALID_ARGUMENT && inner.value == 0);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void blocks(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(10) | map(x -> assert(x != 5, \"five\", x))");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  int64_t rows = 0;
  int64_t expected = 0;
  int32_t result;
  CHECK(weir_iterator_next_block(iterator, 0, element, &rows, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_next_block(iterator, 1025, element, &rows, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_next_block(iterator, 8, element, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  while ((result = weir_iterator_next_block(iterator, 8, element, &rows, &error)) != WEIR_END) {
    weir_view view = WEIR_VIEW_INIT;
    if (result == WEIR_ELEMENT_FAILED) {
      CHECK(expected == 5 && rows == 0);
      ++expected;
      continue;
    }
    REQUIRE(result == WEIR_OK);
    CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
    CHECK(rows >= 1 && rows <= 8 && view.rank == 1 && view.dims[0] == rows);
    for (int64_t i = 0; i < rows; ++i) CHECK(((const int64_t*)view.data)[i] == expected++);
  }
  CHECK(expected == 10);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  /* A change of shape ends a block, and nothing is lost. */
  dataset = parse(runtime, "range(5) | map(x -> arange(x // 2))");
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next_block(iterator, 100, element, &rows, &error) == WEIR_OK && rows <= 2);
  expected = rows;
  while ((result = weir_iterator_next_block(iterator, 100, element, &rows, &error)) == WEIR_OK)
    expected += rows;
  CHECK(result == WEIR_END && expected == 5);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* After a block that is refused, an element is empty, whatever it had before. */
static void refused_blocks(weir_runtime runtime) {
  weir_dataset numbers = parse(runtime, "range(10)");
  weir_dataset windows = parse(runtime, "range(10) | window(3)");
  weir_iterator filled = iterate(runtime, numbers);
  weir_iterator refused = iterate(runtime, windows);
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  weir_bytes text = WEIR_BYTES_INIT;
  int64_t rows = 7;
  CHECK(next_int64(filled, element) == 0);
  CHECK(weir_iterator_next_block(refused, 3, element, &rows, NULL) == -WEIR_CODE_UNIMPLEMENTED);
  CHECK(rows == 0);
  CHECK(weir_element_view(element, 0, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_element_format(element, WEIR_TEXT, &text, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  /* Nothing is lost. */
  CHECK(next_int64(filled, element) == 1);
  CHECK(weir_iterator_next(refused, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "dataset([0, 1, 2])"));
  weir_element_destroy(element);
  weir_iterator_destroy(filled);
  weir_iterator_destroy(refused);
  weir_dataset_unref(numbers);
  weir_dataset_unref(windows);
}

static void into_buffers(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(6) | map(x -> (x, float32(x))) | batch(3)");
  weir_iterator iterator = iterate(runtime, dataset);
  int64_t numbers[3] = {0, 0, 0};
  float floats[3] = {0, 0, 0};
  weir_buffer buffers[2] = {WEIR_BUFFER_INIT, WEIR_BUFFER_INIT};
  weir_error error = WEIR_ERROR_INIT;
  buffers[0].data = numbers;
  buffers[0].capacity = sizeof numbers;
  buffers[1].data = floats;
  buffers[1].capacity = 4;
  CHECK(weir_iterator_next_into(iterator, buffers, 2, &error) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(buffers[0].used == 24 && buffers[1].used == 12);
  buffers[1].capacity = sizeof floats;
  CHECK(weir_iterator_next_into(iterator, buffers, 2, &error) == WEIR_OK);
  CHECK(numbers[2] == 2 && floats[2] == 2.0f && buffers[1].used == 12);
  CHECK(weir_iterator_next_into(iterator, buffers, 1, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  buffers[1].dtype = WEIR_DTYPE_INT64;
  CHECK(weir_iterator_next_into(iterator, buffers, 2, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  buffers[1].dtype = WEIR_DTYPE_FLOAT32;
  CHECK(weir_iterator_next_into(iterator, buffers, 2, &error) == WEIR_OK);
  CHECK(numbers[0] == 3 && floats[0] == 3.0f);
  CHECK(weir_iterator_next_into(iterator, buffers, 2, &error) == WEIR_END);
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* Each buffer in turn is too small, by one byte or all: nothing is written to any, and the element is kept.
 */
static void buffers_too_small(weir_runtime runtime) {
  enum { kGuard = 8, kBuffers = 3 };
  static const uint64_t kNeeded[kBuffers] = {24, 12, 3};
  static const int64_t kNumbers[] = {0, 1, 2};
  static const float kFloats[] = {0, 1, 2};
  weir_dataset dataset = parse(runtime, "range(6) | map(x -> (x, float32(x), uint8(x))) | batch(3)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_buffer buffers[kBuffers];
  uint8_t memory[kBuffers][kGuard + 24 + kGuard];
  uint8_t untouched[kGuard + 24 + kGuard];
  memset(untouched, 0xa5, sizeof untouched);
  for (int small = 0; small <= kBuffers; ++small) {
    for (int shortage = 1; shortage <= (small < kBuffers ? 24 : 1); ++shortage) {
      int32_t result;
      memset(memory, 0xa5, sizeof memory);
      for (int i = 0; i < kBuffers; ++i) {
        const weir_buffer init = WEIR_BUFFER_INIT;
        buffers[i] = init;
        buffers[i].data = memory[i] + kGuard;
        buffers[i].capacity = kNeeded[i];
        if (i == small)
          buffers[i].capacity -= (uint64_t)shortage < kNeeded[i] ? (uint64_t)shortage : kNeeded[i];
      }
      result = weir_iterator_next_into(iterator, buffers, kBuffers, NULL);
      CHECK(result == (small < kBuffers ? -WEIR_CODE_OUT_OF_RANGE : WEIR_OK));
      for (int i = 0; i < kBuffers; ++i) {
        CHECK(buffers[i].used == kNeeded[i]);
        CHECK(memcmp(memory[i], untouched, kGuard) == 0);
        CHECK(memcmp(memory[i] + kGuard + kNeeded[i], untouched, sizeof untouched - kGuard - kNeeded[i]) ==
              0);
        if (small < kBuffers) CHECK(memcmp(memory[i], untouched, sizeof untouched) == 0);
      }
    }
  }
  CHECK(memcmp(memory[0] + kGuard, kNumbers, sizeof kNumbers) == 0);
  CHECK(memcmp(memory[1] + kGuard, kFloats, sizeof kFloats) == 0);
  CHECK(memcmp(memory[2] + kGuard, "\0\1\2", 3) == 0);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void readiness(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(3)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  int32_t descriptor = -1;
  int32_t again = -1;
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK && descriptor >= 0);
  CHECK(weir_iterator_ready_fd(iterator, &again, NULL) == WEIR_OK && again == descriptor);
  CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_OK);
  CHECK(int64_of(element, 0) == 0);
  weir_iterator_destroy(iterator);
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) < 0 && descriptor == -1);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

/* The sum of the elements of one iterator, which begins at an epoch. */
static double sum_of_epoch(weir_runtime runtime, weir_dataset dataset, uint64_t epoch, uint32_t flags) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator iterator = {0};
  weir_element element = {0};
  double sum = 0;
  options.epoch = epoch;
  options.flags = flags;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  REQUIRE(weir_element_create(&element, NULL) == WEIR_OK);
  while (weir_iterator_next(iterator, element, NULL) == WEIR_OK) {
    weir_view view = WEIR_VIEW_INIT;
    REQUIRE(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
    sum += *(const double*)view.data;
  }
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  return sum;
}

/* An iterator that begins at a checkpoint fills the caches for those after it. */
static void restored_caches(weir_runtime runtime) {
  const char* text = "range(9) | map(x -> random_uniform([], dtype: float64, seed: 3)) | cache()";
  weir_dataset saved = parse(runtime, text);
  weir_dataset resumed = parse(runtime, text);
  weir_iterator iterator = {0};
  weir_element element = {0};
  weir_bytes position = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.flags = WEIR_ITERATOR_SHARE_CACHES;
  REQUIRE(weir_element_create(&element, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_create(runtime, saved, &options, &iterator, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_save(iterator, &position, NULL) == WEIR_OK);
  weir_iterator_destroy(iterator);
  options.checkpoint = position.data;
  options.checkpoint_size = position.size;
  REQUIRE(weir_iterator_create(runtime, resumed, &options, &iterator, NULL) == WEIR_OK);
  while (weir_iterator_next(iterator, element, NULL) == WEIR_OK) continue;
  const double first = sum_of_epoch(runtime, saved, 0, 0);
  CHECK(sum_of_epoch(runtime, resumed, 1, WEIR_ITERATOR_SHARE_CACHES) == first);
  CHECK(sum_of_epoch(runtime, resumed, 1, 0) != first);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_bytes_release(&position);
  weir_dataset_unref(saved);
  weir_dataset_unref(resumed);
}

static void shared_caches(weir_runtime runtime) {
  const uint32_t share = WEIR_ITERATOR_SHARE_CACHES;
  /* Each pass over the input of the cache draws other numbers. */
  weir_dataset dataset = parse(runtime, "range(9) | map(x -> random_uniform([], dtype: float64)) | cache()");
  const double first = sum_of_epoch(runtime, dataset, 0, share);
  weir_iterator iterator = {0};
  weir_iterator none = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(sum_of_epoch(runtime, dataset, 1, share) == first);
  CHECK(sum_of_epoch(runtime, dataset, 5, share) == first);
  CHECK(sum_of_epoch(runtime, dataset, 1, 0) != first);
  /* Another handle has caches of its own. */
  weir_dataset other = parse(runtime, "range(9) | map(x -> random_uniform([], dtype: float64)) | cache()");
  CHECK(sum_of_epoch(runtime, other, 1, share) != first);
  weir_dataset_unref(other);
  /* The flags are for creating. */
  REQUIRE(weir_iterator_create(runtime, dataset, NULL, &iterator, NULL) == WEIR_OK);
  options.flags = share;
  CHECK(weir_iterator_initialize(iterator, dataset, &options, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data, "weir_iterator_create") != NULL);
  options.flags = 4;
  CHECK(weir_iterator_create(runtime, dataset, &options, &none, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  datasets(runtime);
  elements(runtime);
  json(runtime);
  parameters(runtime);
  reinitialisable(runtime);
  blocks(runtime);
  refused_blocks(runtime);
  printed_blocks(runtime);
  into_buffers(runtime);
  buffers_too_small(runtime);
  readiness(runtime);
  shared_caches(runtime);
  restored_caches(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
