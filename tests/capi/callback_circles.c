/* A callback or generator that takes one call at a time asks an iterator that needs the same one: an error,
 * and no wait for ever. */
#include "check.h"

typedef struct asking {
  weir_iterator other;
  int32_t answer;
  int refused;
} asking;

/* Takes an element of the other iterator, if there is one. */
static void ask(asking* self) {
  weir_iterator other = self->other;
  weir_element element;
  weir_error error = WEIR_ERROR_INIT;
  if (other.value == 0) return;
  element = make_element();
  self->other.value = 0;
  self->answer = weir_iterator_next(other, element, &error);
  self->refused = error.code == WEIR_CODE_FAILED_PRECONDITION;
  weir_error_clear(&error);
  weir_element_destroy(element);
}

/* x -> x, after that. */
static int32_t asks(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data;
  ask((asking*)user_data);
  return WEIR_OK;
}

/* A generator of 0, 1 and 2, the same way. */
static int32_t open_count(void* user_data, void** state) {
  (void)user_data;
  *state = calloc(1, sizeof(int64_t));
  return *state ? WEIR_OK : 1;
}

static int32_t next_count(void* user_data, void* state, weir_call call) {
  int64_t* n = (int64_t*)state;
  void* out = NULL;
  if (*n == 3) return WEIR_END;
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = (*n)++;
  ask((asking*)user_data);
  return WEIR_OK;
}

static void close_count(void* user_data, void* state) {
  (void)user_data;
  free(state);
}

/* Two iterators of one dataset. In the first, the callback or generator asks the second, which has given
 * `taken` elements. A generator that is refused when it opens has no elements; before a prefetch, whose
 * thread may wait for the turn first, the one that asks may be refused instead. */
static void asks_its_like(weir_runtime runtime, const char* text, uint32_t flags, int circle, int taken) {
  int32_t result;
  const int opens = circle && taken == 0 && strstr(text, "@g");
  asking self = {{0}, WEIR_OK, 0};
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_generator generator = WEIR_GENERATOR_INIT;
  const weir_argument of_callback = WEIR_ARGUMENT_CALLBACK("f", &callback);
  const weir_argument of_generator = WEIR_ARGUMENT_GENERATOR("g", &generator);
  weir_dataset dataset;
  weir_iterator first;
  weir_iterator second;
  weir_element element = make_element();
  callback.function = asks;
  generator.open = open_count;
  generator.next = next_count;
  generator.close = close_count;
  callback.user_data = generator.user_data = &self;
  callback.flags = generator.flags = WEIR_CALLBACK_PURE | flags;
  dataset = parse_with(runtime, text, strstr(text, "@g") ? &of_generator : &of_callback, 1);
  first = iterate(runtime, dataset);
  second = iterate(runtime, dataset);
  for (int i = 0; i < taken; ++i) CHECK(next_int64(second, element) == i);
  self.other = second;
  CHECK(next_int64(first, element) == 0);
  if (circle) {
    CHECK(self.refused && self.answer != WEIR_OK);
  } else {
    CHECK(self.answer == WEIR_OK);
  }
  /* Both go on. */
  CHECK(next_int64(first, element) == 1);
  result = weir_iterator_next(second, element, NULL);
  CHECK(result == (opens ? WEIR_END : WEIR_OK) || (result == WEIR_OK && strstr(text, "prefetch")));
  weir_iterator_destroy(first);
  weir_iterator_destroy(second);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
}

/* The same with two datasets that use one registered callback. */
static void asks_another(const char* text, const char* other) {
  asking self = {{0}, WEIR_OK, 0};
  weir_runtime runtime = make_runtime();
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_dataset datasets[2];
  weir_iterator first;
  weir_iterator second;
  weir_element element = make_element();
  callback.function = asks;
  callback.user_data = &self;
  callback.flags = WEIR_CALLBACK_PURE;
  CHECK(weir_runtime_register(runtime, "f", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
  datasets[0] = parse(runtime, text);
  datasets[1] = parse(runtime, other);
  first = iterate(runtime, datasets[0]);
  self.other = second = iterate(runtime, datasets[1]);
  CHECK(next_int64(first, element) == 0);
  CHECK(self.refused && self.answer != WEIR_OK);
  CHECK(next_int64(first, element) == 1);
  CHECK(weir_iterator_next(second, element, NULL) == WEIR_OK);
  weir_iterator_destroy(first);
  weir_iterator_destroy(second);
  weir_dataset_unref(datasets[0]);
  weir_dataset_unref(datasets[1]);
  weir_element_destroy(element);
  weir_runtime_destroy(runtime);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  asks_another("range(3) | map(@f)", "range(5) | map(@f)");
  asks_another("range(3) | map(@f) | prefetch(1)", "range(5) | map(x -> @f(x) + 1)");
  asks_its_like(runtime, "range(3) | map(@f)", 0, 1, 0);
  asks_its_like(runtime, "range(3) | map(x -> @f(x))", 0, 1, 0);
  asks_its_like(runtime, "range(3) | map(@f) | prefetch(1)", 0, 1, 0);
  asks_its_like(runtime, "range(3) | map(@f, num_parallel_calls: 2)", 0, 1, 0);
  asks_its_like(runtime, "range(3) | map(x -> from_tensors(x) | map(@f) | get_single_element())", 0, 1, 0);
  asks_its_like(runtime, "range(3) | map(@f)", WEIR_CALLBACK_CONCURRENT, 0, 0);
  asks_its_like(runtime, "range(3) | map(@f)", 0, 1, 1);
  asks_its_like(runtime, "from_generator(@g, int64)", 0, 1, 0);
  asks_its_like(runtime, "from_generator(@g, int64)", 0, 1, 1);
  asks_its_like(runtime, "from_generator(@g, int64) | prefetch(1)", 0, 1, 0);
  asks_its_like(runtime, "range(1) | flat_map(_ -> from_generator(@g, int64))", 0, 1, 0);
  asks_its_like(runtime, "from_generator(@g, int64)", WEIR_CALLBACK_CONCURRENT, 0, 0);
  weir_runtime_destroy(runtime);
  return failures();
}
