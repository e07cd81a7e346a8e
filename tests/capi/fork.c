/* The child of a fork: the parent's handles are errors there, releases do nothing, and it can exit. The
 * parent does not notice. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "support/watchdog.h"

typedef struct handles {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_spec spec;
  weir_tensor tensor;
  weir_iterator iterator;
  weir_element element;
  weir_example example;
} handles;

/* With threads that run ahead and elements on their way. */
static handles make_all(void) {
  handles all;
  memset(&all, 0, sizeof all);
  all.runtime = make_runtime();
  all.dataset = parse(all.runtime, "range(1000) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(4)");
  all.iterator = iterate(all.runtime, all.dataset);
  all.element = make_element();
  REQUIRE(weir_dataset_spec(all.dataset, &all.spec, NULL) == WEIR_OK);
  REQUIRE(weir_example_create(&all.example, NULL) == WEIR_OK);
  CHECK(next_int64(all.iterator, all.element) == 1);
  REQUIRE(weir_element_tensor(all.element, 0, &all.tensor, NULL) == WEIR_OK);
  return all;
}

static void release_all(const handles* all) {
  weir_iterator_destroy(all->iterator);
  weir_element_destroy(all->element);
  weir_example_destroy(all->example);
  weir_tensor_unref(all->tensor);
  weir_spec_unref(all->spec);
  weir_dataset_unref(all->dataset);
  weir_runtime_destroy(all->runtime);
}

/* Every kind of handle, through each way of reaching it. */
static void refused_everywhere(const handles* all) {
  const int32_t refused = -WEIR_CODE_INVALID_ARGUMENT;
  weir_error error = WEIR_ERROR_INIT;
  weir_view view = WEIR_VIEW_INIT;
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  int64_t cardinality = 0;
  CHECK(weir_iterator_next(all->iterator, all->element, &error) == refused);
  CHECK(error.code == WEIR_CODE_INVALID_ARGUMENT && error.message.size > 0);
  CHECK(weir_iterator_try_next(all->iterator, all->element, NULL) == refused);
  CHECK(weir_iterator_save(all->iterator, &bytes, NULL) == refused);
  CHECK(weir_iterator_initialize(all->iterator, all->dataset, NULL, NULL) == refused);
  CHECK(weir_iterator_create(all->runtime, all->dataset, NULL, &iterator, NULL) == refused);
  CHECK(weir_dataset_parse(all->runtime, "range(2)", WEIR_STRLEN, NULL, 0, &dataset, NULL) == refused);
  CHECK(count_of(all->dataset, &cardinality) == refused);
  CHECK(weir_dataset_ref(all->dataset, NULL) == refused);
  CHECK(weir_spec_format(all->spec, &bytes, NULL) == refused);
  CHECK(weir_tensor_view(all->tensor, &view, NULL) == refused);
  CHECK(weir_element_view(all->element, 0, &view, NULL) == refused);
  CHECK(weir_example_serialize(all->example, &bytes, NULL) == refused);
  weir_iterator_cancel(all->iterator);
  weir_error_clear(&error);
}

/* What needs no thread of the parent works in the child; so does everything it makes itself. */
static void made_by_the_child(void) {
  weir_spec spec = {0};
  weir_runtime runtime = make_runtime();
  weir_dataset dataset = parse(runtime, "range(5) | map(x -> x * x, num_parallel_calls: 2) | prefetch(2)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(weir_spec_parse("int64", WEIR_STRLEN, &spec, NULL) == WEIR_OK);
  for (int64_t i = 0; i < 5; ++i) CHECK(next_int64(iterator, element) == i * i);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_spec_unref(spec);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

/* Returns the status of a child that does `work` on the parent's handles. A child that hangs is reported
 * before its parent, and ends with it. */
static int in_child(void (*work)(const handles*), const handles* all) {
  int status = -1;
  pid_t child;
  fflush(NULL);
  /* Nobody may hold a lock of the allocator, which under the address sanitizer stays locked in the child. */
  watchdog_settle();
  child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    watchdog_start(30);
    work(all);
    fflush(NULL);
    _exit(failures());
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

static void use(const handles* all) { refused_everywhere(all); }

static void release(const handles* all) {
  release_all(all);
  refused_everywhere(all);
  release_all(all);
}

static void begin_anew(const handles* all) {
  made_by_the_child();
  refused_everywhere(all);
}

static void fork_again(const handles* all) {
  CHECK(in_child(begin_anew, all) == 0);
  made_by_the_child();
  CHECK(in_child(use, all) == 0);
}

int main(void) {
  handles all = make_all();
  CHECK(in_child(use, &all) == 0);
  CHECK(in_child(release, &all) == 0);
  CHECK(in_child(begin_anew, &all) == 0);
  CHECK(in_child(fork_again, &all) == 0);
  for (int64_t i = 2; i <= 1000; ++i) CHECK(next_int64(all.iterator, all.element) == i);
  CHECK(weir_iterator_next(all.iterator, all.element, NULL) == WEIR_END);
  release_all(&all);
  return failures();
}
