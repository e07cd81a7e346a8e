/* try_next and its descriptor: who runs what, and when the descriptor is readable. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "check.h"

static int readable(int32_t descriptor) {
  struct pollfd entry = {descriptor, POLLIN, 0};
  return poll(&entry, 1, 0) == 1;
}
static void wait_until_readable(int32_t descriptor) {
  struct pollfd entry = {descriptor, POLLIN, 0};
  while (poll(&entry, 1, -1) != 1) {
  }
}

typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t opened;
  int open;
  /* Calls that ran on the thread that made the gate, and elsewhere. */
  pthread_t maker;
  int here;
  int elsewhere;
} gate;

static void make_gate(gate* self, int open) {
  memset(self, 0, sizeof *self);
  REQUIRE(pthread_mutex_init(&self->mutex, NULL) == 0 && pthread_cond_init(&self->opened, NULL) == 0);
  self->open = open;
  self->maker = pthread_self();
}
static void open_gate(gate* self) {
  pthread_mutex_lock(&self->mutex);
  self->open = 1;
  pthread_mutex_unlock(&self->mutex);
  pthread_cond_broadcast(&self->opened);
}
static void destroy_gate(gate* self) {
  pthread_cond_destroy(&self->opened);
  pthread_mutex_destroy(&self->mutex);
}

/* x -> x, once the gate is open. */
static int32_t passes(void* user_data, weir_call call) {
  gate* self = (gate*)user_data;
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data;
  pthread_mutex_lock(&self->mutex);
  ++*(pthread_equal(self->maker, pthread_self()) ? &self->here : &self->elsewhere);
  while (!self->open) pthread_cond_wait(&self->opened, &self->mutex);
  pthread_mutex_unlock(&self->mutex);
  return WEIR_OK;
}

static weir_iterator make_gated(weir_runtime runtime, gate* self, const char* text) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  weir_dataset dataset;
  weir_iterator iterator;
  callback.function = passes;
  callback.user_data = self;
  callback.flags = WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_PURE;
  dataset = parse_with(runtime, text, &argument, 1);
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  return iterator;
}

/* A callback that blocks runs where try_next is called, unless something runs ahead. */
static void who_runs_it(weir_runtime runtime) {
  gate self;
  weir_iterator iterator;
  weir_element element = make_element();
  int32_t result;
  make_gate(&self, 1);
  iterator = make_gated(runtime, &self, "range(3) | map(@f)");
  for (int i = 0; i < 3; ++i) CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_END);
  CHECK(self.here == 3 && self.elsewhere == 0);
  weir_iterator_destroy(iterator);
  destroy_gate(&self);

  make_gate(&self, 1);
  iterator = make_gated(runtime, &self, "range(3) | map(@f) | prefetch(1)");
  do {
    int32_t descriptor = -1;
    CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK);
    wait_until_readable(descriptor);
    result = weir_iterator_try_next(iterator, element, NULL);
  } while (result != WEIR_END);
  CHECK(self.here == 0 && self.elsewhere == 3);
  weir_iterator_destroy(iterator);
  destroy_gate(&self);
  weir_element_destroy(element);
}

/* Readable at first; not after WEIR_PENDING; again when there is an element, and at the end. */
static void descriptor_follows(weir_runtime runtime) {
  gate self;
  weir_iterator iterator;
  weir_element element = make_element();
  int32_t descriptor = -1;
  int32_t result;
  int count = 0;
  make_gate(&self, 0);
  iterator = make_gated(runtime, &self, "range(2) | map(@f) | prefetch(1)");
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK);
  CHECK(readable(descriptor));
  /* The pump may still be on its way into the callback, so the wake may be spurious. */
  do {
    CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_PENDING);
  } while (readable(descriptor));
  open_gate(&self);
  for (;;) {
    wait_until_readable(descriptor);
    result = weir_iterator_try_next(iterator, element, NULL);
    if (result == WEIR_END) break;
    if (result == WEIR_PENDING) continue;
    CHECK(result == WEIR_OK && int64_of(element, 0) == count);
    ++count;
    CHECK(readable(descriptor));
  }
  CHECK(count == 2 && readable(descriptor));
  weir_iterator_destroy(iterator);
  destroy_gate(&self);
  weir_element_destroy(element);
}

