/* Work that oneTBB never begins, since all its threads are busy: destroying a runtime does not wait for it,
 * and none of its memory is lost when the process ends. */
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>

#include "check.h"

static sem_t g_entered;
static sem_t g_never;

/* Keeps its thread until the process ends. */
static int32_t stay(void* user_data, weir_call call) {
  (void)user_data;
  (void)call;
  sem_post(&g_entered);
  while (sem_wait(&g_never) != 0) {
  }
  return WEIR_OK;
}

static int processors(void) {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

static void keep_all_threads(void) {
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_runtime runtime = {0};
  weir_element element = make_element();
  weir_dataset dataset;
  /* oneTBB has one thread less than there are processors, but at least one. */
  int threads = processors() > 1 ? processors() - 1 : 1;
  callback.function = stay;
  callback.flags = WEIR_CALLBACK_CONCURRENT;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  REQUIRE(weir_runtime_register(runtime, "stay", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
  dataset = parse(runtime, "range(10) | map(@stay) | prefetch(1)");
  for (int i = 0; i < threads; ++i) {
    REQUIRE(weir_iterator_try_next(iterate(runtime, dataset), element, NULL) == WEIR_PENDING);
    while (sem_wait(&g_entered) != 0) {
    }
  }
}

int main(void) {
  REQUIRE(sem_init(&g_entered, 0, 0) == 0 && sem_init(&g_never, 0, 0) == 0);
  keep_all_threads();
  for (int i = 0; i < 20; ++i) {
    weir_runtime runtime = make_runtime();
    weir_dataset dataset =
        parse(runtime, "range(3000) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)");
    weir_iterator iterator = iterate(runtime, dataset);
    weir_element element = make_element();
    for (int64_t x = 1; x <= 3000; ++x) CHECK(next_int64(iterator, element) == x);
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    weir_runtime_destroy(runtime);
  }
  return failures();
}
