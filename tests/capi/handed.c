/* Things handed over by name: the macros, and texts, which need no quotes and no escapes. */
#include "check.h"

static int32_t negates(void* user_data, weir_call call) {
  weir_view in = WEIR_VIEW_INIT;
  void* out = NULL;
  (void)user_data;
  CHECK(weir_call_input(call, 0, &in, NULL) == WEIR_OK);
  CHECK(weir_call_output(call, 0, 0, NULL, &out, NULL) == WEIR_OK);
  *(int64_t*)out = -*(const int64_t*)in.data;
  return WEIR_OK;
}

static void every_kind(weir_runtime runtime) {
  int64_t five = 5;
  weir_tensor tensor = {0};
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_dataset inner = parse(runtime, "range(2)");
  weir_element element = make_element();
  REQUIRE(weir_tensor_copy(WEIR_DTYPE_INT64, 0, NULL, &five, 8, &tensor, NULL) == WEIR_OK);
  callback.function = negates;
  {
    const weir_argument arguments[] = {
        WEIR_ARGUMENT_TEXT("word", "a\"b"), WEIR_ARGUMENT_CALLBACK("f", &callback),
        WEIR_ARGUMENT_DATASET("inner", inner), WEIR_ARGUMENT_TENSOR("five", tensor)};
    weir_dataset dataset =
        parse_with(runtime, "@inner | map(@f) | map(x -> (x + @five, @word))", arguments, 4);
    weir_iterator iterator = iterate(runtime, dataset);
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, 0, "(5, \"a\\\"b\")"));
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, 0, "(4, \"a\\\"b\")"));
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  weir_element_destroy(element);
  weir_tensor_unref(tensor);
  weir_dataset_unref(inner);
}

/* A file whose name would need escapes in every language. */
static void file_names(weir_runtime runtime) {
  static const char kFile[] = WEIR_BINARY_DIR "/a \"b\" \\n {c} $d @e \xc3\xa9.records";
  const weir_argument argument = WEIR_ARGUMENT_TEXT("file", kFile);
  weir_record_writer writer = {0};
  weir_dataset dataset;
  weir_dataset again = {0};
  weir_iterator iterator;
  weir_element element = make_element();
  weir_bytes bytes = WEIR_BYTES_INIT;
  REQUIRE(weir_record_writer_create(runtime, kFile, WEIR_STRLEN, NULL, &writer, NULL) == WEIR_OK);
  CHECK(weir_record_writer_write(writer, "one", 3, NULL) == WEIR_OK);
  CHECK(weir_record_writer_close(writer, NULL) == WEIR_OK);
  weir_record_writer_destroy(writer);
  dataset = parse_with(runtime, "tfrecord(@file)", &argument, 1);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, 0, "\"one\""));
  weir_iterator_destroy(iterator);
  /* The canonical text and the bytes have it as a literal, and nothing needs to be handed over again. */
  CHECK(weir_dataset_format(dataset, &bytes, NULL) == WEIR_OK && strstr(bytes.data, "@file") == NULL);
  CHECK(weir_dataset_parse(runtime, bytes.data, bytes.size, NULL, 0, &again, NULL) == WEIR_OK);
  weir_bytes_release(&bytes);
  weir_dataset_unref(again);
  again.value = 0;
  CHECK(weir_dataset_serialize(dataset, &bytes, NULL) == WEIR_OK);
  CHECK(weir_dataset_deserialize(runtime, bytes.data, bytes.size, NULL, 0, &again, NULL) == WEIR_OK);
  iterator = iterate(runtime, again);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, 0, "\"one\""));
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(again);
  weir_dataset_unref(dataset);
  weir_bytes_release(&bytes);
  weir_element_destroy(element);
  remove(kFile);
}

/* The empty text, one with a NUL and one that is not UTF-8 are ordinary strings; two of one name are an error. */
static void any_bytes(weir_runtime runtime) {
  weir_argument arguments[3] = {WEIR_ARGUMENT_TEXT("a", ""), WEIR_ARGUMENT_TEXT("b", ""),
                                WEIR_ARGUMENT_TEXT("c", "\xff\xfe")};
  weir_dataset dataset;
  weir_iterator iterator;
  weir_element element = make_element();
  weir_view view = WEIR_VIEW_INIT;
  weir_error error = WEIR_ERROR_INIT;
  arguments[1].text = "x\0y";
  arguments[1].text_size = 3;
  dataset = parse_with(runtime, "from_tensors((@a, @b, @c))", arguments, 3);
  iterator = iterate(runtime, dataset);
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK);
  CHECK(weir_element_view(element, 0, &view, NULL) == WEIR_OK && ((const weir_string*)view.data)->size == 0);
  CHECK(weir_element_view(element, 1, &view, NULL) == WEIR_OK && ((const weir_string*)view.data)->size == 3);
  CHECK(memcmp(((const weir_string*)view.data)->data, "x\0y", 3) == 0);
  CHECK(weir_element_view(element, 2, &view, NULL) == WEIR_OK);
  CHECK(text_is(*(const weir_string*)view.data, "\xff\xfe"));
  weir_iterator_destroy(iterator);
  weir_dataset_unref(dataset);
  dataset.value = 0;
  arguments[1].name = "a";
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, arguments, 2, &dataset, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.line.data, "\"a\"") != NULL && dataset.value == 0);
  /* A text is not a number. */
  CHECK(weir_dataset_parse(runtime, "range(@c)", WEIR_STRLEN, arguments + 2, 1, &dataset, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
  weir_element_destroy(element);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  every_kind(runtime);
  file_names(runtime);
  any_bytes(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
