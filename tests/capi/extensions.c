/* Extensions: found by what they provide, loaded once, refused where they are none or for another library. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "check.h"

#define FOLDER WEIR_BINARY_DIR "/extensions"

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
  if (code != 0 && !strstr(error.message.data, has)) {
    fprintf(stderr, "expected \"%s\" in: %s\n", has, error.message.data);
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

static void test_found_by_name(void) {
  weir_runtime runtime = runtime_with("/nowhere:" FOLDER);
  CHECK(gives(runtime, "from_list([\"alpha\"]) | map(s -> vowels(s))", "2"));
  CHECK(gives(runtime, "from_list([\"eel\"]) | map(@vowels)", "2"));
  CHECK(gives(runtime, "range(5) | cache(\"mem://numbers\") | repeat(2) | skip(5) | batch(9)",
              "[0, 1, 2, 3, 4]"));
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

static void test_not_found(void) {
  weir_runtime runtime = runtime_with("/nowhere");
  CHECK(code_of_parse(runtime, "from_list([\"a\"]) | map(s -> vowels(s))", "vowels") ==
        WEIR_CODE_INVALID_ARGUMENT);
  weir_file file = {0};
  weir_error error = WEIR_ERROR_INIT;
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

static void test_refused(void) {
  static const char hostile[] = FOLDER "/hostile/libweir-hostile.so";
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
  CHECK(load(runtime, hostile, "throws", "thrown on purpose") != WEIR_OK);
  CHECK(load(runtime, hostile, "says nothing", "which is for 0") == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(load(runtime, hostile, "from the future", "which is for 2") == WEIR_CODE_FAILED_PRECONDITION);
  CHECK(load(runtime, hostile, "fails", "it returned 77") == WEIR_CODE_UNKNOWN);
  CHECK(load(runtime, hostile, "loads itself", "needs itself") == WEIR_CODE_FAILED_PRECONDITION);
  weir_runtime_destroy(runtime);
  runtime = make_runtime();
  CHECK(load(runtime, hostile, "registers twice", "already registered") == WEIR_CODE_ALREADY_EXISTS);
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
  test_found_by_name();
  test_not_found();
  test_refused();
  test_several_threads();
  return failures();
}
