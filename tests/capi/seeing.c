/* What shows a pipeline: weir_dataset_explain, weir_iterator_stats, the timeline and the page for `weir top`.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define TRACE_FILE WEIR_BINARY_DIR "/seeing.trace.json"

static int says(const weir_bytes* text, const char* part) {
  if (strstr(text->data, part) != NULL) return 1;
  fprintf(stderr, "expected %s in %s\n", part, text->data);
  return 0;
}

static void explains(weir_runtime runtime) {
  weir_bytes text = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset =
      parse(runtime, "zip((range(3), range(0, 6, 2))) | batch(n: 2, drop_remainder: false)");
  REQUIRE(weir_dataset_explain(dataset, 0, &text, &error) == WEIR_OK);
  CHECK(says(&text,
             "{\"graph\": {\"operator\": \"batch\", \"path\": \"batch\", \"text\": \"batch(2)\", "
             "\"parameters\": {\"n\": \"2\"}, \"spec\": \"(int64[?], int64[?])\", \"cardinality\": 2, "
             "\"lane\": \"compute\", \"window\": null, \"inputs\": [{\"operator\": \"zip\""));
  CHECK(says(&text, "\"path\": \"batch/zip[1]/range\", \"text\": \"range(6, step: 2)\""));
  CHECK(says(&text, "\"checkpoint\": {\"needs_policy\": false,"));
  weir_bytes_release(&text);
  REQUIRE(weir_dataset_explain(dataset, WEIR_TEXT, &text, &error) == WEIR_OK);
  CHECK(
      says(&text,
           "batch(2)  (int64[?], int64[?])  2\n  zip(...)  (int64, int64)  3\n    [0] range(3)  int64  3\n"));
  CHECK(says(&text, "\nnothing runs ahead\ncheckpoint: a position\n"));
  weir_bytes_release(&text);
  CHECK(weir_dataset_explain(dataset, 8, &text, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_dataset_unref(dataset);
  CHECK(weir_dataset_explain(dataset, 0, &text, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
}

static void explains_parts(weir_runtime runtime, const char* document, const char* parts) {
  weir_bytes text = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset = parse(runtime, document);
  REQUIRE(weir_dataset_explain(dataset, WEIR_EXPLAIN_PARTS, &text, &error) == WEIR_OK);
  CHECK(says(&text, parts));
  weir_bytes_release(&text);
  CHECK(weir_dataset_explain(dataset, WEIR_EXPLAIN_PARTS | WEIR_TEXT, &text, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  weir_dataset_unref(dataset);
  weir_error_clear(&error);
}

static void counts_stages(weir_runtime runtime) {
  weir_bytes text = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset dataset = parse(runtime, "range(10) | map(x -> 6 // (x - 1)) | prefetch(4)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  int32_t result;
  while ((result = weir_iterator_next(iterator, element, &error)) != WEIR_END) REQUIRE(result >= 0);
  REQUIRE(weir_iterator_stats(iterator, 0, &text, &error) == WEIR_OK);
  CHECK(says(&text, "\"elements\": 9, \"verdict\": {\"bound\": "));
  CHECK(says(&text, "{\"path\": \"prefetch/map\", \"operator\": \"map\", \"elements\": 9, \"failed\": 1,"));
  CHECK(says(&text, "\"operator\": \"range\", \"elements\": 10, \"failed\": 0,"));
  CHECK(says(&text, "\"max_rows\": 4, "));
  weir_bytes_release(&text);
  REQUIRE(weir_iterator_stats(iterator, WEIR_TEXT, &text, &error) == WEIR_OK);
  CHECK(says(&text, "stage      elements  failed"));
  CHECK(says(&text, "\n9 elements in "));
  weir_bytes_release(&text);
  REQUIRE(weir_iterator_stats(iterator, WEIR_STATS_PROMETHEUS, &text, &error) == WEIR_OK);
  CHECK(says(&text, ",stage=\"prefetch/map/range\"} 10\n"));
  weir_bytes_release(&text);
  CHECK(weir_iterator_stats(iterator, WEIR_TEXT | WEIR_STATS_PROMETHEUS, &text, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_iterator_stats(iterator, 0, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  CHECK(weir_iterator_stats(iterator, 0, &text, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_dataset_unref(dataset);
  weir_error_clear(&error);
}

static int exists(const char* name) {
  struct stat found;
  return stat(name, &found) == 0;
}

/* The timeline is there when the runtime has ended, which is after its last iterator. */
static void traces(void) {
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_runtime runtime = {0};
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element = make_element();
  int i;
  unlink(TRACE_FILE);
  options.thread_count = 2;
  options.trace_file = TRACE_FILE;
  options.trace_file_size = WEIR_STRLEN;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  dataset = parse(runtime, "range(100) | prefetch(4)");
  iterator = iterate(runtime, dataset);
  for (i = 0; i < 100; ++i) CHECK(next_int64(iterator, element) == i);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
  CHECK(!exists(TRACE_FILE));
  weir_iterator_destroy(iterator);
  CHECK(exists(TRACE_FILE));
  weir_element_destroy(element);
}

