/* The n-th thread cannot be made, for every n, once and from then on: a runtime is created, pipelines that
 * run ahead are read, saved, restored and read to their end, and everything is destroyed. Where threads are
 * missing, those that are there do their work. Nothing hangs, aborts or changes an element. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define DATA WEIR_SOURCE_DIR "/tests/data/records/"

/* ---- Threads that cannot be made ----------------------------------------------------------------------- */

static int g_first; /* the number of the one that cannot be made, from 1; 0: none */
static int g_for_good;
static int g_made;
static int (*g_create)(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                       void* argument);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  const int first = __atomic_load_n(&g_first, __ATOMIC_ACQUIRE);
  if (!g_create) {
    void* found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&g_create, &found, sizeof found);
  }
  if (first > 0) {
    const int number = __atomic_add_fetch(&g_made, 1, __ATOMIC_ACQ_REL);
    if (number == first || (number > first && g_for_good)) return EAGAIN;
  }
  return g_create(thread, attributes, body, argument);
}

static void arm(int first, int for_good) {
  g_for_good = for_good;
  __atomic_store_n(&g_made, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&g_first, first, __ATOMIC_RELEASE);
}
/* Returns whether one was refused. */
static int disarm(void) {
  const int refused = __atomic_load_n(&g_made, __ATOMIC_ACQUIRE) >= g_first;
  __atomic_store_n(&g_first, 0, __ATOMIC_RELEASE);
  return refused;
}

/* ---- What needs threads -------------------------------------------------------------------------------- */

static const struct {
  const char* text;
  int64_t count;
  int64_t sum;
} kPipelines[] = {
    {"range(40) | map(x -> x * 3, num_parallel_calls: 4) | prefetch(2)", 40, 3 * 780},
    {"range(10) | interleave(x -> range(x), cycle_length: 4, num_parallel_calls: 4)", 45, 120},
    {"tfrecord([\"" DATA "five.tfrecord\", \"" DATA
     "five.tfrecord.gz\"], compression: \"auto\", num_parallel_reads: 2) | "
     "map(r -> string_length(r)) | prefetch(1)",
     10, 80},
};
enum { kPipelineCount = sizeof kPipelines / sizeof *kPipelines };

/* Reads up to `most` elements; adds them up. */
static int64_t read_some(weir_iterator iterator, int64_t most, int64_t* sum) {
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = WEIR_OK;
  int64_t count = 0;
  while (count < most && (result = weir_iterator_next(iterator, element, &error)) == WEIR_OK) {
    *sum += int64_of(element, 0);
    ++count;
  }
  if (result != WEIR_OK && result != WEIR_END)
    fprintf(stderr, "next answered %d: %s\n", result, error.line.data);
  CHECK(result == WEIR_OK || result == WEIR_END);
  weir_error_clear(&error);
  weir_element_destroy(element);
  return count;
}

/* Half of a pipeline, a save, and the other half in another iterator. */
static void run_pipeline(weir_runtime runtime, int which) {
  weir_dataset dataset = parse(runtime, kPipelines[which].text);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator restored = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_bytes saved = WEIR_BYTES_INIT;
  int64_t sum = 0;
  int64_t count = read_some(iterator, kPipelines[which].count / 2, &sum);
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  options.checkpoint = saved.data;
  options.checkpoint_size = saved.size;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &restored, NULL) == WEIR_OK);
  /* Destroyed with work in progress. */
  weir_iterator_destroy(iterator);
  count += read_some(restored, INT64_MAX, &sum);
  CHECK(count == kPipelines[which].count && sum == kPipelines[which].sum);
  weir_bytes_release(&saved);
  weir_iterator_destroy(restored);
  weir_dataset_unref(dataset);
}

/* A runtime, what it runs, and its end. Returns whether a thread was refused. */
static int run_all(int threads, int first, int for_good) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  int32_t result;
  int refused;
  options.thread_count = threads;
  arm(first, for_good);
  result = weir_runtime_create(&options, &runtime, &error);
  CHECK(result == WEIR_OK || result == -WEIR_CODE_RESOURCE_EXHAUSTED || result == -WEIR_CODE_UNAVAILABLE);
  if (result != WEIR_OK) CHECK(runtime.value == 0 && error.message.size > 0);
  for (int which = 0; result == WEIR_OK && which < kPipelineCount; ++which) run_pipeline(runtime, which);
  refused = disarm();
  /* The runtime has outlived the failure. */
  if (result == WEIR_OK) run_pipeline(runtime, 0);
  weir_runtime_destroy(runtime);
  weir_error_clear(&error);
  return refused;
}

enum { kRefused = 10, kNotRefused = 11 };
/* So many numbers in a row that no run came to end the search. */
enum { kEnough = 4 };

/* The same in a process of its own, since oneTBB keeps the threads that it has. This program again rather
 * than a mere fork of it, whose locks another thread might hold for good. */
static int run_apart(int threads, int first, int for_good) {
  char numbers[3][16];
  int status = 0;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    snprintf(numbers[0], sizeof numbers[0], "%d", threads);
    snprintf(numbers[1], sizeof numbers[1], "%d", first);
    snprintf(numbers[2], sizeof numbers[2], "%d", for_good);
    execl("/proc/self/exe", "few_threads", numbers[0], numbers[1], numbers[2], (char*)NULL);
    _exit(1);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!WIFEXITED(status) || (WEXITSTATUS(status) != kRefused && WEXITSTATUS(status) != kNotRefused)) {
    fprintf(stderr, "status %x: %d threads, number %d%s is refused\n", (unsigned)status, threads, first,
            for_good ? " and each after it" : "");
    CHECK(0);
  }
  return WEXITSTATUS(status) == kRefused;
}

int main(int argc, char** argv) {
  static const int kThreads[] = {1, 2, 4};
  if (argc == 4) {
    const int refused = run_all(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    return g_failures > 0 ? 1 : refused ? kRefused : kNotRefused;
  }
  for (size_t t = 0; t < sizeof kThreads / sizeof *kThreads; ++t) {
    for (int for_good = 0; for_good < 2; ++for_good) {
      /* How many threads a run makes depends on how fast they begin, so one that made fewer is not the end.
       */
      int refused = 0;
      int not_refused = 0;
      for (int first = 1; g_failures < 10 && not_refused < kEnough; ++first) {
        REQUIRE(first < 500);
        if (run_apart(kThreads[t], first, for_good)) {
          ++refused;
          not_refused = 0;
        } else {
          ++not_refused;
        }
      }
      CHECK(refused > 0);
    }
  }
  return failures();
}
