/* Calls of a callback without WEIR_CALLBACK_CONCURRENT come one at a time, wherever it is used. */
#include <pthread.h>
#include <sched.h>

#include "check.h"

typedef struct turns {
  weir_runtime runtime;
  int inside;
  int most;
} turns;

typedef struct use {
  weir_runtime runtime;
  weir_dataset dataset;
  int elements;
} use;

/* x -> x + 1, noting how many are inside. */
static int32_t counts_itself(void* user_data, weir_call call) {
  turns* self = (turns*)user_data;
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  const int inside = __atomic_add_fetch(&self->inside, 1, __ATOMIC_SEQ_CST);
  if (inside > __atomic_load_n(&self->most, __ATOMIC_SEQ_CST))
    __atomic_store_n(&self->most, inside, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 100; ++i) sched_yield();
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data + 1;
  __atomic_sub_fetch(&self->inside, 1, __ATOMIC_SEQ_CST);
  return WEIR_OK;
}

static int32_t result_of(void* user_data, weir_spec arguments, weir_spec* result) {
  (void)user_data;
  (void)arguments;
  return weir_spec_parse("int64", WEIR_STRLEN, result, NULL);
}

static void* read_all(void* data) {
  use* self = (use*)data;
  weir_iterator iterator = iterate(self->runtime, self->dataset);
  weir_element element = make_element();
  while (weir_iterator_next(iterator, element, NULL) == WEIR_OK) ++self->elements;
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  return NULL;
}

/* Two threads read datasets of this text; `given`: the callback is an argument of each, else registered. */
static void one_at_a_time(const char* text, int given, int elements) {
  turns self = {{0}, 0, 0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_callback callback = WEIR_CALLBACK_INIT;
  const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  use uses[2];
  pthread_t other;
  options.thread_count = 4;
  CHECK(weir_runtime_create(&options, &self.runtime, NULL) == WEIR_OK);
  callback.function = counts_itself;
  callback.user_data = &self;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  if (!given) {
    weir_callback named = callback;
    CHECK(weir_runtime_register(self.runtime, "f", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
    named.signature = "{x: int64}";
    named.signature_size = WEIR_STRLEN;
    named.result_spec = NULL;
    named.result_spec_size = 0;
    named.infer = result_of;
    CHECK(weir_runtime_register(self.runtime, "g", WEIR_STRLEN, &named, NULL) == WEIR_OK);
  }
  for (int i = 0; i < 2; ++i) {
    uses[i].runtime = self.runtime;
    uses[i].elements = 0;
    uses[i].dataset = parse_with(self.runtime, text, &argument, given ? 1 : 0);
  }
  CHECK(pthread_create(&other, NULL, read_all, &uses[1]) == 0);
  read_all(&uses[0]);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(uses[0].elements == elements && uses[1].elements == elements);
  CHECK(self.most == 1);
  for (int i = 0; i < 2; ++i) weir_dataset_unref(uses[i].dataset);
  weir_runtime_destroy(self.runtime);
}

int main(void) {
  for (int given = 0; given < 2; ++given) {
    one_at_a_time("range(40) | map(@f)", given, 40);
    one_at_a_time("range(40) | map(@f) | prefetch(4) | map(@f)", given, 40);
    one_at_a_time("zip(range(40) | map(@f) | prefetch(4), range(30) | map(@f) | prefetch(4))", given, 30);
    one_at_a_time("range(5) | interleave(x -> range(4) | map(@f), cycle_length: 4, num_parallel_calls: 4)",
                  given, 20);
  }
  one_at_a_time("range(40) | map(x -> g(x)) | prefetch(4) | filter(x -> g(x) + g(x + 1) > 0)", 0, 40);
  return failures();
}
