/* Consumers that take elements on random streams, drop them, keep them, hand their tensors to one another,
 * and leave iterators in the middle: every byte that they read is right. WEIR_SOAK_SECONDS sets for how long
 * (a few thousand elements), WEIR_FUZZ_SEED the seed. [threads] */
#include <pthread.h>
#include <time.h>

#include "check.h"
#include "fake_cuda/fake_cuda.h"
#include "weir/dlpack.h"

enum { kConsumers = 2, kDevices = 2, kSources = 3, kKept = 4, kReads = 64, kRows = 30000, kOwnStreams = 3 };

/* What a stream copies to the host at some time, and what it must be. */
typedef struct reading {
  uint8_t bytes[kRows];
  uint64_t size;
  int value;
} reading;

typedef struct source {
  weir_iterator iterator;
  int devices;
  int rows;
  int next;
} source;

typedef struct consumer {
  pthread_t thread;
  weir_runtime runtime;
  uint64_t state;
  void* streams[kDevices][kOwnStreams];
  source sources[kSources];
  weir_element kept[kKept];
  reading* readings;
  int reading_count;
  uint64_t elements;
  uint64_t iterators;
} consumer;

static time_t g_seconds = 0;

static uint64_t below(consumer* me, uint64_t n) {
  me->state ^= me->state << 13;
  me->state ^= me->state >> 7;
  me->state ^= me->state << 17;
  return me->state % n;
}

static int64_t any_stream(consumer* me, int device) {
  const uint64_t which = below(me, kOwnStreams + 2);
  if (which == kOwnStreams) return WEIR_STREAM_LEGACY;
  if (which > kOwnStreams) return WEIR_STREAM_PER_THREAD;
  return (int64_t)(intptr_t)me->streams[device][which];
}

static void check_readings(consumer* me) {
  fake_cuda_finish();
  const char* trap = fake_cuda_trap();
  if (trap) fprintf(stderr, "%s\n", trap);
  REQUIRE(trap == NULL);
  for (int i = 0; i < me->reading_count; ++i) {
    const reading* done = &me->readings[i];
    uint64_t wrong = 0;
    for (uint64_t j = 0; j < done->size; ++j) wrong += done->bytes[j] != done->value;
    REQUIRE(wrong == 0);
  }
  me->reading_count = 0;
}

static void begin_reading(consumer* me, int device, int64_t stream, const void* from, uint64_t size,
                          int value) {
  if (me->reading_count == kReads) check_readings(me);
  reading* to = &me->readings[me->reading_count++];
  to->size = size;
  to->value = value;
  memset(to->bytes, 255, sizeof to->bytes);
  fake_cuda_read(device, (void*)(intptr_t)stream, from, size, to->bytes);
}

/* Tensors that whoever comes next deletes. */
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct DLManagedTensorVersioned* g_handed[kKept];

static void give(consumer* me, struct DLManagedTensorVersioned* tensor) {
  pthread_mutex_lock(&g_mutex);
  struct DLManagedTensorVersioned** const place = &g_handed[below(me, kKept)];
  struct DLManagedTensorVersioned* const found = *place;
  *place = tensor;
  pthread_mutex_unlock(&g_mutex);
  if (found) found->deleter(found);
}

static void begin(consumer* me, source* from) {
  char text[256];
  weir_iterator_destroy(from->iterator);
  from->devices = 1 + (int)below(me, kDevices);
  from->rows = 2 + (int)below(me, below(me, 4) ? 1000 : kRows - 2);
  from->next = 0;
  snprintf(text, sizeof text,
           "range(%d) | map(x -> (uint8(x / %d), uint8(x / %d + 1))) | batch(%d) | to_device(%s, depth: %d)",
           from->rows * (int)(1 + below(me, 60)), from->rows, from->rows, from->rows,
           from->devices == 1 ? "\"cuda:0\"" : "[\"cuda:0\", \"cuda:1\"]", 1 + (int)below(me, 3));
  weir_dataset dataset = parse(me->runtime, text);
  from->iterator = iterate(me->runtime, dataset);
  weir_dataset_unref(dataset);
  ++me->iterators;
}

/* Reads a component on a stream of its own, through a tensor that somebody deletes at some time. */
static void read_tensor(consumer* me, weir_element element, int device, int64_t stream, int value) {
  const uint32_t component = (uint32_t)below(me, 2);
  struct DLManagedTensorVersioned* tensor = NULL;
  REQUIRE(weir_element_dlpack_on(element, component, 0, stream, &tensor, NULL) == WEIR_OK);
  REQUIRE(tensor->dl_tensor.device.device_id == device);
  begin_reading(me, device, stream, tensor->dl_tensor.data, (uint64_t)tensor->dl_tensor.shape[0],
                value + (int)component);
  if (below(me, 2)) {
    give(me, tensor);
  } else {
    tensor->deleter(tensor);
  }
}

