/* Saving and restoring: at every position, damaged in every bit, cut at every length, of another dataset. */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static const char kPipeline[] =
    "range(40) | shuffle(7, seed: 3) | map(x -> x * 3) | filter(x -> x % 2 == 0) | batch(3) | repeat(2)";

static int32_t create_at(weir_runtime runtime, weir_dataset dataset, const void* bytes, uint64_t size,
                         weir_iterator* out, weir_error* error) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint = bytes;
  options.checkpoint_size = size;
  return weir_iterator_create(runtime, dataset, &options, out, error);
}

static weir_bytes text_of(weir_element element) {
  weir_bytes text = WEIR_BYTES_INIT;
  REQUIRE(weir_element_format(element, WEIR_TEXT, &text, NULL) == WEIR_OK);
  return text;
}

/* Both iterators give the same from here on. */
static void same_tail(weir_iterator first, weir_iterator second) {
  weir_element a = make_element();
  weir_element b = make_element();
  int32_t result;
  do {
    weir_bytes left = WEIR_BYTES_INIT;
    weir_bytes right = WEIR_BYTES_INIT;
    result = weir_iterator_next(first, a, NULL);
    REQUIRE(weir_iterator_next(second, b, NULL) == result);
    if (result != WEIR_OK) break;
    left = text_of(a);
    right = text_of(b);
    CHECK(left.size == right.size && memcmp(left.data, right.data, left.size) == 0);
    weir_bytes_release(&left);
    weir_bytes_release(&right);
  } while (1);
  CHECK(result == WEIR_END);
  weir_element_destroy(a);
  weir_element_destroy(b);
}

static void every_position(weir_runtime runtime, weir_dataset dataset) {
  weir_element element = make_element();
  for (int position = 0;; ++position) {
    weir_iterator iterator = iterate(runtime, dataset);
    weir_iterator restored = {0};
    weir_bytes saved = WEIR_BYTES_INIT;
    weir_bytes again = WEIR_BYTES_INIT;
    weir_error error = WEIR_ERROR_INIT;
    int32_t result = WEIR_OK;
    for (int i = 0; i < position && result == WEIR_OK; ++i)
      result = weir_iterator_next(iterator, element, NULL);
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    if (create_at(runtime, dataset, saved.data, saved.size, &restored, &error) != WEIR_OK) {
      fprintf(stderr, "%s\n", error.line.data);
      REQUIRE(0);
    }
    /* Before the first next a restored iterator saves what it was restored from. */
    REQUIRE(weir_iterator_save(restored, &again, NULL) == WEIR_OK);
    CHECK(again.size == saved.size && memcmp(again.data, saved.data, saved.size) == 0);
    same_tail(iterator, restored);
    weir_bytes_release(&saved);
    weir_bytes_release(&again);
    weir_iterator_destroy(iterator);
    weir_iterator_destroy(restored);
    if (result == WEIR_END) break;
  }
  weir_element_destroy(element);
}

