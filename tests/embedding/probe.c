#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <weir/weir.h>

enum { kMaxCallers = 16, kFirst = 3 };

/* TFRecords by zlib, tf.Examples, SQLite, RE2, FarmHash, libjpeg, libpng, giflib, maps on oneTBB, subnormal
 * numbers, and an element that fails and is logged. */
static const char kDocument[] =
    "zip((list_files(@digits, shuffle: false)\n"
    "   | flat_map(f -> tfrecord(f, compression: \"gzip\")) | take(200) | enumerate(),\n"
    "   sql(\"sqlite\", @people, \"select id, name from people order by id\", (int64, string)) | repeat()))\n"
    " | map(((i, r), (id, name)) -> (i, concat([as_string([id]), [name]], 0),\n"
    "     parse_example(r, {image: string, label: int64})), num_parallel_calls: 4)\n"
    " | map((i, person, {image, label}) -> {i, label, person,\n"
    "     text: regex_replace(as_string(i * label), \"[02]+\", \"-\"),\n"
    "     bucket: hash_bucket(image, 1000), tiny: float32(1e-38) / float32(i + 1), whole: 1 // (i - 100),\n"
    "     photo: mean(float32(decode_jpeg(read_file(@photo)))), drawn: mean(float32(decode_png(read_file(@drawing)))),\n"
    "     moving: mean(float32(decode_gif(read_file(@moving)))),\n"
    "     sorted: sort(decode_raw(image, uint8))[60:]}, num_parallel_calls: 4)\n"
    " | ignore_errors(log: true) | batch(16) | prefetch(2)";

const char* probe_document(void) { return kDocument; }

static struct {
  __typeof__(&weir_runtime_create) runtime_create;
  __typeof__(&weir_runtime_destroy) runtime_destroy;
  __typeof__(&weir_dataset_parse) dataset_parse;
  __typeof__(&weir_dataset_serialize) dataset_serialize;
  __typeof__(&weir_dataset_deserialize) dataset_deserialize;
  __typeof__(&weir_dataset_unref) dataset_unref;
  __typeof__(&weir_iterator_create) iterator_create;
  __typeof__(&weir_iterator_next) iterator_next;
  __typeof__(&weir_iterator_destroy) iterator_destroy;
  __typeof__(&weir_element_create) element_create;
  __typeof__(&weir_element_format) element_format;
  __typeof__(&weir_element_destroy) element_destroy;
  __typeof__(&weir_bytes_release) bytes_release;
  __typeof__(&weir_error_clear) error_clear;
} weir;

