/* Each allocation of each function fails in turn: the call returns resource_exhausted or a result, no
 * exception escapes, nothing leaks, and iterators go on after what they could not make and reach their end.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <unistd.h>

#include "check.h"
#include "support/failing_operator_new.h"

#define DATA WEIR_SOURCE_DIR "/tests/conformance/data/"

/* ---- Memory of this thread that fails ------------------------------------------------------------------ */

static _Thread_local int64_t g_left = -1; /* allocations until some fail; negative: none will */
static _Thread_local int64_t g_failing;   /* how many fail then */
static _Thread_local int64_t g_failed;

static void arm(int64_t first, int64_t count) {
  g_left = first;
  g_failing = count;
  g_failed = 0;
}
static void disarm(void) { g_left = -1; }

static int fails(void) {
  if (g_left < 0) return 0;
  if (g_left > 0) {
    --g_left;
    return 0;
  }
  if (g_failing == 0) return 0;
  --g_failing;
  ++g_failed;
  return 1;
}
static void count_live(int64_t change) { (void)change; }

/* The allocator of buffers, which returns NULL. */
static int64_t g_buffers;

static void* allocate(void* user_data, uint64_t size, uint64_t alignment) {
  void* memory = NULL;
  (void)user_data;
  if (fails() || posix_memalign(&memory, alignment, size) != 0) return NULL;
  __atomic_add_fetch(&g_buffers, 1, __ATOMIC_RELAXED);
  return memory;
}
static void release(void* user_data, void* memory, uint64_t size) {
  (void)user_data;
  (void)size;
  __atomic_sub_fetch(&g_buffers, 1, __ATOMIC_RELAXED);
  free(memory);
}

/* ---- One function after the other ---------------------------------------------------------------------- */

typedef struct world {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element;
  weir_bytes saved;
  weir_bytes graph;
  weir_checkpoint_manager manager;
  weir_checkpoint_manager saving;
} world;

static weir_runtime make(weir_error* error, int32_t* result) {
  weir_runtime runtime = {0};
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  allocator.allocate = allocate;
  allocator.release = release;
  options.thread_count = 1;
  options.allocator = &allocator;
  options.pool_bytes = -1;
  *result = weir_runtime_create(&options, &runtime, error);
  return runtime;
}

