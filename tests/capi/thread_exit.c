/* [threads] pthread_exit in host functions: the thread ends with its value, the element that it was making is
 * `cancelled`, no other is lost, and other threads go on. */
#include <poll.h>
#include <pthread.h>

#include "check.h"

enum { kCount = 20, kMost = 64, kEvery = -2, kFailed = -1 };

/* The exit value of the threads that end. */
static int g_marker;

typedef struct puller {
  weir_iterator iterator;
  weir_element element;
  /* Takes the next element, or several, into `taken`; returns the result of the call. */
  int32_t (*take)(struct puller* self);
  /* The argument at which the callback ends its thread, or kEvery. */
  int64_t bad;
  /* It returns true, not its argument. */
  int filters;
  int64_t taken[kMost];
  int count;
  int cleaned;
} puller;

static void keep(puller* self, int64_t value) {
  REQUIRE(self->count < kMost);
  self->taken[self->count++] = value;
}

/* x -> x or x -> true, if it returns. */
static int32_t ending(void* user_data, weir_call call) {
  const puller* self = (const puller*)user_data;
  int64_t rows = weir_call_rows(call);
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, in.rank, &rows, &out, NULL) == WEIR_OK);
  for (int64_t i = 0; i < rows; ++i) {
    int64_t value = ((const int64_t*)in.data)[i];
    if (self->bad == kEvery || value == self->bad) pthread_exit(&g_marker);
    if (self->filters) {
      ((uint8_t*)out)[i] = 1;
    } else {
      ((int64_t*)out)[i] = value;
    }
  }
  return WEIR_OK;
}

static int32_t failed(puller* self, const weir_error* error) {
  CHECK(error->code == WEIR_CODE_CANCELLED && strstr(error->message.data, "thread"));
  keep(self, kFailed);
  return WEIR_ELEMENT_FAILED;
}

static int32_t by_next(puller* self) {
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = weir_iterator_next(self->iterator, self->element, &error);
  if (result == WEIR_OK) keep(self, int64_of(self->element, 0));
  if (result == WEIR_ELEMENT_FAILED) failed(self, &error);
  weir_error_clear(&error);
  return result;
}

static int32_t by_try_next(puller* self) {
  weir_error error = WEIR_ERROR_INIT;
  struct pollfd ready = {-1, POLLIN, 0};
  int32_t result;
  REQUIRE(weir_iterator_ready_fd(self->iterator, &ready.fd, NULL) == WEIR_OK);
  while ((result = weir_iterator_try_next(self->iterator, self->element, &error)) == WEIR_PENDING)
    poll(&ready, 1, -1);
  if (result == WEIR_OK) keep(self, int64_of(self->element, 0));
  if (result == WEIR_ELEMENT_FAILED) failed(self, &error);
  weir_error_clear(&error);
  return result;
}

static int32_t by_next_into(puller* self) {
  weir_error error = WEIR_ERROR_INIT;
  weir_buffer buffer = WEIR_BUFFER_INIT;
  int64_t value = 0;
  int32_t result;
  buffer.data = &value;
  buffer.capacity = sizeof value;
  result = weir_iterator_next_into(self->iterator, &buffer, 1, &error);
  if (result == WEIR_OK) keep(self, value);
  if (result == WEIR_ELEMENT_FAILED) failed(self, &error);
  weir_error_clear(&error);
  return result;
}

static int32_t by_block(puller* self) {
  weir_error error = WEIR_ERROR_INIT;
  weir_view view = WEIR_VIEW_INIT;
  int64_t rows = 0;
  int32_t result = weir_iterator_next_block(self->iterator, 4, self->element, &rows, &error);
  if (result == WEIR_OK) {
    CHECK(weir_element_view(self->element, 0, &view, NULL) == WEIR_OK);
    for (int64_t i = 0; i < rows; ++i) keep(self, ((const int64_t*)view.data)[i]);
  }
  if (result == WEIR_ELEMENT_FAILED) failed(self, &error);
  weir_error_clear(&error);
  return result;
}

static void take_all(puller* self) {
  int32_t result;
  do {
    result = self->take(self);
  } while (result == WEIR_OK || result == WEIR_ELEMENT_FAILED);
  CHECK(result == WEIR_END);
}

