/* Interleaves whose datasets run ahead: how many calls are inside at once, what comes first where the order
 * is free, and how they end. */
#include <poll.h>
#include <pthread.h>

#include "check.h"

enum { kDatasets = 8 };

/* Calls of one callback that wait for each other. */
typedef struct meeting {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int inside;
  int most;
  /* A call waits until so many have been inside at once, or are not needed any more. */
  int wanted;
  /* Calls with this number wait until `open`; -1: none. */
  int64_t barred;
  int open;
} meeting;

static void make_meeting(meeting* self, int wanted, int64_t barred) {
  memset(self, 0, sizeof *self);
  REQUIRE(pthread_mutex_init(&self->mutex, NULL) == 0 && pthread_cond_init(&self->changed, NULL) == 0);
  self->wanted = wanted;
  self->barred = barred;
}

static void open_meeting(meeting* self) {
  pthread_mutex_lock(&self->mutex);
  self->open = 1;
  pthread_mutex_unlock(&self->mutex);
  pthread_cond_broadcast(&self->changed);
}

/* x -> x */
static int32_t meet(void* user_data, weir_call call) {
  meeting* self = (meeting*)user_data;
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  const int64_t number = *(const int64_t*)in.data;
  *(int64_t*)out = number;
  pthread_mutex_lock(&self->mutex);
  if (++self->inside > self->most) self->most = self->inside;
  pthread_cond_broadcast(&self->changed);
  while (self->most < self->wanted && !self->open) pthread_cond_wait(&self->changed, &self->mutex);
  while (number == self->barred && !self->open) pthread_cond_wait(&self->changed, &self->mutex);
  --self->inside;
  pthread_mutex_unlock(&self->mutex);
  return WEIR_OK;
}

static weir_iterator iterate_meeting(weir_runtime runtime, meeting* self, const char* text) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  weir_dataset dataset;
  weir_iterator iterator;
  callback.function = meet;
  callback.user_data = self;
  callback.flags = WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_PURE | WEIR_CALLBACK_CONCURRENT;
  dataset = parse_with(runtime, text, &argument, 1);
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  return iterator;
}

/* As many datasets are read at once as calls are allowed, and no more. */
static void all_at_once(weir_runtime runtime, const char* text, int wanted) {
  meeting self;
  weir_element element = make_element();
  make_meeting(&self, wanted, -1);
  weir_iterator iterator = iterate_meeting(runtime, &self, text);
  for (int64_t i = 0; i < 2 * kDatasets; ++i)
    CHECK(next_int64(iterator, element) == i % kDatasets * 10 + i / kDatasets);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  CHECK(self.most == wanted);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

/* The next element, without helping anybody: the caller's thread makes no call of the callback. */
static int64_t await_int64(weir_iterator iterator, weir_element element) {
  struct pollfd entry = {-1, POLLIN, 0};
  int32_t result;
  REQUIRE(weir_iterator_ready_fd(iterator, &entry.fd, NULL) == WEIR_OK);
  while ((result = weir_iterator_try_next(iterator, element, NULL)) == WEIR_PENDING) poll(&entry, 1, -1);
  REQUIRE(result == WEIR_OK);
  return int64_of(element, 0);
}

/* Where the order is free, one dataset that has nothing does not hold up the others. */
static void what_is_ready(weir_runtime runtime) {
  meeting self;
  weir_element element = make_element();
  int64_t sum = 0;
  make_meeting(&self, 0, 0);
  weir_iterator iterator = iterate_meeting(
      runtime, &self,
      "range(4) | interleave(x -> range(x * 10, x * 10 + 3) | map(@f), cycle_length: 2, num_parallel_calls: 2, "
      "deterministic: false)");
  for (int i = 0; i < 9; ++i) sum += await_int64(iterator, element);
  CHECK(sum == 10 + 11 + 12 + 20 + 21 + 22 + 30 + 31 + 32);
  open_meeting(&self);
  for (int64_t i = 0; i < 3; ++i) CHECK(next_int64(iterator, element) == i);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

/* Datasets are inside a call that does not return while the iterator is destroyed: it waits for them and no
 * others. */
static void* destroy(void* iterator) {
  weir_iterator_destroy(*(weir_iterator*)iterator);
  return NULL;
}
static void ends_in_the_middle(weir_runtime runtime) {
  meeting self;
  pthread_t destroyer;
  weir_element element = make_element();
  /* Never as many: each call waits. */
  make_meeting(&self, 100, -1);
  weir_iterator iterator = iterate_meeting(
      runtime, &self,
      "range(100) | interleave(x -> range(x, x + 3) | map(@f), cycle_length: 8, num_parallel_calls: 4)");
  CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_PENDING);
  pthread_mutex_lock(&self.mutex);
  while (self.inside < 4) pthread_cond_wait(&self.changed, &self.mutex);
  pthread_mutex_unlock(&self.mutex);
  REQUIRE(pthread_create(&destroyer, NULL, destroy, &iterator) == 0);
  open_meeting(&self);
  pthread_join(destroyer, NULL);
  CHECK(self.inside == 0 && self.most == 4);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  all_at_once(
      runtime,
      "range(8) | interleave(x -> range(x * 10, x * 10 + 2) | map(@f), cycle_length: 8, num_parallel_calls: 8)",
      8);
  all_at_once(
      runtime,
      "range(8) | interleave(x -> range(x * 10, x * 10 + 2) | map(@f), cycle_length: 8, num_parallel_calls: 3)",
      3);
  /* Opened before their turn. */
  all_at_once(
      runtime,
      "range(2) | map(y -> y) | flat_map(y -> range(8) | interleave(x -> range(x * 10 + y, x * 10 + y + 1) | "
      "map(@f), cycle_length: 6, num_parallel_calls: 5))",
      5);
  what_is_ready(runtime);
  ends_in_the_middle(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
