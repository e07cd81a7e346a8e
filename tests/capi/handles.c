/* Handles: old ones stay refused, and the number of live ones is bounded. Runtimes: an iterator accepts a
 * dataset of another runtime. */
#include "check.h"

enum { kRounds = 3000, kKept = 7 };

/* A slot is reused after at most kRounds creations of one handle; its old handles stay refused. */
static void generations(void) {
  static weir_example old[kRounds];
  const int64_t value = 1;
  int reused = 0;
  for (int i = 0; i < kRounds; ++i) {
    REQUIRE(weir_example_create(&old[i], NULL) == WEIR_OK);
    weir_example_destroy(old[i]);
    CHECK(weir_example_set(old[i], "a", 1, WEIR_DTYPE_INT64, &value, 1, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  }
  for (int i = 0; i < kRounds; ++i) {
    for (int j = i + 1; j < kRounds; ++j) {
      CHECK(old[i].value != old[j].value);
      reused += (uint32_t)old[i].value == (uint32_t)old[j].value;
    }
  }
  /* Otherwise this proves nothing. */
  CHECK(reused > 0);
  /* The old handles do not reach live ones in the same slots. */
  {
    weir_example alive[kKept];
    for (int i = 0; i < kKept; ++i) REQUIRE(weir_example_create(&alive[i], NULL) == WEIR_OK);
    for (int i = 0; i < kRounds; ++i) {
      CHECK(weir_example_set(old[i], "a", 1, WEIR_DTYPE_INT64, &value, 1, NULL) ==
            -WEIR_CODE_INVALID_ARGUMENT);
      weir_example_destroy(old[i]);
    }
    for (int i = 0; i < kKept; ++i) {
      CHECK(weir_example_set(alive[i], "a", 1, WEIR_DTYPE_INT64, &value, 1, NULL) == WEIR_OK);
      weir_example_destroy(alive[i]);
    }
  }
}

static weir_runtime make_counted(counts* allocated, counts* logged) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_logger logger = WEIR_LOGGER_INIT;
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  hand_over(&options, &allocator, allocated, &logger, logged);
  options.thread_count = 1;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  return runtime;
}

static int32_t adds_ten(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  (void)user_data;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data + 10;
  return WEIR_OK;
}

/* Threads, memory and logger come from the iterator's runtime; callbacks from the dataset's, which may be
 * gone. */
static void another_runtimes_dataset(void) {
  counts allocated[2] = {{0, 0}, {0, 0}};
  counts logged[2] = {{0, 0}, {0, 0}};
  weir_runtime first = make_counted(&allocated[0], &logged[0]);
  weir_runtime second = make_counted(&allocated[1], &logged[1]);
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element = make_element();
  callback.function = adds_ten;
  REQUIRE(weir_runtime_register(first, "f", 1, &callback, NULL) == WEIR_OK);
  dataset = parse(
      first,
      "range(30000) | map(@f) | map(x -> assert(x != 12, \"m\", x)) | ignore_errors(log: true) | batch(20000) | prefetch(1)");
  weir_runtime_destroy(first);
  iterator = iterate(second, dataset);
  weir_runtime_destroy(second);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && int64_of(element, 0) == 10);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  CHECK(logged[0].calls == 0 && logged[1].calls == 1);
  CHECK(allocated[0].calls == 0 && allocated[1].calls > 0);
}

/* As many as can live at once, and one more. Last, since the memory for their slots stays. */
static void most_handles(void) {
  enum { kMost = 4194304 };
  weir_example* all = malloc(kMost * sizeof *all);
  weir_error error = WEIR_ERROR_INIT;
  weir_element none = {0};
  int32_t result = WEIR_OK;
  int count = 0;
  REQUIRE(all);
  while (count < kMost && (result = weir_example_create(&all[count], NULL)) == WEIR_OK) ++count;
  /* No others are alive here. */
  CHECK(count == kMost);
  CHECK(weir_element_create(&none, &error) == -WEIR_CODE_RESOURCE_EXHAUSTED && none.value == 0);
  CHECK(error.code == WEIR_CODE_RESOURCE_EXHAUSTED && strstr(error.line.data, "4194304 handles"));
  /* A free slot fits any kind; an error's strings need one, too. */
  weir_error_clear(&error);
  weir_example_destroy(all[--count]);
  CHECK(weir_element_create(&none, NULL) == WEIR_OK);
  weir_element_destroy(none);
  while (count > 0) weir_example_destroy(all[--count]);
  free(all);
}

int main(void) {
  generations();
  another_runtimes_dataset();
  most_handles();
  return failures();
}