/* The library works in the cleanup of an ending thread, as anywhere. */
static void clean(void* context) {
  puller* self = (puller*)context;
  weir_bytes bytes = WEIR_BYTES_INIT;
  CHECK(weir_iterator_save(self->iterator, &bytes, NULL) == WEIR_OK);
  weir_bytes_release(&bytes);
  self->cleaned = 1;
}

static void* take_all_on_thread(void* context) {
  pthread_cleanup_push(clean, context);
  take_all((puller*)context);
  pthread_cleanup_pop(0);
  return NULL;
}

static weir_dataset parse_ending(weir_runtime runtime, puller* self, uint32_t flags, const char* text) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_INIT;
  callback.function = ending;
  callback.user_data = self;
  callback.flags = flags | WEIR_CALLBACK_PURE;
  self->filters = strstr(text, "filter") != NULL;
  callback.result_spec = self->filters ? "bool" : "int64";
  callback.result_spec_size = WEIR_STRLEN;
  argument.name = "f";
  argument.name_size = WEIR_STRLEN;
  argument.callback = &callback;
  return parse_with(runtime, text, &argument, 1);
}

/* From a checkpoint the same elements come, each in its place; the one that failed may be made again. */
static void check_restored(weir_runtime runtime, weir_dataset dataset, const weir_bytes* saved,
                           const puller* self, int from) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  puller restored = {{0}, {0}, by_next, kFailed, 0, {0}, 0, 0};
  options.checkpoint = saved->data;
  options.checkpoint_size = saved->size;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &restored.iterator, NULL) == WEIR_OK);
  restored.element = make_element();
  take_all(&restored);
  CHECK(restored.count == self->count - from);
  for (int i = 0; i < restored.count; ++i) {
    CHECK(restored.taken[i] == self->taken[from + i] ||
          (self->taken[from + i] == kFailed && restored.taken[i] == from + i));
  }
  weir_element_destroy(restored.element);
  weir_iterator_destroy(restored.iterator);
}

typedef struct pipeline {
  const char* text;
  int64_t bad;
  /* The callback runs on the thread that pulls. */
  int on_caller;
  /* The expected elements; none: 0 to kCount - 1, with an error in place of `bad`. */
  int count;
  int64_t expected[kMost];
} pipeline;

static const pipeline kPipelines[] = {
    {"range(20) | map(@f)", 7, 1, 0, {0}},
    {"range(20) | map(@f)", 0, 1, 0, {0}},
    {"range(20) | map(@f)", 19, 1, 0, {0}},
    {"range(20) | filter(@f)", 7, 1, 0, {0}},
    {"range(20) | flat_map(x -> range(x, x + 1) | map(@f))", 7, 1, 0, {0}},
    {"range(20) | interleave(x -> range(x, x + 1) | map(@f), cycle_length: 3)", 7, 1, 0, {0}},
    {"range(20) | map(x -> range(x, x + 1) | map(@f) | reduce(0, (s, y) -> s + y))", 7, 1, 0, {0}},
    {"range(20) | map(@f) | shuffle(1, seed: 3)", 7, 1, 0, {0}},
    {"zip(range(20) | map(@f), range(20)) | map((x, y) -> x)", 7, 1, 0, {0}},
    {"range(20) | map(@f) | batch(4) | map(x -> x[0])", 7, 1, 5, {0, kFailed, 8, 12, 16}},
    {"range(20) | map(@f) | batch(4) | map(x -> x[0])", 6, 1, 6, {0, kFailed, kFailed, 8, 12, 16}},
    {"range(9) | map(@f) | ignore_errors()", 7, 1, 8, {0, 1, 2, 3, 4, 5, 6, 8}},
    {"range(20) | map(@f, num_parallel_calls: 2)", 7, 0, 0, {0}},
    {"range(20) | map(@f) | prefetch(3)", 7, 0, 0, {0}},
    {"range(20) | map(@f) | prefetch(3) | map(x -> x) | prefetch(2)", 7, 0, 0, {0}},
};

