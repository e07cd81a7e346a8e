/* The n-th system call fails, for every n, once and from then on, with every error that a disk or a limit
 * gives: saving to a file, checkpoint managers, reading and writing records, descriptors to wait on. Each
 * function answers with an error or has done what it should; what was on the disk before is there still, and
 * nothing is lost in silence. Runs with the shim preloaded. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "folder.h"

enum { kElements = 7, kRecords = 6 };

static const int kErrors[] = {EIO, EMFILE, ENOSPC, EINTR, EACCES, ENOMEM};
enum { kErrorCount = sizeof kErrors / sizeof *kErrors };

/* One failure, and what failed, for messages. */
typedef struct attempt {
  weir_runtime runtime;
  shim_plan plan;
  const char* what;
} attempt;

static void check(const attempt* self, int condition, const char* text, int line) {
  if (condition) return;
  fprintf(stderr, "%s:%d: CHECK(%s) failed: %s, call %d%s fails with %s\n", __FILE__, line, text, self->what,
          (int)self->plan.first, self->plan.for_good ? " and all after it" : "",
          strerrorname_np(self->plan.error));
  ++g_failures;
}
#define CHECK_THAT(condition) check(self, condition, #condition, __LINE__)

static int is_error(int32_t result) { return result < 0 && result >= -WEIR_CODE_DATA_LOSS; }

