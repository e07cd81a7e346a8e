/* [threads] A thread that alone uses an iterator and an element for long, and others that cut in: each
 * element comes once, a use at once is refused, and what is destroyed answers so. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

/* Enough for the library to notice that one thread is alone. */
enum { kAlone = 500, kRounds = 30, kRows = 40000 };

typedef struct driver {
  weir_iterator iterator;
  weir_element element;
  atomic_int taken;
  atomic_int refused;
  int32_t last;
} driver;

/* Until it fails other than because the element is in use. */
static void* drive(void* context) {
  driver* self = (driver*)context;
  for (;;) {
    self->last = weir_iterator_next(self->iterator, self->element, NULL);
    if (self->last == WEIR_OK) {
      atomic_fetch_add(&self->taken, 1);
    } else if (self->last == -WEIR_CODE_FAILED_PRECONDITION) {
      atomic_fetch_add(&self->refused, 1);
    } else {
      return NULL;
    }
  }
}

static pthread_t begin(weir_runtime runtime, driver* self, const char* text) {
  weir_dataset dataset = parse(runtime, text);
  pthread_t thread;
  memset(self, 0, sizeof *self);
  self->iterator = iterate(runtime, dataset);
  self->element = make_element();
  weir_dataset_unref(dataset);
  REQUIRE(pthread_create(&thread, NULL, drive, self) == 0);
  while (atomic_load(&self->taken) < kAlone) {
  }
  return thread;
}

static void destroyed_meanwhile(weir_runtime runtime, int of_iterator) {
  driver self;
  pthread_t thread = begin(runtime, &self, "range(9223372036854775807)");
  if (of_iterator) {
    weir_iterator_destroy(self.iterator);
  } else {
    weir_element_destroy(self.element);
  }
  pthread_join(thread, NULL);
  CHECK(self.last == -WEIR_CODE_INVALID_ARGUMENT || (of_iterator && self.last == -WEIR_CODE_CANCELLED));
  weir_iterator_destroy(self.iterator);
  weir_element_destroy(self.element);
}

/* An element serves one thread at a time, whichever it is. */
static void cleared_meanwhile(weir_runtime runtime) {
  driver self;
  pthread_t thread = begin(runtime, &self, "range(9223372036854775807)");
  for (int i = 0; i < kRounds; ++i) {
    weir_tensor tensor = {0};
    int32_t result = weir_element_tensor(self.element, 0, &tensor, NULL);
    CHECK(result == WEIR_OK || result == -WEIR_CODE_FAILED_PRECONDITION || result == -WEIR_CODE_OUT_OF_RANGE);
    weir_tensor_unref(tensor);
    weir_element_clear(self.element);
  }
  weir_iterator_cancel(self.iterator);
  pthread_join(thread, NULL);
  CHECK(self.last == -WEIR_CODE_CANCELLED);
  weir_iterator_destroy(self.iterator);
  weir_element_destroy(self.element);
}

static void joined_by_another(weir_runtime runtime) {
  driver self;
  pthread_t thread = begin(runtime, &self, "range(40000)");
  driver other = {.iterator = self.iterator, .element = make_element()};
  drive(&other);
  pthread_join(thread, NULL);
  CHECK(self.last == WEIR_END && other.last == WEIR_END);
  CHECK(atomic_load(&self.taken) + atomic_load(&other.taken) == kRows);
  weir_element_destroy(other.element);
  weir_iterator_destroy(self.iterator);
  weir_element_destroy(self.element);
}

static void saved_meanwhile(weir_runtime runtime) {
  driver self;
  pthread_t thread = begin(runtime, &self, "range(9223372036854775807) | batch(2)");
  for (int i = 0; i < kRounds; ++i) {
    weir_bytes bytes = WEIR_BYTES_INIT;
    CHECK(weir_iterator_save(self.iterator, &bytes, NULL) == WEIR_OK);
    weir_bytes_release(&bytes);
  }
  weir_iterator_cancel(self.iterator);
  pthread_join(thread, NULL);
  weir_iterator_destroy(self.iterator);
  weir_element_destroy(self.element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  for (int i = 0; i < kRounds; ++i) {
    destroyed_meanwhile(runtime, 0);
    destroyed_meanwhile(runtime, 1);
    joined_by_another(runtime);
  }
  cleared_meanwhile(runtime);
  saved_meanwhile(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