static int as_expected(const puller* self, const pipeline* from) {
  int same = self->count == (from->count ? from->count : kCount);
  for (int i = 0; i < self->count && same; ++i) {
    int64_t simple = i == from->bad ? kFailed : i;
    same = self->taken[i] == (from->count ? from->expected[i] : simple);
  }
  if (!same) {
    fprintf(stderr, "%s, ending at %" PRId64 ":", from->text, from->bad);
    for (int i = 0; i < self->count; ++i) fprintf(stderr, " %" PRId64, self->taken[i]);
    fprintf(stderr, "\n");
  }
  return same;
}

static void in_pipeline(weir_runtime runtime, const pipeline* from, uint32_t flags,
                        int32_t (*take)(puller*)) {
  puller self = {{0}, {0}, NULL, 0, 0, {0}, 0, 0};
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_dataset dataset = parse_ending(runtime, &self, flags, from->text);
  pthread_t thread;
  void* value = NULL;
  int taken;
  self.take = take;
  self.bad = from->bad;
  self.iterator = iterate(runtime, dataset);
  self.element = make_element();
  REQUIRE(pthread_create(&thread, NULL, take_all_on_thread, &self) == 0);
  pthread_join(thread, &value);
  CHECK(value == NULL || value == &g_marker);
  if (from->on_caller) CHECK(value == &g_marker);
  CHECK(self.cleaned == (value != NULL));
  taken = self.count;
  CHECK(weir_iterator_save(self.iterator, &saved, NULL) == WEIR_OK);
  /* The last element can come again only if it does not end this thread. */
  if (value == NULL) CHECK(weir_iterator_next(self.iterator, self.element, NULL) == WEIR_END);
  if (value != NULL) take_all(&self);
  CHECK(as_expected(&self, from));
  self.bad = kFailed;
  /* The rows that a batch or a shuffle holds depend on which one failed. */
  if (!from->count && !strstr(from->text, "shuffle")) check_restored(runtime, dataset, &saved, &self, taken);
  weir_bytes_release(&saved);
  weir_element_destroy(self.element);
  weir_iterator_destroy(self.iterator);
  weir_dataset_unref(dataset);
}

static void in_pipelines(weir_runtime runtime) {
  for (size_t i = 0; i < sizeof kPipelines / sizeof *kPipelines; ++i) {
    in_pipeline(runtime, &kPipelines[i], 0, by_next);
    in_pipeline(runtime, &kPipelines[i], WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_BLOCKING, by_next);
    in_pipeline(runtime, &kPipelines[i], WEIR_CALLBACK_ON_CALLER, by_next);
  }
  in_pipeline(runtime, &kPipelines[0], 0, by_try_next);
  in_pipeline(runtime, &kPipelines[0], 0, by_next_into);
  in_pipeline(runtime, &kPipelines[0], 0, by_block);
  in_pipeline(runtime, &kPipelines[0], WEIR_CALLBACK_BLOCK, by_next);
}

/* On the library's own threads, of both kinds, once or repeatedly: those that cannot end go on with the next
 * job, those that end are replaced. */
static void on_workers(weir_runtime runtime, uint32_t flags, int64_t bad) {
  puller self = {{0}, {0}, by_try_next, bad, 0, {0}, 0, 0};
  weir_dataset dataset =
      parse_ending(runtime, &self, flags, "range(50) | map(@f, num_parallel_calls: 2) | prefetch(4)");
  self.iterator = iterate(runtime, dataset);
  self.element = make_element();
  take_all(&self);
  CHECK(self.count == 50);
  for (int i = 0; i < self.count; ++i)
    CHECK(self.taken[i] == (bad == kEvery || i == bad ? (int64_t)kFailed : i));
  weir_element_destroy(self.element);
  weir_iterator_destroy(self.iterator);
  weir_dataset_unref(dataset);
}

static void exits(void* user_data) {
  ++*(int*)user_data;
  pthread_exit(&g_marker);
}

/* The functions that release what was handed over. */
typedef struct release {
  weir_dataset dataset;
  weir_tensor tensor;
  int released;
  int returned;
} release;

static void* let_go(void* context) {
  release* self = (release*)context;
  weir_dataset_unref(self->dataset);
  weir_tensor_unref(self->tensor);
  self->returned = 1;
  return NULL;
}

