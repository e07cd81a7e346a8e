/* The system calls of the library when it reads and writes files: the order in which a checkpoint becomes
 * durable, that every interrupted or shortened call is resumed, that a failed one is reported, and how little
 * is read of a file that cannot be a checkpoint. Runs with the shim preloaded. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../capi/check.h"
#include "folder.h"

static void write_text(const char* name, const char* text) {
  FILE* file = fopen(at(name), "wb");
  REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static int holds(const char* name, const char* text) {
  char found[256] = "";
  FILE* file = fopen(at(name), "rb");
  size_t size = file ? fread(found, 1, sizeof found - 1, file) : 0;
  if (file) fclose(file);
  return size == strlen(text) && memcmp(found, text, size) == 0;
}

static int exists(const char* name) { return access(at(name), F_OK) == 0; }

/* An iterator after two elements. */
static weir_iterator at_two(weir_runtime runtime) {
  weir_dataset dataset = parse(runtime, "range(7)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  CHECK(next_int64(iterator, element) == 0 && next_int64(iterator, element) == 1);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  return iterator;
}

static int32_t restore(weir_runtime runtime, const char* file, weir_iterator* out, weir_error* error) {
  weir_dataset dataset = parse(runtime, "range(7)");
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  int32_t result;
  options.checkpoint_file = file;
  options.checkpoint_file_size = WEIR_STRLEN;
  result = weir_iterator_create(runtime, dataset, &options, out, error);
  weir_dataset_unref(dataset);
  return result;
}

static void restores(weir_runtime runtime, const char* file) {
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  weir_element element = make_element();
  int32_t result = restore(runtime, file, &iterator, &error);
  if (result != WEIR_OK) fprintf(stderr, "%s\n", error.line.data);
  REQUIRE(result == WEIR_OK);
  CHECK(next_int64(iterator, element) == 2);
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_element_destroy(element);
}

static void check_record(const char* expected) {
  if (strcmp(g_shim.record(), expected) == 0) return;
  fprintf(stderr, "expected the calls\n%sfound\n%s", expected, g_shim.record());
  CHECK(0);
}

/* The bytes are on the disk before the name leads to them, and the name before the call returns. */
static void durable_order(weir_runtime runtime) {
  static const shim_plan kPlan = {0, 100, NULL, 0, 0, 0, 0};
  weir_iterator iterator = at_two(runtime);
  for (int again = 0; again < 2; ++again) {
    g_shim.begin(g_folder, &kPlan);
    CHECK(weir_iterator_save_file(iterator, at("ckpt"), WEIR_STRLEN, NULL) == WEIR_OK);
    g_shim.end();
    check_record("open ckpt.tmp\nwrite ckpt.tmp\nfsync ckpt.tmp\nrename ckpt.tmp ckpt\nopen .\nfsync .\n");
    restores(runtime, at("ckpt"));
  }
  /* Through a link, the target's folder counts. */
  REQUIRE(mkdir(at("deep"), 0700) == 0 && symlink("deep/target", at("link")) == 0);
  g_shim.begin(g_folder, &kPlan);
  CHECK(weir_iterator_save_file(iterator, at("link"), WEIR_STRLEN, NULL) == WEIR_OK);
  g_shim.end();
  check_record(
      "open deep/target.tmp\nwrite deep/target.tmp\nfsync deep/target.tmp\nrename deep/target.tmp deep/target\n"
      "open deep\nfsync deep\n");
  restores(runtime, at("link"));
  weir_iterator_destroy(iterator);
}

/* A call that fails fails the save; before the rename the old file stays, and nothing is left beside it. */
static void failing_calls(weir_runtime runtime) {
  static const struct {
    const char* line;
    int error;
    int32_t code;
    int replaced;
  } kRows[] = {
      {"open kept.tmp", EACCES, WEIR_CODE_PERMISSION_DENIED, 0},
      {"write kept.tmp", ENOSPC, WEIR_CODE_RESOURCE_EXHAUSTED, 0},
      {"fsync kept.tmp", EIO, WEIR_CODE_DATA_LOSS, 0},
      {"rename kept.tmp kept", EROFS, WEIR_CODE_PERMISSION_DENIED, 0},
      {"open .", EMFILE, WEIR_CODE_RESOURCE_EXHAUSTED, 1},
      {"fsync .", EIO, WEIR_CODE_DATA_LOSS, 1},
  };
  weir_iterator iterator = at_two(runtime);
  for (size_t i = 0; i < sizeof kRows / sizeof *kRows; ++i) {
    shim_plan plan = {0, 0, NULL, 0, 0, 0, 0};
    weir_error error = WEIR_ERROR_INIT;
    plan.failing = kRows[i].line;
    plan.error = kRows[i].error;
    write_text("kept", "the old one");
    g_shim.begin(g_folder, &plan);
    CHECK(weir_iterator_save_file(iterator, at("kept"), WEIR_STRLEN, &error) == -kRows[i].code);
    g_shim.end();
    if (error.code != kRows[i].code) fprintf(stderr, "%s: code %d\n", kRows[i].line, (int)error.code);
    CHECK(error.file.size > 0 && strstr(error.file.data, g_folder) == error.file.data);
    CHECK(holds("kept", "the old one") == !kRows[i].replaced && !exists("kept.tmp"));
    if (kRows[i].replaced) restores(runtime, at("kept"));
    weir_error_clear(&error);
  }
  weir_iterator_destroy(iterator);
}

/* Ten records of 0, 37, 74 … bytes, written, listed and read back. */
static void records(weir_runtime runtime, int32_t compression) {
  static const char kExpected[] = "[0, 37, 74, 111, 148, 185, 222, 259, 296, 333]";
  static const char kBytes[400];
  char text[1024];
  char name[64];
  weir_record_writer writer = {0};
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset;
  weir_iterator iterator;
  options.compression = compression;
  snprintf(name, sizeof name, "part-%d.tfrecord", (int)compression);
  REQUIRE(weir_record_writer_create(runtime, at(name), WEIR_STRLEN, &options, &writer, NULL) == WEIR_OK);
  for (uint64_t i = 0; i < 10; ++i) {
    CHECK(weir_record_writer_write(writer, kBytes, 37 * i, NULL) == WEIR_OK);
  }
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  weir_record_writer_destroy(writer);
  snprintf(
      text, sizeof text,
      "tfrecord(list_files(\"%s\", shuffle: false), compression: \"auto\") | map(r -> string_length(r)) | batch(100)",
      at("part-*.tfrecord"));
  dataset = parse(runtime, text);
  iterator = iterate(runtime, dataset);
  if (weir_iterator_next(iterator, element, &error) != WEIR_OK) fprintf(stderr, "%s\n", error.line.data);
  CHECK(prints(element, WEIR_TEXT, kExpected));
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  remove(at(name));
}

static void interrupted_and_short(weir_runtime runtime) {
  static const int kInterruptions[] = {0, 1, 3};
  static const size_t kLongest[] = {0, 1, 7};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      shim_plan plan = {0, 0, NULL, 0, 0, 0, 0};
      weir_iterator iterator = at_two(runtime);
      plan.interruptions = kInterruptions[i];
      plan.longest = kLongest[k];
      g_shim.begin(g_folder, &plan);
      for (int32_t compression = WEIR_COMPRESSION_NONE; compression <= WEIR_COMPRESSION_ZLIB; ++compression) {
        records(runtime, compression);
      }
      CHECK(weir_iterator_save_file(iterator, at("ckpt"), WEIR_STRLEN, NULL) == WEIR_OK);
      restores(runtime, at("ckpt"));
      g_shim.end();
      for (shim_call call = SHIM_OPEN; call < SHIM_CALLS; ++call) {
        if ((g_shim.interrupted(call) > 0) != (plan.interruptions > 0)) {
          fprintf(stderr, "calls of kind %d were interrupted %d times\n", (int)call,
                  (int)g_shim.interrupted(call));
          CHECK(0);
        }
      }
      weir_iterator_destroy(iterator);
    }
  }
}

