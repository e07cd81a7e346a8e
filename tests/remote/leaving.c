/* Reads the beginning of the file of its first argument, ends its runtime while more of it is on the way,
 * says so, and waits for the end of its input. The second argument is the folder of the extension. */
#include <stdio.h>
#include <weir/weir.h>

int main(int argc, char** argv) {
  char document[512];
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  if (argc != 3) return 2;
  options.extensions = argv[2];
  options.extensions_size = WEIR_STRLEN;
  snprintf(document, sizeof document, "fixed_length_record(\"%s\", 65536)", argv[1]);
  if (weir_runtime_create(&options, &runtime, NULL) != WEIR_OK) return 3;
  if (weir_dataset_parse(runtime, document, WEIR_STRLEN, NULL, 0, &dataset, NULL) != WEIR_OK) return 4;
  if (weir_iterator_create(runtime, dataset, NULL, &iterator, NULL) != WEIR_OK) return 5;
  if (weir_element_create(&element, NULL) != WEIR_OK) return 6;
  for (int i = 0; i < 16; ++i) {
    if (weir_iterator_next(iterator, element, NULL) != WEIR_OK) return 7;
  }
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  puts("left");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return 0;
}
