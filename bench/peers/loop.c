/* The loop of the rows that stay inside the library: an iterator is read to its end, and Python sees none of
 * it. bench/compare compiles this over libweir.so, so that the calls cost what they cost any program. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weir/weir.h>

typedef struct loop {
  weir_runtime runtime;
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element;
} loop;

/* Microseconds that call i of @sleep takes. */
typedef struct sleeps {
  const int64_t* microseconds;
  int64_t count;
} sleeps;

/* An array of the program's, which the document calls @data. */
typedef struct loop_array {
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  uint64_t size;
} loop_array;

static void sleep_as(const sleeps* all, int64_t call) {
  const int64_t nanoseconds = all->microseconds[call % all->count] * 1000;
  const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&time, NULL);
}

static int32_t call_sleep(void* user_data, weir_call call) {
  const sleeps* all = user_data;
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  if (weir_call_input(call, 0, &in, NULL) != WEIR_OK) return -1;
  if (weir_call_output(call, 0, 0, NULL, &out, NULL) != WEIR_OK) return -1;
  const int64_t row = *(const int64_t*)in.data;
  *(int64_t*)out = row;
  sleep_as(all, row);
  return WEIR_OK;
}

void loop_close(loop* it) {
  weir_element_destroy(it->element);
  weir_iterator_destroy(it->iterator);
  weir_dataset_unref(it->dataset);
  weir_runtime_destroy(it->runtime);
  free(it);
}

static int32_t open_dataset(loop* it, const char* text, const loop_array* array, const sleeps* sleeping,
                            weir_error* error) {
  weir_argument argument = WEIR_ARGUMENT_INIT;
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_tensor tensor = {0};
  if (array != NULL) {
    const int32_t result = weir_tensor_wrap(array->dtype, array->rank, array->dims, array->data, array->size,
                                            NULL, NULL, &tensor, error);
    if (result != WEIR_OK) return result;
    argument.name = "data";
    argument.name_size = WEIR_STRLEN;
    argument.tensor = tensor;
  } else if (sleeping != NULL) {
    callback.function = call_sleep;
    callback.user_data = (void*)sleeping;
    callback.flags = WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_PURE;
    callback.result_spec = "int64";
    callback.result_spec_size = WEIR_STRLEN;
    argument.name = "sleep";
    argument.name_size = WEIR_STRLEN;
    argument.callback = &callback;
  }
  const uint64_t count = array != NULL || sleeping != NULL ? 1 : 0;
  const int32_t result =
      weir_dataset_parse(it->runtime, text, WEIR_STRLEN, &argument, count, &it->dataset, error);
  if (array != NULL) weir_tensor_unref(tensor);
  return result;
}

/* An iterator at the beginning of a document, or NULL; then `message` says why. */
loop* loop_open(const char* text, const loop_array* array, const sleeps* sleeping, char* message,
                uint64_t message_size) {
  weir_error error = WEIR_ERROR_INIT;
  loop* it = calloc(1, sizeof *it);
  if (it == NULL) return NULL;
  if (weir_runtime_create(NULL, &it->runtime, &error) == WEIR_OK &&
      open_dataset(it, text, array, sleeping, &error) == WEIR_OK &&
      weir_iterator_create(it->runtime, it->dataset, NULL, &it->iterator, &error) == WEIR_OK &&
      weir_element_create(&it->element, &error) == WEIR_OK) {
    return it;
  }
  const uint64_t size = error.line.size < message_size - 1 ? error.line.size : message_size - 1;
  memcpy(message, error.line.data, size);
  message[size] = 0;
  loop_close(it);
  return NULL;
}

/* Reads to the end, in blocks of up to 1,024 elements or one by one. Returns how many there were; -1 if one
 * failed. */
int64_t loop_drain(loop* it, int32_t blocks) {
  int64_t total = 0;
  for (;;) {
    int64_t rows = 1;
    const int32_t result = blocks ? weir_iterator_next_block(it->iterator, 1024, it->element, &rows, NULL)
                                  : weir_iterator_next(it->iterator, it->element, NULL);
    if (result == WEIR_END) return total;
    if (result != WEIR_OK) return -1;
    total += rows;
  }
}

typedef struct sleepers {
  const sleeps* all;
  atomic_int_least64_t next;
} sleepers;

static void* sleep_on(void* data) {
  sleepers* they = data;
  for (;;) {
    const int64_t call = atomic_fetch_add(&they->next, 1);
    if (call >= they->all->count) return NULL;
    sleep_as(they->all, call);
  }
}

/* All the sleeps, by as many threads, which hand nothing to anybody: what the machine can do. Returns 0, or
 * -1 if there are not as many threads. */
int32_t loop_sleep_in_threads(const sleeps* all, int32_t threads) {
  enum { kMost = 256 };
  pthread_t started[kMost];
  sleepers they = {all, 0};
  int32_t count = 0;
  while (count < threads && count < kMost && pthread_create(&started[count], NULL, sleep_on, &they) == 0)
    ++count;
  for (int32_t i = 0; i < count; ++i) pthread_join(started[i], NULL);
  return count == threads ? 0 : -1;
}
