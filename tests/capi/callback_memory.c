/* What calls of the host's functions allocate: no more for a block of a thousand rows than for one of ten. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"
#include "support/failing_operator_new.h"

/* Allocations of this thread, buffers included. */
static _Thread_local int64_t g_made;

static int fails(void) {
  ++g_made;
  return 0;
}
static void count_live(int64_t change) { (void)change; }

static void* allocate(void* user_data, uint64_t size, uint64_t alignment) {
  void* memory = NULL;
  (void)user_data;
  ++g_made;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}
static void release(void* user_data, void* memory, uint64_t size) {
  (void)user_data;
  (void)size;
  free(memory);
}

/* x -> x + 1, for as many rows as there are, with memory for a string of each if there is user data. */
static int32_t add_one(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  int64_t rows = weir_call_rows(call);
  char* next = NULL;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, in.rank, in.dims, &out, NULL) == WEIR_OK);
  for (int64_t row = 0; row < rows; ++row) ((int64_t*)out)[row] = ((const int64_t*)in.data)[row] + 1;
  for (int64_t row = 0; user_data && row < rows; ++row) {
    const uint64_t size = 1 + (uint64_t)row % 100;
    void* bytes = NULL;
    REQUIRE(weir_call_allocate(call, size, &bytes, NULL) == WEIR_OK);
    CHECK((uintptr_t)bytes % 64 == 0);
    memset(bytes, 'x', (size_t)size);
    /* Those that lie behind the one before share its allocation. */
    g_made += (char*)bytes != next;
    next = (char*)bytes + (size + 63) / 64 * 64;
  }
  return WEIR_OK;
}

/* The allocations of ten batches of that size, once the first ones have made what is kept. */
static int64_t made_by(weir_runtime runtime, const char* map, int rows) {
  char text[200];
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = make_element();
  int64_t before = 0;
  int64_t made = 0;
  snprintf(text, sizeof text, "range(1000000) | map(%s) | batch(%d)", map, rows);
  dataset = parse_with(runtime, text, NULL, 0);
  iterator = iterate(runtime, dataset);
  for (int i = 0; i < 20; ++i) {
    weir_view view = WEIR_VIEW_INIT;
    if (i == 10) before = g_made;
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
    CHECK(((const int64_t*)view.data)[rows - 1] == (int64_t)(i + 1) * rows);
  }
  made = g_made - before;
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return made;
}

static void independent_of_rows(weir_runtime runtime, const char* map) {
  const int64_t few = made_by(runtime, map, 10);
  const int64_t many = made_by(runtime, map, 1000);
  /* Besides, positions are written from time to time. Each row by itself would make 9,900 more. */
  const int64_t most = few + 100;
  if (many > most) fprintf(stderr, "%s: %" PRId64 " for 10 rows, %" PRId64 " for 1000\n", map, few, many);
  CHECK(many <= most);
}

static void add(weir_runtime runtime, const char* name, uint32_t flags, const char* signature,
                void* strings) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = add_one;
  callback.user_data = strings;
  callback.flags = flags | WEIR_CALLBACK_PURE | WEIR_CALLBACK_CONCURRENT;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  callback.signature = signature;
  callback.signature_size = signature ? WEIR_STRLEN : 0;
  CHECK(weir_runtime_register(runtime, name, WEIR_STRLEN, &callback, NULL) == WEIR_OK);
}

int main(void) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  allocator.allocate = allocate;
  allocator.release = release;
  options.thread_count = 1;
  options.allocator = &allocator;
  options.pool_bytes = -1;
  REQUIRE(find_throw());
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  add(runtime, "by_element", 0, NULL, NULL);
  add(runtime, "by_block", WEIR_CALLBACK_BLOCK, NULL, NULL);
  add(runtime, "with_strings", WEIR_CALLBACK_BLOCK, NULL, &runtime);
  add(runtime, "plus_one", WEIR_CALLBACK_BLOCK, "{x: int64}", NULL);
  independent_of_rows(runtime, "@by_element");
  independent_of_rows(runtime, "@by_block");
  independent_of_rows(runtime, "@with_strings");
  independent_of_rows(runtime, "x -> plus_one(x)");
  independent_of_rows(runtime, "x -> plus_one(x + 1) - 1");
  weir_runtime_destroy(runtime);
  return failures();
}
