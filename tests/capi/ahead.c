/* [threads] What prefetch has made once it comes to rest: the elements that were given and n more. */
#include <stdatomic.h>

#include "check.h"

enum { kGiven = 10, kAhead = 42 };

static int32_t count_call(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  atomic_fetch_add((atomic_int*)user_data, 1);
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data;
  return WEIR_OK;
}

int main(void) {
  weir_runtime runtime = make_runtime();
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_element element = make_element();
  weir_dataset dataset;
  weir_iterator iterator;
  atomic_int calls = 0;
  callback.function = count_call;
  callback.user_data = &calls;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  argument.name = "f";
  argument.name_size = 1;
  argument.callback = &callback;
  dataset = parse_with(runtime, "range(1000) | map(@f) | prefetch(42)", &argument, 1);
  iterator = iterate(runtime, dataset);
  for (int given = 1; given <= kGiven; ++given) {
    CHECK(next_int64(iterator, element) == given - 1);
    /* Taking an element makes room for another one at once. */
    while (atomic_load(&calls) < given + kAhead) {
    }
  }
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  weir_runtime_destroy(runtime);
  CHECK(atomic_load(&calls) == kGiven + kAhead);
  return failures();
}
