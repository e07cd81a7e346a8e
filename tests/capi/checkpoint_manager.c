/* The checkpoint manager: what is due by count and by time, going on exactly, and what it refuses. */
#define _GNU_SOURCE
#include <dirent.h>
#include <unistd.h>

#include "check.h"

static const char kPipeline[] =
    "range(60) | shuffle(9, seed: 4) | map(x -> x * 3, num_parallel_calls: 2) | batch(2)";
enum { kBad = -WEIR_CODE_INVALID_ARGUMENT };

static char g_folder[512];

static int is_entry(const char* name) { return strcmp(name, ".") != 0 && strcmp(name, "..") != 0; }

/* The number of files in the folder; removes them if it is told to. */
static int files(int removing) {
  int count = 0;
  const struct dirent* entry;
  DIR* folder = opendir(g_folder);
  REQUIRE(folder != NULL);
  while ((entry = readdir(folder)) != NULL) {
    char name[1024];
    if (!is_entry(entry->d_name)) continue;
    ++count;
    snprintf(name, sizeof name, "%s/%s", g_folder, entry->d_name);
    if (removing) CHECK(unlink(name) == 0);
  }
  closedir(folder);
  return count;
}

static weir_checkpoint_manager manage(weir_runtime runtime, const weir_checkpoint_manager_options* options) {
  weir_checkpoint_manager manager = {0};
  weir_error error = WEIR_ERROR_INIT;
  if (weir_checkpoint_manager_create(runtime, g_folder, WEIR_STRLEN, options, &manager, &error) != WEIR_OK)
    fprintf(stderr, "%s\n", error.line.data);
  REQUIRE(manager.value != 0);
  return manager;
}

static void next_text(weir_iterator iterator, weir_element element, char* out, size_t size) {
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t result = weir_iterator_next(iterator, element, NULL);
  REQUIRE(result == WEIR_OK || result == WEIR_END);
  snprintf(out, size, "end");
  if (result == WEIR_END) return;
  REQUIRE(weir_element_format(element, WEIR_TEXT, &text, NULL) == WEIR_OK);
  snprintf(out, size, "%s", (const char*)text.data);
  weir_bytes_release(&text);
}

/* An iterator where the newest generation was saved. */
static weir_iterator restored(weir_runtime runtime, weir_dataset dataset, weir_checkpoint_manager manager,
                              int64_t* extra_value, int64_t* generation) {
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  weir_iterator iterator = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  REQUIRE(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, &extra, generation, NULL) ==
          WEIR_OK);
  REQUIRE(extra.size == sizeof *extra_value);
  memcpy(extra_value, extra.data, sizeof *extra_value);
  options.checkpoint = position.data;
  options.checkpoint_size = position.size;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &iterator, NULL) == WEIR_OK);
  weir_bytes_release(&position);
  weir_bytes_release(&extra);
  return iterator;
}

static void same_tail(weir_iterator first, weir_iterator second) {
  weir_element element = make_element();
  char a[256];
  char b[256];
  do {
    next_text(first, element, a, sizeof a);
    next_text(second, element, b, sizeof b);
    CHECK(strcmp(a, b) == 0);
  } while (strcmp(a, "end") != 0);
  weir_element_destroy(element);
}

static void saves_by_count(weir_runtime runtime, weir_dataset dataset) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager;
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator reference = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_bytes position = WEIR_BYTES_INIT;
  int64_t generation = 7;
  int64_t taken = 0;
  char text[256];
  options.keep = 2;
  options.every_elements = 4;
  manager = manage(runtime, &options);
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, NULL, &generation, NULL) ==
        -WEIR_CODE_NOT_FOUND);
  CHECK(generation == 0 && position.data == NULL);
  for (int64_t i = 1; i <= 14; ++i) {
    int32_t due = 7;
    next_text(iterator, element, text, sizeof text);
    if (i <= 12) next_text(reference, element, text, sizeof text);
    CHECK(weir_checkpoint_manager_step(manager, 1, &due, NULL) == WEIR_OK);
    CHECK(due == (i % 4 == 0));
    if (due) CHECK(weir_checkpoint_manager_save(manager, iterator, &i, sizeof i, NULL) == WEIR_OK);
  }
  CHECK(files(0) == 2);
  weir_iterator_destroy(iterator);
  weir_checkpoint_manager_destroy(manager);
  manager = manage(runtime, NULL);
  iterator = restored(runtime, dataset, manager, &taken, &generation);
  CHECK(generation == 3 && taken == 12);
  same_tail(iterator, reference);
  /* At the end, too. */
  CHECK(weir_checkpoint_manager_save(manager, iterator, &taken, sizeof taken, NULL) == WEIR_OK);
  weir_iterator_destroy(iterator);
  iterator = restored(runtime, dataset, manager, &taken, &generation);
  CHECK(generation == 4 && weir_iterator_next(iterator, element, NULL) == WEIR_END);
  /* The extra bytes and the number are optional. */
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, NULL, NULL, NULL) == WEIR_OK &&
        position.size > 0);
  weir_bytes_release(&position);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_iterator_destroy(reference);
  weir_checkpoint_manager_destroy(manager);
  CHECK(files(1) == 3);
}

