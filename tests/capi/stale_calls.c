/* [threads] The handle of a call, used on other threads before, while and after its callback returns. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

enum { kThreads = 3, kCalls = 500 };

typedef struct shared {
  /* The current or last call. */
  _Atomic uint64_t call;
  /* Rounds through all functions of a call, of all threads together. */
  atomic_long rounds;
  atomic_int over;
} shared;

/* A call in use on another thread is busy; one whose callback has returned is stale. */
static int allowed(int32_t result) {
  return result == WEIR_OK || result == -WEIR_CODE_INVALID_ARGUMENT ||
         result == -WEIR_CODE_FAILED_PRECONDITION;
}

static void* hammer(void* context) {
  shared* self = (shared*)context;
  weir_error error = WEIR_ERROR_INIT;
  while (!atomic_load(&self->over)) {
    weir_call call = {atomic_load(&self->call)};
    weir_view view = WEIR_VIEW_INIT;
    void* place = NULL;
    int64_t rows = weir_call_rows(call);
    CHECK(rows == 0 || rows == 1);
    CHECK(weir_call_cancelled(call) >= 0);
    CHECK(allowed(weir_call_input(call, 0, &view, &error)));
    CHECK(allowed(weir_call_output(call, 0, 0, NULL, &place, &error)));
    CHECK(allowed(weir_call_allocate(call, 16, &place, &error)));
    CHECK(allowed(weir_call_fail(call, 0, WEIR_CODE_ABORTED, "from outside", WEIR_STRLEN, &error)));
    atomic_fetch_add(&self->rounds, 1);
  }
  weir_error_clear(&error);
  return NULL;
}

/* Returns while the others still use its call. */
static int32_t watched(void* user_data, weir_call call) {
  shared* self = (shared*)user_data;
  void* out = NULL;
  int32_t result;
  long seen;
  do {
    result = weir_call_output(call, 0, 0, NULL, &out, NULL);
  } while (result == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(result == WEIR_OK);
  if (out) *(int64_t*)out = 1;
  seen = atomic_load(&self->rounds);
  atomic_store(&self->call, call.value);
  while (atomic_load(&self->rounds) == seen) sched_yield();
  return WEIR_OK;
}

static void hammered(weir_runtime runtime, uint32_t flags, const char* text) {
  shared self = {0, 0, 0};
  pthread_t threads[kThreads];
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element = make_element();
  callback.function = watched;
  callback.user_data = &self;
  callback.flags = flags;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  argument.name = "f";
  argument.name_size = WEIR_STRLEN;
  argument.callback = &callback;
  dataset = parse_with(runtime, text, &argument, 1);
  iterator = iterate(runtime, dataset);
  for (int i = 0; i < kThreads; ++i) REQUIRE(pthread_create(&threads[i], NULL, hammer, &self) == 0);
  for (int i = 0; i < kCalls; ++i) {
    int32_t result = weir_iterator_next(iterator, element, NULL);
    CHECK(result == WEIR_OK || result == WEIR_ELEMENT_FAILED);
  }
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  atomic_store(&self.over, 1);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  hammered(runtime, 0, "range(500) | map(@f)");
  hammered(runtime, WEIR_CALLBACK_CONCURRENT, "range(500) | map(@f, num_parallel_calls: 2)");
  weir_runtime_destroy(runtime);
  return failures();
}
