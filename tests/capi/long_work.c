/* Work that takes any time: whoever will not wait for it gets the thread back, and what was begun goes on.
 * Each call here would never return, or not before the watchdog ends the test, if it did all that there is to
 * do. */
#include <poll.h>

#include "check.h"

#define LONG_SUM "range(100000000000) | reduce(0, (s, x) -> s + x)"
#define MILLISECOND 1000000

static weir_iterator iterate_text(weir_runtime runtime, const char* text) {
  weir_dataset dataset = parse(runtime, text);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  return iterator;
}

/* Both ways of not waiting give the thread back; a cancel ends the work, and destroying waits for no more
 * than that. */
static void gives_back(weir_runtime runtime, const char* text) {
  weir_iterator iterator = iterate_text(runtime, text);
  weir_element element = make_element();
  int32_t results[4];
  results[0] = weir_iterator_try_next(iterator, element, NULL);
  results[1] = weir_iterator_next_within(iterator, 0, element, NULL);
  results[2] = weir_iterator_next_within(iterator, MILLISECOND, element, NULL);
  results[3] = weir_iterator_try_next(iterator, element, NULL);
  for (int i = 0; i < 4; ++i) {
    if (results[i] != WEIR_PENDING) fprintf(stderr, "call %d answered %d: %s\n", i, results[i], text);
    CHECK(results[i] == WEIR_PENDING);
  }
  weir_iterator_cancel(iterator);
  CHECK(weir_iterator_next(iterator, element, NULL) == -WEIR_CODE_CANCELLED);
  weir_iterator_destroy(iterator);
  /* Without a cancel, too. */
  iterator = iterate_text(runtime, text);
  CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_PENDING);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

/* Also to who asks again at once, before a thread has begun. */
static void to_the_impatient(weir_runtime runtime) {
  weir_iterator iterator = iterate_text(runtime, "from_tensors(0) | map(z -> " LONG_SUM ")");
  weir_element element = make_element();
  for (int i = 0; i < 1000; ++i) CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_PENDING);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

static void all_kinds(weir_runtime runtime) {
  static const char* const texts[] = {
      "from_tensors(0) | map(z -> " LONG_SUM ")",
      "from_tensors(0) | filter(z -> (" LONG_SUM ") > 0)",
      "from_tensors(0) | flat_map(z -> range(" LONG_SUM "))",
      "from_tensors(0) | map(z -> " LONG_SUM ") | batch(2)",
      "from_tensors(0) | map(z -> " LONG_SUM ", num_parallel_calls: 2)",
      "from_tensors(0) | map(z -> " LONG_SUM ") | prefetch(2)",
      "range(3) | scan(0, (s, x) -> (s + (" LONG_SUM "), x))",
      "from_tensors(0) | take_while(z -> (" LONG_SUM ") > 0)",
      /* Computed when the dataset is opened, which is the first poll's. */
      "let n = " LONG_SUM "\nrange(n)",
      "range(" LONG_SUM ")",
      /* Loops of operators. */
      LONG_SUM,
      "range(100000000000) | filter(x -> x < 0)",
      "range(100000000000) | skip(99999999999)",
      "range(100000000000) | batch(1000000000)",
      "range(100000000000) | shuffle(1000000000, seed: 1)",
      "range(100000000000) | group_by_reducer(x -> x % 2, init: k -> 0, reduce: (s, x) -> s + x, finalize: s -> s)",
      "range(100000000000) | unique() | skip(1) | filter(x -> x < 0)",
      "range(100000000000) | map(x -> x) | ignore_errors() | filter(x -> false)",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) gives_back(runtime, texts[i]);
}

/* What was begun is finished: calls that each end early come to the element. */
static void goes_on(weir_runtime runtime) {
  weir_iterator iterator =
      iterate_text(runtime, "range(3) | map(z -> range(2000000) | reduce(z, (s, x) -> s + x))");
  weir_element element = make_element();
  weir_bytes position = WEIR_BYTES_INIT;
  const int64_t sum = INT64_C(1999999000000);
  int32_t result;
  while ((result = weir_iterator_next_within(iterator, MILLISECOND / 10, element, NULL)) == WEIR_PENDING) {
  }
  CHECK(result == WEIR_OK && int64_of(element, 0) == sum);
  /* The descriptor tells when it is worth asking again. */
  int32_t descriptor = -1;
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK);
  while ((result = weir_iterator_try_next(iterator, element, NULL)) == WEIR_PENDING) {
    struct pollfd entry = {descriptor, POLLIN, 0};
    poll(&entry, 1, -1);
  }
  CHECK(result == WEIR_OK && int64_of(element, 0) == sum + 1);
  /* One that is on its way, or made and not taken, is in the position. */
  CHECK(weir_iterator_next_within(iterator, 0, element, NULL) == WEIR_PENDING);
  CHECK(weir_iterator_save(iterator, &position, NULL) == WEIR_OK);
  CHECK(next_int64(iterator, element) == sum + 2);
  CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_END);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint = position.data;
  options.checkpoint_size = position.size;
  CHECK(weir_iterator_initialize(iterator, (weir_dataset){0}, &options, NULL) == WEIR_OK);
  CHECK(next_int64(iterator, element) == sum + 2);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_bytes_release(&position);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

/* Errors come as they do to who waits. */
static void errors_too(weir_runtime runtime) {
  weir_iterator iterator = iterate_text(runtime, "range(3) | map(z -> range(z) | get_single_element())");
  weir_element element = make_element();
  CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_ELEMENT_FAILED);
  CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_ELEMENT_FAILED);
  CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  to_the_impatient(runtime);
  all_kinds(runtime);
  goes_on(runtime);
  errors_too(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
