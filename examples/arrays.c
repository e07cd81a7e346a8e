/* The program's own arrays as a dataset, without a copy: the library reads them where they are.

   A tensor wraps the memory and says how to release it. A document names it with @. */
#include <stdio.h>
#include <stdlib.h>

#include "weir/weir.h"

enum { kRows = 5, kColumns = 3 };

static void check(int32_t result, const weir_error* error) {
  if (result >= 0 && result != WEIR_ELEMENT_FAILED) return;
  fprintf(stderr, "arrays: %s\n", error->line.data);
  exit(1);
}

/* Called once, when the library no longer reads the memory. */
static void release(void* points) {
  printf("the library is done with the points\n");
  free(points);
}

int main(void) {
  weir_runtime runtime = {0};
  weir_tensor points = {0};
  weir_tensor labels = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  weir_error error = WEIR_ERROR_INIT;
  check(weir_runtime_create(NULL, &runtime, &error), &error);

  float* point = malloc(sizeof(float) * kRows * kColumns);
  if (!point) return 1;
  for (int i = 0; i < kRows * kColumns; ++i) point[i] = (float)i;
  const int64_t point_dims[] = {kRows, kColumns};
  check(weir_tensor_wrap(WEIR_DTYPE_FLOAT32, 2, point_dims, point, sizeof(float) * kRows * kColumns, release,
                         point, &points, &error),
        &error);
  /* Memory that lives as long as the program needs no release function. */
  static const int64_t kLabels[kRows] = {3, 1, 4, 1, 5};
  const int64_t label_dims[] = {kRows};
  check(
      weir_tensor_wrap(WEIR_DTYPE_INT64, 1, label_dims, kLabels, sizeof kLabels, NULL, NULL, &labels, &error),
      &error);

  const weir_argument arguments[] = {WEIR_ARGUMENT_TENSOR("points", points),
                                     WEIR_ARGUMENT_TENSOR("labels", labels)};
  const char* text =
      "from_tensor_slices({point: @points, label: @labels}) | filter(x -> x.label != 1) | batch(2)";
  check(weir_dataset_parse(runtime, text, WEIR_STRLEN, arguments, 2, &dataset, &error), &error);
  check(weir_iterator_create(runtime, dataset, NULL, &iterator, &error), &error);
  check(weir_element_create(&element, &error), &error);
  int32_t result;
  while ((result = weir_iterator_next(iterator, element, &error)) == WEIR_OK) {
    weir_bytes line = WEIR_BYTES_INIT;
    check(weir_element_format(element, WEIR_TEXT, &line, &error), &error);
    printf("%s\n", line.data);
    weir_bytes_release(&line);
  }
  check(result, &error);

  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_tensor_unref(labels);
  weir_tensor_unref(points);
  weir_runtime_destroy(runtime);
  return 0;
}
