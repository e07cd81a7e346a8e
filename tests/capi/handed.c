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
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
          prints(element, WEIR_TEXT, "(5, \"a\\\"b\")"));
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK &&
          prints(element, WEIR_TEXT, "(4, \"a\\\"b\")"));
    CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  weir_element_destroy(element);
  weir_tensor_unref(tensor);
  weir_dataset_unref(inner);
}

static weir_argument value_of(uint32_t kind, const char* text, const weir_argument* members, uint64_t count) {
  weir_argument out = WEIR_ARGUMENT_INIT;
  out.kind = kind;
  out.text = text;
  out.text_size = text ? WEIR_STRLEN : 0;
  out.members = members;
  out.member_count = count;
  return out;
}

/* A pipeline as one call: zip({"a b": range(3) | map(@f), y: from_list(["q\"", @word])}) and what it is made
 * of. */
static void whole_pipelines(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_argument range[3] = {WEIR_ARGUMENT_TEXT("", "$n"), WEIR_ARGUMENT_TEXT("$n", "int64"),
                            WEIR_ARGUMENT_TEXT("@word", "w\"")};
  weir_argument map[3];
  weir_argument list[2] = {WEIR_ARGUMENT_INIT, WEIR_ARGUMENT_TEXT("", "@word")};
  weir_argument listed = WEIR_ARGUMENT_INIT;
  weir_argument members[2];
  weir_argument dict;
  weir_argument deep = WEIR_ARGUMENT_INIT;
  callback.function = negates;
  callback.destroy = count_destroy;
  callback.user_data = &counted;
  map[0] = value_of(WEIR_VALUE_CALL, "range", range, 3);
  map[1] = (weir_argument)WEIR_ARGUMENT_CALLBACK("f", &callback);
  list[0] = value_of(WEIR_VALUE_STRING, "q\"", NULL, 0);
  listed = value_of(WEIR_VALUE_LIST, NULL, list, 2);
  members[0] = value_of(WEIR_VALUE_CALL, "map", map, 2);
  members[0].name = "a b";
  members[0].name_size = WEIR_STRLEN;
  members[1] = value_of(WEIR_VALUE_CALL, "from_list", &listed, 1);
  members[1].name = "y";
  members[1].name_size = 1;
  dict = value_of(WEIR_VALUE_DICT, NULL, members, 2);
  REQUIRE(weir_dataset_apply(runtime, "zip", WEIR_STRLEN, NULL, 0, &dict, 1, &dataset, &error) == WEIR_OK);
  CHECK(weir_dataset_format(dataset, &bytes, NULL) == WEIR_OK);
  CHECK(strcmp(bytes.data,
               "param n: int64\nzip({\"a b\": range($n) | map(@1), y: from_list([\"q\\\"\", "
               "\"w\\\"\"])})") == 0);
  weir_bytes_release(&bytes);
  CHECK(counted.destroyed == 0);
  weir_dataset_unref(dataset);
  CHECK(counted.destroyed == 1);
  /* What is wrong is refused with the callback destroyed: by the library, and by the struct. */
  range[0].text = "1) | skip(1";
  CHECK(weir_dataset_apply(runtime, "zip", 3, NULL, 0, &dict, 1, &dataset, &error) < 0 &&
        counted.destroyed == 2);
  CHECK(strstr(error.message.data, "expected one value") != NULL);
  range[0].kind = WEIR_VALUE_FLOAT64;
  CHECK(weir_dataset_apply(runtime, "zip", 3, NULL, 0, &dict, 1, &dataset, &error) < 0 &&
        counted.destroyed == 3);
  CHECK(strstr(error.message.data, "nothing but what its kind has") != NULL);
  range[0].kind = 99;
  CHECK(weir_dataset_apply(runtime, "zip", 3, NULL, 0, &dict, 1, &dataset, &error) < 0 &&
        counted.destroyed == 4);
  CHECK(strstr(error.message.data, "kind") != NULL);
  range[0].kind = 0;
  range[0].members = list;
  range[0].member_count = 2;
  CHECK(weir_dataset_apply(runtime, "zip", 3, NULL, 0, &dict, 1, &dataset, &error) < 0 &&
        counted.destroyed == 5);
  /* One that holds itself ends. */
  deep = value_of(WEIR_VALUE_CALL, "prefetch", NULL, 1);
  deep.members = &deep;
  CHECK(weir_dataset_apply(runtime, "", 0, NULL, 0, &deep, 1, &dataset, &error) < 0);
  CHECK(strstr(error.message.data, "levels") != NULL);
  /* A text refers to what has a name, not to values. */
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, &dict, 1, &dataset, &error) < 0 &&
        counted.destroyed == 6);
  weir_error_clear(&error);
}

