/* Elements on a device, with the driver of tests/fake_cuda: streams, events, DLPack, and who releases what.
 * [threads] */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "fake_cuda/fake_cuda.h"
#include "weir/dlpack.h"

enum { kElements = 40, kRows = 20000 };

static const char* const kText =
    "range(800000) | map(x -> uint8(x / 20000)) | batch(20000) | to_device(\"cuda:0\")";

static int64_t number_of(void* stream) { return (int64_t)(intptr_t)stream; }

static uint8_t g_read[kElements][kRows];

static void check_read(void) {
  fake_cuda_finish();
  const char* trap = fake_cuda_trap();
  if (trap) fprintf(stderr, "%s\n", trap);
  CHECK(trap == NULL);
  for (int i = 0; i < kElements; ++i) {
    int wrong = 0;
    for (int j = 0; j < kRows; ++j) wrong += g_read[i][j] != i;
    CHECK(wrong == 0);
  }
  memset(g_read, 255, sizeof g_read);
}

/* Each element is read later than it is released. */
static void next_on(weir_runtime runtime, int64_t stream, uint64_t seed) {
  fake_cuda_schedule(seed % 2 ? FAKE_CUDA_SOME : FAKE_CUDA_LATE, seed);
  weir_dataset dataset = parse(runtime, kText);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  for (int i = 0; i < kElements; ++i) {
    REQUIRE(weir_iterator_next_on(iterator, stream, element, NULL) == WEIR_OK);
    weir_view view = WEIR_VIEW_INIT;
    CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK);
    CHECK(view.device_type == WEIR_DEVICE_CUDA && view.device_id == 0 && view.ready != NULL);
    CHECK(view.rank == 1 && view.dims[0] == kRows);
    fake_cuda_read(0, (void*)(intptr_t)stream, view.data, kRows, g_read[i]);
  }
  CHECK(weir_iterator_next_on(iterator, stream, element, NULL) == WEIR_END);
  check_read();
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* As torch and JAX do: a DLPack tensor for their stream, deleted before its work is done. */
static void dlpack_on(weir_runtime runtime, int64_t stream, uint64_t seed) {
  fake_cuda_schedule(FAKE_CUDA_SOME, seed);
  weir_dataset dataset = parse(runtime, kText);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  struct DLManagedTensorVersioned* kept[3] = {NULL, NULL, NULL};
  for (int i = 0; i < kElements; ++i) {
    REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    struct DLManagedTensorVersioned* tensor = NULL;
    REQUIRE(weir_element_dlpack_on(element, 0, 0, stream, &tensor, NULL) == WEIR_OK);
    weir_element_clear(element);
    CHECK(tensor->dl_tensor.device.device_type == kDLCUDA && tensor->dl_tensor.device.device_id == 0);
    CHECK((tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0);
    fake_cuda_read(0, (void*)(intptr_t)stream, tensor->dl_tensor.data, kRows, g_read[i]);
    if (kept[i % 3]) kept[i % 3]->deleter(kept[i % 3]);
    kept[i % 3] = tensor;
  }
  for (int i = 0; i < 3; ++i) kept[i]->deleter(kept[i]);
  check_read();
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* Taken without a stream; the consumer waits for `ready`, and says where the last use was. */
static void release_on(weir_runtime runtime, void* stream) {
  fake_cuda_schedule(FAKE_CUDA_SOME, 77);
  weir_dataset dataset = parse(runtime, kText);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  for (int i = 0; i < kElements; ++i) {
    REQUIRE(weir_iterator_next_on(iterator, WEIR_STREAM_LEGACY, element, NULL) == WEIR_OK);
    struct DLManagedTensorVersioned* tensor = NULL;
    /* Lets the stream wait, which is all that it is for. */
    REQUIRE(weir_element_dlpack_on(element, 0, 0, number_of(stream), &tensor, NULL) == WEIR_OK);
    fake_cuda_read(0, stream, tensor->dl_tensor.data, kRows, g_read[i]);
    tensor->deleter(tensor);
    CHECK(weir_element_release_on(element, number_of(stream), NULL) == WEIR_OK);
    weir_view view = WEIR_VIEW_INIT;
    CHECK(weir_element_view(element, 0, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  }
  check_read();
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

static void refused(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, kText);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_iterator_next_on(iterator, 0, element, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data, "0 may mean either") != NULL);
  REQUIRE(weir_iterator_next_on(iterator, WEIR_STREAM_PER_THREAD, element, &error) == WEIR_OK);
  /* A program that was built with the first weir_view would take the address for the host's. */
  weir_view view = WEIR_VIEW_INIT;
  view.struct_size = offsetof(weir_view, device_type);
  CHECK(weir_element_view(element, 0, &view, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_tensor tensor = {0};
  CHECK(weir_element_tensor(element, 0, &tensor, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(strstr(error.message.data, "weir_element_dlpack_on") != NULL);
  CHECK(weir_element_release_on(element, 0, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  struct DLManagedTensorVersioned* managed = NULL;
  CHECK(weir_element_dlpack_on(element, 0, 0, 0, &managed, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  struct DLManagedTensorVersioned* other = NULL;
  CHECK(weir_element_dlpack_on(element, 0, WEIR_DLPACK_WRITABLE, 1, &managed, &error) == WEIR_OK);
  CHECK(weir_element_dlpack_on(element, 0, WEIR_DLPACK_WRITABLE, 1, &other, &error) ==
        -WEIR_CODE_FAILED_PRECONDITION);
  managed->deleter(managed);
  uint8_t into[kRows];
  weir_buffer buffer = WEIR_BUFFER_INIT;
  buffer.data = into;
  buffer.capacity = sizeof into;
  CHECK(weir_iterator_next_into(iterator, &buffer, 1, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  /* Printing copies back. */
  weir_bytes text = WEIR_BYTES_INIT;
  CHECK(weir_element_format(element, WEIR_TEXT, &text, &error) == WEIR_OK);
  CHECK(strncmp(text.data, "[0, 0, 0", 8) == 0);
  weir_bytes_release(&text);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* Elements outlive their iterator, dataset and runtime. */
static void outlive(void) {
  weir_runtime runtime = make_runtime();
  weir_dataset dataset = parse(runtime, kText);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  REQUIRE(weir_iterator_next_on(iterator, 1, element, NULL) == WEIR_OK);
  struct DLManagedTensorVersioned* tensor = NULL;
  REQUIRE(weir_element_dlpack_on(element, 0, 0, 1, &tensor, NULL) == WEIR_OK);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  weir_element_destroy(element);
  uint8_t read[kRows];
  fake_cuda_read(0, (void*)1, tensor->dl_tensor.data, kRows, read);
  tensor->deleter(tensor);
  fake_cuda_finish();
  CHECK(read[0] == 0 && read[kRows - 1] == 0);
  CHECK(fake_cuda_trap() == NULL);
}

/* Nothing is left of any number of iterators, begun, used up or left in the middle. */
static void leave_nothing(weir_runtime runtime) {
  fake_cuda_schedule(FAKE_CUDA_SOME, 3);
  weir_dataset dataset = parse(runtime, "range(8) | batch(2) | to_device([\"cuda:0\", \"cuda:1\"])");
  for (int i = 0; i < 10000; ++i) {
    weir_iterator iterator = iterate(runtime, dataset);
    weir_element element = make_element();
    for (int j = 0; j < i % 10; ++j)
      CHECK(weir_iterator_next_on(iterator, 1, element, NULL) == (j < 8 ? WEIR_OK : WEIR_END));
    weir_iterator_destroy(iterator);
    weir_element_destroy(element);
  }
  weir_dataset_unref(dataset);
}

/* Where the driver fails once for a consumer, that is the error of the element, and the next one follows. */
static void failed_waits(weir_runtime runtime) {
  static const char* const kFunctions[] = {"cuStreamWaitEvent", "cuCtxPushCurrent"};
  fake_cuda_schedule(FAKE_CUDA_SOME, 5);
  weir_dataset dataset = parse(runtime, "range(10, 19) | to_device(\"cuda:0\", depth: 1)");
  for (int f = 0; f < 2; ++f) {
    for (int after = 0; after < 20; ++after) {
      weir_iterator iterator = iterate(runtime, dataset);
      weir_element element = make_element();
      weir_error error = WEIR_ERROR_INIT;
      int failed = 0;
      fake_cuda_fail(kFunctions[f], after, 1, 999);
      for (int i = 10; i < 19; ++i) {
        char number[8];
        snprintf(number, sizeof number, "%d", i);
        const int32_t result = weir_iterator_next_on(iterator, 1, element, &error);
        if (result == WEIR_OK) {
          /* Printing uses the driver, too. */
          CHECK(prints(element, WEIR_TEXT, number) || prints(element, WEIR_TEXT, number));
          continue;
        }
        CHECK(result == WEIR_ELEMENT_FAILED && error.code == WEIR_CODE_UNAVAILABLE);
        CHECK(strstr(error.line.data, kFunctions[f]) != NULL);
        ++failed;
      }
      CHECK(failed <= 1 && (after > 0 || f > 0 || failed == 1));
      fake_cuda_fail("", 0, 0, 0);
      CHECK(weir_iterator_next_on(iterator, 1, element, &error) == WEIR_END);
      weir_error_clear(&error);
      weir_element_destroy(element);
      weir_iterator_destroy(iterator);
    }
  }
  weir_dataset_unref(dataset);
  CHECK(fake_cuda_trap() == NULL);
}

/* Elements that were copied before a reset are none after it, however they are taken. */
static void reset(void) {
  weir_runtime runtime = make_runtime();
  fake_cuda_schedule(FAKE_CUDA_NOW, 0);
  fake_cuda_forget();
  weir_dataset dataset = parse(runtime, "range(100) | batch(3) | to_device(\"cuda:1\", depth: 6)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  while (fake_cuda_calls("cuMemcpyHtoDAsync") < 6) sched_yield();
  fake_cuda_device_reset(1);
  for (int i = 0; i < 5; ++i) {
    int64_t rows = 0;
    const int32_t result = i == 0   ? weir_iterator_next(iterator, element, &error)
                           : i == 1 ? weir_iterator_try_next(iterator, element, &error)
                           : i == 2 ? weir_iterator_next_within(iterator, 1000000000, element, &error)
                           : i == 3 ? weir_iterator_next_on(iterator, WEIR_STREAM_NONE, element, &error)
                                    : weir_iterator_next_block(iterator, 4, element, &rows, &error);
    CHECK(result == WEIR_ELEMENT_FAILED && error.code == WEIR_CODE_FAILED_PRECONDITION && rows == 0);
    CHECK(strstr(error.line.data, "make a new iterator") != NULL);
    weir_view view = WEIR_VIEW_INIT;
    CHECK(weir_element_view(element, 0, &view, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  }
  weir_iterator_destroy(iterator);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next_on(iterator, 1, element, NULL) == WEIR_OK &&
        prints(element, WEIR_TEXT, "[0, 1, 2]"));
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(fake_cuda_trap() == NULL);
}

static void* delete_it(void* tensor) {
  struct DLManagedTensorVersioned* managed = tensor;
  managed->deleter(managed);
  return NULL;
}

/* A tensor of the thread's own stream that another thread deletes, as collectors of garbage do. */
static void deleted_elsewhere(weir_runtime runtime) {
  fake_cuda_schedule(FAKE_CUDA_SOME, 9);
  weir_dataset dataset = parse(runtime, kText);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  for (int i = 0; i < kElements; ++i) {
    REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    struct DLManagedTensorVersioned* tensor = NULL;
    REQUIRE(weir_element_dlpack_on(element, 0, 0, WEIR_STREAM_PER_THREAD, &tensor, NULL) == WEIR_OK);
    weir_element_clear(element);
    fake_cuda_read(0, (void*)2, tensor->dl_tensor.data, kRows, g_read[i]);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, delete_it, tensor) == 0);
    pthread_join(thread, NULL);
  }
  check_read();
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* A child cannot use what its parent began, and says so. The thread sanitizer lets no child of a process with
 * threads start threads. */
static void forked(void) {
#if !defined(__SANITIZE_THREAD__)
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    weir_runtime runtime = make_runtime();
    weir_dataset dataset = parse(runtime, kText);
    weir_iterator iterator = {0};
    weir_error error = WEIR_ERROR_INIT;
    CHECK(weir_iterator_create(runtime, dataset, NULL, &iterator, &error) == -WEIR_CODE_FAILED_PRECONDITION);
    CHECK(strstr(error.message.data, "forked from a process that used it") != NULL);
    _exit(failures());
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

int main(void) {
  memset(g_read, 255, sizeof g_read);
  weir_runtime runtime = make_runtime();
  void* stream = fake_cuda_stream(0, 0);
  void* blocking = fake_cuda_stream(0, 1);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    next_on(runtime, number_of(stream), seed);
    next_on(runtime, WEIR_STREAM_LEGACY, seed);
    next_on(runtime, WEIR_STREAM_PER_THREAD, seed);
    dlpack_on(runtime, number_of(blocking), seed);
    dlpack_on(runtime, number_of(stream), seed);
    dlpack_on(runtime, WEIR_STREAM_LEGACY, seed);
  }
  release_on(runtime, stream);
  deleted_elsewhere(runtime);
  refused(runtime);
  leave_nothing(runtime);
  failed_waits(runtime);
  outlive();
  forked();
  fake_cuda_finish();
  fake_cuda_end_stream(stream);
  fake_cuda_end_stream(blocking);
  weir_runtime_destroy(runtime);
  CHECK(fake_cuda_device_bytes() == 0);
  CHECK(fake_cuda_pinned_bytes() == 0);
  CHECK(fake_cuda_streams() <= 4);
  CHECK(fake_cuda_trap() == NULL);
  /* What the driver has of a context that was destroyed stays counted. */
  reset();
  return failures();
}