/* Whether a save is due after `elements` more. */
static int32_t due_after(weir_checkpoint_manager manager, int64_t elements) {
  int32_t due = 7;
  REQUIRE(weir_checkpoint_manager_step(manager, elements, &due, NULL) == WEIR_OK);
  return due;
}

static int32_t save(weir_checkpoint_manager manager, weir_iterator iterator) {
  return weir_checkpoint_manager_save(manager, iterator, NULL, 0, NULL);
}

static void counts_on(weir_runtime runtime, weir_iterator iterator) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager;
  weir_iterator none = {0};
  int32_t due = 7;
  options.every_elements = 5;
  manager = manage(runtime, &options);
  CHECK(weir_checkpoint_manager_step(manager, -1, &due, NULL) == kBad && due == 0);
  CHECK(due_after(manager, 4) == 0);
  /* A save begins the count anew; one that fails doesn't. Until then it stays due. */
  CHECK(save(manager, iterator) == WEIR_OK);
  CHECK(due_after(manager, 4) == 0);
  CHECK(save(manager, none) == kBad);
  CHECK(due_after(manager, 1) == 1 && due_after(manager, 0) == 1);
  CHECK(save(manager, none) == kBad && due_after(manager, 0) == 1);
  CHECK(save(manager, iterator) == WEIR_OK && due_after(manager, 0) == 0);
  CHECK(due_after(manager, INT64_MAX) == 1 && due_after(manager, INT64_MAX) == 1);
  CHECK(files(0) == 2);
  weir_checkpoint_manager_destroy(manager);
  CHECK(files(1) == 2);
}

static void due_by_time(weir_runtime runtime, weir_iterator iterator) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager = manage(runtime, &options);
  CHECK(due_after(manager, INT64_MAX) == 0);
  weir_checkpoint_manager_destroy(manager);
  options.every_ns = INT64_MAX;
  manager = manage(runtime, &options);
  CHECK(due_after(manager, INT64_MAX) == 0);
  weir_checkpoint_manager_destroy(manager);
  options.every_ns = 1;
  manager = manage(runtime, &options);
  for (int i = 0; i < 2; ++i) {
    while (due_after(manager, 0) == 0) continue;
    CHECK(save(manager, iterator) == WEIR_OK);
  }
  weir_checkpoint_manager_destroy(manager);
  CHECK(files(1) == 2);
}

static int refused(weir_runtime runtime, const weir_checkpoint_manager_options* options, const char* field) {
  weir_checkpoint_manager manager = {7};
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = weir_checkpoint_manager_create(runtime, g_folder, WEIR_STRLEN, options, &manager, &error);
  int right = result == kBad && manager.value == 0 && strstr(error.line.data, field) != NULL;
  weir_error_clear(&error);
  return right;
}

static void checks_options(weir_runtime runtime) {
  const weir_checkpoint_manager_options good = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager_options options = good;
  options.keep = -1;
  CHECK(refused(runtime, &options, "keep"));
  options.keep = 65537;
  CHECK(refused(runtime, &options, "keep"));
  options = good;
  options.every_elements = -1;
  CHECK(refused(runtime, &options, "every_elements"));
  options = good;
  options.every_ns = -1;
  CHECK(refused(runtime, &options, "every_ns"));
  options = good;
  options.rank = 3;
  options.world_size = 3;
  CHECK(refused(runtime, &options, "rank below world_size"));
  options = good;
  options.struct_size = 8;
  CHECK(refused(runtime, &options, "struct_size"));
  options = good;
  options.struct_size = 0;
  options.keep = 65536;
  options.rank = UINT32_MAX;
  weir_checkpoint_manager_destroy(manage(runtime, &options));
}

