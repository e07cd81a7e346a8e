/* Functions of the host that texts call by their names: signature, result, blocks, errors, serialised graphs.
 */
#include "check.h"

/* scaled(x: int64[?], by: int64): x * by, by block; a row that begins with 13 fails. */
static int32_t scaled(void* user_data, weir_call call) {
  weir_view x = WEIR_VIEW_INIT;
  weir_view by = WEIR_VIEW_INIT;
  void* out = NULL;
  int64_t rows = weir_call_rows(call);
  int64_t width = 0;
  ++((counts*)user_data)->calls;
  CHECK(weir_call_input(call, 0, &x, NULL) == WEIR_OK && weir_call_input(call, 1, &by, NULL) == WEIR_OK);
  CHECK(x.rank == 2 && x.dims[0] == rows && by.rank == 1 && by.dims[0] == rows);
  width = x.dims[1];
  CHECK(weir_call_output(call, 0, 2, x.dims, &out, NULL) == WEIR_OK);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < width; ++i) {
      ((int64_t*)out)[row * width + i] =
          ((const int64_t*)x.data)[row * width + i] * ((const int64_t*)by.data)[row];
    }
    if (width > 0 && ((const int64_t*)x.data)[row * width] == 13)
      CHECK(weir_call_fail(call, row, WEIR_CODE_DATA_LOSS, "thirteen", WEIR_STRLEN, NULL) == WEIR_OK);
  }
  return WEIR_OK;
}

static weir_callback make_function(counts* counted, const char* signature, const char* result) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = scaled;
  callback.destroy = count_destroy;
  callback.user_data = counted;
  callback.flags = WEIR_CALLBACK_PURE | WEIR_CALLBACK_BLOCK | WEIR_CALLBACK_CONCURRENT;
  callback.signature = signature;
  callback.signature_size = WEIR_STRLEN;
  callback.result_spec = result;
  callback.result_spec_size = result ? WEIR_STRLEN : 0;
  return callback;
}

/* Prints all elements of the text, one a line, into a buffer. */
static void print_all(weir_runtime runtime, weir_dataset dataset, char* out, size_t size) {
  weir_iterator iterator = iterate(runtime, dataset);
  weir_element element = make_element();
  weir_error error = WEIR_ERROR_INIT;
  int32_t result = WEIR_OK;
  out[0] = 0;
  while ((result = weir_iterator_next(iterator, element, &error)) != WEIR_END) {
    weir_bytes text = WEIR_BYTES_INIT;
    if (result == WEIR_ELEMENT_FAILED) {
      strncat(out, error.code == WEIR_CODE_DATA_LOSS ? "lost\n" : "failed\n", size - strlen(out) - 1);
      continue;
    }
    CHECK(result == WEIR_OK);
    CHECK(weir_element_format(element, WEIR_TEXT, &text, NULL) == WEIR_OK);
    strncat(out, text.data, size - strlen(out) - 1);
    strncat(out, "\n", size - strlen(out) - 1);
    weir_bytes_release(&text);
  }
  weir_error_clear(&error);
  weir_element_destroy(element);
  weir_iterator_destroy(iterator);
}

static void prints_all(weir_runtime runtime, const char* text, const char* expected) {
  char out[4096];
  weir_dataset dataset = parse_with(runtime, text, NULL, 0);
  print_all(runtime, dataset, out, sizeof out);
  if (strcmp(out, expected) != 0) fprintf(stderr, "%s gives\n%s", text, out);
  CHECK(strcmp(out, expected) == 0);
  weir_dataset_unref(dataset);
}