static void take(consumer* me, source* from) {
  const weir_element element = me->kept[below(me, kKept)];
  const int device = from->next % from->devices;
  const int value = from->next / from->devices;
  const int64_t stream = any_stream(me, device);
  const int on_stream = below(me, 4) != 0;
  const int32_t result = on_stream ? weir_iterator_next_on(from->iterator, stream, element, NULL)
                                   : weir_iterator_next(from->iterator, element, NULL);
  if (result == WEIR_END) {
    begin(me, from);
    return;
  }
  REQUIRE(result == WEIR_OK);
  ++from->next;
  ++me->elements;
  weir_view view = WEIR_VIEW_INIT;
  REQUIRE(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
  REQUIRE(view.device_id == device);
  REQUIRE(view.dims[0] == from->rows / from->devices + (device < from->rows % from->devices));
  const uint64_t uses = below(me, 4);
  if (on_stream && uses > 1) {
    begin_reading(me, device, stream, view.data, (uint64_t)view.dims[0], value);
  }
  for (uint64_t i = 0; i < uses % 3; ++i) read_tensor(me, element, device, any_stream(me, device), value);
  if (uses == 1) {
    /* Nothing was queued on the stream that it was taken on. */
    const int64_t last = any_stream(me, device);
    read_tensor(me, element, device, last, value);
    REQUIRE(weir_element_release_on(element, last, NULL) == WEIR_OK);
  }
}

static void* consume(void* argument) {
  consumer* const me = argument;
  const time_t until = time(NULL) + g_seconds;
  for (int i = 0; i < kSources; ++i) begin(me, &me->sources[i]);
  for (uint64_t i = 0; g_seconds ? i % 256 != 0 || time(NULL) < until : i < 3000; ++i) {
    source* const from = &me->sources[below(me, kSources)];
    switch (below(me, 40)) {
      case 0:
        begin(me, from);
        break;
      case 1:
        weir_element_clear(me->kept[below(me, kKept)]);
        break;
      case 2:
        fake_cuda_schedule(below(me, 2) ? FAKE_CUDA_SOME : FAKE_CUDA_LATE, me->state);
        break;
      default:
        take(me, from);
    }
  }
  for (int i = 0; i < kSources; ++i) weir_iterator_destroy(me->sources[i].iterator);
  for (int i = 0; i < kKept; ++i) weir_element_destroy(me->kept[i]);
  check_readings(me);
  return NULL;
}

static void make(consumer* me, weir_runtime runtime, uint64_t seed) {
  memset(me, 0, sizeof *me);
  me->runtime = runtime;
  me->state = seed;
  me->readings = malloc(kReads * sizeof *me->readings);
  REQUIRE(me->readings != NULL);
  for (int i = 0; i < kKept; ++i) me->kept[i] = make_element();
  for (int d = 0; d < kDevices; ++d) {
    for (int i = 0; i < kOwnStreams; ++i) me->streams[d][i] = fake_cuda_stream(d, i == 0);
  }
}

int main(void) {
  const char* const seconds = getenv("WEIR_SOAK_SECONDS");
  const char* const seed = getenv("WEIR_FUZZ_SEED");
  g_seconds = seconds ? atoll(seconds) : 0;
  weir_runtime runtime = make_runtime();
  consumer consumers[kConsumers];
  for (int i = 0; i < kConsumers; ++i) {
    make(&consumers[i], runtime, ((seed ? strtoull(seed, NULL, 10) : 1) * 2 + (uint64_t)i) * 2654435761u + 1);
    REQUIRE(pthread_create(&consumers[i].thread, NULL, consume, &consumers[i]) == 0);
  }
  for (int i = 0; i < kConsumers; ++i) pthread_join(consumers[i].thread, NULL);
  for (int i = 0; i < kKept; ++i) {
    if (g_handed[i]) g_handed[i]->deleter(g_handed[i]);
  }
  fake_cuda_finish();
  weir_runtime_destroy(runtime);
  uint64_t elements = 0;
  uint64_t iterators = 0;
  for (int i = 0; i < kConsumers; ++i) {
    elements += consumers[i].elements;
    iterators += consumers[i].iterators;
    for (int s = 0; s < kDevices * kOwnStreams; ++s) fake_cuda_end_stream(consumers[i].streams[s % 2][s / 2]);
    free(consumers[i].readings);
  }
  printf("%" PRIu64 " elements of %" PRIu64 " iterators\n", elements, iterators);
  CHECK(fake_cuda_device_bytes() == 0);
  CHECK(fake_cuda_pinned_bytes() == 0);
  CHECK(fake_cuda_trap() == NULL);
  return failures();
}