/* A manager without a world size has no group; one with it has no rank before there is a complete group. */
static void groups(weir_runtime runtime, weir_iterator iterator) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  weir_checkpoint_manager manager = manage(runtime, NULL);
  weir_bytes position = WEIR_BYTES_INIT;
  char folder[600];
  uint32_t saved = 7;
  int32_t complete = 7;
  CHECK(weir_checkpoint_manager_ranks(manager, &saved, &complete, NULL) == -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(saved == 0 && complete == 0);
  CHECK(weir_checkpoint_manager_load(manager, 0, &position, NULL, NULL, NULL) ==
        -WEIR_CODE_FAILED_PRECONDITION);
  weir_checkpoint_manager_destroy(manager);
  options.world_size = 1;
  manager = manage(runtime, &options);
  CHECK(weir_checkpoint_manager_ranks(manager, NULL, NULL, NULL) == WEIR_OK);
  CHECK(weir_checkpoint_manager_ranks(manager, &saved, &complete, NULL) == WEIR_OK && saved == 0 &&
        complete == 0);
  CHECK(weir_checkpoint_manager_load(manager, 0, &position, NULL, NULL, NULL) == kBad);
  CHECK(weir_checkpoint_manager_load(manager, 0, NULL, NULL, NULL, NULL) == kBad);
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, NULL, NULL, NULL) ==
        -WEIR_CODE_NOT_FOUND);
  CHECK(weir_checkpoint_manager_save(manager, iterator, NULL, 0, NULL) == WEIR_OK);
  CHECK(weir_checkpoint_manager_ranks(manager, &saved, &complete, NULL) == WEIR_OK && saved == 0 &&
        complete == 1);
  weir_checkpoint_manager_destroy(manager);
  manager = manage(runtime, &options);
  CHECK(weir_checkpoint_manager_ranks(manager, &saved, NULL, NULL) == WEIR_OK && saved == 1);
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, NULL, NULL, NULL) == WEIR_OK &&
        position.size > 0);
  weir_bytes_release(&position);
  CHECK(weir_checkpoint_manager_load(manager, 1, &position, NULL, NULL, NULL) == kBad);
  weir_checkpoint_manager_destroy(manager);
  options.world_size = 2;
  manager = manage(runtime, &options);
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, &position, NULL, NULL, NULL) ==
        -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_checkpoint_manager_load(manager, 0, &position, NULL, NULL, NULL) == WEIR_OK);
  weir_bytes_release(&position);
  weir_checkpoint_manager_destroy(manager);
  snprintf(folder, sizeof folder, "%s/g00001-of-00001/r00000-000000000001.ckpt", g_folder);
  CHECK(unlink(folder) == 0);
  snprintf(folder, sizeof folder, "%s/g00001-of-00001", g_folder);
  CHECK(rmdir(folder) == 0);
  snprintf(folder, sizeof folder, "%s/g00002-of-00002", g_folder);
  CHECK(rmdir(folder) == 0);
}

