/* What the C tests share: CHECK, which says where it failed and counts, and short ways to make things.
 * A test is a program that returns 0; it ends with `return failures();`. */
#ifndef WEIR_TESTS_CAPI_CHECK_H
#define WEIR_TESTS_CAPI_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/weir.h"

static int g_failures = 0;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
      ++g_failures;                                                                 \
    }                                                                               \
  } while (0)

/* For what the rest depends on. */
#define REQUIRE(condition)                                                            \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: REQUIRE(%s) failed\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

static inline int failures(void) { return g_failures == 0 ? 0 : 1; }

static inline weir_runtime make_runtime(void) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.thread_count = 2;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  return runtime;
}

static inline weir_dataset parse_with(weir_runtime runtime, const char* text, const weir_argument* arguments,
                                      uint64_t count) {
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = weir_dataset_parse(runtime, text, WEIR_STRLEN, arguments, count, &dataset, &error);
  if (result != WEIR_OK) fprintf(stderr, "%s: %s\n", text, error.line.data);
  REQUIRE(result == WEIR_OK);
  return dataset;
}

static inline weir_dataset parse(weir_runtime runtime, const char* text) {
  return parse_with(runtime, text, NULL, 0);
}

static inline weir_iterator iterate(weir_runtime runtime, weir_dataset dataset) {
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = weir_iterator_create(runtime, dataset, NULL, &iterator, &error);
  if (result != WEIR_OK) fprintf(stderr, "%s\n", error.line.data);
  REQUIRE(result == WEIR_OK);
  return iterator;
}

/* An iterator at the position of this one, which it takes the place of. */
static inline weir_iterator resumed(weir_runtime runtime, weir_dataset dataset, weir_iterator iterator) {
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  weir_iterator_destroy(iterator);
  options.checkpoint = saved.data;
  options.checkpoint_size = saved.size;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  weir_bytes_release(&saved);
  return iterator;
}

static inline weir_element make_element(void) {
  weir_element element = {0};
  REQUIRE(weir_element_create(&element, NULL) == WEIR_OK);
  return element;
}

/* The first entry of an int64 component of an element. */
static inline int64_t int64_of(weir_element element, uint32_t index) {
  weir_view view = WEIR_VIEW_INIT;
  REQUIRE(weir_element_view(element, index, &view, NULL) == WEIR_OK);
  REQUIRE(view.dtype == WEIR_DTYPE_INT64);
  return *(const int64_t*)view.data;
}

/* The next element of an iterator over int64, which must have one. */
static inline int64_t next_int64(weir_iterator iterator, weir_element element) {
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = weir_iterator_next(iterator, element, &error);
  if (result != WEIR_OK) fprintf(stderr, "next answered %d: %s\n", result, error.line.data);
  REQUIRE(result == WEIR_OK);
  return int64_of(element, 0);
}

static inline int text_is(weir_string text, const char* expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

/* The number of elements of a dataset. */
static inline int32_t count_of(weir_dataset dataset, int64_t* out) {
  weir_dataset_info info = WEIR_DATASET_INFO_INIT;
  int32_t result = weir_dataset_view(dataset, &info, NULL);
  *out = info.cardinality;
  return result;
}

/* An uninitialised iterator for elements of this structure. */
static inline weir_iterator iterator_of(weir_runtime runtime, weir_spec spec) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator iterator = {0};
  options.spec = spec;
  REQUIRE(weir_iterator_create(runtime, (weir_dataset){0}, &options, &iterator, NULL) == WEIR_OK);
  return iterator;
}

/* True if the element prints as `text`. */
static inline int prints(weir_element element, uint32_t flags, const char* expected) {
  weir_bytes text = WEIR_BYTES_INIT;
  weir_string string;
  int same;
  if (weir_element_format(element, flags, &text, NULL) != WEIR_OK) return 0;
  string.data = text.data;
  string.size = text.size;
  same = text_is(string, expected);
  if (!same) fprintf(stderr, "expected %s, found %s\n", expected, text.data);
  weir_bytes_release(&text);
  return same;
}

/* A callback's user data; counts its calls. */
typedef struct counts {
  int calls;
  int destroyed;
} counts;

static inline void count_destroy(void* user_data) { ++((counts*)user_data)->destroyed; }

/* An allocator and a logger that count their calls. */
static inline void* count_allocate(void* user_data, uint64_t size, uint64_t alignment) {
  ++((counts*)user_data)->calls;
  return aligned_alloc((size_t)alignment, (size_t)((size + alignment - 1) / alignment * alignment));
}

static inline void release_memory(void* user_data, void* data, uint64_t size) {
  (void)user_data;
  (void)size;
  free(data);
}

static inline void count_line(void* user_data, int32_t level, const char* line, uint64_t line_size) {
  (void)level;
  (void)line;
  (void)line_size;
  ++((counts*)user_data)->calls;
}

/* Sets both in the options. */
static inline void hand_over(weir_runtime_options* options, weir_allocator* allocator, counts* allocated,
                             weir_logger* logger, counts* logged) {
  allocator->allocate = count_allocate;
  allocator->release = release_memory;
  allocator->destroy = count_destroy;
  allocator->user_data = allocated;
  logger->log = count_line;
  logger->destroy = count_destroy;
  logger->user_data = logged;
  options->allocator = allocator;
  options->logger = logger;
}

#endif
