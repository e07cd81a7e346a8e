/* Reads handwritten digits with what a package has installed.
 *
 *   digits_c FOLDER
 */
#include <stdint.h>
#include <stdio.h>
#include <weir/weir.h>

static const char kDocument[] =
    "list_files(@files, shuffle: false)"
    " | flat_map(f -> tfrecord(f, compression: \"gzip\"))"
    " | map(r -> parse_example(r, {image: string, label: int64}))"
    " | map({image, label} -> (sum(cast(decode_raw(image, uint8), int64)), label), num_parallel_calls: 2)"
    " | prefetch(2)";

static int64_t number(weir_element element, int32_t component) {
  weir_view view = WEIR_VIEW_INIT;
  return weir_element_view(element, component, &view, NULL) == WEIR_OK ? *(const int64_t*)view.data : 0;
}

/* Prints how many digits there are, and the sums of their labels and pixels. */
static int32_t run(weir_runtime runtime, const char* files, weir_error* error) {
  int64_t count = 0;
  int64_t labels = 0;
  int64_t pixels = 0;
  const weir_argument argument = WEIR_ARGUMENT_TEXT("files", files);
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  int32_t result;
  result = weir_dataset_parse(runtime, kDocument, WEIR_STRLEN, &argument, 1, &dataset, error);
  if (result == WEIR_OK) result = weir_iterator_create(runtime, dataset, NULL, &iterator, error);
  if (result == WEIR_OK) result = weir_element_create(&element, error);
  while (result == WEIR_OK && (result = weir_iterator_next(iterator, element, error)) == WEIR_OK) {
    ++count;
    pixels += number(element, 0);
    labels += number(element, 1);
  }
  if (result == WEIR_END) printf("%d digits, labels %d, pixels %d\n", (int)count, (int)labels, (int)pixels);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return result;
}

int main(int argc, char** argv) {
  char files[4096];
  weir_error error = WEIR_ERROR_INIT;
  weir_runtime runtime = {0};
  int32_t result;
  if (argc != 2) return 2;
  snprintf(files, sizeof files, "%s/*.tfrecord.gz", argv[1]);
  result = weir_runtime_create(NULL, &runtime, &error);
  if (result == WEIR_OK) result = run(runtime, files, &error);
  if (result != WEIR_END) fprintf(stderr, "%s\n", error.line.data);
  weir_error_clear(&error);
  weir_runtime_destroy(runtime);
  return result == WEIR_END ? 0 : 1;
}