/* Texts with values between them, and what is said of mistakes in them. */
static void joined(weir_runtime runtime) {
  weir_argument parts[4] = {WEIR_ARGUMENT_TEXT("", "x -> as_string(x) + "), WEIR_ARGUMENT_INIT,
                            WEIR_ARGUMENT_TEXT("", " + "), WEIR_ARGUMENT_INIT};
  weir_argument sum;
  weir_argument range = WEIR_ARGUMENT_TEXT("", "3");
  weir_argument map[2];
  weir_argument call;
  weir_argument product[2];
  weir_dataset dataset = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  parts[1] = value_of(WEIR_VALUE_STRING, "q\"", NULL, 0);
  /* A function, whose argument is joined, too, and has a label. */
  product[0] = (weir_argument)WEIR_ARGUMENT_TEXT("", "x * ");
  product[1] = (weir_argument)WEIR_ARGUMENT_TEXT("", "3");
  sum = value_of(WEIR_VALUE_JOINED, "inner", product, 2);
  parts[3] = value_of(WEIR_VALUE_CALL, "as_string", &sum, 1);
  map[0] = value_of(WEIR_VALUE_CALL, "range", &range, 1);
  map[1] = value_of(WEIR_VALUE_JOINED, "outer", parts, 4);
  call = value_of(WEIR_VALUE_CALL, "map", map, 2);
  REQUIRE(weir_dataset_apply(runtime, "", 0, NULL, 0, &call, 1, &dataset, &error) == WEIR_OK);
  CHECK(weir_dataset_format(dataset, &bytes, NULL) == WEIR_OK);
  CHECK(strcmp(bytes.data, "range(3) | map(x -> as_string(x) + \"q\\\"\" + as_string(x * 3))") == 0);
  weir_bytes_release(&bytes);
  weir_dataset_unref(dataset);
  CHECK(weir_dataset_check(runtime, NULL, 0, &call, 1, 0, &bytes, &error) == WEIR_OK);
  CHECK(strcmp(bytes.data, "[]") == 0);
  weir_bytes_release(&bytes);
  CHECK(weir_dataset_check(runtime, NULL, 0, &call, 1, WEIR_TEXT, &bytes, &error) == WEIR_OK &&
        bytes.size == 0);
  product[1].text = "1.5";
  CHECK(weir_dataset_check(runtime, NULL, 0, &call, 1, 0, &bytes, &error) == WEIR_OK);
  CHECK(strstr(bytes.data, "\"labels\": [{\"name\": \"outer\", \"offset\": 15, ") != NULL);
  CHECK(strstr(bytes.data, "{\"name\": \"inner\", \"offset\": 53, \"size\": 7}]") != NULL);
  weir_bytes_release(&bytes);
  CHECK(weir_dataset_check(runtime, NULL, 0, &call, 1, WEIR_TEXT, &bytes, &error) == WEIR_OK);
  CHECK(strstr(bytes.data, "as_string(x * 1.5)") != NULL && strchr(bytes.data, '\1') == NULL);
  weir_bytes_release(&bytes);
  /* Together they are one value, and no text can look like the place of a label. */
  product[1].text = "3), y -> (1";
  CHECK(weir_dataset_apply(runtime, "", 0, NULL, 0, &call, 1, &dataset, &error) < 0 &&
        strstr(error.message.data, "expected one value") != NULL);
  product[1].text = "\0011\0023\003";
  CHECK(weir_dataset_apply(runtime, "", 0, NULL, 0, &call, 1, &dataset, &error) < 0 &&
        strstr(error.message.data, "control character") != NULL);
  CHECK(weir_dataset_check(runtime, NULL, 0, &call, 1, 0, &bytes, &error) == WEIR_OK &&
        strstr(bytes.data, "control character") != NULL);
  weir_bytes_release(&bytes);
  weir_error_clear(&error);
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
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, "\"one\""));
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
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_OK && prints(element, WEIR_TEXT, "\"one\""));
  CHECK(weir_iterator_next(iterator, element, NULL) == WEIR_END);
  weir_iterator_destroy(iterator);
  weir_dataset_unref(again);
  weir_dataset_unref(dataset);
  weir_bytes_release(&bytes);
  weir_element_destroy(element);
  remove(kFile);
}

/* The empty text, one with a NUL and one that is not UTF-8 are ordinary strings; two of one name are an
 * error. */
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
  whole_pipelines(runtime);
  joined(runtime);
  file_names(runtime);
  any_bytes(runtime);
  weir_runtime_destroy(runtime);
  return failures();
}
