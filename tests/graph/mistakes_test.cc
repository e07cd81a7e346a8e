// What people type who come from Python and tf.data: each mistake is answered with what to write instead.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "build.h"
#include "expr/types/kernel.h"
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
           Row{"range(9) | repeat(None)",
               "; write none; a count is left out, and a value that is missing is nothing(int64)"},
           Row{"range(9) | map(x -> None)", "; write none"},
           Row{"range(9) | map(x -> x, num_parallel_calls: AUTOTUNE)", "AUTOTUNE is written auto"},
           Row{"range(9) | prefetch(tf.data.AUTOTUNE)", "; tf.data's AUTOTUNE is written auto"},
           Row{"TFRecordDataset(\"x\")", "tf.data's TFRecordDataset is tfrecord(files)"},
           Row{"TextLineDataset(\"x\")", "is text_line(files)"},
           Row{"FixedLengthRecordDataset(\"x\", 3)", "is fixed_length_record(files"},
           Row{"Dataset(3)", "a dataset begins with a source"},
           Row{"range(9) | map(x -> tf.cast(x, float32))", "functions have no prefix: write cast(…)"},
           Row{"range(9) | map(x -> np.square(x))", "functions have no prefix: write square(…)"},
           Row{"range(9) | map(x -> x.astype(float32))", "a dtype's name converts, as in float32(x)"},
           Row{"range(9) | map(x -> tf.reduce_sum(x))", "functions have no prefix; it is written sum(x)"},
           Row{"tf.data.TFRecordDataset(\"x\")",
               "functions have no prefix; tf.data's TFRecordDataset is tfrecord("},
           Row{"range(9) | map(x -> tf.xyzzy(x))", "functions have no prefix"},
           Row{"Dataset.range(9)", "it is written range(…)"},
           Row{"range(9) | map(d -> d.get(\"a\"))",
               "a transformation is written … | name(…), a function name(x)"},
           Row{"range(9) | map(x -> x ^ 1)", "bitwise_xor(a, b) for the bits of integers"},
           Row{"range(9).map(x -> x)", "only a name can be called; a transformation is written … | map(…)"},
           Row{"tf.data.Dataset.range(9).batch(2)", "functions have no prefix: write range(…)"},
           Row{"range(9) | map(x -> cast(x, float))", "Python's float is float64"},
           Row{"range(9) | map(x -> float(x))", "Python's float is float64"},
           Row{"range(9) | map(x -> int(x))", "Python's int is int64"},
           Row{"range(9) | map(x -> len(x))", "shape(x)[0]"},
           Row{"jsonl(\"x\", {a: str})", "the dtype of text is string"},
           Row{"jsonl(\"x\", {a: int64?})", "what may be missing is optional(int64)"},
           Row{"range(9) | take(1) // comment", "found '//'; a comment begins with #"},
           Row{"range(9) // a comment", "a comment begins with #"},
           Row{"// comment\nrange(9)", "a comment begins with #"},
           Row{"range(9) // comment", "expected a dataset, found a value; a comment begins with #"},
           Row{"range(9) |> batch(2)", "a transformation after '|', found '>'; leave the '>' out"},
           Row{"/* comment */ range(9)", "a comment begins with #"},
           Row{"range(9) /* comment */ | take(1)", "a comment begins with #"},
           Row{"range(9) | map(x -> x if x > 3 else 0)", "a choice is written if c then a else b"},
           Row{"range(9) | map(lambda x: x + 1)", "column 16: expected an argument, found Python's 'lambda'"},
           Row{"range(9) | map(lambda x: x + 1)", "a lambda is written x -> x + 1, without the word"},
           Row{"range(9) | map(x -> x & 1)",
               "for bools write a and b, for the bits of integers bitwise_and(a, b)"},
           Row{"range(9) | filter(x -> x > 1 || x < 0)", "for bools write a or b"},
           Row{"tfrecord(/data/x)", "a file name stands in double quotes"},
           Row{"tfrecord(\"x\") | map(r -> parse_example(r, {image/encoded: string}))",
               "a name with other signs stands in double quotes, as in {\"image/encoded\": string}"},
           Row{"ds = range(10)", "a name is given by let, as in let ds = range(10)"},
           Row{"range(9) | map(r -> nope(r, {id: int64 = 7}))", "there is no source or function called nope"},
           Row{"range(9) | map(x -> float32(x & 1))",
               "for bools write a and b, for the bits of integers bitwise_and(a, b)"},
           Row{"range(9) | map(x -> stack([x, [x]]))", "found [] and [1] (member 1)"},
           Row{"range(9) | map(x -> expand_dims(x, 1))", "the axis 1 is out of range for a result of rank 1"},
       }) {
    INFO(row.text);
    INFO(mistake_of(row.text));
    CHECK(mistake_of(row.text).find(row.answer) != std::string::npos);
  }
}

