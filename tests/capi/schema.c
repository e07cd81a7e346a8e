/* What the library says about its operators and functions, and components found by their path. */
#include "check.h"

static void schemas(void) {
  weir_bytes text = WEIR_BYTES_INIT;
  weir_error error = WEIR_ERROR_INIT;
  CHECK(weir_schema(NULL, 0, 0, &text, &error) == WEIR_OK);
  CHECK(strstr(text.data, "{\"name\": \"range\", \"kind\": \"source\"") != NULL);
  CHECK(strstr(text.data, "{\"name\": \"sum\", \"kind\": \"function\"") != NULL);
  CHECK(strstr(text.data, "\"version\": \"0.1.0\"") != NULL);
  CHECK(text.data[text.size] == '\0' && strlen(text.data) == text.size);
  weir_bytes_release(&text);
  CHECK(weir_schema("take", WEIR_STRLEN, 0, &text, &error) == WEIR_OK);
  CHECK(strstr(text.data, "{\"name\": \"take\", \"kind\": \"transformation\"") != NULL);
  CHECK(strstr(text.data, "range") == strstr(text.data, "range(5) | take(2)"));
  weir_bytes_release(&text);
  CHECK(weir_schema("take", 4, WEIR_TEXT, &text, &error) == WEIR_OK);
  CHECK(strncmp(text.data, "take - transformation\n\n  take(n)\n", 33) == 0);
  weir_bytes_release(&text);
  CHECK(weir_schema(NULL, 0, WEIR_TEXT, &text, &error) == WEIR_OK);
  CHECK(strstr(text.data, "\n  take ") != NULL);
  weir_bytes_release(&text);
  CHECK(weir_schema("tak", WEIR_STRLEN, 0, &text, &error) == -WEIR_CODE_NOT_FOUND);
  CHECK(strstr(error.message.data, "did you mean take?") != NULL);
  CHECK(text.data == NULL);
  CHECK(weir_schema(NULL, 3, 0, &text, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_schema("take", WEIR_STRLEN, 2, &text, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  CHECK(weir_schema("take", WEIR_STRLEN, 0, NULL, &error) == -WEIR_CODE_INVALID_ARGUMENT);
  weir_error_clear(&error);
}

static weir_spec spec_of(const char* text) {
  weir_spec spec = {0};
  REQUIRE(weir_spec_parse(text, WEIR_STRLEN, &spec, NULL) == WEIR_OK);
  return spec;
}

static void finds(const char* spec_text, const char* path, uint32_t expected) {
  weir_spec spec = spec_of(spec_text);
  weir_error error = WEIR_ERROR_INIT;
  uint32_t found = 99;
  int32_t result = weir_spec_component(spec, path, WEIR_STRLEN, &found, &error);
  if (result != WEIR_OK || found != expected) {
    fprintf(stderr, "%s, \"%s\": found %u, %s\n", spec_text, path, found,
            result == WEIR_OK ? "" : error.line.data);
  }
  CHECK(result == WEIR_OK && found == expected);
  weir_error_clear(&error);
  weir_spec_unref(spec);
}

static void refuses(const char* spec_text, const char* path, int32_t code, const char* message) {
  weir_spec spec = spec_of(spec_text);
  weir_error error = WEIR_ERROR_INIT;
  uint32_t found = 99;
  CHECK(weir_spec_component(spec, path, WEIR_STRLEN, &found, &error) == -code);
  CHECK(found == 0);
  if (!error.message.data || strcmp(error.message.data, message) != 0) {
    fprintf(stderr, "%s, \"%s\": expected\n%s\nfound\n%s\n", spec_text, path, message, error.message.data);
    CHECK(!"the message");
  }
  weir_error_clear(&error);
  weir_spec_unref(spec);
}

static void components(void) {
  finds("int64", "", 0);
  finds("(int64,)", "", 0);
  finds("{image: uint8[28, 28], label: int64}", "image", 0);
  finds("{image: uint8[28, 28], label: int64}", "label", 1);
  finds("(int64, (string, float32), bool)", "0", 0);
  finds("(int64, (string, float32), bool)", "1.1", 2);
  finds("(int64, (string, float32), bool)", "2", 3);
  finds("{a: {x: int64, b: string}, pair: (int64, float32)}", "a.b", 1);
  finds("{a: {x: int64, b: string}, pair: (int64, float32)}", "pair.1", 3);
  finds("{s: sparse<int64>[?], r: ragged<int64>[2, ?], y: int64}", "s.values", 1);
  finds("{s: sparse<int64>[?], r: ragged<int64>[2, ?], y: int64}", "r.row_splits", 4);
  finds("{s: sparse<int64>[?], r: ragged<int64>[2, ?], y: int64}", "y", 5);
  finds("{d: dataset<(int64, int64)>, y: int64}", "d", 0);
  finds("{d: dataset<(int64, int64)>, y: int64}", "y", 1);
  finds("{\"user/id\": int64, \"a.b\": {x: int64}}", "user/id", 0);
  finds("{\"user/id\": int64, \"a.b\": {x: int64}}", "\"user/id\"", 0);
  finds("{\"user/id\": int64, \"a.b\": {x: int64}}", "\"a.b\".x", 1);
  refuses(
      "{image: string, label: int64}", "imag", WEIR_CODE_NOT_FOUND,
      "expected a part of {image: string, label: int64} (image, label), found \"imag\"; did you mean image?");
  refuses("(int64, string)", "2", WEIR_CODE_NOT_FOUND,
          "expected a part of (int64, string) (0, 1), found \"2\"");
  refuses(
      "{image: string, label: int64}", "", WEIR_CODE_INVALID_ARGUMENT,
      "expected the path of one component, found that of {image: string, label: int64}, which has 2; go on to a part of it, such as image");
  refuses(
      "{a: (int64, int64)}", "a", WEIR_CODE_INVALID_ARGUMENT,
      "expected the path of one component, found that of (int64, int64), which has 2; go on to a part of it, such as 0");
  refuses("{a: int64[3]}", "a.0", WEIR_CODE_NOT_FOUND,
          "expected a path that ends at int64[3], which has no parts, found \"0\" after it");
  refuses("sparse<int64>[?]", "values.0", WEIR_CODE_NOT_FOUND,
          "expected a path that ends at int64, which has no parts, found \"0\" after it");
  CHECK(weir_spec_component((weir_spec){0}, "a", WEIR_STRLEN, &(uint32_t){0}, NULL) ==
        -WEIR_CODE_INVALID_ARGUMENT);
}

int main(void) {
  schemas();
  components();
  return failures();
}
