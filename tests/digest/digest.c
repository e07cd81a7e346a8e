/* The digest of docs/digest.md in C:
 *
 *   digest_c DOCUMENT THREADS SAVE_AT
 *
 * prints the hash of the document's elements. With SAVE_AT from 0 up it takes so many rows, saves, and goes
 * on with an iterator of another runtime that begins at the checkpoint. */
#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "weir/weir.h"

static XXH64_state_t hash;

static void fail(const weir_error* error) {
  fprintf(stderr, "error: %s: %s\n", weir_code_name(error->code), error->line.data);
  exit(2);
}

/* Apart, since inlined for one byte gcc warns of what xxhash does with longer inputs. */
__attribute__((noinline)) static void add(const void* data, uint64_t size) {
  XXH64_update(&hash, data, (size_t)size);
}

static void add_byte(int byte) {
  const unsigned char value = (unsigned char)byte;
  add(&value, 1);
}

static void add_view(const weir_view* view) {
  add_byte(view->dtype);
  add_byte(view->rank);
  add(view->dims, (uint64_t)view->rank * sizeof(int64_t));
  if (view->dtype != WEIR_DTYPE_STRING) {
    add(view->data, view->byte_size);
    return;
  }
  for (uint64_t i = 0; i < view->byte_size / sizeof(weir_string); ++i) {
    const weir_string text = ((const weir_string*)view->data)[i];
    add(&text.size, sizeof(text.size));
    add(text.data, text.size);
  }
}

/* Takes `count` rows, or all and the end if it is negative. */
static void add_rows(weir_runtime runtime, weir_iterator iterator, int64_t count) {
  weir_error error = WEIR_ERROR_INIT;
  weir_spec spec = {0};
  weir_spec_info info = WEIR_SPEC_INFO_INIT;
  weir_element element = {0};
  int32_t result = weir_iterator_spec(iterator, &spec, &error);
  if (result == WEIR_OK) result = weir_spec_view(spec, &info, &error);
  weir_spec_unref(spec);
  if (result == WEIR_OK) result = weir_element_create(&element, &error);
  if (result != WEIR_OK) fail(&error);
  for (; count != 0; count -= count > 0) {
    result = weir_iterator_next(iterator, element, &error);
    if (result < 0) fail(&error);
    if (result == WEIR_END) {
      if (count < 0) add_byte('z');
      break;
    }
    if (result == WEIR_ELEMENT_FAILED) {
      add_byte('f');
      add(&error.code, sizeof(error.code));
      continue;
    }
    add_byte('e');
    for (uint32_t i = 0; i < info.component_count; ++i) {
      weir_view view = WEIR_VIEW_INIT;
      weir_dataset nested = {0};
      weir_iterator inner = {0};
      if (weir_element_view(element, i, &view, NULL) == WEIR_OK) {
        add_view(&view);
        continue;
      }
      if (weir_element_dataset(element, i, &nested, &error) != WEIR_OK) fail(&error);
      if (weir_iterator_create(runtime, nested, NULL, &inner, &error) != WEIR_OK) fail(&error);
      add_byte(WEIR_DTYPE_DATASET);
      add_rows(runtime, inner, -1);
      weir_iterator_destroy(inner);
      weir_dataset_unref(nested);
    }
  }
  weir_element_destroy(element);
  weir_error_clear(&error);
}

static weir_runtime make_runtime(int32_t threads) {
  weir_error error = WEIR_ERROR_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_runtime runtime = {0};
  options.thread_count = threads;
  if (weir_runtime_create(&options, &runtime, &error) != WEIR_OK) fail(&error);
  return runtime;
}

static weir_dataset parse_file(weir_runtime runtime, const char* name) {
  static char text[65536];
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset = {0};
  FILE* file = fopen(name, "rb");
  size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
  if (file) fclose(file);
  if (weir_dataset_parse(runtime, text, size, NULL, 0, &dataset, &error) != WEIR_OK) fail(&error);
  return dataset;
}

int main(int argc, char** argv) {
  weir_error error = WEIR_ERROR_INIT;
  weir_iterator iterator = {0};
  if (argc != 4) {
    fprintf(stderr, "usage: digest_c DOCUMENT THREADS SAVE_AT\n");
    return 2;
  }
  const int32_t threads = (int32_t)strtol(argv[2], NULL, 10);
  const int64_t save_at = strtol(argv[3], NULL, 10);
  weir_runtime runtime = make_runtime(threads);
  weir_dataset dataset = parse_file(runtime, argv[1]);
  XXH64_reset(&hash, 0);
  if (weir_iterator_create(runtime, dataset, NULL, &iterator, &error) != WEIR_OK) fail(&error);
  if (save_at >= 0) {
    weir_bytes position = WEIR_BYTES_INIT;
    weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
    add_rows(runtime, iterator, save_at);
    if (weir_iterator_save(iterator, &position, &error) != WEIR_OK) fail(&error);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    weir_runtime_destroy(runtime);
    runtime = make_runtime(threads);
    dataset = parse_file(runtime, argv[1]);
    options.checkpoint = position.data;
    options.checkpoint_size = position.size;
    if (weir_iterator_create(runtime, dataset, &options, &iterator, &error) != WEIR_OK) fail(&error);
    weir_bytes_release(&position);
  }
  add_rows(runtime, iterator, -1);
  printf("%016llx\n", (unsigned long long)XXH64_digest(&hash));
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return 0;
}
