/* The hot paths whose instructions are counted. `hot_paths --list` prints their names; `hot_paths NAME` runs
 * one and prints how many elements measured() went through. What lies outside measured() is not counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/weir.h"

#define REQUIRE(condition)                                                            \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: REQUIRE(%s) failed\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

enum { kBlock = 1024, kImages = 64, kImageBytes = 784, kRecords = 500, kWarmUp = 3 };

typedef enum way { one_by_one, typed, by_block, into_memory, saved } way;

/* In typed_loop.cc: goes through the next elements of an iterator of int64 with weir.hpp. */
int64_t typed_loop(weir_iterator iterator, int32_t calls);

typedef struct hot_path {
  const char* name;
  /* Uses @records for a tensor of examples, @images for a tensor of images, @f for a callback; never ends. */
  const char* text;
  way way;
  int32_t calls;
  /* How many elements of the source one element has; those are what is counted. */
  int32_t group;
} hot_path;

static const hot_path kPaths[] = {
    {"next", "range(1000000000)", one_by_one, 20000, 1},
    {"next_cpp", "range(1000000000)", typed, 20000, 1},
    {"map", "range(1000000000) | map(x -> (x * 2 + 1, float32(x) * 0.5))", by_block, 40, 1},
    {"filter", "range(1000000000) | filter(x -> x % 3 == 0)", by_block, 40, 1},
    {"batch_images", "from_tensor_slices(@images) | repeat() | map(x -> float32(x) / 255.0) | batch(128)",
     one_by_one, 20, 128},
    {"shuffle", "range(1000000000) | shuffle(1000, seed: 7) | batch(128)", one_by_one, 200, 128},
    {"examples",
     "from_tensor_slices(@records) | repeat() | map(r -> parse_example(r, {image: string, label: int64})) | batch(128)",
     one_by_one, 20, 128},
    {"flat_map", "range(1000000000) | flat_map(x -> range(x, x + 4))", by_block, 10, 1},
    {"flat_map_windows", "range(1000000000) | window(16, shift: 1) | flat_map(w -> w | batch(16))", by_block,
     4, 1},
    {"interleave", "range(16) | interleave(x -> range(1000000000), cycle_length: 16)", by_block, 10, 1},
    {"callback", "range(1000000000) | map(@f)", by_block, 10, 1},
    {"next_into", "range(1000000000) | map(x -> (x, float32(x))) | batch(8)", into_memory, 5000, 8},
    {"save", "range(1000000000) | shuffle(100, seed: 7) | batch(8)", saved, 500, 1},
};
enum { kPathCount = sizeof kPaths / sizeof kPaths[0] };

