/* Damaged files of tables: whatever byte is flipped and wherever the file is cut, there are elements, errors
 * or both, soon and in little memory, and errors name the file. A stream that was cut may be whole. Rows
 * before a damaged page are given. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

#define DATA WEIR_SOURCE_DIR "/tests/conformance/data/"

static const char* const kFiles[] = {
    "new/parquet/lists.parquet",
    "new/parquet/structs.parquet",
    "new/parquet/nulls-that-are-optional.parquet",
    "new/parquet/codec-zstd.parquet",
    "new/parquet/codec-snappy.parquet",
    "new/parquet/delta-byte-array.parquet",
    "new/parquet/many-row-groups.parquet",
    "new/parquet/maps.parquet",
    "new/parquet/int96.parquet",
    "new/parquet/duckdb-brotli-lz4.parquet",
    "new/parquet/codec-gzip.parquet",
    "new/parquet/decimals.parquet",
    "own/arrow/numbers.arrow",
    "own/arrow/texts.arrow",
    "own/arrow/nested.arrow",
    "own/arrow/dictionaries.arrow",
    "own/arrow/lz4.arrow",
    "own/arrow/times.arrow",
    "own/arrow/legacy.arrow",
    "own/arrow/many-batches.arrows",
    "own/arrow/nested.arrows",
    "own/arrow/zstd.arrows",
    "own/arrow/deltas.arrows",
    "own/arrow/replaced.arrows",
    "own/arrow/legacy.arrows",
};

/* The file is in memory: a disk's file that is written a hundred thousand times takes ten times as long as
 * the readers. */
static int file = -1;
static char file_name[64];
static const char* source;

static void write_file(const unsigned char* bytes, size_t size) {
  REQUIRE(ftruncate(file, 0) == 0);
  REQUIRE(pwrite(file, bytes, size, 0) == (ssize_t)size);
}

/* Errors of a file have its name, also those of a dataset that could not be built. */
static void check_error(const weir_error* error) {
  const int named = strstr(error->message.data, file_name) != NULL ||
                    (error->file.size > 0 && strstr(error->file.data, file_name) != NULL);
  if (!named) fprintf(stderr, "%s\n", error->line.data);
  CHECK(named);
}

/* Reads the file, by all its columns. Returns how many errors there were. */
static int read_all(weir_runtime runtime) {
  char text[160];
  snprintf(text, sizeof text, "%s(\"%s\")", source, file_name);
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  int errors = 0;
  if (weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error) != WEIR_OK) {
    check_error(&error);
    weir_error_clear(&error);
    return 1;
  }
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  int32_t result = WEIR_OK;
  for (int i = 0; i < 10000 && result != WEIR_END; ++i) {
    result = weir_iterator_next(iterator, element, &error);
    if (result >= 0) continue;
    ++errors;
    check_error(&error);
    weir_error_clear(&error);
  }
  CHECK(result == WEIR_END);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return errors;
}

static void damage(weir_runtime runtime, const char* name) {
  static unsigned char bytes[1 << 14];
  char path[512];
  snprintf(path, sizeof path, DATA "%s", name);
  FILE* original = fopen(path, "rb");
  REQUIRE(original != NULL);
  const size_t size = fread(bytes, 1, sizeof bytes, original);
  fclose(original);
  source = strstr(name, ".parquet") ? "parquet" : "arrow";
  const int may_be_cut = strstr(name, ".arrows") != NULL;
  write_file(bytes, size);
  CHECK(read_all(runtime) == 0);
  for (size_t cut = 0; cut < size; ++cut) {
    write_file(bytes, cut);
    CHECK(read_all(runtime) > 0 || may_be_cut);
  }
  static const unsigned char kFlips[] = {0xff, 0x01, 0x40};
  for (size_t at = 0; at < size; ++at) {
    const unsigned char flip = kFlips[at % 3];
    bytes[at] ^= flip;
    write_file(bytes, size);
    read_all(runtime);
    bytes[at] ^= flip;
  }
}

static void next_rows(weir_iterator iterator, weir_element element, int64_t first, int64_t end) {
  for (int64_t i = first; i < end; ++i) {
    REQUIRE(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
    CHECK(int64_of(element, 0) == i);
  }
}

/* The row group, the column and the row of damage are named, also by an iterator that continues before it. */
static void damaged_page(weir_runtime runtime) {
  const char* const document = "parquet(\"" DATA "own/parquet/damaged-page.parquet\", {i: int64, s: string})";
  static const char kExpected[] = "the column \"s\" of row group 1 cannot be read: ";
  weir_dataset dataset = parse(runtime, document);
  weir_element element = make_element();
  weir_iterator iterator = iterate(runtime, dataset);
  next_rows(iterator, element, 0, 5);
  weir_bytes saved = WEIR_BYTES_INIT;
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint = saved.data;
  options.checkpoint_size = saved.size;
  weir_iterator continued = {0};
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &continued, NULL) == WEIR_OK);
  weir_iterator both[] = {iterator, continued};
  for (int i = 0; i < 2; ++i) {
    weir_error error = WEIR_ERROR_INIT;
    next_rows(both[i], element, 5, 16);
    CHECK(weir_iterator_next(both[i], element, &error) == WEIR_ELEMENT_FAILED);
    CHECK(error.code == WEIR_CODE_DATA_LOSS && error.record == 16);
    CHECK(strncmp(error.message.data, kExpected, sizeof kExpected - 1) == 0);
    CHECK(strstr(error.file.data, "damaged-page.parquet") != NULL);
    CHECK(weir_iterator_next(both[i], element, NULL) == WEIR_END);
    weir_error_clear(&error);
    weir_iterator_destroy(both[i]);
  }
  weir_bytes_release(&saved);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
}

int main(void) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.thread_count = 1;
  options.extensions = WEIR_BINARY_DIR "/extensions";
  options.extensions_size = WEIR_STRLEN;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  if (access(WEIR_BINARY_DIR "/extensions/libweir-parquet.so", R_OK) != 0) {
    printf("left out: there is no weir-parquet\n");
    weir_runtime_destroy(runtime);
    return 0;
  }
  damaged_page(runtime);
  file = memfd_create("damage", 0);
  REQUIRE(file >= 0);
  snprintf(file_name, sizeof file_name, "/proc/self/fd/%d", file);
  for (size_t i = 0; i < sizeof kFiles / sizeof *kFiles; ++i) damage(runtime, kFiles[i]);
  close(file);
  weir_runtime_destroy(runtime);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 400 << 10);
  return failures();
}