TEST_CASE("mistakes: words of other libraries and languages say how they are written here", "[graph]") {
  for (const Row& row : {
           Row{"range(9) | for_each(x -> x)", "no transformation called for_each; it is written map(x -> …)"},
           Row{"range(9) | forEach(x -> x)", "it is written map(x -> …)"},
           Row{"range(9) | map_with_index((i, x) -> i)", "it is written enumerate() | map((i, x) -> …)"},
           Row{"range(9) | zipWithIndex()", "it is written enumerate()"},
           Row{"range(9) | filter_map(x -> x)", "it is written filter(x -> …) | map(x -> …)"},
           Row{"range(9) | collect()", "it is written batch(n); the program that reads"},
           Row{"range(9) | chunks(2)", "it is written batch(n)"},
           Row{"range(9) | collate()", "it is written batch(n), or padded_batch(n)"},
           Row{"range(9) | zip_with(range(9), (a, b) -> a)", "it is written zip(a, b) | map((x, y) -> …)"},
           Row{"range(9) | head(2)", "it is written take(n)"},
           Row{"range(9) | limit(2)", "it is written take(n)"},
           Row{"range(9) | drop(2)", "it is written skip(n)"},
           Row{"range(9) | sample(0.1)", "it is written filter(x -> random_uniform([]) < 0.1)"},
           Row{"range(9) | shuffle_buffer(2)", "it is written shuffle(n)"},
           Row{"range(9) | select(\"a\")", "it is written map(d -> {d.a, …})"},
           Row{"range(9) | flatten()", "it is written unbatch() for tensors"},
           Row{"range(9) | to_list()", "it is written batch(n)"},
           Row{"range(9) | step_by(2)", "it is written shard(n, 0)"},
           Row{"range(9) | fold(0, (s, x) -> s)", "it is written reduce(initial, (s, x) -> …)"},
           Row{"range(9) | distinct()", "it is written unique()"},
           Row{"range(9) | flatMap(x -> range(x))", "did you mean flat_map?"},
           Row{"range(9) | takeWhile(x -> true)", "did you mean take_while?"},
           Row{"range(9) | map(x -> reduce_sum(x))", "it is written sum(x)"},
           Row{"range(9) | batch(3) | map(x -> vmap(x, r -> r))", "it is written rows(x, r -> …)"},
           Row{"range(9) | batch(2, drop_last: true)",
               "no parameter drop_last; it is written drop_remainder"},
           Row{"range(9) | batch(bs: 2)", "it is written n"},
           Row{"range(9) | map(x -> x, num_workers: 2)", "it is written num_parallel_calls"},
           Row{"csv(\"a.csv\", [int64], sep: \";\")", "it is written delim"},
           Row{"range(9) | map(x -> sum([x], dim: 0))", "it is written axis"},
           Row{"range(9) | map(x -> clamp(x, 0, 1))", "it is written clip(x, least, most)"},
           Row{"read_csv(\"a.csv\")", "it is written csv(files, …)"},
           Row{"DataLoader(range(9))", "a loader is written dataset | shuffle(n)"},
           Row{"range(9) | prefetch_to_device(2)",
               "it is written to_device(\"cuda:0\"), as the last operator"},
       }) {
    INFO(row.text);
    INFO(mistake_of(row.text));
    CHECK(mistake_of(row.text).find(row.answer) != std::string::npos);
  }
  // A transformation is no hint where a function stands.
  CHECK(mistake_of("range(9) | map(x -> head(x))").find("take(n)") == std::string::npos);
}

