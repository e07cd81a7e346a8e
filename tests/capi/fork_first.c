/* A fork while another thread of the process uses the library for the first time: it parses a text and takes
 * an element. The child does the same. Every process that tries it is a child of this one, which itself never
 * uses the library. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "support/watchdog.h"

enum { kTries = 120 };

/* As much of what is made at first use as a text can name: operators, functions, rules, a thread. */
static void use(void) {
  weir_runtime runtime = make_runtime();
  weir_dataset dataset =
      parse(runtime,
            "zip((range(40), from_tensor_slices([\"a\", \"b\"]) | repeat(20))) | shuffle(8, seed: 1)\n"
            "  | map((i, s) -> (i * 2, string_length(s)), num_parallel_calls: 2)\n"
            "  | filter((i, n) -> i % 3 != 1) | map((i, n) -> i + int64(n)) | batch(4) | prefetch(1)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

typedef struct other {
  pthread_t thread;
  int begins;
} other;

static void* first_use(void* argument) {
  __atomic_store_n(&((other*)argument)->begins, 1, __ATOMIC_RELEASE);
  use();
  return NULL;
}

/* Whether `child` ends well. */
static int ends_well(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) != child) REQUIRE(errno == EINTR);
  if (status != 0) fprintf(stderr, "a process ended with status %d\n", status);
  return status == 0;
}

static pid_t fork_child(void) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child;
}

/* In a process that has not used the library: forks when the other thread has gone so many steps of this one.
 */
static void fork_while_used(int steps) {
  other used = {0, 0};
  pid_t child;
  REQUIRE(pthread_create(&used.thread, NULL, first_use, &used) == 0);
  while (!__atomic_load_n(&used.begins, __ATOMIC_ACQUIRE)) sched_yield();
  for (volatile int step = 0; step < steps; ++step) {
  }
  child = fork_child();
  if (child == 0) {
    watchdog_start(10);
    use();
    _exit(failures());
  }
  CHECK(ends_well(child));
  pthread_join(used.thread, NULL);
}

int main(void) {
  /* Their allocator stays locked in the child. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (int i = 0; i < kTries && failures() == 0; ++i) {
    const pid_t child = fork_child();
    if (child == 0) {
      fork_while_used(i * i * 200);
      _exit(failures());
    }
    CHECK(ends_well(child));
  }
#else
  (void)fork_while_used;
  (void)kTries;
#endif
  return failures();
}
