/* The program's own decoder as a function of the notation: unpack_bits(packed) makes eight entries, 0 or 1,
 * of each byte. It is called like a built-in function, once for all rows of a block, and says what shape its
 * result has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "weir/weir.h"

static void check(int32_t result, const weir_error* error) {
  if (result >= 0 && result != WEIR_ELEMENT_FAILED) return;
  fprintf(stderr, "function: %s\n", error->line.data);
  exit(1);
}

/* `call` has all rows of a block: packed is uint8[rows, n], the result uint8[rows, 8 n]. */
static int32_t unpack_bits(void* user_data, weir_call call) {
  (void)user_data;
  weir_view packed = WEIR_VIEW_INIT;
  void* out = NULL;
  int32_t result = weir_call_input(call, 0, &packed, NULL);
  if (result != WEIR_OK) return result;
  const int64_t dims[2] = {packed.dims[0], packed.dims[1] * 8};
  result = weir_call_output(call, 0, 2, dims, &out, NULL);
  if (result != WEIR_OK) return result;
  for (int64_t i = 0; i < dims[0] * dims[1]; ++i) {
    ((uint8_t*)out)[i] = (((const uint8_t*)packed.data)[i / 8] >> (7 - i % 8)) & 1;
  }
  return WEIR_OK;
}

/* While a dataset is built: uint8[28] gives uint8[224], and an unknown number of bytes an unknown number of
 * bits. */
static int32_t bits_of(void* user_data, weir_spec arguments, weir_spec* result) {
  (void)user_data;
  weir_spec packed = {0};
  weir_bytes text = WEIR_BYTES_INIT;
  char made[64] = "uint8[?]";
  int64_t count = 0;
  if (weir_spec_child(arguments, 0, &packed, NULL, NULL) != WEIR_OK) return -1;
  if (weir_spec_format(packed, &text, NULL) == WEIR_OK &&
      sscanf(text.data, "uint8[%" SCNd64 "]", &count) == 1)
    snprintf(made, sizeof made, "uint8[%" PRId64 "]", count * 8);
  weir_bytes_release(&text);
  weir_spec_unref(packed);
  return weir_spec_parse(made, WEIR_STRLEN, result, NULL);
}

int main(void) {
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  weir_error error = WEIR_ERROR_INIT;
  check(weir_runtime_create(NULL, &runtime, &error), &error);

  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = unpack_bits;
  callback.infer = bits_of;
  callback.flags = WEIR_CALLBACK_BLOCK | WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_PURE;
  callback.signature = "{packed: uint8[?]}";
  callback.signature_size = WEIR_STRLEN;
  check(weir_runtime_register(runtime, "unpack_bits", WEIR_STRLEN, &callback, &error), &error);

  const char* text =
      "range(4) | map(x -> (x, sum(int64(unpack_bits([uint8(x), uint8(x * 85)]))))) | batch(4)";
  check(weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error), &error);
  check(weir_iterator_create(runtime, dataset, NULL, &iterator, &error), &error);
  check(weir_element_create(&element, &error), &error);
  check(weir_iterator_next(iterator, element, &error), &error);
  weir_view numbers = WEIR_VIEW_INIT;
  weir_view bits = WEIR_VIEW_INIT;
  check(weir_element_view(element, 0, &numbers, &error), &error);
  check(weir_element_view(element, 1, &bits, &error), &error);
  for (int64_t i = 0; i < bits.dims[0]; ++i) {
    printf("%" PRId64 " and its multiple have %" PRId64 " bits\n", ((const int64_t*)numbers.data)[i],
           ((const int64_t*)bits.data)[i]);
  }

  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return 0;
}
