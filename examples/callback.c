/* The program's own function in a pipeline. It gets a block of rows at once, and fails one of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "weir/weir.h"

static void check(int32_t result, const weir_error* error) {
  if (result >= 0 && result != WEIR_ELEMENT_FAILED) return;
  fprintf(stderr, "callback: %s\n", error->line.data);
  exit(1);
}

/* The number of steps that the Collatz sequence takes from a number down to 1. */
static int32_t collatz(void* user_data, weir_call call) {
  (void)user_data;
  const int64_t rows = weir_call_rows(call);
  weir_view numbers = WEIR_VIEW_INIT;
  void* out = NULL;
  int32_t result = weir_call_input(call, 0, &numbers, NULL);
  if (result == WEIR_OK) result = weir_call_output(call, 0, 1, &rows, &out, NULL);
  if (result != WEIR_OK) return result;
  int64_t* steps = out;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t number = ((const int64_t*)numbers.data)[row];
    if (number < 1) {
      weir_call_fail(call, row, WEIR_CODE_OUT_OF_RANGE, "expected a number from 1 up", WEIR_STRLEN, NULL);
      continue;
    }
    for (steps[row] = 0; number != 1; ++steps[row]) number = number % 2 ? 3 * number + 1 : number / 2;
  }
  return WEIR_OK;
}

int main(void) {
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  weir_error error = WEIR_ERROR_INIT;
  check(weir_runtime_create(NULL, &runtime, &error), &error);

  /* Concurrent: calls may come from several threads at once. Pure: equal numbers give equal steps, so that
   * positions can be saved. */
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = collatz;
  callback.flags = WEIR_CALLBACK_BLOCK | WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_PURE;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  check(weir_runtime_register(runtime, "collatz", WEIR_STRLEN, &callback, &error), &error);

  const char* text = "range(0, 7) | map(@collatz, num_parallel_calls: 2) | enumerate()";
  check(weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error), &error);
  check(weir_iterator_create(runtime, dataset, NULL, &iterator, &error), &error);
  check(weir_element_create(&element, &error), &error);
  int32_t result;
  while ((result = weir_iterator_next(iterator, element, &error)) != WEIR_END) {
    if (result == WEIR_ELEMENT_FAILED) {
      printf("failed: %s\n", error.message.data);
      continue;
    }
    check(result, &error);
    weir_view number = WEIR_VIEW_INIT;
    weir_view steps = WEIR_VIEW_INIT;
    check(weir_element_view(element, 0, &number, &error), &error);
    check(weir_element_view(element, 1, &steps, &error), &error);
    printf("%" PRId64 " takes %" PRId64 " steps\n", *(const int64_t*)number.data,
           *(const int64_t*)steps.data);
  }

  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return 0;
}