static int32_t call_runtime_create(world* w, weir_error* error) {
  int32_t result;
  weir_runtime runtime = make(error, &result);
  (void)w;
  if (result == WEIR_OK) weir_runtime_destroy(runtime);
  return result;
}
static int32_t call_parse(world* w, weir_error* error) {
  weir_dataset dataset = {0};
  int32_t result = weir_dataset_parse(w->runtime, "zip(range(9) | map(x -> {a: x * 2}), range(9) | batch(2))",
                                      WEIR_STRLEN, NULL, 0, &dataset, error);
  weir_dataset_unref(dataset);
  return result;
}
static int32_t call_spec(world* w, weir_error* error) {
  weir_spec spec = {0};
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result = weir_dataset_spec(w->dataset, &spec, error);
  if (result == WEIR_OK) result = weir_spec_format(spec, &text, error);
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  return result;
}
static int32_t call_format(world* w, weir_error* error) {
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result = weir_dataset_format(w->dataset, &text, error);
  weir_bytes_release(&text);
  return result;
}
static int32_t call_serialize(world* w, weir_error* error) {
  weir_bytes bytes = WEIR_BYTES_INIT;
  int32_t result = weir_dataset_serialize(w->dataset, &bytes, error);
  weir_bytes_release(&bytes);
  return result;
}
static int32_t call_deserialize(world* w, weir_error* error) {
  weir_dataset dataset = {0};
  int32_t result =
      weir_dataset_deserialize(w->runtime, w->graph.data, w->graph.size, NULL, 0, &dataset, error);
  weir_dataset_unref(dataset);
  return result;
}
static int32_t call_fingerprint(world* w, weir_error* error) {
  weir_dataset_info info = WEIR_DATASET_INFO_INIT;
  return weir_dataset_view(w->dataset, &info, error);
}
static int32_t call_element_create(world* w, weir_error* error) {
  weir_element element = {0};
  int32_t result = weir_element_create(&element, error);
  (void)w;
  weir_element_destroy(element);
  return result;
}
static int32_t call_element_format(world* w, weir_error* error) {
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result = weir_element_format(w->element, WEIR_TEXT, &text, error);
  weir_bytes_release(&text);
  return result;
}
static int32_t call_element_tensor(world* w, weir_error* error) {
  weir_tensor tensor = {0};
  int32_t result = weir_element_tensor(w->element, 1, &tensor, error);
  weir_tensor_unref(tensor);
  return result;
}
static int32_t call_tensor_copy(world* w, weir_error* error) {
  const int64_t dims[] = {2};
  const weir_string entries[] = {{"one", 3}, {"two", 3}};
  weir_tensor tensor = {0};
  int32_t result = weir_tensor_copy(WEIR_DTYPE_STRING, 1, dims, entries, sizeof entries, &tensor, error);
  (void)w;
  weir_tensor_unref(tensor);
  return result;
}
static int32_t call_iterator_create(world* w, weir_error* error) {
  weir_iterator iterator = {0};
  int32_t result = weir_iterator_create(w->runtime, w->dataset, NULL, &iterator, error);
  weir_iterator_destroy(iterator);
  return result;
}
static int32_t call_restore(world* w, weir_error* error) {
  weir_iterator iterator = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  int32_t result;
  options.checkpoint = w->saved.data;
  options.checkpoint_size = w->saved.size;
  result = weir_iterator_create(w->runtime, w->dataset, &options, &iterator, error);
  weir_iterator_destroy(iterator);
  return result;
}
static int32_t call_save(world* w, weir_error* error) {
  weir_bytes saved = WEIR_BYTES_INIT;
  int32_t result = weir_iterator_save(w->iterator, &saved, error);
  weir_bytes_release(&saved);
  return result;
}
static int32_t call_save_file(world* w, weir_error* error) {
  return weir_iterator_save_file(w->iterator, WEIR_BINARY_DIR "/memory.checkpoint", WEIR_STRLEN, error);
}
static int32_t call_iterator_spec(world* w, weir_error* error) {
  weir_spec spec = {0};
  int32_t result = weir_iterator_spec(w->iterator, &spec, error);
  weir_spec_unref(spec);
  return result;
}
static int32_t call_example(world* w, weir_error* error) {
  const int64_t numbers[] = {1, 2};
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_example example = {0};
  int32_t result = weir_example_create(&example, error);
  (void)w;
  if (result == WEIR_OK)
    result = weir_example_set(example, "numbers", WEIR_STRLEN, WEIR_DTYPE_INT64, numbers, 2, error);
  if (result == WEIR_OK) result = weir_example_serialize(example, &bytes, error);
  weir_bytes_release(&bytes);
  weir_example_destroy(example);
  return result;
}
static int32_t call_writer(world* w, weir_error* error) {
  weir_record_writer writer = {0};
  int32_t result = weir_record_writer_create(w->runtime, WEIR_BINARY_DIR "/memory.tfrecord", WEIR_STRLEN,
                                             NULL, &writer, error);
  if (result == WEIR_OK) result = weir_record_writer_write(writer, "record", 6, error);
  if (result == WEIR_OK) result = weir_record_writer_close(writer, error);
  weir_record_writer_destroy(writer);
  return result;
}

/* Has one generation, and where another one is saved again and again. */
#define KEPT WEIR_BINARY_DIR "/memory_checkpoints"
#define SAVED WEIR_BINARY_DIR "/memory_saved"

/* What a failed call published would make the next one list more. */
static void empty_saved(void) {
  const struct dirent* entry;
  DIR* folder = opendir(SAVED);
  REQUIRE(folder != NULL);
  while ((entry = readdir(folder)) != NULL) {
    char name[1024];
    snprintf(name, sizeof name, SAVED "/%s", entry->d_name);
    if (entry->d_name[0] == 'r') CHECK(unlink(name) == 0);
  }
  closedir(folder);
}