static int32_t never_called(void* user_data, weir_call call) {
  (void)user_data, (void)call;
  return -1;
}

static void in_releases(weir_runtime runtime) {
  for (int of_tensor = 0; of_tensor < 2; ++of_tensor) {
    release self = {{0}, {0}, 0, 0};
    weir_callback callback = WEIR_CALLBACK_INIT;
    weir_argument argument = WEIR_ARGUMENT_INIT;
    pthread_t thread;
    void* value = NULL;
    int64_t number = 1;
    callback.function = never_called;
    callback.destroy = exits;
    callback.user_data = &self.released;
    argument.name = "f";
    argument.name_size = WEIR_STRLEN;
    argument.callback = &callback;
    if (of_tensor) {
      REQUIRE(weir_tensor_wrap(WEIR_DTYPE_INT64, 0, NULL, &number, sizeof number, exits, &self.released,
                               &self.tensor, NULL) == WEIR_OK);
    } else {
      self.dataset = parse_with(runtime, "range(1) | map(@f)", &argument, 1);
    }
    REQUIRE(pthread_create(&thread, NULL, let_go, &self) == 0);
    pthread_join(thread, &value);
    CHECK(value == &g_marker && self.released == 1 && self.returned == 0);
  }
}

static void log_and_exit(void* user_data, int32_t level, const char* line, uint64_t line_size) {
  (void)level, (void)line, (void)line_size;
  exits(user_data);
}

static void* allocate_and_exit(void* user_data, uint64_t size, uint64_t alignment) {
  (void)size, (void)alignment;
  exits(user_data);
  return NULL;
}

static void release_nothing(void* user_data, void* data, uint64_t size) {
  (void)user_data, (void)data, (void)size;
  CHECK(0);
}

static void* next_once(void* context) {
  puller* self = (puller*)context;
  weir_iterator_next(self->iterator, self->element, NULL);
  return NULL;
}

/* The functions of a runtime: a line that is not logged, memory that is not there. */
static void in_runtime_functions(const char* text, const char* after) {
  weir_logger logger = WEIR_LOGGER_INIT;
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_runtime runtime = {0};
  weir_dataset dataset;
  puller self = {{0}, {0}, by_next, 0, 0, {0}, 0, 0};
  pthread_t thread;
  void* value = NULL;
  int called = 0;
  logger.log = log_and_exit;
  logger.user_data = &called;
  allocator.allocate = allocate_and_exit;
  allocator.release = release_nothing;
  allocator.user_data = &called;
  options.logger = &logger;
  options.allocator = &allocator;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  dataset = parse(runtime, text);
  self.iterator = iterate(runtime, dataset);
  self.element = make_element();
  REQUIRE(pthread_create(&thread, NULL, next_once, &self) == 0);
  pthread_join(thread, &value);
  CHECK(value == &g_marker && called == 1);
  if (after) {
    CHECK(weir_iterator_next(self.iterator, self.element, NULL) == WEIR_OK);
    CHECK(prints(self.element, 0, after));
  } else {
    weir_error error = WEIR_ERROR_INIT;
    CHECK(weir_iterator_next(self.iterator, self.element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(error.code == WEIR_CODE_RESOURCE_EXHAUSTED);
    weir_error_clear(&error);
  }
  weir_element_destroy(self.element);
  weir_iterator_destroy(self.iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  in_pipelines(runtime);
  for (uint32_t flags = 0; flags <= WEIR_CALLBACK_BLOCKING; flags += WEIR_CALLBACK_BLOCKING) {
    on_workers(runtime, WEIR_CALLBACK_CONCURRENT | flags, 7);
    on_workers(runtime, WEIR_CALLBACK_CONCURRENT | flags, kEvery);
  }
  in_releases(runtime);
  in_runtime_functions("range(3) | map(x -> assert(x > 0, \"no\", x)) | ignore_errors(log: true)", "1");
  in_runtime_functions("range(2) | map(x -> zeros([1024])) | batch(64) | map(x -> x[0, 0])", NULL);
  weir_runtime_destroy(runtime);
  return failures();
}
