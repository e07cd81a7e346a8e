/* Positions of pipelines whose elements cannot be made again: policies, and callbacks that save their state.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "check.h"

static int says(const weir_bytes* text, const char* words) {
  const size_t size = strlen(words);
  for (uint64_t i = 0; i + size <= text->size; ++i) {
    if (memcmp(text->data + i, words, size) == 0) return 1;
  }
  return 0;
}

static int names(const weir_error* error, const char* words) {
  const weir_bytes message = {.data = error->line.data, .size = error->line.size};
  return says(&message, words);
}

typedef struct summing {
  int64_t sum;
  int64_t kept; /* what save shows */
  int32_t fails;
  int saves;
  int restores;
} summing;

/* The sum of all elements so far. */
static int32_t add(void* user_data, weir_call call) {
  summing* self = user_data;
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  if (weir_call_input(call, 0, &in, NULL) != WEIR_OK) return 1;
  if (weir_call_output(call, 0, 0, NULL, &out, NULL) != WEIR_OK) return 1;
  self->sum += *(const int64_t*)in.data;
  memcpy(out, &self->sum, sizeof self->sum);
  return WEIR_OK;
}

static int32_t save_sum(void* user_data, const void** data, uint64_t* size) {
  summing* self = user_data;
  ++self->saves;
  if (self->fails) return 7;
  self->kept = self->sum;
  *data = &self->kept;
  *size = sizeof self->kept;
  return WEIR_OK;
}

static int32_t restore_sum(void* user_data, const void* data, uint64_t size) {
  summing* self = user_data;
  ++self->restores;
  if (self->fails || size != sizeof self->sum) return 9;
  memcpy(&self->sum, data, size);
  return WEIR_OK;
}

static weir_dataset dataset_of(weir_runtime runtime, const char* text, summing* sum, int with_state) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  callback.function = add;
  callback.user_data = sum;
  callback.save = with_state ? save_sum : NULL;
  callback.restore = with_state ? restore_sum : NULL;
  return parse_with(runtime, text, &argument, 1);
}

static weir_iterator begin(weir_runtime runtime, weir_dataset dataset, const weir_bytes* saved,
                           uint32_t policy) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator iterator = {0};
  options.checkpoint = saved ? saved->data : NULL;
  options.checkpoint_size = saved ? saved->size : 0;
  options.checkpoint_policy = policy;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  return iterator;
}