static int32_t call_manager_create(world* w, weir_error* error) {
  weir_checkpoint_manager manager = {0};
  int32_t result = weir_checkpoint_manager_create(w->runtime, KEPT, WEIR_STRLEN, NULL, &manager, error);
  weir_checkpoint_manager_destroy(manager);
  return result;
}
static int32_t call_manager_step(world* w, weir_error* error) {
  int32_t due = 0;
  return weir_checkpoint_manager_step(w->manager, 1, &due, error);
}
static int32_t call_manager_save(world* w, weir_error* error) {
  empty_saved();
  return weir_checkpoint_manager_save(w->saving, w->iterator, "extra", 5, error);
}
static int32_t call_manager_load(world* w, weir_error* error) {
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  int32_t result = weir_checkpoint_manager_load(w->manager, WEIR_OWN_RANK, &position, &extra, NULL, error);
  CHECK((result == WEIR_OK) == (position.size > 0) && (result == WEIR_OK) == (extra.size == 5));
  weir_bytes_release(&position);
  weir_bytes_release(&extra);
  return result;
}
static int32_t call_describe(world* w, weir_error* error) {
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result =
      weir_checkpoint_describe(w->runtime, KEPT, WEIR_STRLEN, WEIR_DESCRIBE_FOLDER, &text, error);
  weir_bytes_release(&text);
  if (result != WEIR_OK) return result;
  result = weir_checkpoint_describe(w->runtime, WEIR_BINARY_DIR "/memory.checkpoint", WEIR_STRLEN, 0, &text,
                                    error);
  weir_bytes_release(&text);
  return result;
}

static const struct {
  const char* name;
  int32_t (*call)(world* w, weir_error* error);
} kCalls[] = {
    {"runtime_create", call_runtime_create},
    {"dataset_parse", call_parse},
    {"dataset_spec", call_spec},
    {"dataset_format", call_format},
    {"dataset_serialize", call_serialize},
    {"dataset_deserialize", call_deserialize},
    {"dataset_fingerprint", call_fingerprint},
    {"element_create", call_element_create},
    {"element_format", call_element_format},
    {"element_tensor", call_element_tensor},
    {"tensor_copy", call_tensor_copy},
    {"iterator_create", call_iterator_create},
    {"iterator_create at a checkpoint", call_restore},
    {"iterator_save", call_save},
    {"iterator_save_file", call_save_file},
    {"iterator_spec", call_iterator_spec},
    {"example", call_example},
    {"record_writer", call_writer},
    {"checkpoint_manager_create", call_manager_create},
    {"checkpoint_manager_step", call_manager_step},
    {"checkpoint_manager_save", call_manager_save},
    {"checkpoint_manager_load", call_manager_load},
    {"checkpoint_describe", call_describe},
};

/* What a call may return while memory is scarce. */
static void check_answer(const char* name, int32_t result, const weir_error* error) {
  int fine = result == WEIR_OK || result == WEIR_END || result == WEIR_ELEMENT_FAILED ||
             result == -WEIR_CODE_RESOURCE_EXHAUSTED;
  if (fine && (result < 0 || result == WEIR_ELEMENT_FAILED)) {
    fine =
        error->code == WEIR_CODE_RESOURCE_EXHAUSTED && strstr(error->message.data, "out of memory") != NULL;
  }
  if (!fine) fprintf(stderr, "%s answered %d: %s\n", name, result, error->line.data);
  CHECK(fine);
}

static void test_calls(world* w) {
  size_t i;
  for (i = 0; i < sizeof kCalls / sizeof kCalls[0]; ++i) {
    int64_t counts[] = {1, INT64_MAX};
    size_t c;
    /* Runtimes take their time to end. */
    for (c = 0; c < (i == 0 ? 1 : 2); ++c) {
      int64_t first;
      for (first = 0;; ++first) {
        weir_error error = WEIR_ERROR_INIT;
        int32_t result;
        arm(first, counts[c]);
        result = kCalls[i].call(w, &error);
        disarm();
        check_answer(kCalls[i].name, result, &error);
        weir_error_clear(&error);
        if (g_failed == 0) break;

        REQUIRE(first < 100000);
      }
    }
  }
}

/* ---- Iterators ----------------------------------------------------------------------------------------- */

enum { kNext, kNextBlock, kNextInto, kTryNext };

