/* What handlers of exit() find: no new runtime, and one that is still there goes on working. */
#include "check.h"

static weir_runtime g_kept;
static weir_iterator g_iterator;

static void at_the_end(void) {
  weir_runtime runtime = {0};
  weir_error error = WEIR_ERROR_INIT;
  weir_element element = make_element();
  int64_t sum = 0;
  int32_t result;
  CHECK(weir_runtime_create(NULL, &runtime, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(runtime.value == 0);
  CHECK(error.message.data != NULL &&
        strstr(error.message.data, "create the runtime before main returns") != NULL);
  while ((result = weir_iterator_next(g_iterator, element, &error)) == WEIR_OK) sum += int64_of(element, 0);
  CHECK(result == WEIR_END && sum == 2 * (999 * 1000 / 2));
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(g_iterator);
  weir_runtime_destroy(g_kept);
  if (failures() != 0) abort();
}

int main(void) {
  weir_dataset dataset;
  /* Called after the destructors of what the library loads later. */
  REQUIRE(atexit(at_the_end) == 0);
  g_kept = make_runtime();
  dataset = parse(g_kept, "range(1000) | map(x -> 2 * x, num_parallel_calls: 2) | prefetch(4)");
  g_iterator = iterate(g_kept, dataset);
  weir_dataset_unref(dataset);
  return failures();
}