static void refused(weir_runtime runtime, const char* text, const char* says) {
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_dataset_parse(runtime, text, WEIR_STRLEN, NULL, 0, &dataset, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(strstr(error.message.data, says) != NULL);
  weir_error_clear(&error);
}

static void called_by_name(weir_runtime runtime, counts* counted) {
  int64_t before = 0;
  prints_all(runtime, "range(3) | map(x -> scaled([x, 1], 10))", "[0, 10]\n[10, 10]\n[20, 10]\n");
  prints_all(runtime, "range(1, 3) | map(n -> (n, scaled(by: n, x: [n, n + 1])[1]))", "(1, 2)\n(2, 6)\n");
  /* Beside errors, with rows of several shapes, and as a part of other expressions. */
  prints_all(runtime, "range(4) | map(x -> scaled([x + 11], 2))", "[22]\n[24]\nlost\n[28]\n");
  prints_all(runtime, "range(3) | map(x -> scaled(arange(x), 2 // x))", "failed\n[0]\n[0, 1]\n");
  prints_all(runtime, "range(3) | map(x -> sum(scaled([x, x], 3)) + 1)", "1\n7\n13\n");
  prints_all(runtime, "range(3) | map(x -> if x == 1 then scaled([x], 5) else [x])", "[0]\n[5]\n[2]\n");
  prints_all(runtime, "range(2) | flat_map(x -> range(2) | map(y -> scaled([x, y], 7)))",
             "[0, 0]\n[0, 7]\n[7, 0]\n[7, 7]\n");
  /* Once for a block. */
  before = counted->calls;
  prints_all(runtime, "range(100, 200) | map(x -> scaled([x], 2)[0]) | batch(100) | map(v -> sum(v))",
             "29900\n");
  CHECK(counted->calls - before <= 3);
  refused(runtime, "range(3) | map(x -> scaled(x, 2))", "expected int64[?], found int64");
  refused(runtime, "range(3) | map(x -> scaled([x]))", "needs the argument 'by'");
  refused(runtime, "range(3) | map(x -> scaled([x], 2, 3))", "takes at most 2 arguments");
  refused(runtime, "range(3) | map(x -> scaled([x], by: 2, x: [x]))", "is given twice");
  refused(runtime, "range(3) | map(x -> scaled([x], bye: 2))", "did you mean by?");
  refused(runtime, "range(3) | map(x -> scaled([x], 2.5))", "int64");
  refused(runtime, "range(3) | map(x -> scale([x], 2))", "there is no function 'scale'");
}

static void kept_in_graphs(weir_runtime runtime) {
  weir_dataset dataset = parse_with(runtime, "range(2) | map(x -> scaled([x], 4))", NULL, 0);
  weir_dataset again = {0};
  weir_bytes bytes = WEIR_BYTES_INIT;
  char out[256];
  CHECK(weir_dataset_serialize(dataset, &bytes, NULL) == WEIR_OK);
  CHECK(weir_dataset_deserialize(runtime, bytes.data, bytes.size, NULL, 0, &again, NULL) == WEIR_OK);
  print_all(runtime, again, out, sizeof out);
  CHECK(strcmp(out, "[0]\n[4]\n") == 0);
  weir_bytes_release(&bytes);
  weir_dataset_unref(again);
  weir_dataset_unref(dataset);
}

/* The result has the shape of the first argument; scalars are refused. */
static int32_t like_first(void* user_data, weir_spec arguments, weir_spec* result) {
  weir_spec first = {0};
  weir_bytes text = WEIR_BYTES_INIT;
  int32_t verdict = WEIR_OK;
  ++((counts*)user_data)->calls;
  CHECK(weir_spec_child(arguments, 0, &first, NULL, NULL) == WEIR_OK);
  CHECK(weir_spec_format(first, &text, NULL) == WEIR_OK);
  verdict = strcmp(text.data, "int64[9]") == 0 ? 7 : WEIR_OK;
  weir_bytes_release(&text);
  *result = first;
  return verdict;
}

static void infers(weir_runtime runtime) {
  /* Destroyed with the runtime. */
  static counts counted = {0, 0};
  weir_callback callback = make_function(&counted, "{x: int64[?], by: int64}", NULL);
  weir_dataset dataset = {0};
  weir_bytes text = WEIR_BYTES_INIT;
  weir_spec spec = {0};
  callback.infer = like_first;
  CHECK(weir_runtime_register(runtime, "alike", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
  prints_all(runtime, "range(2) | map(x -> alike([x, 5], 10))", "[0, 50]\n[10, 50]\n");
  dataset = parse_with(runtime, "range(2) | map(x -> alike([x, 5, 6], 10))", NULL, 0);
  CHECK(weir_dataset_spec(dataset, &spec, NULL) == WEIR_OK && weir_spec_format(spec, &text, NULL) == WEIR_OK);
  CHECK(strcmp(text.data, "int64[3]") == 0);
  refused(runtime, "range(2) | map(x -> alike(zeros([9], int64), 10))", "which it refuses");
  weir_bytes_release(&text);
  weir_spec_unref(spec);
  weir_dataset_unref(dataset);
}

static void mistakes(weir_runtime runtime) {
  counts counted = {0, 0};
  weir_callback callback = make_function(&counted, "{x: int64[?], by: int64}", "int64[?]");
  CHECK(weir_runtime_register(runtime, "sum", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_ALREADY_EXISTS);
  CHECK(weir_runtime_register(runtime, "batch", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_ALREADY_EXISTS);
  CHECK(weir_runtime_register(runtime, "scaled", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_ALREADY_EXISTS);
  callback.infer = like_first;
  CHECK(weir_runtime_register(runtime, "both", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  callback = make_function(&counted, "(int64, int64)", "int64");
  CHECK(weir_runtime_register(runtime, "tuple", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  callback = make_function(&counted, "{x: int65}", "int64");
  CHECK(weir_runtime_register(runtime, "typo", WEIR_STRLEN, &callback, NULL) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(counted.destroyed == 6);
}

static int32_t register_as(weir_runtime runtime, const char* name, const char* signature, counts* counted) {
  weir_callback callback = make_function(counted, signature, "int64[?]");
  weir_error error = WEIR_ERROR_INIT;
  const int32_t result = weir_runtime_register(runtime, name, WEIR_STRLEN, &callback, &error);
  if (result != WEIR_OK) CHECK(error.message.size > 0 && strstr(error.message.data, name) != NULL);
  weir_error_clear(&error);
  return result;
}

static void taken_names(weir_runtime runtime) {
  static const char* const kReserved[] = {"if",  "then",    "else",  "let",  "in",   "or",
                                          "and", "not",     "true",  "none", "auto", "false",
                                          "inf", "newaxis", "param", "nan",  "_"};
  static const char* const kTaken[] = {"abs", "map", "range", "int32", "string", "batch", "random_uniform"};
  const char* arguments = "{x: int64[?], by: int64}";
  counts counted = {0, 0};
  int destroyed = 0;
  for (size_t i = 0; i < sizeof kReserved / sizeof *kReserved; ++i) {
    CHECK(register_as(runtime, kReserved[i], arguments, &counted) == -WEIR_CODE_INVALID_ARGUMENT);
    CHECK(counted.destroyed == ++destroyed);
  }
  for (size_t i = 0; i < sizeof kTaken / sizeof *kTaken; ++i) {
    CHECK(register_as(runtime, kTaken[i], arguments, &counted) == -WEIR_CODE_ALREADY_EXISTS);
    CHECK(counted.destroyed == ++destroyed);
  }
  /* Also where it is passed along with a text. */
  weir_callback callback = make_function(&counted, arguments, "int64[?]");
  weir_argument argument = WEIR_ARGUMENT_CALLBACK("let", &callback);
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_dataset_parse(runtime, "range(1)", WEIR_STRLEN, &argument, 1, &dataset, &error) ==
        -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(counted.destroyed == destroyed + 1);
  CHECK(strstr(error.message.data, "let, a reserved word of the notation") != NULL);
  weir_error_clear(&error);
}

/* A function whose infer builds a dataset that calls it again. */
typedef struct endless {
  weir_runtime runtime;
  int depth;
  int deepest;
  char message[400];
} endless;

static int32_t build_again(void* user_data, weir_spec arguments, weir_spec* result) {
  endless* self = user_data;
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  int32_t verdict;
  (void)arguments;
  if (++self->depth > self->deepest) self->deepest = self->depth;
  verdict = weir_dataset_parse(self->runtime, "range(1) | map(x -> around(x))", WEIR_STRLEN, NULL, 0,
                               &dataset, &error);
  if (verdict != WEIR_OK && self->message[0] == 0)
    snprintf(self->message, sizeof self->message, "%.*s", (int)error.message.size, error.message.data);
  if (verdict == WEIR_OK) verdict = weir_spec_parse("int64", WEIR_STRLEN, result, NULL);
  weir_error_clear(&error);
  weir_dataset_unref(dataset);
  --self->depth;
  return verdict;
}

static void comes_back_to_itself(void) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  weir_dataset dataset = {0};
  weir_error error = WEIR_ERROR_INIT;
  endless self = {{0}, 0, 0, ""};
  weir_runtime runtime = make_runtime();
  self.runtime = runtime;
  callback.function = scaled;
  callback.user_data = &self;
  callback.signature = "{x: int64}";
  callback.signature_size = WEIR_STRLEN;
  callback.infer = build_again;
  CHECK(weir_runtime_register(runtime, "around", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
  CHECK(weir_dataset_parse(runtime, "range(1) | map(x -> around(x))", WEIR_STRLEN, NULL, 0, &dataset,
                           &error) < 0);
  CHECK(self.deepest == 32);
  CHECK(strstr(self.message, "expected at most 32 calls of the program's functions inside each other") !=
        NULL);
  weir_error_clear(&error);
  weir_runtime_destroy(runtime);
}

int main(void) {
  weir_runtime runtime = make_runtime();
  counts counted = {0, 0};
  weir_callback callback = make_function(&counted, "{x: int64[?], by: int64}", "int64[?]");
  CHECK(weir_runtime_register(runtime, "scaled", WEIR_STRLEN, &callback, NULL) == WEIR_OK);
  called_by_name(runtime, &counted);
  kept_in_graphs(runtime);
  infers(runtime);
  mistakes(runtime);
  taken_names(runtime);
  comes_back_to_itself();
  CHECK(counted.destroyed == 0);
  weir_runtime_destroy(runtime);
  CHECK(counted.destroyed == 1);
  return failures();
}