/* Pulls to the end while allocations fail; returns whether any did. */
static int pull_all(world* w, weir_dataset dataset, int how, int64_t first, int64_t count, int64_t elements) {
  weir_iterator iterator = iterate(w->runtime, dataset);
  static char memory[1 << 20];
  int64_t failed = 0;
  int64_t calls = 0;
  int32_t result = WEIR_OK;
  arm(first, count);
  while (result != WEIR_END) {
    weir_error error = WEIR_ERROR_INIT;
    int64_t rows = 0;
    weir_buffer buffer = WEIR_BUFFER_INIT;
    buffer.data = memory;
    buffer.capacity = sizeof memory;
    if (how == kNext) result = weir_iterator_next(iterator, w->element, &error);
    if (how == kTryNext) result = weir_iterator_try_next(iterator, w->element, &error);
    if (how == kNextBlock) result = weir_iterator_next_block(iterator, 5, w->element, &rows, &error);
    if (how == kNextInto) result = weir_iterator_next_into(iterator, &buffer, 1, &error);
    failed = g_failed;
    if (result != WEIR_PENDING) check_answer("next", result, &error);
    weir_error_clear(&error);
    if (result == WEIR_PENDING) continue;
    if (++calls > 2 * elements + 20) fprintf(stderr, "no end: %d, allocation %d\n", how, (int)first);
    REQUIRE(calls <= 2 * elements + 20);
  }
  disarm();
  weir_iterator_destroy(iterator);
  return failed > 0;
}

static void test_pulls(world* w) {
  static const struct {
    const char* text;
    int64_t elements;
  } kTexts[] = {
      {"range(12) | map(x -> x * 3) | filter(x -> x % 2 == 0)", 12},
      {"range(12) | batch(4)", 12},
      {"range(40000) | batch(10000)", 40000},
      {"range(12) | shuffle(5, seed: 1)", 12},
      {"range(12) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)", 12},
      {"range(4) | flat_map(x -> range(x)) | repeat(2)", 12},
      {"tfrecord(\"" DATA "five.tfrecord\") | map(x -> string_length(x))", 5},
      {"tfrecord([\"" DATA "five.tfrecord\", \"" DATA
       "five.tfrecord.gz\"], compression: \"auto\") | map(x -> string_length(x))",
       10},
  };
  size_t i;
  int how;
  for (i = 0; i < sizeof kTexts / sizeof kTexts[0]; ++i) {
    weir_dataset dataset = parse(w->runtime, kTexts[i].text);
    for (how = kNext; how <= kTryNext; ++how) {
      int64_t first;
      for (first = 0; pull_all(w, dataset, how, first, 1, kTexts[i].elements); ++first) {
      }
      for (first = 0; pull_all(w, dataset, how, first, INT64_MAX, kTexts[i].elements);
           first += 1 + first / 8) {
      }
    }
    weir_dataset_unref(dataset);
  }
}

int main(void) {
  world w = {{0}, {0}, {0}, {0}, WEIR_BYTES_INIT, WEIR_BYTES_INIT, {0}, {0}};
  int32_t result;
  REQUIRE(find_throw());
  w.runtime = make(NULL, &result);
  REQUIRE(result == WEIR_OK);
  w.dataset = parse(
      w.runtime,
      "from_tensor_slices([\"a\", \"bb\", \"c\"]) | enumerate() | shuffle(3, seed: 1) | repeat(2) | batch(2) | prefetch(1)");
  w.iterator = iterate(w.runtime, w.dataset);
  w.element = make_element();
  REQUIRE(weir_iterator_next(w.iterator, w.element, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_save(w.iterator, &w.saved, NULL) == WEIR_OK);
  REQUIRE(weir_dataset_serialize(w.dataset, &w.graph, NULL) == WEIR_OK);
  REQUIRE(weir_checkpoint_manager_create(w.runtime, KEPT, WEIR_STRLEN, NULL, &w.manager, NULL) == WEIR_OK);
  REQUIRE(weir_checkpoint_manager_create(w.runtime, SAVED, WEIR_STRLEN, NULL, &w.saving, NULL) == WEIR_OK);
  REQUIRE(weir_checkpoint_manager_save(w.manager, w.iterator, "extra", 5, NULL) == WEIR_OK);
  test_calls(&w);
  test_pulls(&w);
  weir_checkpoint_manager_destroy(w.manager);
  weir_checkpoint_manager_destroy(w.saving);
  weir_bytes_release(&w.saved);
  weir_bytes_release(&w.graph);
  weir_element_destroy(w.element);
  weir_iterator_destroy(w.iterator);
  weir_dataset_unref(w.dataset);
  weir_runtime_destroy(w.runtime);
  CHECK(g_buffers == 0);
  return failures();
}