TEST_CASE("mistakes: what was meant is said where the types show it", "[graph]") {
  for (const Row& row : {
           Row{"range(9) | map(x -> {a: x}) | map(d -> d[\"a\"])", "a member of a dict is written x.a"},
           Row{"range(9) | map(x -> {a: x}) | map(d -> d[0])", "a member of a dict is written x.KEY"},
           Row{"range(9) | map(x -> (x, x)) | map(d -> d[0])", "write .0, .1 … for the members of a tuple"},
           Row{"range(9) | map(x -> x.shape)", "; write shape(x)"},
           Row{"range(9) | map(x -> x[0])",
               "expected a tensor with entries before […], found a scalar of int64, which has none\n"},
           Row{"from_tensors(\"xyz\") | map(s -> s[:2])", "; substr(s, pos, len) is a part of a string"},
           Row{"jsonl(\"x\", {a: int64, b: {c: string}[?]})", "; a list of objects as a field is list({…})"},
           Row{"zip(range(3), range(3)) | map(x -> x + 1)", "take the element apart: (a, b) -> …"},
           Row{"range(1e3)", "the literal 1000.0 does not fit int64; write 1000"},
           Row{"range(9) | repeat(2.0)", "; write 2"},
           Row{"range(9) | map(x -> sqrt(x))",
               "expected a float dtype, found int64; convert it, as in float64(x)"},
           Row{"range(9) | repeat() | reduce(0, (s, x) -> s + x)",
               "reduce: expected a finite dataset, found an infinite one; put take(n) before it"},
           Row{"zip(range(2), range(2)) | map(x, y -> x + y)",
               "a lambda of two components takes them in parentheses: (x, y) -> …"},
           Row{"range(9) | map(x -> \"a\" + x)", "as_string(x) makes text"},
           Row{"range(9) | map(x -> np.float32)", "names have no prefix: write float32"},
           Row{"range(2) | map(i -> range(9) | repeat() | reduce(0, (s, x) -> s + x))",
               "put take(n) before it"},
           Row{"range(9) | map(x -> {a: x}) | map(e -> {**e, b: 1})",
               "a dict is spread with '...', as in {...e"},
           Row{"range(9) | map(x -> {a: x}) | map(e -> e | {b: 1})", "dicts are joined as in {...a, ...b"},
           Row{"range(9) | map(x -> (...x,))", "a dict is spread in a dict, as in {...e, c: 1}"},
           Row{"range(9) | map(x -> {...x})", "expected a dict to spread, found int64"},
           Row{"range(9) | map(x -> {ab: x, b: x}) | map({...r, b} -> r)", "a rest stands last in a pattern"},
           Row{"range(9) | map(x -> {ab: x, b: x}) | map((a, ...r) -> r)",
               "a rest stands last in a dict, as in"},
           Row{"range(9) | map(x -> {ab: x, b: x}) | map({b, ..._} -> b)", "not named are passed over"},
           Row{"range(9) | map(x -> {abc: x, b: x}) | map({abd, ...r} -> r)", "did you mean abc?"},
           Row{"range(9) | map(x -> {abc: x, b: x}) | map(e -> without(e, [\"abd\"]))", "did you mean abc?"},
           Row{"range(9) | map(x -> {abc: x, b: x}) | map(e -> only(e, \"b\"))", "[\"a\", \"b\"]"},
           Row{"range(9) | map(x -> {abc: x, b: x}) | map(e -> only(e, [\"b\", \"b\"]))",
               "\"b\" a second time"},
           Row{"range(9) | filter(x -> x % 2)", "found int64; compare it, as in x % 2 != 0"},
       }) {
    INFO(row.text);
    INFO(mistake_of(row.text));
    CHECK(mistake_of(row.text).find(row.answer) != std::string::npos);
  }
}