int probe_load(const char* library, int global) {
  void* handle = dlopen(library, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
#define FIND(name)                                    \
  *(void**)&weir.name = dlsym(handle, "weir_" #name); \
  if (!weir.name) return -1
  FIND(runtime_create);
  FIND(runtime_destroy);
  FIND(dataset_parse);
  FIND(dataset_serialize);
  FIND(dataset_deserialize);
  FIND(dataset_unref);
  FIND(iterator_create);
  FIND(iterator_next);
  FIND(iterator_destroy);
  FIND(element_create);
  FIND(element_format);
  FIND(element_destroy);
  FIND(bytes_release);
  FIND(error_clear);
#undef FIND
  return 0;
}

/* An iterator on its way. */
typedef struct run {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element;
  weir_error error;
  uint64_t hash;
} run;

/* Of FNV-1a. */
static const uint64_t kBasis = 0xcbf29ce484222325;

static void add(uint64_t* hash, const char* data, size_t size) {
  for (size_t i = 0; i < size; ++i) *hash = (*hash ^ (uint8_t)data[i]) * 0x100000001b3;
}

/* The dataset goes through bytes, as a graph that protobuf writes and reads. */
static int32_t make_dataset(const char* folder, run* it) {
  char digits[1024], people[1024], photo[1024], drawing[1024], moving[1024];
  const weir_argument arguments[] = {WEIR_ARGUMENT_TEXT("digits", digits),
                                     WEIR_ARGUMENT_TEXT("people", people), WEIR_ARGUMENT_TEXT("photo", photo),
                                     WEIR_ARGUMENT_TEXT("drawing", drawing),
                                     WEIR_ARGUMENT_TEXT("moving", moving)};
  const size_t count = sizeof arguments / sizeof arguments[0];
  weir_dataset parsed = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  int32_t result;
  snprintf(digits, sizeof digits, "%s/examples/digits/data/*.tfrecord.gz", folder);
  snprintf(people, sizeof people, "%s/tests/conformance/data/small.sqlite", folder);
  snprintf(photo, sizeof photo, "%s/tests/conformance/data_expr/color420.jpg", folder);
  snprintf(drawing, sizeof drawing, "%s/tests/conformance/data_expr/rgb.png", folder);
  snprintf(moving, sizeof moving, "%s/tests/conformance/data_expr/three.gif", folder);
  result = weir.dataset_parse(it->runtime, kDocument, WEIR_STRLEN, arguments, count, &parsed, &it->error);
  if (result == WEIR_OK) result = weir.dataset_serialize(parsed, &bytes, &it->error);
  if (result == WEIR_OK)
    result = weir.dataset_deserialize(it->runtime, bytes.data, bytes.size, arguments, count, &it->dataset,
                                      &it->error);
  weir.bytes_release(&bytes);
  weir.dataset_unref(parsed);
  return result;
}

static int32_t begin(weir_runtime runtime, const char* folder, run* it) {
  const weir_error no_error = WEIR_ERROR_INIT;
  int32_t result;
  memset(it, 0, sizeof *it);
  it->runtime = runtime;
  it->error = no_error;
  it->hash = kBasis;
  result = make_dataset(folder, it);
  if (result == WEIR_OK) result = weir.iterator_create(runtime, it->dataset, NULL, &it->iterator, &it->error);
  if (result == WEIR_OK) result = weir.element_create(&it->element, &it->error);
  return result;
}

/* Takes an element and adds its text to the hash. */
static int32_t take(run* it) {
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result = weir.iterator_next(it->iterator, it->element, &it->error);
  if (result != WEIR_OK) return result;
  result = weir.element_format(it->element, 0, &text, &it->error);
  add(&it->hash, text.data, text.size);
  weir.bytes_release(&text);
  return result;
}

/* Takes what is left. Returns the hash, or 0. */
static uint64_t finish(run* it, int32_t result) {
  while (result == WEIR_OK) result = take(it);
  if (result != WEIR_END) fprintf(stderr, "%s\n", it->error.line.data ? it->error.line.data : "no message");
  weir.error_clear(&it->error);
  weir.element_destroy(it->element);
  weir.iterator_destroy(it->iterator);
  weir.dataset_unref(it->dataset);
  return result == WEIR_END ? it->hash : 0;
}

static int32_t make_runtime(int threads, weir_runtime* runtime) {
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  int32_t result;
  options.thread_count = threads;
  result = weir.runtime_create(&options, runtime, &error);
  if (result != WEIR_OK) fprintf(stderr, "%s\n", error.line.data);
  weir.error_clear(&error);
  return result;
}

typedef struct caller {
  pthread_t thread;
  weir_runtime runtime;
  const char* folder;
  uint64_t hash;
} caller;

static void* call(void* argument) {
  caller* self = argument;
  run it;
  int32_t result = begin(self->runtime, self->folder, &it);
  self->hash = finish(&it, result);
  return NULL;
}

uint64_t probe_run(const char* folder, int threads) {
  caller callers[kMaxCallers];
  weir_runtime runtime = {0};
  int same = 1;
  int count = threads < kMaxCallers ? threads : kMaxCallers;
  if (make_runtime(threads, &runtime) != WEIR_OK) return 0;
  for (int i = 0; i < count; ++i) {
    callers[i] = (caller){.runtime = runtime, .folder = folder};
    if (i > 0 && pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0) return 0;
  }
  call(&callers[0]);
  for (int i = 1; i < count; ++i) {
    pthread_join(callers[i].thread, NULL);
    same &= callers[i].hash == callers[0].hash;
  }
  weir.runtime_destroy(runtime);
  if (!same) fprintf(stderr, "threads that read the same dataset found different elements\n");
  return same ? callers[0].hash : 0;
}

static run g_begun;

int probe_begin(const char* folder, int threads) {
  weir_runtime runtime = {0};
  int32_t result = make_runtime(threads, &runtime);
  if (result == WEIR_OK) result = begin(runtime, folder, &g_begun);
  for (int i = 0; result == WEIR_OK && i < kFirst; ++i) result = take(&g_begun);
  return result;
}

uint64_t probe_finish(void) {
  const uint64_t hash = finish(&g_begun, WEIR_OK);
  weir.runtime_destroy(g_begun.runtime);
  return hash;
}

int32_t probe_next(void) { return weir.iterator_next(g_begun.iterator, g_begun.element, &g_begun.error); }

void probe_error(char* out, size_t size) {
  snprintf(out, size, "%s", g_begun.error.line.data ? g_begun.error.line.data : "");
}
