/* Extensions: found by what they provide, loaded once, refused where they are none or for another library. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define FOLDER WEIR_BINARY_DIR "/extensions"
#define TESTS FOLDER "/tests"

static weir_runtime runtime_with(const char* folders) {
  weir_runtime runtime = {0};
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.thread_count = 2;
  options.extensions = folders;
  options.extensions_size = WEIR_STRLEN;
  REQUIRE(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  return runtime;
}

/* The code of the error; its message must contain `has`. */
static int32_t code_of_parse(weir_runtime runtime, const char* text, const char* has) {
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error);
  const int32_t code = error.code;
  if (code != 0 && !strstr(error.line.data, has)) {
    fprintf(stderr, "expected \"%s\" in: %s\n", has, error.line.data);
    CHECK(0);
  }
  weir_error_clear(&error);
  weir_dataset_unref(dataset);
  return code;
}

static int gives(weir_runtime runtime, const char* text, const char* element_prints) {
  weir_dataset dataset = parse(runtime, text);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  const int32_t result = weir_iterator_next(iterator, element, &error);
  if (result != WEIR_OK) fprintf(stderr, "%s\n", error.line.data);
  const int same = result == WEIR_OK && prints(element, WEIR_TEXT, element_prints);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return same;
}

/* Whether `explain` says `has` of a text. */
static int explains(weir_runtime runtime, const char* text, uint32_t flags, const char* has) {
  weir_dataset dataset = parse(runtime, text);
  weir_bytes out = WEIR_BYTES_INIT;
  REQUIRE(weir_dataset_explain(dataset, flags, &out, NULL) == WEIR_OK);
  const int found = strstr(out.data, has) != NULL;
  if (!found) fprintf(stderr, "expected \"%s\" in: %s\n", has, out.data);
  weir_bytes_release(&out);
  weir_dataset_unref(dataset);
  return found;
}

/* A source is shown by the name and the arguments that were written. */
static void test_explained(void) {
  weir_runtime runtime = runtime_with(FOLDER);
  CHECK(explains(runtime, "countdown(5) | map(n -> n + 1)", WEIR_TEXT, "\n  countdown(from: 5)  int64  5\n"));
  CHECK(explains(runtime, "from_list([\"http://usr:pw@h/a?sig=T\"])", WEIR_TEXT,
                 "\"http://******@h/a?*****\""));
  CHECK(explains(runtime, "from_list([\"http://usr:pw@h/a?sig=T\"])", 0, "http://******@h/a?*****\\\""));
  CHECK(explains(runtime, "countdown(from: 5)", 0, "\"operator\": \"countdown\""));
  CHECK(explains(runtime, "countdown(5) | take(2)", 0, "\"path\": \"take/countdown\""));
  CHECK(explains(runtime, "countdown(5) | take(2)", WEIR_TEXT, "\n  take/countdown: position only"));
  CHECK(explains(runtime, "countdown(5)", 0, "\"parameters\": {\"from\": \"5\"}"));
  CHECK(explains(runtime, "from_generator(@countdown, int64, arguments: {from: 5, step: 1})", WEIR_TEXT,
                 "from_generator(@countdown"));
  weir_runtime_destroy(runtime);
}

static void write_index(const char* folder, const char* name, const char* text) {
  char file[4096];
  mkdir(folder, 0777);
  snprintf(file, sizeof file, "%s/%s.weir.json", folder, name);
  FILE* const index = fopen(file, "w");
  REQUIRE(index != NULL);
  fputs(text, index);
  REQUIRE(fclose(index) == 0);
}

/* The list of all names has those of extensions, each with its kind, and says which can't be loaded. */
static void test_listed(void) {
  weir_bytes all = WEIR_BYTES_INIT;
  write_index(TESTS "/broken", "weir-none", "{\"library\": \"libnone.so\", \"functions\": [\"unloadable\"]}");
  REQUIRE(setenv("WEIR_EXTENSIONS", FOLDER ":" TESTS "/broken", 1) == 0);
  REQUIRE(weir_schema(NULL, 0, WEIR_TEXT, &all, NULL) == WEIR_OK);
  const char* source = strstr(all.data, "\n  countdown ");
  const char* function = strstr(all.data, "\n  vowels ");
  CHECK(source && function && source < strstr(all.data, "\ntransformations") &&
        function > strstr(all.data, "\nfunctions"));
  CHECK(strstr(all.data, "\n  unloadable") &&
        strstr(strstr(all.data, "\n  unloadable"), "there is no extension"));
  weir_bytes_release(&all);
  REQUIRE(weir_schema(NULL, 0, 0, &all, NULL) == WEIR_OK);
  CHECK(strstr(all.data, "{\"name\": \"countdown\", \"kind\": \"source\"") != NULL);
  weir_bytes_release(&all);
  REQUIRE(unsetenv("WEIR_EXTENSIONS") == 0);
}

