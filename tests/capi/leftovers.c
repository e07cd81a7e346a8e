/* No thread stays once everything is destroyed, however many there were and whoever used them. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "check.h"

static int count_threads(void) {
  DIR* folder = opendir("/proc/self/task");
  int count = 0;
  REQUIRE(folder);
  for (struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(folder);
  return count;
}

/* Threads leave in their own time; one that stays makes this wait for ever. */
static void wait_until_gone(int before) {
  while (count_threads() > before) sched_yield();
}

static void read_some(weir_runtime runtime) {
  weir_dataset dataset =
      parse(runtime, "range(100) | map(x -> x * x, num_parallel_calls: 2) | batch(3) | prefetch(2)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  for (int i = 0; i < 20; ++i) CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static weir_runtime runtime_of(int32_t threads) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.thread_count = threads;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  return runtime;
}

typedef struct reader {
  weir_runtime runtime;
  sem_t has_read;
  sem_t may_end;
} reader;

static void* read_and_stay(void* argument) {
  reader* self = argument;
  read_some(self->runtime);
  sem_post(&self->has_read);
  sem_wait(&self->may_end);
  return NULL;
}

/* A host thread that has read lives on while the library's threads must end. */
static void beside_a_reader(int32_t threads) {
  reader other;
  pthread_t thread;
  int before = count_threads();
  other.runtime = runtime_of(threads);
  REQUIRE(sem_init(&other.has_read, 0, 0) == 0 && sem_init(&other.may_end, 0, 0) == 0);
  REQUIRE(pthread_create(&thread, NULL, read_and_stay, &other) == 0);
  REQUIRE(sem_wait(&other.has_read) == 0);
  read_some(other.runtime);
  weir_runtime_destroy(other.runtime);
  wait_until_gone(before + 1);
  sem_post(&other.may_end);
  REQUIRE(pthread_join(thread, NULL) == 0);
  wait_until_gone(before);
}

static void destroyed(int32_t threads, int uses) {
  int before = count_threads();
  weir_runtime first = runtime_of(threads);
  weir_runtime second = runtime_of(threads);
  for (int i = 0; i < uses; ++i) {
    read_some(first);
    read_some(second);
  }
  weir_runtime_destroy(first);
  weir_runtime_destroy(second);
  wait_until_gone(before);
}

int main(void) {
  const int32_t kThreads[] = {0, 1, 2, 8};
  for (size_t i = 0; i < sizeof kThreads / sizeof *kThreads; ++i) {
    destroyed(kThreads[i], 0);
    destroyed(kThreads[i], 3);
    beside_a_reader(kThreads[i]);
  }
  return failures();
}
