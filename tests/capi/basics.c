/* The library, errors, runtimes, specs: everything that needs no dataset. */
#include "check.h"

static void library(void) {
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_PATCH);
  CHECK(strcmp(weir_version(), expected) == 0);
  CHECK(strcmp(weir_code_name(3), "invalid_argument") == 0);
  CHECK(strcmp(weir_code_name(-3), "invalid_argument") == 0);
  CHECK(strcmp(weir_code_name(0), "ok") == 0);
  CHECK(strcmp(weir_code_name(INT32_MIN), "unknown") == 0);
  CHECK(strcmp(weir_code_name(16), "unknown") == 0);
}

static void errors(void) {
  weir_error error = WEIR_ERROR_INIT;
  weir_spec spec = {77};
  CHECK(weir_spec_parse("int64[", WEIR_STRLEN, &spec, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(spec.value == 0);
  CHECK(error.code == WEIR_CODE_INVALID_ARGUMENT);
  CHECK(error.message.size > 0 && strlen(error.message.data) == error.message.size);
  CHECK(strchr(error.line.data, '\n') == NULL);
  CHECK(error.offset == -1 && error.record == -1);
  /* Filled again without being cleared. */
  CHECK(weir_spec_parse("", WEIR_STRLEN, &spec, &error) < 0);
  weir_error_clear(&error);
  CHECK(error.code == 0 && error.message.size == 0);
  weir_error_clear(&error);
  weir_error_clear(NULL);
  CHECK(weir_spec_parse("int64", WEIR_STRLEN, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
  /* One too small for the first version is left alone. */
  error.struct_size = 8;
  CHECK(weir_spec_parse("int64[", WEIR_STRLEN, &spec, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(error.code == 0);
}

/* What a terminal would take for a command is shown in message and line; `file` is the name itself. */
static void control_characters(void) {
  static const char kName[] = "no\x1b]0;such\x07\x7f\nfile";
  weir_runtime runtime = make_runtime();
  weir_argument argument = WEIR_ARGUMENT_TEXT("file", kName);
  weir_dataset dataset = parse_with(runtime, "tfrecord(@file)", &argument, 1);
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_iterator_next(iterator, element, &error) == WEIR_ELEMENT_FAILED);
  CHECK(text_is(error.file, kName));
  CHECK(strstr(error.line.data, "no\\x1b]0;such\\x07\\x7f\\nfile") != NULL);
  for (uint64_t i = 0; i < error.line.size; ++i) CHECK((unsigned char)error.line.data[i] >= 0x20);
  for (uint64_t i = 0; i < error.message.size; ++i)
    CHECK((unsigned char)error.message.data[i] >= 0x20 || error.message.data[i] == '\n');
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  weir_runtime_destroy(runtime);
}

static void runtimes(void) {
  counts allocated = {0, 0};
  counts logged = {0, 0};
  weir_allocator allocator = WEIR_ALLOCATOR_INIT;
  weir_logger logger = WEIR_LOGGER_INIT;
  weir_runtime_options options = WEIR_RUNTIME_OPTIONS_INIT;
  weir_runtime runtime = {0};
  hand_over(&options, &allocator, &allocated, &logger, &logged);
  CHECK(weir_runtime_create(&options, &runtime, NULL) == WEIR_OK);
  CHECK(allocated.destroyed == 0 && logged.destroyed == 0);
  weir_runtime_destroy(runtime);
  CHECK(allocated.destroyed == 1 && logged.destroyed == 1 && allocated.calls == 0);
  weir_runtime_destroy(runtime);
  /* What was passed to a failed call is destroyed as well. */
  options.thread_count = -1;
  CHECK(weir_runtime_create(&options, &runtime, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(runtime.value == 0);
  CHECK(allocated.destroyed == 2 && logged.destroyed == 2);
  options.thread_count = 0;
  logger.log = NULL;
  CHECK(weir_runtime_create(&options, &runtime, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(allocated.destroyed == 3 && logged.destroyed == 3);
  options.struct_size = 1;
  CHECK(weir_runtime_create(&options, &runtime, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_runtime_create(NULL, NULL, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
}

/* A struct of a later version is accepted if what this version does not know is zero. */
static void growing_structs(void) {
  struct {
    weir_runtime_options known;
    uint64_t later;
  } options = {WEIR_RUNTIME_OPTIONS_INIT, 0};
  weir_runtime runtime = {0};
  options.known.struct_size = sizeof options;
  CHECK(weir_runtime_create(&options.known, &runtime, NULL) == WEIR_OK);
  weir_runtime_destroy(runtime);
  options.later = 1;
  CHECK(weir_runtime_create(&options.known, &runtime, NULL) == -WEIR_CODE_UNIMPLEMENTED);
  CHECK(runtime.value == 0);
}

static void specs(void) {
  weir_spec spec = {0};
  weir_spec child = {0};
  weir_spec_info info = WEIR_SPEC_INFO_INIT;
  weir_bytes text = WEIR_BYTES_INIT;
  weir_string key;
  REQUIRE(weir_spec_parse("{image: uint8[28, ?], b: (int64, string[...])}", WEIR_STRLEN, &spec, NULL) ==
          WEIR_OK);
  CHECK(weir_spec_view(spec, &info, NULL) == WEIR_OK);
  CHECK(info.kind == WEIR_SPEC_DICT && info.child_count == 2 && info.component_count == 3 && info.dtype == 0);
  CHECK(weir_spec_child(spec, 0, &child, &key, NULL) == WEIR_OK);
  CHECK(text_is(key, "image"));
  CHECK(weir_spec_view(child, &info, NULL) == WEIR_OK);
  CHECK(info.kind == WEIR_SPEC_TENSOR && info.dtype == WEIR_DTYPE_UINT8 && info.rank == 2);
  CHECK(info.dims[0] == 28 && info.dims[1] == -1);
  weir_spec_unref(child);
  CHECK(weir_spec_child(spec, 1, &child, NULL, NULL) == WEIR_OK);
  /* A child lives on without its parent. */
  CHECK(weir_spec_ref(spec, NULL) == WEIR_OK);
  weir_spec_unref(spec);
  CHECK(weir_spec_format(spec, &text, NULL) == WEIR_OK);
  CHECK(strcmp(text.data, "{image: uint8[28, ?], b: (int64, string[...])}") == 0);
  weir_bytes_release(&text);
  CHECK(text.data == NULL && text.owner == 0);
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  CHECK(weir_spec_view(spec, &info, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_spec_format(child, &text, NULL) == WEIR_OK);
  CHECK(strcmp(text.data, "(int64, string[...])") == 0);
  weir_bytes_release(&text);
  CHECK(weir_spec_child(child, 2, &spec, &key, NULL) == -WEIR_CODE_OUT_OF_RANGE);
  weir_spec_unref(child);
  weir_spec_unref(child);
  CHECK(weir_spec_ref(child, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
}

int main(void) {
  library();
  errors();
  control_characters();
  runtimes();
  growing_structs();
  specs();
  return failures();
}