/* The next `count` elements, added up. */
static int64_t take(weir_iterator iterator, int count) {
  weir_element element = make_element();
  int64_t total = 0;
  for (int i = 0; i < count; ++i) {
    weir_view view = WEIR_VIEW_INIT;
    REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    REQUIRE(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
    total += *(const int64_t*)view.data;
  }
  weir_element_destroy(element);
  return total;
}

/* In a process of its own, the callback knows nothing: what it knew comes from the checkpoint. */
static void state(weir_runtime runtime) {
  const char* text = "range(100) | map(@f) | prefetch(4)";
  int64_t whole = 0;
  for (int64_t i = 0, sum = 0; i < 100; ++i) whole += sum += i;
  for (int taken = 0; taken <= 100; taken += 10) {
    summing first = {0, 0, 0, 0, 0};
    summing second = {0, 0, 0, 0, 0};
    weir_dataset dataset = dataset_of(runtime, text, &first, 1);
    weir_dataset other = dataset_of(runtime, text, &second, 1);
    weir_iterator iterator = begin(runtime, dataset, NULL, 0);
    weir_iterator restored;
    weir_bytes saved = WEIR_BYTES_INIT;
    int64_t total = take(iterator, taken);
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    CHECK(first.saves == 1);
    weir_iterator_destroy(iterator);
    restored = begin(runtime, other, &saved, 0);
    CHECK(second.restores == 1 && second.saves == 0);
    total += take(restored, 100 - taken);
    CHECK(total == whole);
    weir_iterator_destroy(restored);
    weir_bytes_release(&saved);
    weir_dataset_unref(dataset);
    weir_dataset_unref(other);
  }
}

static void failures_of_state(weir_runtime runtime) {
  summing sum = {0, 0, 0, 0, 0};
  weir_dataset dataset = dataset_of(runtime, "range(100) | map(@f)", &sum, 1);
  weir_iterator iterator = begin(runtime, dataset, NULL, 0);
  weir_iterator restored = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  take(iterator, 3);
  sum.fails = 1;
  CHECK(weir_iterator_save(iterator, &saved, &error) == -WEIR_CODE_UNKNOWN);
  CHECK(names(&error, "found 7"));
  sum.fails = 0;
  /* The iterator goes on, and can be saved later. */
  CHECK(take(iterator, 1) == 6);
  REQUIRE(weir_iterator_save(iterator, &saved, &error) == WEIR_OK);
  sum.fails = 1;
  options.checkpoint = saved.data;
  options.checkpoint_size = saved.size;
  CHECK(weir_iterator_create(runtime, dataset, &options, &restored, &error) == -WEIR_CODE_UNKNOWN);
  CHECK(names(&error, "found 9") && restored.value == 0);
  weir_bytes_release(&saved);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void refused_callbacks(weir_runtime runtime) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_error error = WEIR_ERROR_INIT;
  callback.function = add;
  callback.save = save_sum;
  CHECK(weir_runtime_register(runtime, "f", 1, &callback, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(names(&error, "save only"));
  callback.restore = restore_sum;
  callback.flags = WEIR_CALLBACK_PURE;
  CHECK(weir_runtime_register(runtime, "f", 1, &callback, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(names(&error, "pure"));
}

static void policies(weir_runtime runtime) {
  summing sum = {0, 0, 0, 0, 0};
  weir_dataset dataset = dataset_of(runtime, "range(100) | map(@f) | batch(4) | map(b -> sum(b))", &sum, 0);
  weir_iterator iterator = begin(runtime, dataset, NULL, 0);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator refused = {0};
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  take(iterator, 1);
  CHECK(weir_iterator_save(iterator, &saved, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(names(&error, "not declared pure") && names(&error, "policy"));
  weir_iterator_destroy(iterator);
  iterator = begin(runtime, dataset, NULL, WEIR_CHECKPOINT_REFUSE);
  CHECK(weir_iterator_save(iterator, &saved, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  weir_iterator_destroy(iterator);
  for (uint32_t policy = WEIR_CHECKPOINT_BY_VALUE; policy <= WEIR_CHECKPOINT_IGNORE; ++policy) {
    iterator = begin(runtime, dataset, NULL, policy);
    take(iterator, 3);
    REQUIRE(weir_iterator_save(iterator, &saved, &error) == WEIR_OK);
    weir_iterator_destroy(iterator);
    iterator = begin(runtime, dataset, &saved, policy);
    take(iterator, 22);
    weir_iterator_destroy(iterator);
    weir_bytes_release(&saved);
  }
  options.checkpoint_policy = WEIR_CHECKPOINT_IGNORE + 1;
  CHECK(weir_iterator_create(runtime, dataset, &options, &refused, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(names(&error, "checkpoint_policy"));
  options.checkpoint_policy = 0;
  options.reserved = 1;
  CHECK(weir_iterator_create(runtime, dataset, &options, &refused, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_dataset_unref(dataset);
}

static void needs(weir_runtime runtime) {
  summing sum = {0, 0, 0, 0, 0};
  weir_bytes text = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset = parse(runtime, "range(1000000) | shuffle(1000) | batch(8)");
  REQUIRE(weir_dataset_explain(dataset, WEIR_EXPLAIN_CHECKPOINT | WEIR_TEXT, &text, &error) == WEIR_OK);
  CHECK(says(&text, "checkpoint: a position\n"));
  CHECK(says(&text, "batch/shuffle: a restore reads about 7484 elements again\n"));
  weir_bytes_release(&text);
  CHECK(weir_dataset_explain(dataset, 8, &text, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_dataset_unref(dataset);
  dataset = dataset_of(runtime, "range(1000000) | map(@f) | shuffle(1000) | batch(8)", &sum, 0);
  REQUIRE(weir_dataset_explain(dataset, WEIR_EXPLAIN_CHECKPOINT, &text, &error) == WEIR_OK);
  CHECK(says(&text,
             "{\"needs_policy\": true, \"because\": \"map calls a callback that is not declared pure\""));
  /* 8 bytes, and 26 around them, for each. */
  CHECK(says(&text,
             "{\"path\": \"batch/shuffle\", \"by_value\": true, \"held_rows\": 1000, \"held_size\": 34000,"));
  weir_bytes_release(&text);
  weir_dataset_unref(dataset);
  dataset = dataset_of(runtime, "range(9) | map(@f) | shuffle(1000)", &sum, 1);
  REQUIRE(weir_dataset_explain(dataset, WEIR_EXPLAIN_CHECKPOINT, &text, &error) == WEIR_OK);
  CHECK(
      says(&text, "{\"needs_policy\": false, \"because\": null, \"callback_states\": 1, \"refused\": null,"));
  CHECK(says(&text, "\"held_rows\": 9,"));
  weir_bytes_release(&text);
  weir_dataset_unref(dataset);
  dataset = dataset_of(runtime, "range(9) | flat_map(x -> range(@f(x)))", &sum, 1);
  REQUIRE(weir_dataset_explain(dataset, WEIR_EXPLAIN_CHECKPOINT, &text, &error) == WEIR_OK);
  CHECK(says(&text, "\"refused\": \"range calls a callback with a state for what it opens\","));
  weir_bytes_release(&text);
  weir_dataset_unref(dataset);
}

/* What was said beforehand is what a checkpoint takes. */
static void sizes(weir_runtime runtime) {
  summing sum = {0, 0, 0, 0, 0};
  weir_dataset dataset = dataset_of(runtime, "range(1000000) | map(@f) | shuffle(1000)", &sum, 0);
  weir_iterator iterator = begin(runtime, dataset, NULL, WEIR_CHECKPOINT_BY_VALUE);
  weir_bytes saved = WEIR_BYTES_INIT;
  take(iterator, 500);
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  CHECK(saved.size > 999 * 32 && saved.size < 1000 * 34 + 1000);
  weir_bytes_release(&saved);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* A position before the first element begins nothing: what was made would be lost to it. */
static void before_the_first(weir_runtime runtime) {
  static const char* const kTexts[] = {"range(40) | map(@f) | prefetch(5)",
                                       "range(40) | map(@f, num_parallel_calls: 3)"};
  for (size_t i = 0; i < sizeof kTexts / sizeof *kTexts; ++i) {
    summing sum = {.sum = 1000};
    weir_dataset dataset = dataset_of(runtime, kTexts[i], &sum, 0);
    weir_iterator iterator = begin(runtime, dataset, NULL, WEIR_CHECKPOINT_BY_VALUE);
    weir_bytes saved = WEIR_BYTES_INIT;
    CHECK(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    usleep(20000);
    weir_iterator_destroy(iterator);
    CHECK(sum.sum == 1000);
    iterator = begin(runtime, dataset, &saved, WEIR_CHECKPOINT_BY_VALUE);
    CHECK(take(iterator, 3) == 1000 + 1001 + 1003);
    weir_iterator_destroy(iterator);
    weir_bytes_release(&saved);
    weir_dataset_unref(dataset);
  }
}

int main(void) {
  weir_runtime runtime = make_runtime();
  state(runtime);
  failures_of_state(runtime);
  refused_callbacks(runtime);
  policies(runtime);
  needs(runtime);
  sizes(runtime);
  before_the_first(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