/* One index that is damaged leaves the other extensions as they are. */
static void test_a_damaged_index(void) {
  weir_bytes all = WEIR_BYTES_INIT;
  weir_file file = {0};
  weir_error error = WEIR_ERROR_INIT;
  write_index(TESTS "/damaged", "weir-half", "{\"library\": \"libhalf.so\"");
  weir_runtime runtime = runtime_with(TESTS "/damaged:" FOLDER);
  CHECK(gives(runtime, "from_list([\"alpha\"]) | map(s -> vowels(s))", "2"));
  CHECK(code_of_parse(runtime, "range(3) | map(x -> sqr(x))", "did you mean sqrt?") ==
        WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_file_open(runtime, "nowhere://a", WEIR_STRLEN, NULL, &file, &error) < 0);
  CHECK(strstr(error.message.data, "weir-half.weir.json") != NULL);
  weir_error_clear(&error);
  weir_runtime_destroy(runtime);
  REQUIRE(setenv("WEIR_EXTENSIONS", FOLDER ":" TESTS "/damaged", 1) == 0);
  REQUIRE(weir_schema(NULL, 0, WEIR_TEXT, &all, NULL) == WEIR_OK);
  CHECK(strstr(all.data, "\n  vowels ") && strstr(all.data, "weir-half.weir.json"));
  weir_bytes_release(&all);
  REQUIRE(unsetenv("WEIR_EXTENSIONS") == 0);
}

/* Each part of an index is of its own kind. */
static void test_indexes_of_other_kinds(void) {
  static const struct {
    const char *text, *says;
  } wrong[] = {{"{\"library\": \"libnone.so\", \"sources\": \"tape\"}", "found sources without []"},
               {"{\"library\": \"libnone.so\", \"tables\": 5}", "found tables without []"},
               {"{\"library\": \"libnone.so\", \"functions\": null}", "found functions without []"},
               {"{\"library\": \"libnone.so\", \"schemes\": [7]}", "found schemes of another kind"},
               {"{\"library\": 5, \"functions\": []}", "found the library \"\""}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    weir_file file = {0};
    weir_error error = WEIR_ERROR_INIT;
    write_index(TESTS "/other_kinds", "weir-other", wrong[i].text);
    weir_runtime runtime = runtime_with(TESTS "/other_kinds");
    CHECK(weir_file_open(runtime, "nowhere://a", WEIR_STRLEN, NULL, &file, &error) ==
          -WEIR_CODE_INVALID_ARGUMENT);
    CHECK(strstr(error.message.data, "weir-other.weir.json") && strstr(error.message.data, wrong[i].says));
    weir_error_clear(&error);
    weir_runtime_destroy(runtime);
  }
}

