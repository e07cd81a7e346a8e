/* Datasets that elements hold: taken out, they are datasets like others. */
#include "check.h"

enum { kBad = -WEIR_CODE_INVALID_ARGUMENT, kOutOfRange = -WEIR_CODE_OUT_OF_RANGE };

static weir_dataset take(weir_element element, uint32_t index) {
  weir_dataset out = {0};
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = weir_element_dataset(element, index, &out, &error);
  if (result != WEIR_OK) fprintf(stderr, "%s\n", error.line.data);
  REQUIRE(result == WEIR_OK);
  return out;
}

/* The elements of the dataset, one after another, are those numbers. */
static void gives(weir_runtime runtime, weir_dataset dataset, const int64_t* numbers, int64_t count) {
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  for (int64_t i = 0; i < count; ++i) CHECK(next_int64(iterator, element) == numbers[i]);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
}

/* Windows are taken out, the element is filled again, everything else goes, and each still has its rows. */
static void windows(weir_runtime runtime) {
  static const int64_t kFirst[] = {10, 11, 12, 13}, kLast[] = {18};
  weir_dataset source = parse(runtime, "range(10, 19) | window(4)");
  weir_iterator iterator = iterate(runtime, source);
  weir_element element = make_element();
  weir_dataset held[3];
  int64_t count = 0;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    held[i] = take(element, 0);
    CHECK(count_of(held[i], &count) == WEIR_OK && count == (i < 2 ? 4 : 1));
  }
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(source);
  gives(runtime, held[0], kFirst, 4);
  gives(runtime, held[0], kFirst, 4);
  gives(runtime, held[2], kLast, 1);
  {
    const weir_argument arguments[] = {WEIR_ARGUMENT_DATASET("a", held[0]),
                                       WEIR_ARGUMENT_DATASET("b", held[2])};
    static const int64_t kBoth[] = {10, 11, 12, 13, 18, 10, 11, 12, 13, 18};
    weir_dataset both = parse_with(runtime, "@a | concatenate(@b) | repeat(2)", arguments, 2);
    CHECK(count_of(both, &count) == WEIR_OK && count == 10);
    gives(runtime, both, kBoth, 10);
    weir_dataset_unref(both);
  }
  {
    const weir_argument two = WEIR_ARGUMENT_TEXT("n", "2");
    weir_dataset batches = {0};
    weir_iterator over;
    weir_element pair = make_element();
    REQUIRE(weir_dataset_apply(runtime, "batch", WEIR_STRLEN, &held[1], 1, &two, 1, &batches, NULL) ==
            WEIR_OK);
    over = iterate(runtime, batches);
    CHECK(weir_iterator_next(over, pair, NULL) == WEIR_OK && prints(pair, WEIR_TEXT, "[14, 15]"));
    CHECK(weir_iterator_next(over, pair, NULL) == WEIR_OK && prints(pair, WEIR_TEXT, "[16, 17]"));
    CHECK(weir_iterator_next(over, pair, NULL) == WEIR_END);
    weir_element_destroy(pair);
    weir_iterator_destroy(over);
    weir_dataset_unref(batches);
  }
  for (int i = 0; i < 3; ++i) weir_dataset_unref(held[i]);
}