static void takes_nulls(weir_runtime runtime, weir_iterator iterator) {
  weir_runtime no_runtime = {0};
  weir_checkpoint_manager none = {0};
  weir_checkpoint_manager manager = {7};
  weir_bytes position = WEIR_BYTES_INIT;
  weir_bytes extra = WEIR_BYTES_INIT;
  int32_t due = 7;
  CHECK(weir_checkpoint_manager_create(no_runtime, g_folder, WEIR_STRLEN, NULL, &manager, NULL) == kBad);
  CHECK(weir_checkpoint_manager_create(runtime, NULL, 0, NULL, &manager, NULL) == kBad);
  CHECK(weir_checkpoint_manager_create(runtime, NULL, WEIR_STRLEN, NULL, &manager, NULL) == kBad);
  CHECK(weir_checkpoint_manager_create(runtime, g_folder, WEIR_STRLEN, NULL, NULL, NULL) == kBad);
  CHECK(manager.value == 0);
  CHECK(weir_checkpoint_manager_save(none, iterator, NULL, 0, NULL) == kBad);
  CHECK(weir_checkpoint_manager_step(none, 1, &due, NULL) == kBad && due == 0);
  CHECK(weir_checkpoint_manager_load(none, WEIR_OWN_RANK, &position, &extra, NULL, NULL) == kBad);
  weir_checkpoint_manager_destroy(none);
  manager = manage(runtime, NULL);
  CHECK(weir_checkpoint_manager_save(manager, iterator, NULL, 1, NULL) == kBad);
  CHECK(weir_checkpoint_manager_save(manager, iterator, &position, UINT64_MAX, NULL) == kBad);
  CHECK(weir_checkpoint_manager_step(manager, 1, NULL, NULL) == kBad);
  CHECK(weir_checkpoint_manager_load(manager, WEIR_OWN_RANK, NULL, &extra, NULL, NULL) == kBad);
  CHECK(files(0) == 0);
  weir_checkpoint_manager_destroy(manager);
  CHECK(weir_checkpoint_manager_save(manager, iterator, NULL, 0, NULL) == kBad);
}

static int described(weir_runtime runtime, const char* name, uint32_t flags, const char* expected) {
  weir_bytes text = WEIR_BYTES_INIT;
  int found;
  if (weir_checkpoint_describe(runtime, name, WEIR_STRLEN, flags, &text, NULL) != WEIR_OK) return 0;
  found = strstr(text.data, expected) != NULL;
  weir_bytes_release(&text);
  return found;
}

/* A generation says what it is, and an iterator can begin at it. */
static void reads_generations(weir_runtime runtime, weir_dataset dataset) {
  static const int32_t kMissing = -WEIR_CODE_NOT_FOUND;
  weir_checkpoint_manager manager = manage(runtime, NULL);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_iterator other = {0};
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_element element = make_element();
  weir_bytes text = WEIR_BYTES_INIT;
  char name[1024];
  char first[256];
  for (int i = 0; i < 3; ++i) next_text(iterator, element, first, sizeof first);
  CHECK(weir_checkpoint_manager_save(manager, iterator, "extra", 5, NULL) == WEIR_OK);
  snprintf(name, sizeof name, "%s/r00000-000000000001.ckpt", g_folder);
  options.checkpoint_file = name;
  options.checkpoint_file_size = WEIR_STRLEN;
  REQUIRE(weir_iterator_create(runtime, dataset, &options, &other, NULL) == WEIR_OK);
  same_tail(iterator, other);
  CHECK(
      described(runtime, name, 0, "\"kind\": \"generation\", \"rank\": 0, \"number\": 1, \"extra_size\": 5"));
  CHECK(described(runtime, name, WEIR_TEXT, "\nage: "));
  CHECK(described(runtime, g_folder, WEIR_DESCRIBE_FOLDER, "[\n  {\"file\": \""));
  CHECK(described(runtime, g_folder, WEIR_DESCRIBE_FOLDER | WEIR_TEXT, "-000000000001.ckpt: "));
  CHECK(weir_checkpoint_describe(runtime, name, WEIR_STRLEN, 4, &text, NULL) == kBad);
  CHECK(weir_checkpoint_describe(runtime, name, WEIR_STRLEN, 0, NULL, NULL) == kBad);
  CHECK(weir_checkpoint_describe(runtime, "/no/such/file", WEIR_STRLEN, 0, &text, NULL) == kMissing);
  CHECK(text.data == NULL);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_iterator_destroy(other);
  weir_checkpoint_manager_destroy(manager);
  CHECK(files(1) == 1);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  weir_dataset dataset = parse(runtime, kPipeline);
  weir_iterator iterator = iterate(runtime, dataset);
  char outer[256];
  snprintf(outer, sizeof outer, "%s/capi_checkpoint_manager_XXXXXX", WEIR_BINARY_DIR);
  REQUIRE(mkdtemp(outer) != NULL);
  snprintf(g_folder, sizeof g_folder, "%s/made", outer);
  saves_by_count(runtime, dataset);
  counts_on(runtime, iterator);
  reads_generations(runtime, dataset);
  due_by_time(runtime, iterator);
  checks_options(runtime);
  groups(runtime, iterator);
  takes_nulls(runtime, iterator);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(rmdir(g_folder) == 0 && rmdir(outer) == 0);
  return failures();
}
