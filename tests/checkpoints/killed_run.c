/* A run that may be killed at any moment and goes on where the newest generation of its folder was saved.
 *
 *   killed_run FOLDER OUTPUT THREADS
 *
 * Appends each element as a line to OUTPUT, which it first cuts to the length that belongs to the generation.
 * Prints a line with the generation that it begins at (0: none), and one per element. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "capi/check.h"

static const char kPipeline[] =
    "range(1500) | shuffle(64, seed: 7) | map(x -> x * x + 1, num_parallel_calls: 2) | batch(4) | prefetch(2)";

/* What is saved beside the position: of the output so far. */
typedef struct progress {
  int64_t lines;
  int64_t size;
  uint64_t digest;
} progress;

static uint64_t digest_more(uint64_t digest, const char* bytes, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i) digest = (digest ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return digest;
}

static progress begin(void) {
  progress none = {0, 0, UINT64_C(0xcbf29ce484222325)};
  return none;
}

/* The output has what was written before the generation was saved. Cuts off what came after. */
static void cut_output(int output, progress saved) {
  progress found = begin();
  char* bytes = malloc((size_t)saved.size + 1);
  REQUIRE(bytes != NULL);
  REQUIRE(pread(output, bytes, (size_t)saved.size, 0) == saved.size);
  for (int64_t i = 0; i < saved.size; ++i) found.lines += bytes[i] == '\n';
  REQUIRE(found.lines == saved.lines);
  REQUIRE(digest_more(found.digest, bytes, (uint64_t)saved.size) == saved.digest);
  free(bytes);
  REQUIRE(ftruncate(output, saved.size) == 0);
  REQUIRE(lseek(output, saved.size, SEEK_SET) == saved.size);
}

static weir_iterator restore(weir_runtime runtime, weir_dataset dataset, weir_checkpoint_manager manager,
                             progress* done) {
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  weir_iterator iterator = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  int64_t generation = 0;
  int32_t result =
      weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, &extra, &generation, &error);
  *done = begin();
  if (result == WEIR_OK) {
    REQUIRE(extra.size == sizeof *done);
    memcpy(done, extra.data, sizeof *done);
    options.checkpoint = position.data;
    options.checkpoint_size = position.size;
  } else {
    REQUIRE(result == -WEIR_CODE_NOT_FOUND);
    weir_error_clear(&error);
  }
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, &error) == WEIR_OK);
  weir_bytes_release(&position);
  weir_bytes_release(&extra);
  printf("%" PRId64 "\n", generation);
  return iterator;
}

static void append(int output, weir_element element, progress* done) {
  char line[256];
  weir_bytes text = WEIR_BYTES_INIT;
  int size;
  REQUIRE(weir_element_format(element, WEIR_TEXT, &text, NULL) == WEIR_OK);
  size = snprintf(line, sizeof line, "%s\n", (const char*)text.data);
  REQUIRE(size > 0 && (size_t)size < sizeof line);
  REQUIRE(write(output, line, (size_t)size) == size);
  weir_bytes_release(&text);
  done->lines += 1;
  done->size += size;
  done->digest = digest_more(done->digest, line, (uint64_t)size);
}

int main(int count, char** words) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_checkpoint_manager_options managing = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager = {0};
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element = make_element();
  progress done;
  int32_t result;
  int32_t due;
  int output;
  REQUIRE(count == 4);
  setvbuf(stdout, NULL, _IOLBF, 0);
  options.thread_count = atoi(words[3]);
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  dataset = parse(runtime, kPipeline);
  managing.every_elements = 3;
  REQUIRE(weir_checkpoint_manager_create(runtime, words[1], WEIR_STRLEN, &managing, &manager, NULL) ==
          WEIR_OK);
  output = open(words[2], O_RDWR | O_CREAT, 0666);
  REQUIRE(output >= 0);
  iterator = restore(runtime, dataset, manager, &done);
  cut_output(output, done);
  while ((result = weir_iterator_next(iterator, element, NULL)) == WEIR_OK) {
    append(output, element, &done);
    printf("line\n");
    REQUIRE(weir_checkpoint_manager_step(manager, 1, &due, NULL) == WEIR_OK);
    if (due) REQUIRE(weir_checkpoint_manager_save(manager, iterator, &done, sizeof done, NULL) == WEIR_OK);
  }
  REQUIRE(result == WEIR_END);
  REQUIRE(weir_checkpoint_manager_save(manager, iterator, &done, sizeof done, NULL) == WEIR_OK);
  close(output);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_checkpoint_manager_destroy(manager);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return failures();
}