static void pend(weir_iterator iterator, weir_element element, int32_t descriptor) {
  do {
    CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_PENDING);
  } while (readable(descriptor));
}

/* Readable when it is cancelled, and when it is initialised. */
static void descriptor_after_changes(weir_runtime runtime) {
  gate self;
  weir_iterator iterator;
  weir_element element = make_element();
  weir_dataset none = {0};
  int32_t descriptor = -1;
  make_gate(&self, 0);
  iterator = make_gated(runtime, &self, "range(2) | map(@f) | prefetch(1)");
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK);
  pend(iterator, element, descriptor);
  weir_iterator_cancel(iterator);
  CHECK(readable(descriptor));
  CHECK(weir_iterator_try_next(iterator, element, NULL) == -WEIR_CODE_CANCELLED);
  CHECK(readable(descriptor));
  CHECK(weir_iterator_initialize(iterator, none, NULL, NULL) == WEIR_OK);
  CHECK(readable(descriptor));
  pend(iterator, element, descriptor);
  CHECK(weir_iterator_initialize(iterator, none, NULL, NULL) == WEIR_OK);
  CHECK(readable(descriptor));
  open_gate(&self);
  CHECK(next_int64(iterator, element) == 0);
  weir_iterator_destroy(iterator);
  destroy_gate(&self);
  weir_element_destroy(element);
}

typedef struct driver {
  weir_iterator iterator;
  int64_t value;
} driver;

static void* drive(void* context) {
  driver* self = (driver*)context;
  weir_element element = make_element();
  self->value = next_int64(self->iterator, element);
  weir_element_destroy(element);
  return NULL;
}

/* Another thread is in next: pending, and readable when it has left. */
static void descriptor_beside_next(weir_runtime runtime) {
  gate self;
  driver other;
  pthread_t thread;
  weir_element element = make_element();
  int32_t descriptor = -1;
  int32_t result;
  make_gate(&self, 0);
  other.iterator = make_gated(runtime, &self, "range(2) | map(@f)");
  CHECK(weir_iterator_ready_fd(other.iterator, &descriptor, NULL) == WEIR_OK);
  REQUIRE(pthread_create(&thread, NULL, drive, &other) == 0);
  pthread_mutex_lock(&self.mutex);
  while (self.elsewhere == 0) {
    pthread_mutex_unlock(&self.mutex);
    sched_yield();
    pthread_mutex_lock(&self.mutex);
  }
  pthread_mutex_unlock(&self.mutex);
  CHECK(weir_iterator_try_next(other.iterator, element, NULL) == WEIR_PENDING);
  CHECK(!readable(descriptor));
  open_gate(&self);
  do {
    wait_until_readable(descriptor);
    result = weir_iterator_try_next(other.iterator, element, NULL);
  } while (result == WEIR_PENDING);
  CHECK(result == WEIR_OK);
  pthread_join(thread, NULL);
  CHECK(other.value + int64_of(element, 0) == 1);
  weir_iterator_destroy(other.iterator);
  destroy_gate(&self);
  weir_element_destroy(element);
}

