/* [threads] pthread_cancel of a thread inside the library: it acts in callbacks and while the thread waits for
 * an element, nowhere else, and other threads go on. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static char g_file[sizeof WEIR_BINARY_DIR + 64];

/* ---- A pending cancellation acts nowhere else in the library. ---- */

static void write_records(weir_runtime runtime) {
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  weir_record_writer writer = {0};
  options.compression = WEIR_COMPRESSION_GZIP;
  CHECK(weir_record_writer_create(runtime, g_file, WEIR_STRLEN, &options, &writer, NULL) == WEIR_OK);
  for (int i = 0; i < 3; ++i) CHECK(weir_record_writer_write(writer, "record", 6, NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  weir_record_writer_destroy(writer);
}

/* Without a wait, where the cancellation would act. */
static int count_without_waiting(weir_iterator iterator) {
  weir_element element = make_element();
  int32_t descriptor = -1;
  int32_t result;
  int count = 0;
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK);
  while ((result = weir_iterator_try_next(iterator, element, NULL)) != WEIR_END) {
    REQUIRE(result == WEIR_OK || result == WEIR_PENDING);
    if (result == WEIR_OK) ++count;
    if (result == WEIR_PENDING) sched_yield();
  }
  weir_element_destroy(element);
  return count;
}

static void read_records(weir_runtime runtime) {
  char text[2 * sizeof g_file];
  char checkpoint[2 * sizeof g_file];
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_iterator again = {0};
  snprintf(text, sizeof text, "tfrecord(list_files(\"%s*\"), compression: \"auto\")", g_file);
  snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", g_file);
  dataset = parse(runtime, text);
  iterator = iterate(runtime, dataset);
  CHECK(count_without_waiting(iterator) == 3);
  CHECK(weir_iterator_save_file(iterator, checkpoint, WEIR_STRLEN, NULL) == WEIR_OK);
  options.checkpoint_file = checkpoint;
  options.checkpoint_file_size = WEIR_STRLEN;
  CHECK(weir_iterator_create(runtime, dataset, &options, &again, NULL) == WEIR_OK);
  CHECK(count_without_waiting(again) == 0);
  weir_iterator_destroy(again);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  CHECK(unlink(checkpoint) == 0 && unlink(g_file) == 0);
}

static void log_a_line(weir_runtime runtime) {
  weir_dataset dataset = parse(
      runtime, "range(2) | map(x -> assert(x > 0, \"logged by the test\", x)) | ignore_errors(log: true)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(next_int64(iterator, element) == 1);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void* everything_while_cancelled(void* context) {
  weir_runtime runtime;
  pthread_cancel(pthread_self());
  runtime = make_runtime();
  write_records(runtime);
  read_records(runtime);
  log_a_line(runtime);
  weir_runtime_destroy(runtime);
  *(int*)context = 1;
  pthread_testcancel();
  *(int*)context = 2;
  return NULL;
}

/* First, so that what the library does only once happens here. */
static void pending(void) {
  pthread_t thread;
  void* value = NULL;
  int got_to = 0;
  snprintf(g_file, sizeof g_file, WEIR_BINARY_DIR "/thread_cancel.%ld.records", (long)getpid());
  REQUIRE(pthread_create(&thread, NULL, everything_while_cancelled, &got_to) == 0);
  pthread_join(thread, &value);
  CHECK(value == PTHREAD_CANCELED && got_to == 1);
}

/* ---- Cancelled in a callback, or where it waits for one. ---- */

typedef struct waiting {
  weir_iterator iterator;
  /* An iterator whose callback waits, for callbacks that pull from inside. */
  weir_iterator inner;
  sem_t entered;
  /* How many may pass. A condition, since the thread sanitizer loses track of a thread that is cancelled in
   * sem_wait and continues in the library. */
  pthread_mutex_t mutex;
  pthread_cond_t opened;
  int gate;
  /* The thread that entered last. */
  pthread_t inside;
} waiting;

static void unlock(void* mutex) { pthread_mutex_unlock((pthread_mutex_t*)mutex); }

static void pass_gate(waiting* self) {
  pthread_mutex_lock(&self->mutex);
  self->inside = pthread_self();
  sem_post(&self->entered);
  pthread_cleanup_push(unlock, &self->mutex);
  while (self->gate == 0) pthread_cond_wait(&self->opened, &self->mutex);
  --self->gate;
  pthread_cleanup_pop(1);
}

static void open_gate(waiting* self, int count) {
  pthread_mutex_lock(&self->mutex);
  self->gate += count;
  pthread_mutex_unlock(&self->mutex);
  pthread_cond_broadcast(&self->opened);
}

/* x -> x, as soon as the gate opens. */
static int32_t waits(void* user_data, weir_call call) {
  waiting* self = (waiting*)user_data;
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data;
  pass_gate(self);
  return WEIR_OK;
}

static void destroy_element(void* context) { weir_element_destroy(*(weir_element*)context); }

static int32_t pulls_from_inner(void* user_data, weir_call call) {
  waiting* self = (waiting*)user_data;
  weir_element element = make_element();
  void* out = NULL;
  int32_t result;
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  pthread_cleanup_push(destroy_element, &element);
  result = weir_iterator_next(self->inner, element, NULL);
  if (result == WEIR_OK) *(int64_t*)out = int64_of(element, 0);
  pthread_cleanup_pop(1);
  return result;
}

static void start(waiting* self) {
  memset(self, 0, sizeof *self);
  REQUIRE(sem_init(&self->entered, 0, 0) == 0);
  REQUIRE(pthread_mutex_init(&self->mutex, NULL) == 0 && pthread_cond_init(&self->opened, NULL) == 0);
}

static weir_iterator make_waiting(weir_runtime runtime, waiting* self, int32_t (*function)(void*, weir_call),
                                  uint32_t flags, const char* text) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_dataset dataset;
  weir_iterator iterator;
  callback.function = function;
  callback.user_data = self;
  callback.flags = flags | WEIR_CALLBACK_PURE;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  argument.name = "f";
  argument.name_size = WEIR_STRLEN;
  argument.callback = &callback;
  dataset = parse_with(runtime, text, &argument, 1);
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  return iterator;
}

static void finish(waiting* self) {
  weir_iterator_destroy(self->iterator);
  weir_iterator_destroy(self->inner);
  sem_destroy(&self->entered);
  pthread_cond_destroy(&self->opened);
  pthread_mutex_destroy(&self->mutex);
}

static void* call_next(void* context) {
  weir_element element = make_element();
  pthread_cleanup_push(destroy_element, &element);
  weir_iterator_next(((waiting*)context)->iterator, element, NULL);
  pthread_testcancel();
  pthread_cleanup_pop(1);
  return NULL;
}

static void check_cancelled(pthread_t thread) {
  void* value = NULL;
  pthread_join(thread, &value);
  CHECK(value == PTHREAD_CANCELED);
}

/* The elements of range(3) come from `from` on, except at most `lost`, each of which is an error. */
static void check_rest(waiting* self, int64_t from, int lost) {
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes bytes = WEIR_BYTES_INIT;
  open_gate(self, 3);
  CHECK(weir_iterator_save(self->iterator, &bytes, NULL) == WEIR_OK);
  for (int64_t i = from; i < 3; ++i) {
    int32_t result = weir_iterator_next(self->iterator, element, &error);
    if (result == WEIR_ELEMENT_FAILED) {
      CHECK(error.code == WEIR_CODE_CANCELLED && --lost >= 0);
    } else {
      CHECK(result == WEIR_OK && int64_of(element, 0) == i);
    }
  }
  CHECK(weir_iterator_next(self->iterator, element, &error) == WEIR_END);
  weir_error_clear(&error);
  weir_bytes_release(&bytes);
  weir_element_destroy(element);
}

/* The thread is in the callback, or waits for another one that is. */
static void in_callback(weir_runtime runtime, uint32_t flags, const char* text) {
  waiting self;
  pthread_t thread;
  start(&self);
  self.iterator = make_waiting(runtime, &self, waits, flags, text);
  REQUIRE(pthread_create(&thread, NULL, call_next, &self) == 0);
  sem_wait(&self.entered);
  pthread_cancel(thread);
  check_cancelled(thread);
  check_rest(&self, 0, 1);
  finish(&self);
}

/* One of the library's threads is in the callback, so the one that calls next has to wait for it. */
static void while_parked(weir_runtime runtime, const char* text) {
  waiting self;
  pthread_t thread;
  weir_element element = make_element();
  start(&self);
  self.iterator = make_waiting(runtime, &self, waits, WEIR_CALLBACK_BLOCKING, text);
  CHECK(weir_iterator_try_next(self.iterator, element, NULL) == WEIR_PENDING);
  sem_wait(&self.entered);
  REQUIRE(pthread_create(&thread, NULL, call_next, &self) == 0);
  pthread_cancel(thread);
  check_cancelled(thread);
  check_rest(&self, 0, 0);
  weir_element_destroy(element);
  finish(&self);
}

/* One has the right to drive, the other waits for it. Once the first is gone, the second gets its element. */
static void two_threads(weir_runtime runtime) {
  waiting self;
  pthread_t threads[2];
  start(&self);
  self.iterator = make_waiting(runtime, &self, waits, 0, "range(3) | map(@f)");
  for (int i = 0; i < 2; ++i) REQUIRE(pthread_create(&threads[i], NULL, call_next, &self) == 0);
  sem_wait(&self.entered);
  /* Last the one that lets the other go on. */
  pthread_cancel(threads[pthread_equal(threads[0], self.inside) ? 1 : 0]);
  pthread_cancel(self.inside);
  for (int i = 0; i < 2; ++i) check_cancelled(threads[i]);
  check_rest(&self, 1, 0);
  finish(&self);
}

/* Both iterators lose their first element; the outer one's second call meets the inner one's first. */
static void in_inner_iterator(weir_runtime runtime) {
  waiting self;
  pthread_t thread;
  weir_element element = make_element();
  start(&self);
  self.inner = make_waiting(runtime, &self, waits, 0, "range(3) | map(@f)");
  self.iterator = make_waiting(runtime, &self, pulls_from_inner, 0, "range(3) | map(@f)");
  REQUIRE(pthread_create(&thread, NULL, call_next, &self) == 0);
  sem_wait(&self.entered);
  pthread_cancel(thread);
  check_cancelled(thread);
  open_gate(&self, 3);
  CHECK(weir_iterator_next(self.iterator, element, NULL) == WEIR_ELEMENT_FAILED);
  CHECK(weir_iterator_next(self.iterator, element, NULL) == WEIR_ELEMENT_FAILED);
  CHECK(next_int64(self.iterator, element) == 1);
  CHECK(weir_iterator_next(self.iterator, element, NULL) == WEIR_END);
  CHECK(next_int64(self.inner, element) == 2);
  weir_element_destroy(element);
  finish(&self);
}

int main(void) {
  weir_runtime runtime;
  pending();
  runtime = make_runtime();
  in_callback(runtime, 0, "range(3) | map(@f)");
  in_callback(runtime, 0, "range(3) | map(@f) | prefetch(2)");
  in_callback(runtime, WEIR_CALLBACK_ON_CALLER, "range(3) | map(@f) | prefetch(2)");
  in_callback(runtime, WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_CONCURRENT,
              "range(3) | map(@f, num_parallel_calls: 2)");
  while_parked(runtime, "range(3) | map(@f) | prefetch(2)");
  while_parked(runtime, "range(3) | map(@f, num_parallel_calls: 1) | prefetch(1) | prefetch(1)");
  two_threads(runtime);
  in_inner_iterator(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