/* A file of 4 TiB that begins with these bytes is refused with this code after a look at what it is, and at
 * its header. */
static void refused_at_once(weir_runtime runtime, const char* beginning, size_t size, int32_t code) {
  static const shim_plan kPlan = {0, 0, NULL, 0, 0, 0, 0};
  weir_iterator iterator = {0};
  weir_error error = WEIR_ERROR_INIT;
  FILE* file = fopen(at("vast"), "wb");
  REQUIRE(file && fwrite(beginning, 1, size, file) == size && fclose(file) == 0);
  if (truncate(at("vast"), (off_t)1 << 42) != 0) {
    fprintf(stderr, "this file system has no sparse files of 4 TiB: %s\n", strerror(errno));
    return;
  }
  g_shim.begin(g_folder, &kPlan);
  CHECK(restore(runtime, at("vast"), &iterator, &error) == -code);
  g_shim.end();
  CHECK(g_shim.read_bytes() > 0 && g_shim.read_bytes() <= 8 + 32);
  CHECK(text_is(error.file, at("vast")));
  weir_error_clear(&error);
  remove(at("vast"));
}

static void vast_files(weir_runtime runtime) {
  weir_iterator iterator = at_two(runtime);
  weir_bytes saved = WEIR_BYTES_INIT;
  char forged[32];
  uint64_t claimed = (UINT64_C(1) << 42) - 32;
  REQUIRE(weir_iterator_save(iterator, &saved, NULL) == WEIR_OK);
  memcpy(forged, saved.data, sizeof forged);
  refused_at_once(runtime, "", 0, WEIR_CODE_DATA_LOSS);
  refused_at_once(runtime, saved.data, saved.size, WEIR_CODE_DATA_LOSS);
  memcpy(forged + 16, &claimed, sizeof claimed);
  refused_at_once(runtime, forged, sizeof forged, WEIR_CODE_RESOURCE_EXHAUSTED);
  weir_bytes_release(&saved);
  weir_iterator_destroy(iterator);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  prepare(WEIR_BINARY_DIR);
  durable_order(runtime);
  failing_calls(runtime);
  interrupted_and_short(runtime);
  vast_files(runtime);
  weir_runtime_destroy(runtime);
  remove(at("ckpt"));
  remove(at("kept"));
  remove(at("link"));
  remove(at("deep/target"));
  remove(at("deep"));
  CHECK(remove(g_folder) == 0);
  return failures();
}