static void tells_of_a_lost_trace(void) {
  static counts logged = {0, 0};
  weir_logger logger = WEIR_LOGGER_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_runtime runtime = {0};
  logger.log = count_line;
  logger.user_data = &logged;
  options.logger = &logger;
  options.trace_file = WEIR_BINARY_DIR "/absent/trace.json";
  options.trace_file_size = WEIR_STRLEN;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  weir_runtime_destroy(runtime);
  CHECK(logged.calls == 1);
}

static int pages_of_this_process(void) {
  char prefix[64];
  DIR* folder = opendir("/dev/shm");
  struct dirent* entry;
  int found = 0;
  snprintf(prefix, sizeof prefix, "weir-%ld-", (long)getpid());
  if (folder == NULL) return 0;
  while ((entry = readdir(folder)) != NULL) found += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
  closedir(folder);
  return found;
}

static void shows_a_page(void) {
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_runtime runtime = {0};
  weir_dataset dataset;
  weir_iterator iterator;
  CHECK(pages_of_this_process() == 0);
  options.flags = WEIR_RUNTIME_TOP;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  CHECK(pages_of_this_process() == 1);
  dataset = parse(runtime, "range(3)");
  iterator = iterate(runtime, dataset);
  weir_dataset_unref(dataset);
  weir_iterator_destroy(iterator);
  weir_runtime_destroy(runtime);
  CHECK(pages_of_this_process() == 0);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  explains(runtime);
  explains_parts(runtime, "range(10) | partition(3, p -> p | batch(3)) | prefetch(1)",
                 "\"parts\": [{\"count\": 1, \"files\": null}, {\"count\": 1, \"files\": null}, "
                 "{\"count\": 2, \"files\": null}]");
  explains_parts(runtime, "range(10) | partition(3, p -> p, even: true)",
                 "[{\"count\": 3, \"files\": null}, ");
  explains_parts(runtime, "range(6) | partition(2, p -> p | repeat())",
                 "[{\"count\": \"infinite\", \"files\"");
  explains_parts(runtime, "range(6) | partition(2, p -> p | filter(x -> x > 1))",
                 "[{\"count\": \"unknown\", ");
  explains_parts(
      runtime, "tfrecord([\"a\", \"b\", \"c\"]) | partition(2, p -> p | shuffle(4))",
      "[{\"count\": \"unknown\", \"files\": [\"a\", \"c\"]}, {\"count\": \"unknown\", \"files\": [\"b\"]}]");
  explains_parts(
      runtime, "tfrecord(\"a\") | partition(2, p -> p | take(2), by: \"index\")",
      "[{\"count\": \"unknown\", \"files\": [\"a\"]}, {\"count\": \"unknown\", \"files\": [\"a\"]}]");
  explains_parts(runtime, "tfrecord([\"a\", \"b\"]) | partition(3, p -> p, by: \"index\")",
                 "[{\"count\": \"unknown\", \"files\": null}, ");
  explains_parts(runtime, "param n: int64 range(6) | partition($n, p -> p)", "\"parts\": []");
  explains_parts(runtime, "range(3)", "\"parts\": []}");
  counts_stages(runtime);
  weir_runtime_destroy(runtime);
  traces();
  tells_of_a_lost_trace();
  shows_a_page();
  return failures();
}