/* The variables of the element that made it go with it; its errors are errors of its elements. */
static void of_a_map(weir_runtime runtime) {
  static const int64_t kSquares[] = {0, 2, 4};
  weir_dataset source =
      parse(runtime,
            "range(2, 5) | map(x -> {n: x, d: (\"s\", range(x + 1) | map(y -> 12 // (y - 1) * 0 + y * x))})");
  weir_iterator iterator = iterate(runtime, source);
  weir_element element = make_element();
  weir_dataset dataset;
  weir_iterator over;
  weir_spec spec = {0};
  weir_bytes text = WEIR_BYTES_INIT;
  int64_t count = 0;
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  dataset = take(element, 2);
  CHECK(count_of(dataset, &count) == WEIR_OK && count == 3);
  CHECK(weir_dataset_spec(dataset, &spec, NULL) == WEIR_OK);
  CHECK(weir_spec_format(spec, &text, NULL) == WEIR_OK && strcmp(text.data, "int64") == 0);
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  over = iterate(runtime, dataset);
  CHECK(next_int64(over, element) == kSquares[0]);
  CHECK(weir_iterator_next(over, element, NULL) == WEIR_ELEMENT_FAILED);
  CHECK(next_int64(over, element) == kSquares[2]);
  CHECK(weir_iterator_next(over, element, NULL) == WEIR_END);
  weir_iterator_destroy(over);
  CHECK(weir_dataset_serialize(dataset, &text, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_dataset_format(dataset, &text, NULL) == WEIR_OK);
  CHECK(strcmp(text.data, "from_tensors(@1) | flat_map(d -> d)") == 0);
  weir_bytes_release(&text);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(source);
}

/* A dataset within a dataset; an iterator over one goes on from a checkpoint, in its second epoch too. */
static void positions(weir_runtime runtime) {
  weir_dataset source =
      parse(runtime, "range(2) | map(x -> range(12) | shuffle(12, seed: 3) | repeat(2) | window(5))");
  weir_iterator iterator = iterate(runtime, source);
  weir_element element = make_element();
  weir_dataset outer;
  weir_dataset inner;
  weir_iterator over;
  int64_t numbers[5];
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  outer = take(element, 0);
  over = iterate(runtime, outer);
  for (int i = 0; i < 4; ++i) REQUIRE(weir_iterator_next(over, element, NULL) == WEIR_OK);
  inner = take(element, 0);
  weir_iterator_destroy(over);
  over = iterate(runtime, inner);
  for (int i = 0; i < 5; ++i) numbers[i] = next_int64(over, element);
  CHECK(weir_iterator_next(over, element, NULL) == WEIR_END);
  weir_iterator_destroy(over);
  /* The same from checkpoints of both. */
  for (int saved = 0; saved <= 5; ++saved) {
    over = iterate(runtime, inner);
    for (int i = 0; i < saved; ++i) next_int64(over, element);
    over = resumed(runtime, inner, over);
    for (int i = saved; i < 5; ++i) CHECK(next_int64(over, element) == numbers[i]);
    CHECK(weir_iterator_next(over, element, NULL) == WEIR_END);
    weir_iterator_destroy(over);
  }
  for (int saved = 0; saved <= 4; ++saved) {
    over = iterate(runtime, outer);
    for (int i = 0; i < saved; ++i) REQUIRE(weir_iterator_next(over, element, NULL) == WEIR_OK);
    over = resumed(runtime, outer, over);
    for (int i = saved; i < 4; ++i) REQUIRE(weir_iterator_next(over, element, NULL) == WEIR_OK);
    if (saved < 4) {
      weir_dataset again = take(element, 0);
      gives(runtime, again, numbers, 5);
      weir_dataset_unref(again);
    }
    CHECK(weir_iterator_next(over, element, NULL) == WEIR_OK);
    CHECK(weir_iterator_next(over, element, NULL) == WEIR_END);
    weir_iterator_destroy(over);
  }
  weir_dataset_unref(inner);
  weir_dataset_unref(outer);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(source);
}

static void refused(weir_runtime runtime) {
  weir_dataset source = parse(runtime, "range(4) | window(2) | map(w -> (7, w))");
  weir_iterator iterator = iterate(runtime, source);
  weir_element element = make_element();
  weir_element empty = make_element();
  weir_element none = {0};
  weir_dataset dataset = {7};
  weir_error error = WEIR_ERROR_INIT;
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_element_dataset(element, 0, &dataset, &error) == kBad && dataset.value == 0);
  CHECK(strstr(error.message.data, "expected a nested dataset, found a tensor") != NULL);
  CHECK(weir_element_dataset(element, 2, &dataset, NULL) == kOutOfRange);
  CHECK(weir_element_dataset(element, 1, NULL, NULL) == kBad);
  CHECK(weir_element_dataset(none, 1, &dataset, NULL) == kBad);
  CHECK(weir_element_dataset(empty, 0, &dataset, NULL) == kOutOfRange);
  CHECK(weir_element_dataset(element, 1, &dataset, NULL) == WEIR_OK);
  weir_dataset_unref(dataset);
  weir_error_clear(&error);
  weir_element_destroy(empty);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(source);
}

/* It stays when its runtime is gone, and another one can open it. */
static void without_its_runtime(weir_runtime other) {
  static const int64_t kNumbers[] = {5, 6};
  weir_runtime runtime = make_runtime();
  weir_dataset source = parse(runtime, "range(5, 7) | window(2)");
  weir_iterator iterator = iterate(runtime, source);
  weir_element element = make_element();
  weir_dataset dataset;
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(source);
  weir_runtime_destroy(runtime);
  dataset = take(element, 0);
  weir_element_destroy(element);
  gives(other, dataset, kNumbers, 2);
  weir_dataset_unref(dataset);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  windows(runtime);
  of_a_map(runtime);
  positions(runtime);
  refused(runtime);
  without_its_runtime(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
