/* [threads] Feedable iterators: string handles, structures, every way to take an element; iterators shared by
 * name; waiting for a given time; the epoch that an iterator begins with. */
#include <pthread.h>

#include "check.h"

static weir_spec spec_of_text(const char* text) {
  weir_spec spec = {0};
  REQUIRE(weir_spec_parse(text, WEIR_STRLEN, &spec, NULL) == WEIR_OK);
  return spec;
}

static weir_iterator iterate_text(weir_runtime runtime, const char* text) {
  weir_dataset dataset = parse(runtime, text);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  return iterator;
}

static weir_bytes handle_of(weir_iterator iterator) {
  weir_bytes text = WEIR_BYTES_INIT;
  REQUIRE(weir_iterator_string_handle(iterator, &text, NULL) == WEIR_OK);
  return text;
}

static weir_iterator feedable_of(weir_runtime runtime, const char* structure, weir_bytes handle) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator feedable = {0};
  options.spec = spec_of_text(structure);
  options.string_handle = handle.data;
  options.string_handle_size = handle.size;
  REQUIRE(weir_iterator_create(runtime, (weir_dataset){0}, &options, &feedable, NULL) == WEIR_OK);
  weir_spec_unref(options.spec);
  return feedable;
}

/* Lets a feedable iterator take from the one of this handle. */
static int32_t feed(weir_iterator feedable, const char* handle, uint64_t size, weir_error* error) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.string_handle = handle;
  options.string_handle_size = size;
  return weir_iterator_initialize(feedable, (weir_dataset){0}, &options, error);
}

