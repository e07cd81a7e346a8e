/* The program that stays as it was compiled, while the library moves on: it checks what it gets, says what is
 * wrong, and leaves with 0 if nothing is. */
#include <stdio.h>
#include <weir/weir.h>

/* Adds up all elements of the iterator; -1 after a failure, which is printed. */
static int64_t sum_of(weir_iterator iterator, weir_element element) {
  weir_error error = WEIR_ERROR_INIT;
  int64_t sum = 0;
  int32_t result;
  while ((result = weir_iterator_next(iterator, element, &error)) == WEIR_OK) {
    weir_view view = WEIR_VIEW_INIT;
    if (weir_element_view(element, 0, &view, &error) != WEIR_OK) break;
    for (int64_t i = 0; i < view.dims[0]; ++i) sum += ((const int64_t*)view.data)[i];
  }
  if (result != WEIR_END) {
    fprintf(stderr, "next: %s\n", error.line.data ? error.line.data : "no message");
    sum = -1;
  }
  weir_error_clear(&error);
  return sum;
}

int main(void) {
  static const char kText[] = "range(10) | map(x -> x * x) | batch(4)";
  weir_error error = WEIR_ERROR_INIT;
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  int64_t sum = -1;
  int32_t result = weir_runtime_create(NULL, &runtime, &error);
  if (result == WEIR_OK) result = weir_dataset_parse(runtime, kText, WEIR_STRLEN, NULL, 0, &dataset, &error);
  if (result == WEIR_OK) result = weir_iterator_create(runtime, dataset, NULL, &iterator, &error);
  if (result == WEIR_OK) result = weir_element_create(&element, &error);
  if (result == WEIR_OK) sum = sum_of(iterator, element);
  if (result != WEIR_OK) fprintf(stderr, "%s\n", error.line.data ? error.line.data : "no message");
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  if (sum != 285) fprintf(stderr, "the squares of 0 to 9 add up to %lld, not to 285\n", (long long)sum);
  return sum == 285 ? 0 : 1;
}