/* An index that promises more than its extension has. */
static void test_not_registered(void) {
  weir_file file = {0};
  weir_error error = WEIR_ERROR_INIT;
  write_index(TESTS "/promises", "weir-promises",
              "{\"library\": \"libweir-example.so\", \"functions\": [\"vowels\", \"consonants\"],"
              " \"schemes\": [\"mail\"], \"tables\": [\"parquet\"]}");
  unlink(TESTS "/promises/libweir-example.so");
  REQUIRE(symlink(FOLDER "/libweir-example.so", TESTS "/promises/libweir-example.so") == 0);
  weir_runtime runtime = runtime_with(TESTS "/promises");
  CHECK(gives(runtime, "from_list([\"alpha\"]) | map(s -> vowels(s))", "2"));
  CHECK(code_of_parse(runtime, "from_list([\"a\"]) | map(s -> consonants(s))",
                      "/promises/libweir-example.so\" lists consonants, which it does not register") ==
        WEIR_CODE_FAILED_PRECONDITION);
  CHECK(code_of_parse(runtime, "parquet(\"a.parquet\")",
                      "lists the table format parquet, which it does not") == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(weir_file_open(runtime, "mail://a", WEIR_STRLEN, NULL, &file, &error) ==
        -WEIR_CODE_FAILED_PRECONDITION);
  CHECK(strstr(error.line.data,
               "/promises/libweir-example.so\" lists \"mail://\", which it does not register"));
  weir_error_clear(&error);
  weir_runtime_destroy(runtime);
}

static void test_found_by_name(void) {
  weir_runtime runtime = runtime_with("/nowhere:" FOLDER ":" TESTS);
  CHECK(gives(runtime, "from_list([\"alpha\"]) | map(s -> vowels(s))", "2"));
  CHECK(gives(runtime, "from_list([\"eel\"]) | map(@vowels)", "2"));
  CHECK(gives(runtime, "range(5) | cache(\"mem://numbers\") | repeat(2) | skip(5) | batch(9)",
              "[0, 1, 2, 3, 4]"));
  CHECK(gives(runtime, "text_line(\"text://one\\ntwo\") | skip(1)", "\"two\""));
  CHECK(code_of_parse(runtime, "range(3) | map(x -> vowels(x))", "expected string") ==
        WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "range(3) | map(x -> volwes(x))", "volwes") == WEIR_CODE_INVALID_ARGUMENT);
  /* A serialized graph finds it, too, in a runtime that has not loaded it. */
  weir_dataset dataset = parse(runtime, "from_list([\"ooh\"]) | map(s -> vowels(s))"), again = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_runtime fresh = runtime_with(FOLDER);
  CHECK(weir_dataset_serialize(dataset, &bytes, NULL) == WEIR_OK);
  CHECK(weir_dataset_deserialize(fresh, bytes.data, bytes.size, NULL, 0, &again, NULL) == WEIR_OK);
  weir_bytes_release(&bytes);
  weir_dataset_unref(again);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(fresh);
  weir_runtime_destroy(runtime);
}

/* What the elements of a dataset of int64 are, from a fresh iterator that first skips `skipped` and, with
 * `by_checkpoint`, goes on from a checkpoint then. */
static int numbers_are(weir_runtime runtime, const char* text, int by_checkpoint, int skipped, int count,
                       const int64_t* expected) {
  weir_dataset dataset = parse(runtime, text);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  int same = 1;
  for (int i = 0; i < skipped; ++i) next_int64(iterator, element);
  if (by_checkpoint) iterator = resumed(runtime, dataset, iterator);
  for (int i = skipped; i < count; ++i) same &= next_int64(iterator, element) == expected[i];
  same &= weir_iterator_next(iterator, element, NULL) == WEIR_END;
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  return same;
}

static int32_t infer_int64(void* user_data, weir_call arguments, weir_spec* spec) {
  (void)user_data, (void)arguments;
  return weir_spec_parse("int64", WEIR_STRLEN, spec, NULL);
}

static int32_t start_failing(void* user_data, weir_call arguments, int64_t position, void** state) {
  (void)user_data, (void)arguments, (void)position;
  *state = NULL;
  return WEIR_OK;
}

static int32_t next_failing(void* user_data, void* state, weir_call call) {
  (void)user_data, (void)state;
  weir_call_fail(call, 0, WEIR_CODE_DATA_LOSS, "the tape is torn", WEIR_STRLEN, NULL);
  return -1;
}

