// What people type who come from Python and tf.data: each mistake is answered with what to write instead.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "build.h"
#include "expr/kernel.h"
#include "ops/list.h"
#include "syntax/hints.h"

namespace weir {
namespace {

std::string mistake_of(std::string_view text) { return Graph().refused(text); }

struct Row {
  const char* text;
  const char* answer;
};

TEST_CASE("mistakes: words of Python and tf.data say how they are written here", "[graph]") {
  for (const Row& row : {
           Row{"range(9) | batch(4, drop_remainder: True)", "; write true"},
           Row{"range(9) | map(x -> False)", "; write false"},
           Row{"range(9) | repeat(None)", "; write none; a count is left out instead"},
           Row{"range(9) | map(x -> None)", "; write none"},
           Row{"range(9) | map(x -> x, num_parallel_calls: AUTOTUNE)", "AUTOTUNE is written auto"},
           Row{"range(9) | prefetch(tf.data.AUTOTUNE)", "no prefix"},
           Row{"TFRecordDataset(\"x\")", "tf.data's TFRecordDataset is tfrecord(files)"},
           Row{"TextLineDataset(\"x\")", "is text_line(files)"},
           Row{"FixedLengthRecordDataset(\"x\", 3)", "is fixed_length_record(files"},
           Row{"Dataset(3)", "a dataset begins with a source"},
           Row{"range(9) | map(x -> tf.cast(x, float32))", "functions have no prefix: write cast(…)"},
           Row{"range(9) | map(x -> np.square(x))", "functions have no prefix: write square(…)"},
           Row{"range(9) | map(x -> x.astype(float32))", "a dtype's name converts, as in float32(x)"},
           Row{"range(9).map(x -> x)", "only a name can be called; a transformation is written … | map(…)"},
           Row{"tf.data.Dataset.range(9).batch(2)", "functions have no prefix: write range(…)"},
           Row{"range(9) | map(x -> cast(x, float))", "Python's float is float64"},
           Row{"range(9) | map(x -> float(x))", "Python's float is float64"},
           Row{"range(9) | map(x -> int(x))", "Python's int is int64"},
           Row{"range(9) | map(x -> len(x))", "shape(x)[0]"},
           Row{"range(9) | map(x -> x if x > 3 else 0)", "a choice is written if c then a else b"},
           Row{"range(9) | map(lambda x: x + 1)", "a lambda is written x -> x + 1, without the word"},
       }) {
    INFO(row.text);
    INFO(mistake_of(row.text));
    CHECK(mistake_of(row.text).find(row.answer) != std::string::npos);
  }
}

TEST_CASE("mistakes: what was meant is said where the types show it", "[graph]") {
  for (const Row& row : {
           Row{"range(9) | map(x -> {a: x}) | map(d -> d[\"a\"])", "a member of a dict is written x.a"},
           Row{"range(9) | map(x -> {a: x}) | map(d -> d[0])", "a member of a dict is written x.KEY"},
           Row{"range(9) | map(x -> (x, x)) | map(d -> d[0])", "write .0, .1 … for the members of a tuple"},
           Row{"range(9) | map(x -> x.shape)", "; write shape(x)"},
           Row{"range(9) | map(x -> x[0])", "expected a tensor with entries before […], found a scalar"},
           Row{"zip(range(3), range(3)) | map(x -> x + 1)", "take the element apart: (a, b) -> …"},
           Row{"range(1e3)", "the literal 1000.0 does not fit int64; write 1000"},
           Row{"range(9) | repeat(2.0)", "; write 2"},
           Row{"range(9) | map(x -> sqrt(x))",
               "expected a float dtype, found int64; convert it, as in float64(x)"},
           Row{"range(9) | repeat() | reduce(0, (s, x) -> s + x)",
               "reduce needs a dataset that ends, found an infinite one; put take(n) before it"},
           Row{"range(2) | map(i -> range(9) | repeat() | reduce(0, (s, x) -> s + x))",
               "put take(n) before it"},
           Row{"range(9) | filter(x -> x % 2)", "found int64; compare it, as in x % 2 != 0"},
       }) {
    INFO(row.text);
    INFO(mistake_of(row.text));
    CHECK(mistake_of(row.text).find(row.answer) != std::string::npos);
  }
}

TEST_CASE("mistakes: what is not in this version says so", "[graph]") {
  for (const char* text : {"range(9) | cache()", "range(9) | window(2)", "range(9) | padded_batch(2)",
                           "text_line(\"x\")", "range(9) | options()", "range(9) | unbatch()",
                           "range(9) | map(x -> decode_jpeg(x))", "csv(\"x\", [1])"}) {
    INFO(text);
    CHECK(mistake_of(text).find("is planned, but not in this version") != std::string::npos);
    CHECK(mistake_of(text).find("did you mean") == std::string::npos);
  }
  for (const std::string& name : syntax::planned_names()) {
    INFO("it is there: take it from the list");
    INFO(name);
    CHECK(find_operator(name) == nullptr);
    CHECK(find_kernel(name) == nullptr);
  }
}

TEST_CASE("mistakes: only what is spelt nearly so is suggested", "[graph]") {
  CHECK(mistake_of("text(\"x\")").find("did you mean") == std::string::npos);
  CHECK(mistake_of("range(9) | map(x -> abc(x))").find("did you mean abs?") != std::string::npos);
  CHECK(mistake_of("range(9) | map(x -> {label: x}) | map(d -> d.lable)").find("did you mean label?") !=
        std::string::npos);
  CHECK(mistake_of("range(9) | map(x -> {label: x}) | map(d -> d.title)").find("did you mean") ==
        std::string::npos);
  // A key may be any word.
  CHECK(mistake_of("range(9) | map(x -> {a: x}) | map(d -> d.cache)").find("planned") == std::string::npos);
}

}  // namespace
}  // namespace weir