/* An iterator over 0 to 6 that gave `count` of them. */
static weir_iterator after(weir_runtime runtime, int count) {
  weir_dataset dataset = parse(runtime, "range(7)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  for (int i = 0; i < count; ++i) CHECK(next_int64(iterator, element) == i);
  weir_element_destroy(element);
  weir_dataset_unref(dataset);
  return iterator;
}

/* What the position goes on with; -1 if it is none. */
static int64_t first_of(weir_runtime runtime, const weir_iterator_options* options) {
  weir_dataset dataset = parse(runtime, "range(7)");
  weir_iterator iterator = {0};
  weir_element element = make_element();
  int64_t first = -1;
  if (weir_iterator_create(runtime, dataset, options, &iterator, NULL) == WEIR_OK)
    first = next_int64(iterator, element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  return first;
}

static int64_t first_in_file(weir_runtime runtime, const char* file) {
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint_file = file;
  options.checkpoint_file_size = WEIR_STRLEN;
  return first_of(runtime, &options);
}

/* ---- What is tried ------------------------------------------------------------------------------------- */

/* The file holds the old position or the new one, and the new one if the save said so. */
static void save_to_file(const attempt* self) {
  weir_iterator old = after(self->runtime, 2);
  weir_iterator iterator = after(self->runtime, 4);
  weir_error error = WEIR_ERROR_INIT;
  int32_t result;
  int64_t first;
  REQUIRE(weir_iterator_save_file(old, at("kept"), WEIR_STRLEN, NULL) == WEIR_OK);
  g_shim.begin(g_folder, &self->plan);
  result = weir_iterator_save_file(iterator, at("kept"), WEIR_STRLEN, &error);
  g_shim.end();
  first = first_in_file(self->runtime, at("kept"));
  CHECK_THAT(result == WEIR_OK ? first == 4 : is_error(result) && (first == 2 || first == 4));
  CHECK_THAT(result == WEIR_OK || strstr(error.line.data, g_folder) != NULL);
  /* What failed is no obstacle later. */
  CHECK_THAT(weir_iterator_save_file(iterator, at("kept"), WEIR_STRLEN, NULL) == WEIR_OK);
  CHECK_THAT(first_in_file(self->runtime, at("kept")) == 4 && access(at("kept.tmp"), F_OK) != 0);
  weir_error_clear(&error);
  weir_iterator_destroy(iterator);
  weir_iterator_destroy(old);
}

static void restore_from_file(const attempt* self) {
  weir_iterator old = after(self->runtime, 2);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_dataset dataset = parse(self->runtime, "range(7)");
  weir_iterator iterator = {0};
  int32_t result;
  options.checkpoint_file = at("kept");
  options.checkpoint_file_size = WEIR_STRLEN;
  REQUIRE(weir_iterator_save_file(old, at("kept"), WEIR_STRLEN, NULL) == WEIR_OK);
  g_shim.begin(g_folder, &self->plan);
  result = weir_iterator_create(self->runtime, dataset, &options, &iterator, NULL);
  g_shim.end();
  CHECK_THAT(result == WEIR_OK || is_error(result));
  CHECK_THAT(first_in_file(self->runtime, at("kept")) == 2);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_iterator_destroy(old);
}

static weir_checkpoint_manager manage(const attempt* self, int32_t* result) {
  weir_checkpoint_manager manager = {0};
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep = 2;
  *result = weir_checkpoint_manager_create(self->runtime, at("run/checkpoints"), WEIR_STRLEN, &options,
                                           &manager, NULL);
  return manager;
}

/* The newest generation's position, the count of elements that is stored beside it; -1 if there is none. */
static int64_t newest(const attempt* self, int32_t* result) {
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_checkpoint_manager manager = manage(self, result);
  int64_t found = -1;
  if (*result == WEIR_OK)
    *result = weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, &extra, NULL, NULL);
  if (*result == WEIR_OK) {
    CHECK_THAT(extra.size == 1);
    options.checkpoint = position.data;
    options.checkpoint_size = position.size;
    found = extra.data[0];
    /* Opens no file. */
    CHECK_THAT(first_of(self->runtime, &options) == found);
  }
  weir_bytes_release(&position);
  weir_bytes_release(&extra);
  weir_checkpoint_manager_destroy(manager);
  return found;
}

static int32_t save_generation(weir_checkpoint_manager manager, weir_runtime runtime, int count) {
  weir_iterator iterator = after(runtime, count);
  const char extra = (char)count;
  int32_t result = weir_checkpoint_manager_save(manager, iterator, &extra, 1, NULL);
  weir_iterator_destroy(iterator);
  return result;
}

static void remove_run(void) {
  static const char* const kFolders[] = {"run/checkpoints", "run"};
  for (int i = 0; i < 2; ++i) {
    DIR* folder = opendir(at(kFolders[i]));
    struct dirent* entry;
    while (folder && (entry = readdir(folder)) != NULL) {
      char name[512];
      snprintf(name, sizeof name, "%s/%s", kFolders[i], entry->d_name);
      unlink(at(name));
    }
    if (folder) closedir(folder);
    rmdir(at(kFolders[i]));
  }
  CHECK(access(at("run"), F_OK) != 0);
}

/* A manager makes its folder, saves three generations and loads: what it said it saved is there afterwards.
 */
static void manager_from_nothing(const attempt* self) {
  int32_t result;
  int64_t saved = -1;
  int64_t found;
  int64_t found_armed;
  remove_run();
  g_shim.begin(g_folder, &self->plan);
  {
    weir_checkpoint_manager manager = manage(self, &result);
    CHECK_THAT(result == WEIR_OK || is_error(result));
    for (int count = 1; manager.value != 0 && count <= 3; ++count) {
      result = save_generation(manager, self->runtime, count);
      CHECK_THAT(result == WEIR_OK || is_error(result));
      if (result == WEIR_OK) saved = count;
    }
    weir_checkpoint_manager_destroy(manager);
    found_armed = newest(self, &result);
    CHECK_THAT(result == WEIR_OK || is_error(result));
  }
  g_shim.end();
  /* A failed save may have published its generation all the same. */
  found = newest(self, &result);
  CHECK_THAT(found >= saved);
  CHECK_THAT(result == (found > 0 ? WEIR_OK : -WEIR_CODE_NOT_FOUND));
  /* One that could not be read counts as damaged. */
  CHECK_THAT(found_armed <= found);
}

/* Two generations are there; whatever fails, the newest loads afterwards. */
static void manager_going_on(const attempt* self) {
  int32_t result;
  weir_checkpoint_manager manager;
  remove_run();
  manager = manage(self, &result);
  REQUIRE(save_generation(manager, self->runtime, 1) == WEIR_OK &&
          save_generation(manager, self->runtime, 2) == WEIR_OK);
  weir_checkpoint_manager_destroy(manager);
  g_shim.begin(g_folder, &self->plan);
  manager = manage(self, &result);
  CHECK_THAT(result == WEIR_OK || is_error(result));
  if (result == WEIR_OK) result = save_generation(manager, self->runtime, 3);
  weir_checkpoint_manager_destroy(manager);
  g_shim.end();
  {
    int32_t loaded;
    const int64_t found = newest(self, &loaded);
    CHECK_THAT(result == WEIR_OK ? found == 3 : found == 2 || found == 3);
  }
  /* Nothing half written stays in the way. */
  manager = manage(self, &result);
  REQUIRE(result == WEIR_OK);
  CHECK_THAT(save_generation(manager, self->runtime, 5) == WEIR_OK);
  weir_checkpoint_manager_destroy(manager);
  CHECK_THAT(newest(self, &result) == 5);
}

static int32_t write_records(weir_runtime runtime, const char* name, int32_t compression) {
  weir_record_writer writer = {0};
  weir_record_writer_options options = WEIR_RECORD_WRITER_OPTIONS_INIT;
  int32_t result;
  options.compression = compression;
  result = weir_record_writer_create(runtime, at(name), WEIR_STRLEN, &options, &writer, NULL);
  for (uint64_t i = 0; result == WEIR_OK && i < kRecords; ++i) {
    result = weir_record_writer_write(writer, "0123456789", 1 + i, NULL);
  }
  if (result == WEIR_OK) result = weir_record_writer_close(writer, NULL);
  weir_record_writer_destroy(writer);
  return result;
}

/* Reads the lengths 1 to 6 of all records of the files, in order. Returns how many it got, -1 for what is
 * wrong. */
static int read_records(const attempt* self, int* errors) {
  char text[1200];
  weir_dataset dataset = {0};
  weir_iterator iterator = {0};
  weir_element element = make_element();
  int32_t result;
  int got = 0;
  int64_t last = 0;
  *errors = 0;
  snprintf(
      text, sizeof text,
      "tfrecord(list_files(\"%s\", shuffle: false), compression: \"auto\") | map(r -> string_length(r)) | prefetch(2)",
      at("part-*"));
  result = weir_dataset_parse(self->runtime, text, WEIR_STRLEN, NULL, 0, &dataset, NULL);
  if (result == WEIR_OK) result = weir_iterator_create(self->runtime, dataset, NULL, &iterator, NULL);
  if (result != WEIR_OK) {
    CHECK_THAT(is_error(result));
    ++*errors;
  }
  while (result != WEIR_END && result >= 0) {
    result = weir_iterator_next(iterator, element, NULL);
    CHECK_THAT(result == WEIR_OK || result == WEIR_END || result == WEIR_ELEMENT_FAILED);
    if (result == WEIR_ELEMENT_FAILED && ++*errors > 50) break;
    if (result != WEIR_OK) continue;
    /* In each file's order. */
    if (int64_of(element, 0) <= last) last = 0;
    CHECK_THAT(int64_of(element, 0) == last + 1);
    last = int64_of(element, 0);
    ++got;
  }
  CHECK_THAT(*errors <= 50);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_element_destroy(element);
  return got;
}

/* Records are lost only behind an error. */
static void records(const attempt* self) {
  int errors;
  int got;
  REQUIRE(write_records(self->runtime, "part-0", WEIR_COMPRESSION_NONE) == WEIR_OK);
  REQUIRE(write_records(self->runtime, "part-1", WEIR_COMPRESSION_GZIP) == WEIR_OK);
  g_shim.begin(g_folder, &self->plan);
  got = read_records(self, &errors);
  g_shim.end();
  CHECK_THAT(errors > 0 || got == 2 * kRecords);
}

/* A file that the writer closed without an error has all records. */
static void writing(const attempt* self) {
  int32_t result[2];
  int errors;
  remove(at("part-0"));
  remove(at("part-1"));
  g_shim.begin(g_folder, &self->plan);
  result[0] = write_records(self->runtime, "part-0", WEIR_COMPRESSION_NONE);
  result[1] = write_records(self->runtime, "part-1", WEIR_COMPRESSION_GZIP);
  g_shim.end();
  for (int i = 0; i < 2; ++i) {
    CHECK_THAT(result[i] == WEIR_OK || is_error(result[i]));
    if (result[i] != WEIR_OK) remove(at(i == 0 ? "part-0" : "part-1"));
  }
  CHECK_THAT(read_records(self, &errors) == kRecords * ((result[0] == WEIR_OK) + (result[1] == WEIR_OK)));
}

/* An iterator without a descriptor to wait on can still be read. */
static void descriptors(const attempt* self) {
  weir_iterator iterator = after(self->runtime, 1);
  weir_element element = make_element();
  int32_t descriptor = -1;
  int32_t result;
  g_shim.begin(g_folder, &self->plan);
  result = weir_iterator_ready_fd(iterator, &descriptor, NULL);
  CHECK_THAT(result == WEIR_OK || is_error(result));
  CHECK_THAT(next_int64(iterator, element) == 1);
  g_shim.end();
  CHECK_THAT(next_int64(iterator, element) == 2);
  CHECK_THAT(weir_iterator_ready_fd(iterator, &descriptor, NULL) == WEIR_OK && descriptor >= 0);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
}

static const struct {
  const char* name;
  void (*run)(const attempt* self);
} kTries[] = {
    {"saving to a file", save_to_file},
    {"restoring from a file", restore_from_file},
    {"a new manager", manager_from_nothing},
    {"a manager with generations", manager_going_on},
    {"reading records", records},
    {"writing records", writing},
    {"a descriptor to wait on", descriptors},
};

static void ignore_line(void* user_data, int32_t level, const char* line, uint64_t line_size) {
  (void)user_data;
  (void)level;
  (void)line;
  (void)line_size;
}

int main(void) {
  attempt self = {{0}, {0, 0, NULL, 0, 0, 0, 1}, ""};
  weir_logger logger = WEIR_LOGGER_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  int64_t tried = 0;
  logger.log = ignore_line;
  options.thread_count = 1;
  options.logger = &logger;
  REQUIRE(weir_runtime_create(&options, &self.runtime, NULL) == WEIR_OK);
  /* In memory if there is such a place: disks take their time. */
  prepare(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : WEIR_BINARY_DIR);
  for (size_t t = 0; t < sizeof kTries / sizeof *kTries; ++t) {
    self.what = kTries[t].name;
    for (int e = 0; e < 2 * kErrorCount; ++e) {
      self.plan.error = kErrors[e / 2];
      self.plan.for_good = e % 2;
      /* A call that is interrupted for ever is tried for ever. */
      if (self.plan.for_good && self.plan.error == EINTR) continue;
      for (self.plan.first = 1;; ++self.plan.first) {
        kTries[t].run(&self);
        ++tried;
        if (g_shim.calls() < self.plan.first) break;
      }
    }
  }
  CHECK(tried > 500);
  weir_runtime_destroy(self.runtime);
  remove_run();
  remove(at("kept"));
  remove(at("part-0"));
  remove(at("part-1"));
  CHECK(remove(g_folder) == 0);
  return failures();
}