/* Errors and stats call a source what the text does. */
static void test_source_names(void) {
  weir_runtime runtime = runtime_with(FOLDER);
  weir_generator failing = WEIR_GENERATOR_INIT;
  failing.signature = "{n: int64}";
  failing.signature_size = WEIR_STRLEN;
  failing.infer = infer_int64;
  failing.start = start_failing;
  failing.next = next_failing;
  REQUIRE(weir_runtime_register_source(runtime, "tape", WEIR_STRLEN, &failing, NULL) == WEIR_OK);
  CHECK(code_of_parse(runtime, "tape(1) | partition(2, p -> p)", "found tape without either") ==
        WEIR_CODE_INVALID_ARGUMENT);
  weir_dataset dataset = parse(runtime, "tape(1) | take(2)");
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes stats = WEIR_BYTES_INIT;
  CHECK(weir_iterator_next(iterator, element, &error) != WEIR_OK);
  CHECK(error.code == WEIR_CODE_DATA_LOSS);
  CHECK(strcmp(error.path.data, "take/tape") == 0);
  CHECK(weir_iterator_stats(iterator, 0, &stats, NULL) == WEIR_OK);
  CHECK(strstr(stats.data, "\"operator\": \"tape\"") != NULL);
  weir_bytes_release(&stats);
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

typedef struct lying {
  int64_t says;
  int64_t has;
} lying;

static int32_t count_lying(void* user_data, weir_call arguments, int64_t* count) {
  (void)arguments;
  *count = ((lying*)user_data)->says;
  return WEIR_OK;
}

static int32_t start_lying(void* user_data, weir_call arguments, int64_t position, void** state) {
  (void)user_data, (void)arguments;
  int64_t* at = malloc(sizeof *at);
  REQUIRE(at != NULL);
  *at = position;
  *state = at;
  return WEIR_OK;
}

static int32_t next_lying(void* user_data, void* state, weir_call call) {
  int64_t* at = state;
  const int64_t left = ((lying*)user_data)->has - *at,
                most = weir_call_rows(call) < 3 ? weir_call_rows(call) : 3;
  const int64_t rows = left < most ? left : most;
  if (rows <= 0) return WEIR_END;
  int64_t* out = NULL;
  REQUIRE(weir_call_output(call, 0, 1, &rows, (void**)&out, NULL) == WEIR_OK);
  for (int64_t i = 0; i < rows; ++i) out[i] = 3 * (*at)++ + 1;
  return WEIR_OK;
}

static void close_lying(void* user_data, void* state) {
  (void)user_data;
  free(state);
}

/* A source that has another number of elements than it says is an error there, and then ends. */
static void test_wrong_counts(void) {
  static lying kSources[] = {{10, 10}, {13, 10}, {7, 10}, {0, 10}, {1, 0}};
  for (size_t s = 0; s < sizeof kSources / sizeof *kSources; ++s) {
    const int64_t good = kSources[s].says < kSources[s].has ? kSources[s].says : kSources[s].has;
    weir_runtime runtime = make_runtime();
    weir_generator source = WEIR_GENERATOR_INIT;
    source.flags = WEIR_CALLBACK_PURE | WEIR_CALLBACK_BLOCK;
    source.signature = "{n: int64}";
    source.signature_size = WEIR_STRLEN;
    source.infer = infer_int64;
    source.count = count_lying;
    source.start = start_lying;
    source.next = next_lying;
    source.close = close_lying;
    source.user_data = &kSources[s];
    REQUIRE(weir_runtime_register_source(runtime, "lying", WEIR_STRLEN, &source, NULL) == WEIR_OK);
    weir_dataset dataset = parse(runtime, "lying(1)");
    weir_element element = make_element();
    for (int64_t saved = 0; saved <= good; ++saved) {
      weir_iterator iterator = iterate(runtime, dataset);
      for (int64_t i = 0; i < saved; ++i) CHECK(next_int64(iterator, element) == 3 * i + 1);
      iterator = resumed(runtime, dataset, iterator);
      for (int64_t i = saved; i < good; ++i) CHECK(next_int64(iterator, element) == 3 * i + 1);
      if (kSources[s].says != kSources[s].has) {
        weir_error error = WEIR_ERROR_INIT;
        char says[64];
        snprintf(says, sizeof says, "expected a generator of %d elements, as it says, found %s",
                 (int)kSources[s].says, kSources[s].says < kSources[s].has ? "more" : "");
        CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
        CHECK(error.code == WEIR_CODE_DATA_LOSS && strstr(error.message.data, says) != NULL);
        weir_error_clear(&error);
      }
      CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
      weir_iterator_destroy(iterator);
    }
    weir_element_destroy(element);
    weir_dataset_unref(dataset);
    weir_runtime_destroy(runtime);
  }
}

static void test_sources(void) {
  weir_runtime runtime = runtime_with(FOLDER);
  const int64_t by_three[] = {10, 7, 4, 1}, parts[] = {10, 5, 9, 4, 8, 3, 7, 2, 6, 1};
  int64_t count = 0;
  for (int skipped = 0; skipped <= 4; ++skipped) {
    CHECK(numbers_are(runtime, "countdown(10, step: 3)", 0, skipped, 4, by_three));
    CHECK(numbers_are(runtime, "countdown(10, step: 3)", 1, skipped, 4, by_three));
  }
  CHECK(numbers_are(runtime, "countdown(step: 3, from: 10)", 0, 0, 4, by_three));
  CHECK(numbers_are(runtime, "from_generator(@countdown, int64, arguments: {from: 10, step: 3})", 1, 2, 4,
                    by_three));
  CHECK(numbers_are(
      runtime,
      "from_tensors(10) | flat_map(n -> from_generator(@countdown, int64, arguments: {from: n, step: 3}))", 1,
      2, 4, by_three));
  CHECK(numbers_are(runtime, "countdown(10) | partition(2, p -> p)", 1, 3, 10, parts));
  CHECK(gives(runtime, "countdown(2000) | skip(1500) | batch(2)", "[500, 499]"));
  CHECK(gives(runtime, "countdown(100000) | global_shuffle(seed: 1) | reduce(0, (s, x) -> s + x)",
              "5000050000"));
  weir_dataset dataset = parse(runtime, "countdown(10, 3)");
  CHECK(count_of(dataset, &count) == WEIR_OK && count == 4);
  weir_bytes text = WEIR_BYTES_INIT;
  CHECK(weir_dataset_format(dataset, &text, NULL) == WEIR_OK && strcmp(text.data, "countdown(10, 3)") == 0);
  weir_bytes_release(&text);
  weir_dataset_unref(dataset);
  weir_argument arguments[] = {WEIR_ARGUMENT_TEXT("", "10"), WEIR_ARGUMENT_TEXT("step", "3")};
  CHECK(weir_dataset_apply(runtime, "countdown", WEIR_STRLEN, NULL, 0, arguments, 2, &dataset, NULL) ==
        WEIR_OK);
  CHECK(count_of(dataset, &count) == WEIR_OK && count == 4);
  weir_dataset_unref(dataset);
  CHECK(code_of_parse(runtime, "countdown(10, 0)", "countdown: expected a step of 1 or more") ==
        WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "countdown()", "needs the argument 'from'") == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "countdown(1, 2, 3)", "at most 2") == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "countdown(1, stop: 3)", "no parameter 'stop'") == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "countdown(1, from: 3)", "given twice") == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "countdown(\"a\")", "cast") == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "from_tensors(10) | flat_map(n -> countdown(n))", "not known yet") ==
        WEIR_CODE_INVALID_ARGUMENT);
  CHECK(code_of_parse(runtime, "range(3) | map(x -> countdown(x))", "") != 0);
  weir_runtime_destroy(runtime);
}

