/* The even numbers below 20, in batches of four: as short as a program gets. */
#include <stdio.h>
#include <weir/weir.h>

int main(void) {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element;
  weir_view view = WEIR_VIEW_INIT;
  weir_runtime_create(NULL, &runtime, NULL);
  weir_element_create(&element, NULL);
  weir_dataset_parse(runtime, "range(10) | map(x -> x * 2) | batch(4)", WEIR_STRLEN, NULL, 0, &dataset, NULL);
  weir_iterator_create(runtime, dataset, NULL, &iterator, NULL);
  while (weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
         weir_element_view(element, 0, &view, NULL) == WEIR_OK) {
    for (int64_t i = 0; i < view.dims[0]; ++i) printf("%d ", (int)((const int64_t*)view.data)[i]);
  }
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return 0;
}