static void damage(weir_runtime runtime, weir_dataset dataset) {
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator restored = {0};
  weir_element element = make_element();
  weir_bytes saved = WEIR_BYTES_INIT;
  char* bytes;
  for (int i = 0; i < 4; ++i) CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  bytes = malloc(saved.size + 1);
  memcpy(bytes, saved.data, saved.size);
  for (uint64_t bit = 0; bit < 8 * saved.size; ++bit) {
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << (bit % 8)));
    CHECK(create_at(runtime, dataset, bytes, saved.size, &restored, NULL) == -WEIR_CODE_DATA_LOSS);
    CHECK(restored.value == 0);
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
  for (uint64_t size = 0; size < saved.size; ++size) {
    /* In memory of its own, so that a sanitizer sees reads beyond it. */
    char* cut = malloc(size + 1);
    memcpy(cut, bytes, size);
    CHECK(create_at(runtime, dataset, cut, size, &restored, NULL) == -WEIR_CODE_DATA_LOSS);
    free(cut);
  }
  bytes[saved.size] = 0;
  CHECK(create_at(runtime, dataset, bytes, saved.size + 1, &restored, NULL) == -WEIR_CODE_DATA_LOSS);
  CHECK(create_at(runtime, dataset, "nothing like a checkpoint at all, really", 40, &restored, NULL) ==
        -WEIR_CODE_DATA_LOSS);
  CHECK(create_at(runtime, dataset, bytes, UINT64_MAX, &restored, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(restored.value == 0);
  free(bytes);
  weir_bytes_release(&saved);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
}

/* The error names the operator and the parameter in which two graphs differ. */
static void foreign(weir_runtime runtime, weir_dataset dataset) {
  weir_dataset other = parse(
      runtime,
      "range(40) | shuffle(7, seed: 3) | map(x -> x * 3) | filter(x -> x % 2 == 0) | batch(4) | repeat(2)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator restored = {0};
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  CHECK(create_at(runtime, other, saved.data, saved.size, &restored, &error) ==
        -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(strstr(error.message.data, "batch") != NULL);
  weir_error_clear(&error);
  weir_bytes_release(&saved);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(other);
}

static void parameters_and_files(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "param n: int64 range($n)");
  weir_dataset none = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_argument param = WEIR_ARGUMENT_INIT;
  weir_iterator iterator = {0};
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  char file[512];
  snprintf(file, sizeof file, "%s/capi_checkpoint", WEIR_BINARY_DIR);
  param.name = "n";
  param.name_size = 1;
  param.text = "5";
  param.text_size = 1;
  options.params = &param;
  options.param_count = 1;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  CHECK(next_int64(iterator, element) == 0 && next_int64(iterator, element) == 1);
  CHECK(weir_iterator_save_file(iterator, file, WEIR_STRLEN, &error) == WEIR_OK);
  CHECK(next_int64(iterator, element) == 2);
  options.checkpoint_file = file;
  options.checkpoint_file_size = WEIR_STRLEN;
  CHECK(weir_iterator_initialize(iterator, none, &options, &error) == WEIR_OK);
  CHECK(next_int64(iterator, element) == 2);
  /* Another parameter value, another file; the position stays. */
  param.text = "6";
  CHECK(weir_iterator_initialize(iterator, none, &options, &error) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(strstr(error.message.data, "$n") != NULL);
  param.text = "5";
  options.checkpoint_file = "/no/such/file";
  CHECK(weir_iterator_initialize(iterator, none, &options, &error) == -WEIR_CODE_NOT_FOUND);
  CHECK(next_int64(iterator, element) == 3);
  CHECK(weir_iterator_save_file(iterator, "/no/such/folder/file", WEIR_STRLEN, &error) < 0);
  weir_error_clear(&error);
  remove(file);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

/* NULL with a size is a mistake, not a way to start afresh; so are both at once. */
static void null_with_a_size(weir_runtime runtime) {
  static const uint64_t kSizes[] = {1, 100, UINT64_MAX};
  weir_dataset dataset = parse(runtime, "range(5)");
  weir_dataset none = {0};
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(next_int64(iterator, element) == 0 && next_int64(iterator, element) == 1);
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  for (int i = 0; i < 3; ++i) {
    for (int file = 0; file < 2; ++file) {
      for (uint32_t flags = 0; flags <= WEIR_ITERATOR_UNINITIALIZED; flags += WEIR_ITERATOR_UNINITIALIZED) {
        weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
        weir_iterator made = {7};
        options.flags = flags;
        *(file ? &options.checkpoint_file_size : &options.checkpoint_size) = kSizes[i];
        CHECK(weir_iterator_create(runtime, dataset, &options, &made, &error) == -WEIR_CODE_INVALID_ARGUMENT);
        CHECK(made.value == 0 && strstr(error.message.data, "NULL with a") != NULL);
        CHECK(strstr(error.message.data, "a checkpoint") != NULL);
        CHECK(weir_iterator_initialize(iterator, none, &options, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
        /* It is a mistake even beside a valid one. */
        options.checkpoint = saved.data;
        options.checkpoint_size = saved.size;
        if (file) {
          CHECK(weir_iterator_initialize(iterator, none, &options, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
        }
      }
    }
  }
  CHECK(next_int64(iterator, element) == 2);
  weir_error_clear(&error);
  weir_bytes_release(&saved);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* Saving follows links, and refuses anything but a regular file. */
static void places(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(5)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator restored = {0};
  weir_element element = make_element();
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_error error = WEIR_ERROR_INIT;
  struct stat info;
  char target[512];
  char link[512];
  char pipe[512];
  snprintf(target, sizeof target, "%s/capi_checkpoint_target", WEIR_BINARY_DIR);
  snprintf(link, sizeof link, "%s/capi_checkpoint_link", WEIR_BINARY_DIR);
  snprintf(pipe, sizeof pipe, "%s/capi_checkpoint_pipe", WEIR_BINARY_DIR);
  remove(target);
  remove(link);
  remove(pipe);
  REQUIRE(symlink("capi_checkpoint_target", link) == 0);
  REQUIRE(mkfifo(pipe, 0600) == 0);
  for (int64_t i = 0; i < 2; ++i) {
    CHECK(next_int64(iterator, element) == i);
    CHECK(weir_iterator_save_file(iterator, link, WEIR_STRLEN, &error) == WEIR_OK);
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(lstat(target, &info) == 0 && S_ISREG(info.st_mode));
    options.checkpoint_file = i == 0 ? target : link;
    options.checkpoint_file_size = WEIR_STRLEN;
    REQUIRE(weir_iterator_create(runtime, dataset, &options, &restored, NULL) == WEIR_OK);
    CHECK(next_int64(restored, element) == i + 1);
    weir_iterator_destroy(restored);
  }
  CHECK(weir_iterator_save_file(iterator, pipe, WEIR_STRLEN, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data, pipe) != NULL && strstr(error.message.data, "a named pipe") != NULL);
  CHECK(lstat(pipe, &info) == 0 && S_ISFIFO(info.st_mode));
  CHECK(weir_iterator_save_file(iterator, WEIR_BINARY_DIR, WEIR_STRLEN, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_save_file(iterator, NULL, 0, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_save_file(iterator, NULL, 5, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_save_file(iterator, NULL, WEIR_STRLEN, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
  remove(target);
  remove(link);
  remove(pipe);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
}

/* The next element of both is an error, equal in all its fields. */
static void same_error(weir_iterator first, weir_iterator second, weir_error* here) {
  weir_element element = make_element();
  weir_error there = WEIR_ERROR_INIT;
  CHECK(weir_iterator_next(first, element, here) == WEIR_ELEMENT_FAILED);
  CHECK(weir_iterator_next(second, element, &there) == WEIR_ELEMENT_FAILED);
  CHECK(there.code == here->code && there.offset == here->offset && there.record == here->record);
  CHECK(text_is(there.message, here->message.data) && text_is(there.path, here->path.data));
  CHECK(text_is(there.file, here->file.data) && text_is(there.line, here->line.data));
  weir_error_clear(&there);
  weir_element_destroy(element);
}

/* An error is the same after a restore, whether it was held back or occurs again. */
static void errors_after_a_restore(weir_runtime runtime) {
  char texts[2][1024];
  strcpy(texts[0], "range(9) | map(x -> assert(x != 2, \"two\", x))");
  snprintf(texts[1], sizeof texts[1], "tfrecord(\"%s/tests/data/records/bad_data.tfrecord\") | map(r -> 0)",
           WEIR_SOURCE_DIR);
  for (int i = 0; i < 2; ++i) {
    weir_dataset dataset = parse(runtime, texts[i]);
    weir_iterator iterator = iterate(runtime, dataset);
    weir_iterator restored = {0};
    weir_element element = make_element();
    weir_bytes saved = WEIR_BYTES_INIT;
    weir_error error = WEIR_ERROR_INIT;
    int64_t seen = 0;
    while (seen < 2) {
      int64_t rows = 0;
      REQUIRE(weir_iterator_next_block(iterator, 100, element, &rows, NULL) == WEIR_OK);
      seen += rows;
    }
    REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
    REQUIRE(create_at(runtime, dataset, saved.data, saved.size, &restored, NULL) == WEIR_OK);
    same_error(iterator, restored, &error);
    if (i == 0) CHECK(error.code == WEIR_CODE_INVALID_ARGUMENT && text_is(error.path, "map"));
    if (i == 1) CHECK(error.code == WEIR_CODE_DATA_LOSS && error.offset == 48 && error.record == 2);
    CHECK((error.file.size > 0) == (i == 1));
    weir_error_clear(&error);
    weir_bytes_release(&saved);
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
    weir_iterator_destroy(restored);
    weir_dataset_unref(dataset);
  }
}

/* Rows that a block held back are part of the position. */
static void held_rows(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(9) | map(x -> assert(x != 3, \"three\", arange(x // 2)))");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator restored = {0};
  weir_element element = make_element();
  weir_bytes saved = WEIR_BYTES_INIT;
  int64_t rows = 0;
  CHECK(weir_iterator_next_block(iterator, 100, element, &rows, NULL) == WEIR_OK && rows <= 2);
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  REQUIRE(create_at(runtime, dataset, saved.data, saved.size, &restored, NULL) == WEIR_OK);
  for (;;) {
    int32_t result = weir_iterator_next(iterator, element, NULL);
    weir_bytes text = WEIR_BYTES_INIT;
    if (result == WEIR_OK) text = text_of(element);
    CHECK(weir_iterator_next(restored, element, NULL) == result);
    if (result == WEIR_OK) CHECK(prints(element, WEIR_TEXT, text.data));
    weir_bytes_release(&text);
    if (result == WEIR_END) break;
  }
  weir_bytes_release(&saved);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_iterator_destroy(restored);
  weir_dataset_unref(dataset);
}

/* Every opening has a new order, also with another dataset in between; a restored iterator goes on counting.
 */
static void epochs(weir_runtime runtime) {
  weir_dataset train = parse(runtime, "range(20) | shuffle(20, seed: 5) | batch(20)");
  weir_dataset other = parse(runtime, "range(3) | batch(3)");
  weir_iterator iterator = iterate(runtime, train);
  weir_iterator restored = {0};
  weir_element element = make_element();
  weir_bytes saved = WEIR_BYTES_INIT;
  weir_bytes first = WEIR_BYTES_INIT;
  weir_bytes second = WEIR_BYTES_INIT;
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  first = text_of(element);
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  CHECK(weir_iterator_initialize(iterator, other, NULL, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, "[0, 1, 2]"));
  CHECK(weir_iterator_initialize(iterator, train, NULL, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  second = text_of(element);
  CHECK(strcmp(first.data, second.data) != 0);
  REQUIRE(create_at(runtime, train, saved.data, saved.size, &restored, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(restored, element, NULL) == WEIR_END);
  CHECK(weir_iterator_initialize(restored, train, NULL, NULL) == WEIR_OK);
  CHECK(weir_iterator_next(restored, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, second.data));
  weir_bytes_release(&first);
  weir_bytes_release(&second);
  weir_bytes_release(&saved);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_iterator_destroy(restored);
  weir_dataset_unref(train);
  weir_dataset_unref(other);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  weir_dataset dataset = parse(runtime, kPipeline);
  every_position(runtime, dataset);
  damage(runtime, dataset);
  foreign(runtime, dataset);
  parameters_and_files(runtime);
  null_with_a_size(runtime);
  places(runtime);
  held_rows(runtime);
  errors_after_a_restore(runtime);
  epochs(runtime);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  return failures();
}