static int32_t adds_one(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  (void)user_data;
  REQUIRE(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  REQUIRE(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = *(const int64_t*)in.data + 1;
  return WEIR_OK;
}

/* Returns how many elements were given. */
static int64_t call_once(way way, weir_iterator iterator, weir_element element) {
  int64_t rows = 1;
  int64_t numbers[8];
  float floats[8];
  weir_view view = WEIR_VIEW_INIT;
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_buffer buffers[2] = {WEIR_BUFFER_INIT, WEIR_BUFFER_INIT};
  switch (way) {
    case one_by_one:
      REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
      REQUIRE(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
      break;
    case typed:
      REQUIRE(typed_loop(iterator, 1) == 1);
      break;
    case by_block:
      REQUIRE(weir_iterator_next_block(iterator, kBlock, element, &rows, NULL) == WEIR_OK);
      break;
    case into_memory:
      buffers[0].data = numbers;
      buffers[0].capacity = sizeof numbers;
      buffers[1].data = floats;
      buffers[1].capacity = sizeof floats;
      REQUIRE(weir_iterator_next_into(iterator, buffers, 2, NULL) == WEIR_OK);
      break;
    case saved:
      REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
      REQUIRE(weir_iterator_save(iterator, &bytes, NULL) == WEIR_OK);
      weir_bytes_release(&bytes);
      break;
  }
  return rows;
}

/* What callgrind counts, by this name. */
__attribute__((noinline)) int64_t measured(const hot_path* path, weir_iterator iterator,
                                           weir_element element);
int64_t measured(const hot_path* path, weir_iterator iterator, weir_element element) {
  int64_t elements = 0;
  if (path->way == typed) return typed_loop(iterator, path->calls);
  for (int32_t i = 0; i < path->calls; ++i) elements += call_once(path->way, iterator, element) * path->group;
  return elements;
}

/* A tensor of serialized tf.Examples. Files would be read on another thread, whose share depends on the
 * clock. */
static weir_tensor make_records(void) {
  static const int64_t kDims[] = {kRecords};
  static weir_bytes bytes[kRecords];
  static weir_string records[kRecords];
  static uint8_t image[kImageBytes];
  weir_example example = {0};
  weir_tensor tensor = {0};
  REQUIRE(weir_example_create(&example, NULL) == WEIR_OK);
  for (int64_t i = 0; i < kRecords; ++i) {
    weir_string pixels;
    memset(image, (int)(i % 251), sizeof image);
    pixels.data = (const char*)image;
    pixels.size = sizeof image;
    REQUIRE(weir_example_set(example, "image", WEIR_STRLEN, WEIR_DTYPE_STRING, &pixels, 1, NULL) == WEIR_OK);
    REQUIRE(weir_example_set(example, "label", WEIR_STRLEN, WEIR_DTYPE_INT64, &i, 1, NULL) == WEIR_OK);
    REQUIRE(weir_example_serialize(example, &bytes[i], NULL) == WEIR_OK);
    records[i].data = bytes[i].data;
    records[i].size = bytes[i].size;
  }
  REQUIRE(weir_tensor_copy(WEIR_DTYPE_STRING, 1, kDims, records, sizeof records, &tensor, NULL) == WEIR_OK);
  for (int i = 0; i < kRecords; ++i) weir_bytes_release(&bytes[i]);
  weir_example_destroy(example);
  return tensor;
}

static weir_tensor make_images(void) {
  static const int64_t kDims[] = {kImages, kImageBytes};
  static uint8_t images[kImages * kImageBytes];
  weir_tensor tensor = {0};
  for (int i = 0; i < kImages * kImageBytes; ++i) images[i] = (uint8_t)(i * 7);
  REQUIRE(weir_tensor_copy(WEIR_DTYPE_UINT8, 2, kDims, images, sizeof images, &tensor, NULL) == WEIR_OK);
  return tensor;
}

static const hot_path* find_path(const char* name) {
  for (int i = 0; i < kPathCount; ++i) {
    if (strcmp(kPaths[i].name, name) == 0) return &kPaths[i];
  }
  return NULL;
}

static void run(const hot_path* path) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_tensor images = make_images();
  weir_tensor records = make_records();
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  options.thread_count = 1;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  callback.function = adds_one;
  callback.flags = WEIR_CALLBACK_PURE;
  {
    const weir_argument arguments[] = {WEIR_ARGUMENT_TENSOR("records", records),
                                       WEIR_ARGUMENT_TENSOR("images", images),
                                       WEIR_ARGUMENT_CALLBACK("f", &callback)};
    REQUIRE(weir_dataset_parse(runtime, path->text, WEIR_STRLEN, arguments, 3, &dataset, NULL) == WEIR_OK);
  }
  REQUIRE(weir_iterator_create(runtime, dataset, NULL, &iterator, NULL) == WEIR_OK);
  REQUIRE(weir_element_create(&element, NULL) == WEIR_OK);
  for (int i = 0; i < kWarmUp; ++i) call_once(path->way, iterator, element);
  printf("%" PRId64 "\n", measured(path, iterator, element));
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_tensor_unref(images);
  weir_tensor_unref(records);
  weir_runtime_destroy(runtime);
}

int main(int argc, char** argv) {
  const hot_path* path = argc == 2 ? find_path(argv[1]) : NULL;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (int i = 0; i < kPathCount; ++i) puts(kPaths[i].name);
    return 0;
  }
  if (!path) {
    fprintf(stderr, "usage: hot_paths --list | NAME\n");
    return 2;
  }
  run(path);
  return 0;
}
