/* Elements in an event loop: only poll() waits, and it watches other descriptors, too: here a pipe in place
   of a socket. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "weir/weir.h"

static void check(int32_t result, const weir_error* error) {
  if (result >= 0 && result != WEIR_ELEMENT_FAILED) return;
  fprintf(stderr, "events: %s\n", error->line.data);
  exit(1);
}

/* Takes all elements that are ready. Returns 0 after the last one. */
static int take_ready(weir_iterator iterator, weir_element element, weir_error* error) {
  int32_t result;
  while ((result = weir_iterator_try_next(iterator, element, error)) == WEIR_OK) {
    weir_view batch = WEIR_VIEW_INIT;
    check(weir_element_view(element, 0, &batch, error), error);
    printf("a batch from %" PRId64 " on\n", *(const int64_t*)batch.data);
  }
  check(result, error);
  return result == WEIR_PENDING;
}

int main(void) {
  weir_runtime runtime = {0};
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = {0};
  weir_error error = WEIR_ERROR_INIT;
  int ready = -1;
  int other[2];
  if (pipe(other) != 0 || write(other[1], "!", 1) != 1) return 1;
  check(weir_runtime_create(NULL, &runtime, &error), &error);
  /* What stands before a prefetch runs on the library's threads. */
  const char* text = "range(5000) | map(x -> x * x) | batch(1000) | prefetch(2)";
  check(weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error), &error);
  check(weir_iterator_create(runtime, dataset, NULL, &iterator, &error), &error);
  check(weir_element_create(&element, &error), &error);
  check(weir_iterator_ready_fd(iterator, &ready, &error), &error);

  int more = 1;
  int other_seen = 0;
  while (more || !other_seen) {
    /* poll() ignores negative descriptors. */
    struct pollfd watched[] = {{more ? ready : -1, POLLIN, 0}, {other_seen ? -1 : other[0], POLLIN, 0}};
    if (poll(watched, 2, -1) < 0) return 1;
    if (watched[0].revents) more = take_ready(iterator, element, &error);
    if (watched[1].revents) other_seen = 1;
  }
  printf("no more batches, and the other event came\n");

  close(other[0]);
  close(other[1]);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return 0;
}