static int64_t fed(weir_iterator feedable, weir_bytes handle, weir_element element) {
  REQUIRE(feed(feedable, handle.data, handle.size, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_next(feedable, element, NULL) == WEIR_OK);
  return int64_of(element, 0);
}

/* Training and validation through one feedable: each keeps its position, also over re-initialisation. */
static void positions(weir_runtime runtime) {
  weir_iterator feedable = {0};
  weir_iterator train = iterate_text(runtime, "range(100)");
  weir_dataset numbers = parse(runtime, "range(1000, 1003)");
  weir_iterator validate = iterate(runtime, numbers);
  weir_bytes first = handle_of(train);
  weir_bytes second = handle_of(validate);
  weir_bytes again = handle_of(train);
  weir_element element = make_element();
  CHECK(first.size > 32 && strlen(first.data) == first.size);
  for (uint64_t i = 0; i < first.size; ++i) CHECK(first.data[i] > ' ' && first.data[i] < 127);
  CHECK(strcmp(first.data, again.data) == 0 && strcmp(first.data, second.data) != 0);
  feedable = feedable_of(runtime, "int64[]", first);
  CHECK(weir_iterator_next(feedable, element, NULL) == WEIR_OK && int64_of(element, 0) == 0);
  CHECK(fed(feedable, first, element) == 1);
  CHECK(fed(feedable, second, element) == 1000);
  CHECK(fed(feedable, first, element) == 2);
  CHECK(fed(feedable, second, element) == 1001);
  /* The iterator itself goes on where the feedable stopped. */
  CHECK(weir_iterator_next(train, element, NULL) == WEIR_OK && int64_of(element, 0) == 3);
  CHECK(fed(feedable, second, element) == 1002);
  CHECK(weir_iterator_next(feedable, element, NULL) == WEIR_END);
  CHECK(weir_iterator_initialize(validate, numbers, NULL, NULL) == WEIR_OK);
  CHECK(fed(feedable, second, element) == 1000);
  CHECK(fed(feedable, first, element) == 4);
  weir_dataset_unref(numbers);
  weir_bytes_release(&first);
  weir_bytes_release(&second);
  weir_bytes_release(&again);
  weir_iterator_destroy(train);
  weir_iterator_destroy(validate);
  weir_iterator_destroy(feedable);
  weir_element_destroy(element);
}

static void ways(weir_runtime runtime) {
  weir_iterator iterator = iterate_text(runtime, "range(100) | map(x -> {a: cast(x * 2, float32), b: x})");
  weir_bytes handle = handle_of(iterator);
  weir_iterator feedable = feedable_of(runtime, "{b: int64[], a: float32[]}", handle);
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  weir_buffer buffers[2] = {WEIR_BUFFER_INIT, WEIR_BUFFER_INIT};
  int64_t whole = -1;
  float half = -1;
  int64_t rows = 0;
  /* The keys stand in the order of the feedable's structure, whichever way an element is taken. */
  CHECK(weir_iterator_next(feedable, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "{b: 0, a: 0.0}"));
  CHECK(weir_iterator_try_next(feedable, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "{b: 1, a: 2.0}"));
  CHECK(weir_iterator_next_within(feedable, 1000000000, element, NULL) == WEIR_OK);
  CHECK(prints(element, WEIR_TEXT, "{b: 2, a: 4.0}"));
  CHECK(weir_iterator_next_block(feedable, 5, element, &rows, NULL) == WEIR_OK);
  CHECK(rows == 5 && weir_element_view(element, 0, &view, NULL) == WEIR_OK);
  CHECK(view.dtype == WEIR_DTYPE_INT64 && ((const int64_t*)view.data)[4] == 7);
  CHECK(weir_element_view(element, 1, &view, NULL) == WEIR_OK);
  CHECK(view.dtype == WEIR_DTYPE_FLOAT32 && ((const float*)view.data)[4] == 14);
  buffers[0].data = &whole;
  buffers[0].capacity = sizeof whole;
  buffers[0].dtype = WEIR_DTYPE_INT64;
  buffers[1].data = &half;
  buffers[1].capacity = sizeof half - 1;
  CHECK(weir_iterator_next_into(feedable, buffers, 2, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  CHECK(buffers[1].used == 4 && whole == -1);
  buffers[1].capacity = sizeof half;
  CHECK(weir_iterator_next_into(feedable, buffers, 2, NULL) == WEIR_OK);
  CHECK(whole == 8 && half == 16);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
        prints(element, WEIR_TEXT, "{a: 18.0, b: 9}"));
  weir_bytes_release(&handle);
  weir_iterator_destroy(iterator);
  weir_iterator_destroy(feedable);
  weir_element_destroy(element);
}

static void wrong(weir_runtime runtime) {
  static const char* const kTexts[] = {
      "range(3) | map(x -> {a: x})", "range(3) | map(x -> {a: x, b: x, c: x})",
      "range(3) | map(x -> {a: x, b: cast(x, int32)})",
      "range(4) | batch(2, drop_remainder: true) | map(x -> {a: x[0], b: x})", "range(3) | map(x -> (x, x))"};
  static const char* const kSaid[] = {"b is missing", "c is not expected", "b is int32, not int64",
                                      "b is int64[2], not int64", "the element is (int64, int64)"};
  weir_iterator named = iterate_text(runtime, "range(3) | map(x -> {a: x, b: x})");
  weir_bytes handle = handle_of(named);
  weir_iterator feedable = feedable_of(runtime, "{a: int64[], b: int64[]}", handle);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  for (int i = 0; i < 5; ++i) {
    weir_iterator iterator = iterate_text(runtime, kTexts[i]);
    weir_bytes text = handle_of(iterator);
    CHECK(feed(feedable, text.data, text.size, &error) == -WEIR_CODE_INVALID_ARGUMENT);
    if (!strstr(error.message.data, kSaid[i])) fprintf(stderr, "%s: %s\n", kSaid[i], error.message.data);
    CHECK(strstr(error.message.data, kSaid[i]) != NULL);
    /* Nothing was lost by it. */
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    weir_bytes_release(&text);
    weir_iterator_destroy(iterator);
  }
  CHECK(feed(feedable, "weir", WEIR_STRLEN, &error) == -WEIR_CODE_NOT_FOUND);
  CHECK(feed(feedable, "", 0, &error) == -WEIR_CODE_NOT_FOUND);
  CHECK(feed(feedable, NULL, 4, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  {
    char changed[128];
    REQUIRE(handle.size < sizeof changed);
    /* Every digit counts. */
    for (uint64_t i = 0; i < handle.size; ++i) {
      memcpy(changed, handle.data, handle.size);
      changed[i] = changed[i] == '0' ? '1' : '0';
      CHECK(feed(feedable, changed, handle.size, NULL) == -WEIR_CODE_NOT_FOUND);
    }
    for (uint64_t size = 0; size < handle.size; ++size) {
      CHECK(feed(feedable, handle.data, size, NULL) == -WEIR_CODE_NOT_FOUND);
    }
    /* After all of these it still takes from the one that it was made with. */
    CHECK(weir_iterator_next(feedable, element, NULL) == WEIR_OK && int64_of(element, 0) == 0);
    CHECK(weir_iterator_next_within(feedable, -1, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  }
  CHECK(feed(named, handle.data, handle.size, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_iterator_destroy(named);
  /* Its iterator has gone, and another one may stand in its place. */
  {
    weir_iterator other = iterate_text(runtime, "range(3) | map(x -> {a: x, b: x})");
    CHECK(feed(feedable, handle.data, handle.size, &error) == -WEIR_CODE_NOT_FOUND);
    CHECK(weir_iterator_next(feedable, element, &error) == -WEIR_CODE_NOT_FOUND);
    CHECK(strstr(error.message.data, "gone") != NULL);
    weir_iterator_destroy(other);
  }
  weir_bytes_release(&handle);
  weir_iterator_destroy(feedable);
  CHECK(weir_iterator_next(feedable, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
  weir_element_destroy(element);
}

static void expect_refused(weir_runtime runtime, weir_dataset dataset, const weir_iterator_options* options,
                           const char* said) {
  weir_iterator iterator = {1};
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_iterator_create(runtime, dataset, options, &iterator, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(iterator.value == 0 && strstr(error.message.data, said) != NULL);
  weir_error_clear(&error);
}

/* What an iterator of a structure may be created with. */
static void creations(weir_runtime runtime) {
  weir_dataset numbers = parse(runtime, "range(3)");
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.string_handle = "weir";
  options.string_handle_size = 4;
  expect_refused(runtime, numbers, &options, "expected a spec with the string_handle");
  options.spec = spec_of_text("int64");
  expect_refused(runtime, numbers, &options, "beside a spec");
  options.epoch = 1;
  expect_refused(runtime, (weir_dataset){0}, &options, "beside a spec");
  {
    weir_iterator iterator = iterate(runtime, numbers);
    options.epoch = 0;
    CHECK(weir_iterator_initialize(iterator, numbers, &options, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
    weir_iterator_destroy(iterator);
  }
  weir_spec_unref(options.spec);
  weir_dataset_unref(numbers);
}

/* The other functions of iterators act on the one that is named. */
static void others(weir_runtime runtime) {
  weir_iterator iterator = iterate_text(runtime, "range(5) | map(x -> {a: x, b: x + 1})");
  weir_bytes handle = handle_of(iterator);
  weir_iterator feedable = feedable_of(runtime, "{b: int64, a: int64}", handle);
  weir_element element = make_element();
  weir_bytes own = WEIR_BYTES_INIT;
  weir_bytes fed_too = WEIR_BYTES_INIT;
  weir_spec spec = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  int32_t descriptor = -1;
  CHECK(weir_iterator_next(feedable, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, "{b: 1, a: 0}"));
  CHECK(weir_iterator_save(iterator, &own, NULL) == WEIR_OK);
  CHECK(weir_iterator_save(feedable, &fed_too, NULL) == WEIR_OK);
  CHECK(own.size == fed_too.size && memcmp(own.data, fed_too.data, own.size) == 0);
  weir_bytes_release(&own);
  CHECK(weir_iterator_string_handle(feedable, &own, NULL) == WEIR_OK && strcmp(own.data, handle.data) == 0);
  weir_bytes_release(&own);
  CHECK(weir_iterator_stats(feedable, 0, &own, NULL) == WEIR_OK &&
        strstr(own.data, "\"elements\": 1") != NULL);
  weir_bytes_release(&own);
  CHECK(weir_iterator_spec(feedable, &spec, NULL) == WEIR_OK);
  CHECK(weir_spec_format(spec, &own, NULL) == WEIR_OK && strcmp(own.data, "{b: int64, a: int64}") == 0);
  CHECK(weir_iterator_ready_fd(feedable, &descriptor, NULL) == WEIR_OK && descriptor >= 0);
  weir_iterator_cancel(feedable);
  CHECK(weir_iterator_next(iterator, element, NULL) == -WEIR_CODE_CANCELLED);
  options.checkpoint = fed_too.data;
  options.checkpoint_size = fed_too.size;
  CHECK(weir_iterator_initialize(feedable, (weir_dataset){0}, &options, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, "{a: 1, b: 2}"));
  /* It ends alone. */
  weir_iterator_destroy(feedable);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  weir_bytes_release(&own);
  weir_bytes_release(&fed_too);
  weir_bytes_release(&handle);
  weir_spec_unref(spec);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

enum { kThreads = 8, kTakes = 500 };

typedef struct Taker {
  weir_iterator feedable;
  int64_t sum;
} Taker;

static void* take(void* argument) {
  Taker* taker = argument;
  weir_element element = make_element();
  for (int i = 0; i < kTakes; ++i) {
    REQUIRE(weir_iterator_next(taker->feedable, element, NULL) == WEIR_OK);
    taker->sum += int64_of(element, 0);
  }
  weir_element_destroy(element);
  return NULL;
}

/* Eight threads on eight feedable iterators, and then on one. */
static void threads(weir_runtime runtime) {
  for (int shared = 0; shared < 2; ++shared) {
    weir_iterator iterators[kThreads];
    Taker takers[kThreads];
    pthread_t running[kThreads];
    int64_t sum = 0;
    for (int i = 0; i < kThreads; ++i) {
      iterators[i] = iterate_text(runtime, "range(4000) | map(x -> x + 1) | prefetch(4)");
      weir_bytes handle = handle_of(iterators[i]);
      takers[i].feedable = shared && i > 0 ? takers[0].feedable : feedable_of(runtime, "int64[]", handle);
      takers[i].sum = 0;
      weir_bytes_release(&handle);
    }
    for (int i = 0; i < kThreads; ++i) REQUIRE(pthread_create(&running[i], NULL, take, &takers[i]) == 0);
    for (int i = 0; i < kThreads; ++i) {
      pthread_join(running[i], NULL);
      if (!shared) CHECK(takers[i].sum == (int64_t)kTakes * (kTakes + 1) / 2);
      sum += takers[i].sum;
    }
    if (shared) CHECK(sum == (int64_t)kThreads * kTakes * (kThreads * kTakes + 1) / 2);
    for (int i = 0; i < kThreads; ++i) {
      weir_iterator_destroy(takers[i].feedable);
      weir_iterator_destroy(iterators[i]);
    }
  }
}

static void shared_names(weir_runtime runtime) {
  weir_iterator first = iterate_text(runtime, "range(10)");
  weir_iterator second = iterate_text(runtime, "range(10)");
  weir_iterator other = iterate_text(runtime, "range(10) | map(x -> cast(x, float32))");
  weir_iterator named = {0};
  weir_iterator found = {0};
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_iterator_share(first, "train", WEIR_STRLEN, &named, NULL) == WEIR_OK &&
        named.value == first.value);
  CHECK(weir_iterator_share(second, "train", WEIR_STRLEN, &found, NULL) == WEIR_OK &&
        found.value == first.value);
  weir_iterator_destroy(second);
  CHECK(weir_iterator_next(second, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_share(other, "train", WEIR_STRLEN, &second, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(second.value == 0 && strstr(error.message.data, "float32") != NULL);
  CHECK(weir_iterator_share(other, "", 0, &second, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  /* Three owners: it lives until the last one is gone. */
  CHECK(weir_iterator_next(first, element, NULL) == WEIR_OK && int64_of(element, 0) == 0);
  weir_iterator_destroy(first);
  CHECK(weir_iterator_next(found, element, NULL) == WEIR_OK && int64_of(element, 0) == 1);
  weir_iterator_destroy(found);
  CHECK(weir_iterator_next(named, element, NULL) == WEIR_OK && int64_of(element, 0) == 2);
  weir_iterator_destroy(named);
  CHECK(weir_iterator_next(named, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  /* The name is free then, for any structure. */
  CHECK(weir_iterator_share(other, "train", WEIR_STRLEN, &found, NULL) == WEIR_OK &&
        found.value == other.value);
  weir_iterator_destroy(other);
  weir_iterator_destroy(found);
  weir_error_clear(&error);
  weir_element_destroy(element);
}

static int32_t wait_for_it(void* user_data, weir_call call) {
  weir_view view = WEIR_VIEW_INIT;
  void* out = NULL;
  pthread_mutex_lock(user_data);
  pthread_mutex_unlock(user_data);
  weir_call_input(call, 0, &view, NULL);
  REQUIRE(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  memcpy(out, view.data, sizeof(int64_t));
  return WEIR_OK;
}

/* A callback on another thread holds the first element back for as long as the lock is held. */
static void within(weir_runtime runtime) {
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  weir_element element = make_element();
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  callback.function = wait_for_it;
  callback.user_data = &held;
  dataset = parse_with(runtime, "range(3) | map(@f) | prefetch(2)", &argument, 1);
  iterator = iterate(runtime, dataset);
  pthread_mutex_lock(&held);
  CHECK(weir_iterator_try_next(iterator, element, NULL) == WEIR_PENDING);
  CHECK(weir_iterator_next_within(iterator, 1000000, element, NULL) == WEIR_PENDING);
  CHECK(weir_iterator_next_within(iterator, 0, element, NULL) == WEIR_PENDING);
  CHECK(weir_iterator_next_within(iterator, -1, element, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  pthread_mutex_unlock(&held);
  for (int i = 0; i < 3; ++i) {
    CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_OK);
    CHECK(int64_of(element, 0) == i);
  }
  CHECK(weir_iterator_next_within(iterator, INT64_MAX, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
}

/* New iterators with epoch 0, 1 and 2 give what one iterator gives that is initialised again. */
static void epochs(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(20) | shuffle(20, seed: 3) | batch(20)");
  weir_iterator again = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  char seen[3][256];
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    weir_iterator fresh = {0};
    weir_bytes text = WEIR_BYTES_INIT;
    if (epoch > 0) CHECK(weir_iterator_initialize(again, dataset, NULL, NULL) == WEIR_OK);
    CHECK(weir_iterator_next(again, element, NULL) == WEIR_OK);
    CHECK(weir_element_format(element, WEIR_TEXT, &text, NULL) == WEIR_OK);
    REQUIRE(text.size < sizeof seen[0]);
    strcpy(seen[epoch], text.data);
    weir_bytes_release(&text);
    options.epoch = epoch;
    CHECK(weir_iterator_create(runtime, dataset, &options, &fresh, NULL) == WEIR_OK);
    CHECK(weir_iterator_next(fresh, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, seen[epoch]));
    weir_iterator_destroy(fresh);
  }
  CHECK(strcmp(seen[0], seen[1]) != 0 && strcmp(seen[1], seen[2]) != 0 && strcmp(seen[0], seen[2]) != 0);
  options.epoch = 1;
  options.checkpoint = "x";
  options.checkpoint_size = 1;
  CHECK(weir_iterator_initialize(again, dataset, &options, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_iterator_destroy(again);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  positions(runtime);
  ways(runtime);
  wrong(runtime);
  creations(runtime);
  others(runtime);
  threads(runtime);
  shared_names(runtime);
  within(runtime);
  epochs(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