/* The same for blocks, by the iterator and by a feedable one. */
static void blocks_that_do_not_wait(weir_runtime runtime) {
  const int64_t most = 8 + WEIR_BLOCK_TRY;
  gate self;
  weir_iterator iterator;
  weir_iterator feedable = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_bytes handle = WEIR_BYTES_INIT;
  weir_element element = make_element();
  int32_t descriptor = -1;
  int64_t count = 0;
  make_gate(&self, 0);
  iterator = make_gated(runtime, &self, "range(20) | map(@f) | prefetch(16)");
  CHECK(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK);
  CHECK(weir_iterator_spec(iterator, &options.spec, NULL) == WEIR_OK);
  CHECK(weir_iterator_string_handle(iterator, &handle, NULL) == WEIR_OK);
  options.string_handle = handle.data;
  options.string_handle_size = handle.size;
  CHECK(weir_iterator_create(runtime, (weir_dataset){0}, &options, &feedable, NULL) == WEIR_OK);
  do {
    int64_t rows = -1;
    CHECK(weir_iterator_next_block(iterator, most, element, &rows, NULL) == WEIR_PENDING && rows == 0);
    CHECK(weir_iterator_next_block(feedable, most, element, &rows, NULL) == WEIR_PENDING);
  } while (readable(descriptor));
  open_gate(&self);
  for (int turn = 0;; ++turn) {
    int64_t rows = 0;
    weir_view view = WEIR_VIEW_INIT;
    int32_t result;
    wait_until_readable(descriptor);
    result = weir_iterator_next_block(turn % 2 ? iterator : feedable, most, element, &rows, NULL);
    if (result == WEIR_PENDING) continue;
    if (result == WEIR_END) break;
    REQUIRE(result == WEIR_OK && rows >= 1 && rows <= 8);
    CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK && view.dims[0] == rows);
    for (int64_t i = 0; i < rows; ++i) CHECK(((const int64_t*)view.data)[i] == count++);
  }
  CHECK(count == 20 && self.here == 0);
  for (int i = 0; i < 3; ++i) {
    static const int64_t wrong[] = {WEIR_BLOCK_TRY, WEIR_BLOCK_TRY + 1025, 2 * (int64_t)WEIR_BLOCK_TRY};
    CHECK(weir_iterator_next_block(iterator, wrong[i], element, &count, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  }
  weir_bytes_release(&handle);
  weir_iterator_destroy(feedable);
  weir_spec_unref(options.spec);
  weir_iterator_destroy(iterator);
  destroy_gate(&self);
  weir_element_destroy(element);
}

/* An element by its position, which a thread of the runtime makes: pending, and then the element; or it is
 * given up. */
static void elements_by_position(weir_runtime runtime) {
  gate self;
  weir_callback callback = WEIR_CALLBACK_INIT;
  const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  weir_dataset dataset;
  weir_dataset endless =
      parse(runtime, "range(9) | map(x -> range(1000000000000) | reduce(0, (s, y) -> s + y))");
  weir_element element = make_element();
  weir_element other = make_element();
  int32_t result;
  make_gate(&self, 0);
  callback.function = passes;
  callback.user_data = &self;
  callback.flags = WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_PURE;
  dataset = parse_with(runtime, "range(9) | map(x -> @f(x) + (range(3) | reduce(0, (s, y) -> s + y)))",
                       &argument, 1);
  CHECK(weir_dataset_at(runtime, dataset, 7 + WEIR_AT_TRY, element, NULL) == WEIR_PENDING);
  CHECK(weir_dataset_at(runtime, dataset, 7 + WEIR_AT_TRY, element, NULL) == WEIR_PENDING);
  open_gate(&self);
  do {
    result = weir_dataset_at(runtime, dataset, 7 + WEIR_AT_TRY, element, NULL);
  } while (result == WEIR_PENDING);
  CHECK(result == WEIR_OK && int64_of(element, 0) == 10);
  CHECK(self.here == 0 && self.elsewhere == 1);
  CHECK(weir_dataset_at(runtime, dataset, 9 + WEIR_AT_TRY, element, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(weir_dataset_at(runtime, dataset, WEIR_AT_TRY - 1, element, NULL) == -WEIR_CODE_OUT_OF_RANGE);

  CHECK(weir_dataset_at(runtime, endless, 0 + WEIR_AT_TRY, element, NULL) == WEIR_PENDING);
  CHECK(weir_dataset_at(runtime, endless, 1 + WEIR_AT_TRY, element, NULL) == WEIR_PENDING);
  CHECK(weir_dataset_at(runtime, endless, 1 + WEIR_AT_TRY, other, NULL) == WEIR_PENDING);
  /* Without the flag it waits on this thread, which runs the callback. */
  CHECK(weir_dataset_at(runtime, dataset, 2, element, NULL) == WEIR_OK && int64_of(element, 0) == 5);
  CHECK(self.here == 1);
  weir_element_clear(other);
  weir_dataset_unref(endless);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  weir_element_destroy(other);
  destroy_gate(&self);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  elements_by_position(runtime);
  who_runs_it(runtime);
  descriptor_follows(runtime);
  descriptor_after_changes(runtime);
  descriptor_beside_next(runtime);
  blocks_that_do_not_wait(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
