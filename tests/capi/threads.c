/* [threads] Cancel and destroy from another thread while next waits in a callback; several threads on one
 * iterator. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

typedef struct shared {
  weir_iterator iterator;
  atomic_int entered;
  atomic_int result;
  atomic_int taken;
} shared;

/* Runs until the iterator is cancelled, as a long computation should. */
static int32_t until_cancelled(void* user_data, weir_call call) {
  void* out = NULL;
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = 0;
  atomic_store(&((shared*)user_data)->entered, 1);
  while (!weir_call_cancelled(call)) {
  }
  return WEIR_OK;
}

static void* call_next(void* context) {
  shared* self = (shared*)context;
  weir_element element = make_element();
  int32_t result = weir_iterator_next(self->iterator, element, NULL);
  /* The row in progress may still come; after it the answer is sticky. */
  if (result == WEIR_OK) result = weir_iterator_next(self->iterator, element, NULL);
  atomic_store(&self->result, result);
  weir_element_destroy(element);
  return NULL;
}

static void interrupted(weir_runtime runtime, int destroys, uint32_t flags, const char* text) {
  shared self = {{0}, 0, 0, 0};
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_dataset dataset;
  pthread_t thread;
  callback.function = until_cancelled;
  callback.user_data = &self;
  callback.flags = flags;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  argument.name = "f";
  argument.name_size = 1;
  argument.callback = &callback;
  dataset = parse_with(runtime, text, &argument, 1);
  self.iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  REQUIRE(pthread_create(&thread, NULL, call_next, &self) == 0);
  while (!atomic_load(&self.entered)) {
  }
  if (destroys) {
    weir_iterator_destroy(self.iterator);
  } else {
    weir_iterator_cancel(self.iterator);
  }
  pthread_join(thread, NULL);
  CHECK(atomic_load(&self.result) == -WEIR_CODE_CANCELLED ||
        (destroys && atomic_load(&self.result) == -WEIR_CODE_INVALID_ARGUMENT));
  weir_iterator_destroy(self.iterator);
}

static void* take_all(void* context) {
  shared* self = (shared*)context;
  weir_element element = make_element();
  while (weir_iterator_next(self->iterator, element, NULL) == WEIR_OK) atomic_fetch_add(&self->taken, 1);
  weir_element_destroy(element);
  return NULL;
}

/* Each element goes to one of them. */
static void shared_by_threads(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(3000) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(4)");
  shared self = {{0}, 0, 0, 0};
  pthread_t threads[3];
  self.iterator = iterate(runtime, dataset);
  for (int i = 0; i < 3; ++i) REQUIRE(pthread_create(&threads[i], NULL, take_all, &self) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  CHECK(atomic_load(&self.taken) == 3000);
  weir_iterator_destroy(self.iterator);
  weir_dataset_unref(dataset);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  for (int destroys = 0; destroys < 2; ++destroys) {
    interrupted(runtime, destroys, 0, "range(5) | map(@f)");
    interrupted(runtime, destroys, WEIR_CALLBACK_BLOCKING, "range(5) | map(@f) | prefetch(2)");
    interrupted(runtime, destroys, WEIR_CALLBACK_ON_CALLER, "range(5) | map(@f) | prefetch(2)");
  }
  shared_by_threads(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
