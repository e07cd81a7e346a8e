/* Elements by their position: those that an iterator gives there. */
#include "check.h"

enum { kOutOfRange = -WEIR_CODE_OUT_OF_RANGE, kRefused = -WEIR_CODE_FAILED_PRECONDITION };

/* Every element, read backwards, prints as the iterator's. */
static void agrees(weir_runtime runtime, const char* text, int64_t count) {
  weir_dataset dataset = parse(runtime, text);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_element at = make_element();
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes* expected = calloc((size_t)count, sizeof *expected);
  REQUIRE(expected != NULL);
  for (int64_t i = 0; i < count; ++i) {
    int32_t result = weir_iterator_next(iterator, element, NULL);
    REQUIRE(result == WEIR_OK || result == WEIR_ELEMENT_FAILED);
    if (result == WEIR_OK) REQUIRE(weir_element_format(element, WEIR_TEXT, &expected[i], NULL) == WEIR_OK);
  }
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  for (int64_t i = count; i-- > 0;) {
    int32_t result = weir_dataset_at(runtime, dataset, i % 2 ? i : i + WEIR_AT_TRY, at, &error);
    while (result == WEIR_PENDING) result = weir_dataset_at(runtime, dataset, i + WEIR_AT_TRY, at, &error);
    if (expected[i].data == NULL) {
      CHECK(result == WEIR_ELEMENT_FAILED && error.code == WEIR_CODE_INVALID_ARGUMENT);
      CHECK(error.message.size > 0);
      CHECK(weir_element_format(at, WEIR_TEXT, &expected[i], NULL) == kRefused);
    } else {
      CHECK(result == WEIR_OK && prints(at, WEIR_TEXT, expected[i].data));
    }
    weir_bytes_release(&expected[i]);
  }
  CHECK(weir_dataset_at(runtime, dataset, count, at, &error) == kOutOfRange);
  CHECK(weir_dataset_at(runtime, dataset, -1, at, &error) == kOutOfRange);
  CHECK(weir_dataset_at(runtime, dataset, count + WEIR_AT_TRY, at, &error) == kOutOfRange);
  CHECK(weir_element_format(at, WEIR_TEXT, &expected[0], NULL) == kRefused);
  free(expected);
  weir_error_clear(&error);
  weir_element_destroy(at);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void refuses(weir_runtime runtime, const char* text, int32_t expected, const char* message) {
  weir_dataset dataset = parse(runtime, text);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_dataset_at(runtime, dataset, 0, element, &error) == expected);
  CHECK(error.message.data != NULL && strstr(error.message.data, message) != NULL);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

static void handles(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(3)");
  weir_element element = make_element();
  weir_runtime no_runtime = {0};
  weir_dataset no_dataset = {0};
  weir_element no_element = {0};
  CHECK(weir_dataset_at(no_runtime, dataset, 0, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_dataset_at(runtime, no_dataset, 0, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_dataset_at(runtime, dataset, 0, no_element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_dataset_at(runtime, dataset, 2, element, NULL) == WEIR_OK && int64_of(element, 0) == 2);
  weir_dataset_unref(dataset);
  /* The element outlives the dataset. */
  CHECK(int64_of(element, 0) == 2);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  agrees(runtime, "range(5, 40, 3)", 12);
  agrees(runtime,
         "zip(range(2000) | map(x -> x * x) | batch(3), range(9000) | skip(7) | shard(3, 1)) | enumerate()",
         667);
  agrees(runtime, "range(8) | map(x -> 12 // (x - 3)) | batch(2)", 4);
  agrees(runtime,
         "range(9) | map(x -> (x, random_uniform([2], seed: 7), if x % 2 == 0 then \"even\" else \"odd\"))",
         9);
  agrees(
      runtime,
      "from_tensor_slices({a: [\"x\", \"y\"], s: sparse([[1, 2]], [5], [2, 3])}) | repeat(3) | prefetch(2)",
      6);
  agrees(runtime, "range(4) | map(x -> range(x) | map(y -> y + x))", 4);
  refuses(runtime, "range(9) | filter(x -> x > 3) | batch(2)", kRefused,
          "filter, which does not; read the elements in order");
  refuses(runtime, "range(9) | shuffle(3)", kRefused, "shuffle");
  refuses(runtime, "param n: int64\nrange($n)", -WEIR_CODE_INVALID_ARGUMENT, "n");
  handles(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
