/* Several threads share one iterator: each takes the next batch as soon as it is free. Every element reaches
   exactly one of them. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "weir/weir.h"

enum { kThreads = 4 };

typedef struct worker {
  pthread_t thread;
  weir_iterator iterator;
  int64_t sum;
  int64_t count;
} worker;

static void check(int32_t result, const weir_error* error) {
  if (result >= 0 && result != WEIR_ELEMENT_FAILED) return;
  fprintf(stderr, "threads: %s\n", error->line.data);
  exit(1);
}

/* An element and an error belong to one thread at a time, so each worker has its own. */
static void* work(void* argument) {
  worker* self = argument;
  weir_element element = {0};
  weir_error error = WEIR_ERROR_INIT;
  check(weir_element_create(&element, &error), &error);
  int32_t result;
  while ((result = weir_iterator_next(self->iterator, element, &error)) == WEIR_OK) {
    weir_view numbers = WEIR_VIEW_INIT;
    check(weir_element_view(element, 0, &numbers, &error), &error);
    for (int64_t i = 0; i < numbers.dims[0]; ++i) self->sum += ((const int64_t*)numbers.data)[i];
    self->count += numbers.dims[0];
  }
  check(result, &error);
  weir_element_destroy(element);
  weir_error_clear(&error);
  return NULL;
}

int main(void) {
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  check(weir_runtime_create(NULL, &runtime, &error), &error);
  const char* text = "range(10000) | map(x -> x * 2, num_parallel_calls: auto) | batch(64) | prefetch(4)";
  check(weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error), &error);
  check(weir_iterator_create(runtime, dataset, NULL, &iterator, &error), &error);

  worker workers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    workers[i] = (worker){.iterator = iterator};
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 1;
  }
  int64_t sum = 0;
  int64_t count = 0;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(workers[i].thread, NULL);
    sum += workers[i].sum;
    count += workers[i].count;
  }
  printf("%" PRId64 " numbers, sum %" PRId64 "\n", count, sum);

  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return 0;
}