static void test_not_found(void) {
  weir_runtime runtime = runtime_with("/nowhere");
  CHECK(code_of_parse(runtime, "from_list([\"a\"]) | map(s -> vowels(s))", "vowels") ==
        WEIR_CODE_INVALID_ARGUMENT);
  weir_file file = {0};
  weir_error error = WEIR_ERROR_INIT;
  static const struct {
    const char *name, *says;
  } unknown[] = {{"s4://bucket/key", "no file system serves names with \"s4://\""},
                 {"htp://a/b", "did you mean http?"},
                 {"file:///etc/passwd", "names of local files have no \"file://\"; leave it out"}};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(weir_file_open(runtime, unknown[i].name, WEIR_STRLEN, NULL, &file, &error) ==
          -WEIR_CODE_INVALID_ARGUMENT);
    CHECK(strstr(error.line.data, unknown[i].says));
    weir_error_clear(&error);
  }
  CHECK(weir_file_open(runtime, "s3://bucket/key", WEIR_STRLEN, NULL, &file, &error) < 0);
  if (error.code == WEIR_CODE_FAILED_PRECONDITION) {
    CHECK(strstr(error.message.data, "weir-remote") && strstr(error.message.data, "/nowhere"));
  }
  weir_error_clear(&error);
  weir_runtime_destroy(runtime);
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  options.extensions = "relative/folder";
  options.extensions_size = WEIR_STRLEN;
  CHECK(weir_runtime_create(&options, &runtime, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
}

static int32_t load(weir_runtime runtime, const char* file, const char* does, const char* has) {
  weir_error error = WEIR_ERROR_INIT;
  setenv("WEIR_HOSTILE", does, 1);
  setenv("WEIR_SELF", file, 1);
  const int32_t result = weir_runtime_load_extension(runtime, file, WEIR_STRLEN, &error);
  if (result != WEIR_OK && !strstr(error.message.data, has)) {
    fprintf(stderr, "expected \"%s\" in: %s\n", has, error.message.data);
    CHECK(0);
  }
  weir_error_clear(&error);
  return -result;
}

static int32_t load_fresh(const char* file, const char* does, const char* has) {
  weir_runtime runtime = make_runtime();
  const int32_t code = load(runtime, file, does, has);
  weir_runtime_destroy(runtime);
  return code;
}

static void test_refused(void) {
  static const char hostile[] = TESTS "/libweir-hostile.so";
  weir_runtime runtime = make_runtime();
  char damaged[64];
  snprintf(damaged, sizeof damaged, "/tmp/weir_extensions_%d.so", (int)getpid());
  FILE* file = fopen(damaged, "w");
  REQUIRE(file != NULL);
  fputs("\177ELF and nothing more", file);
  fclose(file);
  CHECK(load(runtime, damaged, "", "cannot load the extension") == WEIR_CODE_INVALID_ARGUMENT);
  unlink(damaged);
  CHECK(load(runtime, damaged, "", "there is no extension") == WEIR_CODE_NOT_FOUND);
  CHECK(load(runtime, "libweir-hostile.so", "", "an absolute name") == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(load(runtime, WEIR_BINARY_DIR "/libweir.so", "", "which does not") == WEIR_CODE_INVALID_ARGUMENT);
  weir_runtime_destroy(runtime);
  CHECK(load_fresh(hostile, "throws",
                   "libweir-hostile.so\" failed to load: unexpected exception: thrown on purpose") ==
        WEIR_CODE_INTERNAL);
  CHECK(load_fresh(hostile, "says nothing", "which is for 0") == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(load_fresh(hostile, "from the future", "which is for 2") == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(load_fresh(hostile, "fails", "it returned 77") == WEIR_CODE_UNKNOWN);
  CHECK(load_fresh(hostile, "loads itself", "needs itself") == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(load_fresh(hostile, "registers twice", "already registered") == WEIR_CODE_ALREADY_EXISTS);
  /* It isn't called again: the first failure is the one that tells why. */
  runtime = make_runtime();
  CHECK(load(runtime, hostile, "registers and fails", "it returned 78") == WEIR_CODE_UNKNOWN);
  CHECK(load(runtime, hostile, "", "it returned 78") == WEIR_CODE_UNKNOWN);
  weir_runtime_destroy(runtime);
  runtime = make_runtime();
  CHECK(load(runtime, hostile, "", "") == WEIR_OK);
  CHECK(load(runtime, hostile, "fails", "") == WEIR_OK);
  weir_runtime_destroy(runtime);
}

static weir_runtime shared;

static void* load_at_once(void* unused) {
  (void)unused;
  CHECK(weir_runtime_load_extension(shared, FOLDER "/libweir-example.so", WEIR_STRLEN, NULL) == WEIR_OK);
  CHECK(code_of_parse(shared, "from_list([\"a\"]) | map(s -> vowels(s))", "") == 0);
  return NULL;
}

static void test_several_threads(void) {
  pthread_t threads[8];
  shared = make_runtime();
  for (int i = 0; i < 8; ++i) REQUIRE(pthread_create(&threads[i], NULL, load_at_once, NULL) == 0);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
  weir_runtime_destroy(shared);
}

int main(void) {
  unsetenv("WEIR_EXTENSIONS");
  test_a_damaged_index();
  test_indexes_of_other_kinds();
  test_not_registered();
  test_found_by_name();
  test_explained();
  test_listed();
  test_sources();
  test_source_names();
  test_wrong_counts();
  test_not_found();
  test_refused();
  test_several_threads();
  return failures();
}