// Mistakes of one text, one after another.
TEST_CASE("mistakes: all independent ones of a text are shown, and none that only follow", "[graph]") {
  struct Texts {
    const char* text;
    std::vector<const char*> says;
  };
  for (const Texts& row : {
           Texts{
               "range(9) | batch(0) | take(x)",
               {"column 18: batch: n: expected at least 1", "column 28: take: n: there is no variable 'x'"}},
           Texts{"range(9) | shuffle(0) | map(x -> y) | batch(n: 2, m: 3)",
                 {"shuffle: buffer_size: ", "map: f: there is no variable 'y'",
                  "batch: there is no parameter m"}},
           Texts{"let a = foo(1)  let b = a | take(1)  b | bach(2)",
                 {"column 9: there is no function 'foo'", "did you mean batch?"}},
           Texts{"range(9) | map(x -> {a: y, b: z + abs(w)})",
                 {"no variable 'y'", "no variable 'z'", "no variable 'w'"}},
           Texts{"range(9) | map(x -> if y then z else 1)", {"no variable 'y'", "no variable 'z'"}},
           Texts{"range(9) | map(x -> let a = y in a + z)", {"no variable 'y'", "no variable 'z'"}},
           Texts{"range(9) | foo() | map(x -> x.a) | batch(0)", {"called foo", "batch: n: "}},
           Texts{"range(9) | batch(n: 0, k: 1)",
                 {"batch: n: expected at least 1", "there is no parameter k"}},
           Texts{"let a = range(1 2)\nlet b = 3 + *\nrange(a) | take(1",
                 {"line 1, column 17", "line 2, column 13", "line 3, column 18"}},
           Texts{"range(3 | take(1)) | batch(2 | map(x -> )", {"line 1"}},
           Texts{"range(3) | batch(2,,) | take(1 2) | skip(1)", {"column 20: ", "column 32: "}},
       }) {
    INFO(row.text);
    const std::string message = mistake_of(row.text);
    INFO(message);
    for (const char* part : row.says) CHECK(message.find(part) != std::string::npos);
    size_t shown = 0;
    for (size_t at = 0; at != std::string::npos; at = message.find("\nline ", at + 1)) ++shown;
    CHECK(shown == row.says.size());
  }
}

TEST_CASE("mistakes: an error has its parts", "[graph]") {
  Graph graph;
  const Status status = parse_document(graph.runtime, "range(9) | batch(0)").status();
  const MistakeParts& parts = status.error().parts;
  CHECK(parts.op == "batch");
  CHECK(parts.parameter == "n");
  CHECK(parts.mistake.expected == "at least 1");
  CHECK(parts.mistake.found == "0");
  REQUIRE(parts.span);
  CHECK(parts.span->offset == 17);
  CHECK(parts.span->size == 1);
}

TEST_CASE("mistakes: tf.data's names of parameters are taken, and printed as this notation's", "[graph]") {
  Graph graph;
  CHECK(graph.build("range(9) | batch(batch_size: 4)")->format() == "range(9) | batch(4)");
  CHECK(graph.build("range(9) | take(count: 4)")->format() == "range(9) | take(4)");
  CHECK(graph.build("range(9) | map(map_func: x -> x + 1)")->format() == "range(9) | map(x -> x + 1)");
  CHECK(graph.build("range(9) | group_by_window(key_func: x -> 0, reduce_func: (k, w) -> w, window_size: 2)")
            ->format() == "range(9) | group_by_window(x -> 0, (k, w) -> w, 2)");
  CHECK(graph.build("range(9) | filter(predicate: x -> x > 1)")->format() == "range(9) | filter(x -> x > 1)");
  CHECK(graph.build("tfrecord(filenames: \"a\", compression_type: \"gzip\")")->format() ==
        "tfrecord(\"a\", compression: \"gzip\")");
  CHECK(graph.build("range(9) | reduce(initial_state: 0, reduce_func: (s, x) -> s)")->format() ==
        "range(9) | reduce(0, (s, x) -> s)");
  CHECK(graph.build("range(9) | prefetch(buffer_size: 2)")->format() == "range(9) | prefetch(2)");
  CHECK(
      contains(graph.refused("range(9) | batch(4, batch_size: 4)"), "batch: the parameter n is given twice"));
  CHECK(graph.build("sql(driver_name: \"sqlite\", data_source_name: \"a\", query: \"b\", spec: {x: int64})")
            ->format() == "sql(\"sqlite\", \"a\", \"b\", {x: int64})");
  // tf.data's names for other operators.
  for (const char* text : {"range(9) | take(batch_size: 4)", "range(9) | filter(map_func: x -> x > 1)",
                           "range(9) | shuffle(n: 4)", "jsonl(filenames: \"a\", fields: {x: int64})"}) {
    INFO(text);
    CHECK(contains(graph.refused(text), "there is no parameter"));
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
