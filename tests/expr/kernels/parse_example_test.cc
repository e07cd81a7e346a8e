#include "expr/harness.h"

namespace weir::test {

namespace {

// A field of a message that holds bytes.
std::string field(int number, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(content.size()) + content;
}

// Bytes as the notation writes them.
std::string literal(const std::string& bytes) {
  std::string out = "\"";
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
  }
  return out + "\"";
}

std::string ints(const std::string& varints) { return field(3, field(1, varints)); }
std::string floats(std::vector<float> values) {
  return field(2, field(1, std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size())));
}
std::string strings(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += field(1, value);
  return field(1, list);
}
std::string entry(const std::string& name, const std::string& value) {
  return field(1, field(1, name) + field(2, value));
}
std::string example(const std::string& entries) { return literal(field(1, entries)); }

std::string steps(const std::vector<std::string>& features) {
  std::string out;
  for (const std::string& feature : features) out += field(1, feature);
  return out;
}
std::string sequence(const std::string& context, const std::string& lists) {
  return literal(field(1, context) + field(2, lists));
}

const std::string kThree = example(entry("a", ints("\x04\x05\x06")));
const std::string kTwo = example(entry("a", ints("\x07\x08")));
const std::string kOther = example(entry("b", ints("\x01")));
const std::string kFloat = example(entry("a", floats({1.5F})));
const std::string kDamaged = literal("not an example");

}  // namespace

TEST_CASE("parse_example of varlen features") {
  Lab lab;
  lab.check(
      "r -> parse_example(r, {a: varlen(int64)})", {kThree, kFloat, kTwo, kOther, kDamaged, "\"\"", kTwo},
      {"{a: sparse([[0], [1], [2]], [4, 5, 6], [3])}", "error", "{a: sparse([[0], [1]], [7, 8], [2])}",
       "{a: sparse(int64(zeros([0, 1])), int64(zeros([0])), [0])}", "error",
       "{a: sparse(int64(zeros([0, 1])), int64(zeros([0])), [0])}", "{a: sparse([[0], [1]], [7, 8], [2])}"},
      "{a: sparse<int64>[?]}");
  lab.check("v -> parse_example(v, {a: varlen(int64)})",
            {"[" + kTwo + ", " + kThree + "]", "[" + kOther + ", " + kOther + "]",
             "[" + kTwo + ", " + kDamaged + "]", "[" + kFloat + ", " + kTwo + "]",
             "[" + kOther + ", " + kTwo + "]"},
            {"{a: sparse([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [7, 8, 4, 5, 6], [2, 3])}",
             "{a: sparse(int64(zeros([0, 2])), int64(zeros([0])), [2, 0])}", "error", "error",
             "{a: sparse([[1, 0], [1, 1]], [7, 8], [2, 2])}"},
            "{a: sparse<int64>[2, ?]}");
  lab.check("v -> parse_example(v, {a: varlen(string)})", {"zeros([0], dtype: string)"},
            {"{a: sparse(int64(zeros([0, 2])), zeros([0], dtype: string), [0, 0])}"});
  // The last entry that has a kind counts, and a fixed feature beside it stays as it was.
  lab.check("r -> parse_example(r, {a: varlen(string), n: int64 = -1})",
            {example(entry("a", strings({"x"})) + entry("n", ints("\x02")) + entry("a", strings({"", "yz"}))),
             example(entry("a", strings({"x"})) + entry("a", "")), example(entry("a", strings({})))},
            {"{a: sparse([[0], [1]], [\"\", \"yz\"], [2]), n: 2}", "{a: sparse([[0]], [\"x\"], [1]), n: -1}",
             "{a: sparse(int64(zeros([0, 1])), zeros([0], dtype: string), [0]), n: -1}"});
}

TEST_CASE("parse_example of varlen features in each encoding") {
  Lab lab;
  const std::string packed = entry("a", ints("\x01\x02\x03"));
  const std::string unpacked = entry("a", field(3, "\x08\x01\x08\x02\x08\x03"));
  const std::string mixed = entry("a", field(3, "\x08\x01" + field(1, "\x02\x03")));
  const std::string split = entry("a", ints("\x01") + ints("\x02\x03"));
  const std::string replaced = entry("a", ints("\x09") + floats({2}) + ints("\x01\x02\x03"));
  const std::string expected = "{a: [1, 2, 3]}";
  lab.check("r -> parse_example(r, {a: ragged(int64)})",
            {example(packed), example(unpacked), example(mixed), example(split), example(replaced)},
            {expected, expected, expected, expected, expected}, "{a: int64[?]}");
  const std::string long_varint = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  lab.check("r -> parse_example(r, {a: ragged(int64)})",
            {example(entry("a", ints(long_varint + long_varint + "\x05"))),
             example(entry("a", ints("\xff" + long_varint))), example(entry("a", ints("\x01\x80"))),
             example(entry("a", field(3, "\x0a\x05\x01")))},
            {"{a: [-1, -1, 5]}", "error", "error", "error"});
  lab.check("r -> parse_example(r, {a: ragged(float32)})",
            {example(entry("a", floats({1.5F, -2}))), example(entry("a", field(2, field(1, "abc")))),
             example(entry("a", field(2, std::string("\x0d\x00\x00\x80\x3f", 5))))},
            {"{a: [1.5, -2.0]}", "error", "{a: [1.0]}"});
}

TEST_CASE("parse_example of sequences") {
  Lab lab;
  lab.check("r -> parse_example(r, {a: sequence(int64) = -1})", {kThree, kFloat, kOther, kTwo},
            {"{a: [4, 5, 6]}", "error", "{a: int64(zeros([0]))}", "{a: [7, 8]}"}, "{a: int64[?]}");
  lab.check("r -> parse_example(r, {a: sequence(int64[2, 1])})", {kThree, kTwo, kOther},
            {"error", "{a: [[[7], [8]]]}", "{a: int64(zeros([0, 2, 1]))}"}, "{a: int64[?, 2, 1]}");
  lab.check("r -> parse_example(r, {a: sequence(int64[0])})", {kThree, kOther},
            {"error", "{a: int64(zeros([0, 0]))}"});
  lab.check(
      "v -> parse_example(v, {a: sequence(int64)})",
      {"[" + kTwo + ", " + kThree + "]", "[" + kThree + ", " + kOther + "]",
       "[" + kOther + ", " + kOther + "]", "[" + kTwo + ", " + kDamaged + "]"},
      {"{a: [[7, 8, 0], [4, 5, 6]]}", "{a: [[4, 5, 6], [0, 0, 0]]}", "{a: int64(zeros([2, 0]))}", "error"},
      "{a: int64[2, ?]}");
  const std::string words = example(entry("a", strings({"x", "y"})));
  lab.check("v -> parse_example(v, {a: sequence(string[2]) = \"?\"})",
            {"[" + words + ", " + kOther + "]", "[" + words + ", " + words + "]"},
            {"{a: [[[\"x\", \"y\"]], [[\"?\", \"?\"]]]}", "{a: [[[\"x\", \"y\"]], [[\"x\", \"y\"]]]}"});
  lab.check("v -> parse_example(v, {a: sequence(string)})", {"[" + words + ", " + kOther + "]"},
            {"{a: [[\"x\", \"y\"], [\"\", \"\"]]}"});
  lab.check("r -> parse_example(r, {a: sequence(int64, allow_missing: false)})", {kTwo, kOther},
            {"{a: [7, 8]}", "error"});
}

TEST_CASE("parse_example of ragged features") {
  Lab lab;
  lab.check(
      "v -> parse_example(v, {a: ragged(int64)})",
      {"[" + kTwo + ", " + kOther + ", " + kThree + "]", "[" + kOther + ", " + kOther + ", " + kOther + "]",
       "[" + kTwo + ", " + kFloat + ", " + kTwo + "]"},
      {"{a: ragged([7, 8, 4, 5, 6], [0, 2, 2, 5])}", "{a: ragged(int64(zeros([0])), [0, 0, 0, 0])}", "error"},
      "{a: ragged<int64>[3, ?]}");
  lab.check("v -> parse_example(v, {a: ragged(int64)})", {"zeros([0], dtype: string)"},
            {"{a: ragged(int64(zeros([0])), [0])}"});
}

TEST_CASE("parse_example of sparse features") {
  Lab lab;
  const auto record = [](const std::string& indices, const std::vector<std::string>& values) {
    return example(entry("i", ints(indices)) + entry("v", strings(values)));
  };
  const std::string lambda =
      "r -> parse_example(r, {x: sparse(index_key: \"i\", value_key: \"v\", dtype: string, size: 9)})";
  lab.check(
      lambda,
      {record(std::string("\0\x08", 2), {"a", "b"}), record("\x08\x02\x05", {"a", "b", "c"}),
       record("\x03\x03", {"b", "a"}), record("\x09", {"a"}),
       record("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", {"a"}), record("\x01", {}),
       record("\x01", {"a", "b"}), kOther, example(entry("i", strings({"a"})) + entry("v", strings({"a"})))},
      {"{x: sparse([[0], [8]], [\"a\", \"b\"], [9])}",
       "{x: sparse([[2], [5], [8]], [\"b\", \"c\", \"a\"], [9])}",
       "{x: sparse([[3], [3]], [\"b\", \"a\"], [9])}", "error", "error", "error", "error",
       "{x: sparse(int64(zeros([0, 1])), zeros([0], dtype: string), [9])}", "error"},
      "{x: sparse<string>[9]}");
  const std::string both = record("\x08\x02", {"a", "b"});
  lab.check(
      "v -> parse_example(v, {x: sparse(index_key: \"i\", value_key: \"v\", dtype: string, size: 9), i: varlen(int64)})",
      {"[" + both + ", " + kOther + "]", "[" + both + ", " + record("\x09", {"a"}) + "]"},
      {"{x: sparse([[0, 2], [0, 8]], [\"b\", \"a\"], [2, 9]), i: sparse([[0, 0], [0, 1]], [8, 2], [2, 2])}",
       "error"},
      "{x: sparse<string>[2, 9], i: sparse<int64>[2, ?]}");
  lab.check("r -> parse_example(r, {x: sparse(index_key: \"i\", value_key: \"v\", dtype: int64, size: 0)})",
            {kOther, example(entry("i", ints(std::string(1, '\0'))) + entry("v", ints("\x01")))},
            {"{x: sparse(int64(zeros([0, 1])), int64(zeros([0])), [0])}", "error"});
  // Two records of that size are more than a shape can say.
  lab.check(
      "v -> parse_example(v, {x: sparse(index_key: \"i\", value_key: \"v\", dtype: int64, size: 0x7fffffffffffffff)})",
      {"[" + kOther + ", " + kOther + "]"}, {"error"});
}

TEST_CASE("parse_example of records whose rank is unknown, and of views") {
  Lab lab;
  lab.check(
      "r -> (parse_example(r, {a: varlen(int64)}), parse_example(r, {a: sequence(int64)}))",
      {kTwo, "[" + kTwo + ", " + kThree + "]", "[[" + kTwo + "]]", "\"\""},
      {"({a: sparse([[0], [1]], [7, 8], [2])}, {a: [7, 8]})",
       "({a: sparse([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [7, 8, 4, 5, 6], [2, 3])}, {a: [[7, 8, 0], [4, 5, 6]]})",
       "error", "({a: sparse(int64(zeros([0, 1])), int64(zeros([0])), [0])}, {a: int64(zeros([0]))})"},
      "({a: sparse<int64>[...]}, {a: int64[...]})");
  lab.refuse("m -> parse_example(m, {a: varlen(int64)})", "[[\"\"]]", "a string or a vector of strings");
  const std::vector<std::string> rows = {"[" + kOther + ", " + kTwo + ", " + kThree + "]",
                                         "[" + kDamaged + ", " + kThree + ", " + kFloat + "]",
                                         "[" + kDamaged + ", " + kThree + ", " + kTwo + "]"};
  lab.check("v -> parse_example(v[1:], {a: ragged(int64), n: int64 = 1})", rows,
            {"{a: ragged([7, 8, 4, 5, 6], [0, 2, 5]), n: [1, 1]}", "error",
             "{a: ragged([4, 5, 6, 7, 8], [0, 3, 5]), n: [1, 1]}"});
  lab.check(
      "v -> (parse_example(v[1], {a: ragged(int64)}).a, parse_sequence_example(v[1], {a: ragged(int64)}, {}).0.a)",
      rows, {"([7, 8], [7, 8])", "([4, 5, 6], [4, 5, 6])", "([4, 5, 6], [4, 5, 6])"});
  // A constant record is parsed once for all rows.
  lab.check("x -> (x, parse_example(" + kTwo + ", {a: ragged(int64)}).a)", {"1", "2"},
            {"(1, [7, 8])", "(2, [7, 8])"});
  lab.check("x -> (x, parse_example(" + kFloat + ", {a: ragged(int64)}).a)", {"1", "2"}, {"error", "error"});
}

TEST_CASE("parse_example says what is wrong with a varying feature") {
  Lab lab;
  const auto message = [&](const std::string& lambda, const std::string& row) {
    Spec spec;
    const Block in = lab.block({row}, &spec);
    Result<FunctionRef> f = lab.compile(lambda, spec);
    REQUIRE(f.ok());
    const Block out = lab.run(**f, in, 1);
    REQUIRE(out.failed(0));
    CHECK((*out.error_of(0))->code == Code::invalid_argument);
    return (*out.error_of(0))->message;
  };
  CHECK(
      message("v -> parse_example(v, {a: sequence(int64[2])})", "[" + kTwo + ", " + kThree + "]") ==
      "record 1 of 2: the feature \"a\" has 3 values in this record; expected a multiple of 2, the values of a step "
      "of shape [2]");
  CHECK(message("r -> parse_example(r, {a: varlen(int64)})", kFloat) ==
        "the feature a of int64 holds values of another dtype in this record: found float32; declare it so");
  const std::string lambda =
      "r -> parse_example(r, {x: sparse(index_key: \"i\", value_key: \"v\", dtype: int64, size: 3)})";
  CHECK(message(lambda, example(entry("i", ints("\x03")) + entry("v", ints("\x01")))) ==
        "the feature \"x\" has the index 3 in this record; expected one from 0 to 2, as its size says");
  CHECK(message(lambda, example(entry("i", ints("\x01")))) ==
        "the feature \"x\" has 0 values and 1 indices in this record; expected an index for each value");
}

TEST_CASE("parse_example does not parse features that nobody uses") {
  Lab lab;
  const std::string wrong = example(entry("a", ints("\x04")) + entry("b", floats({1.5F})));
  const std::string alone = example(entry("a", ints("\x05")));
  const std::string without = example(entry("b", ints("\x01")));
  // Neither a missing feature nor one of another kind is an error; damage of the record is.
  lab.check("r -> parse_example(r, {a: int64, b: int64}).a", {wrong, alone, without, kDamaged},
            {"4", "5", "error", "error"});
  lab.check("r -> let e = parse_example(r, {c: string = \"none\", b: int64, a: int64}) in (e.a, e.c)",
            {wrong, alone, without}, {"(4, \"none\")", "(5, \"none\")", "error"});
  lab.check("r -> let e = parse_example(r, {a: int64, b: int64}) in (e.a, e.b)", {wrong, alone},
            {"error", "error"});
  lab.check("r -> let e = parse_example(r, {a: int64}) in 1", {without, kDamaged}, {"1", "error"});
  // Used in a branch is used, whichever is taken.
  lab.check("r -> let e = parse_example(r, {a: int64, b: int64}) in if e.a > 9 then e.b else e.a", {alone},
            {"error"});
  // One component of several is enough.
  lab.check("r -> values(parse_example(r, {a: varlen(int64), b: varlen(int64)}).a)", {wrong, without},
            {"[4]", "int64(zeros([0]))"});
  lab.check("r -> parse_example(r, {b: sequence(int64), a: ragged(int64)}).a", {wrong, alone},
            {"[4]", "[5]"});
  lab.check(
      "r -> parse_example(r, {s: sparse(index_key: \"b\", value_key: \"a\", dtype: int64, size: 9), a: varlen(int64)}).a",
      {wrong}, {"sparse([[0]], [4], [1])"});
}

TEST_CASE("parse_example of one feature of records of unknown rank") {
  Lab lab;
  const std::string wrong = example(entry("a", ints("\x04")) + entry("b", floats({1.5F})));
  lab.check("r -> parse_example(r, {a: int64, b: int64}).a", {wrong, "[" + wrong + ", " + wrong + "]"},
            {"4", "[4, 4]"});
}

TEST_CASE("parse_example refuses kinds that make no sense") {
  Lab lab;
  const auto refuse = [&](const std::string& feature, const std::string& part) {
    INFO(feature);
    lab.refuse("r -> parse_example(r, {a: " + feature + "})", "\"\"", part);
  };
  refuse("varlen(float64)", "an Example holds int64, float32 and string");
  refuse("varlen(int64[2])", "write varlen(int64)");
  refuse("ragged(int64[?])", "needs a known shape");
  refuse("varlen()", "lacks its dtype");
  refuse("varlen(int64, size: 3)", "has the argument size, which varlen does not take");
  refuse("varlen(int64, allow_missing: true)", "does not take");
  refuse("varlen(int64) = 3", "only fixed features and sequences");
  refuse("varlen(int64, dtype: int64)", "a second dtype");
  refuse("sequence(int64) = [1, 2]", "a default of 2 values");
  refuse("sequence(int64) = 0.5", "int64");
  refuse("sequence(int64, allow_missing: 1)", "bool");
  refuse("sequence(int64[1, 1, 1, 1, 1, 1, 1])", "too many dimensions");
  refuse("sparse(float32)", "an argument by position");
  refuse("sparse(index_key: \"i\", value_key: \"v\", dtype: float32)", "lacks an argument");
  refuse("sparse(index_key: \"i\", value_key: \"v\", dtype: float32, size: -1)", "the size -1");
  refuse("sparse(index_key: [\"i\"], value_key: \"v\", dtype: float32, size: 1)", "write a scalar");
  refuse("sparse(index_key: \"i\", value_key: \"i\", dtype: float32, size: 1)", "named twice");
}

TEST_CASE("parse_sequence_example") {
  Lab lab;
  const std::string context = entry("id", ints("\x03"));
  const std::string tok = entry("tok", steps({ints("\x05"), ints("\x06")}));
  const std::string vec = entry("vec", steps({floats({1, 2}), floats({3, 4}), floats({5, 6})}));
  const std::string words = entry("w", steps({strings({"a"}), strings({"b", "c"}), "", strings({})}));
  const std::string all = sequence(context, tok + vec + words);
  lab.check(
      "r -> parse_sequence_example(r, {id: int64, tag: varlen(string)}, {tok: sequence(int64), vec: sequence(float32[2])})",
      {all, kDamaged, sequence("", tok + vec), sequence(context, vec),
       sequence(context + entry("tag", strings({"t"})), entry("tok", "") + vec + entry("vec", ""))},
      {"({id: 3, tag: sparse(int64(zeros([0, 1])), zeros([0], dtype: string), [0])}, {tok: [5, 6], vec: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})",
       "error", "error", "error",
       "({id: 3, tag: sparse([[0]], [\"t\"], [1])}, {tok: int64(zeros([0])), vec: zeros([0, 2])})"},
      "({id: int64, tag: sparse<string>[?]}, {tok: int64[?], vec: float32[?, 2]})");
  lab.check(
      "r -> parse_sequence_example(r, {}, {w: varlen(string), none: varlen(int64)})", {all, sequence("", "")},
      {"({}, {w: sparse([[0, 0], [1, 0], [1, 1]], [\"a\", \"b\", \"c\"], [4, 2]), none: sparse(int64(zeros([0, 2])), int64(zeros([0])), [0, 0])})",
       "({}, {w: sparse(int64(zeros([0, 2])), zeros([0], dtype: string), [0, 0]), none: sparse(int64(zeros([0, 2])), int64(zeros([0])), [0, 0])})"},
      "({}, {w: sparse<string>[?, ?], none: sparse<int64>[?, ?]})");
  lab.check(
      "r -> parse_sequence_example(r, {}, {w: ragged(string), t: sequence(int64, allow_missing: true)})",
      {all, sequence(context, "")},
      {"({}, {w: ragged([\"a\", \"b\", \"c\"], [0, 1, 3, 3, 3]), t: int64(zeros([0]))})",
       "({}, {w: ragged(zeros([0], dtype: string), [0]), t: int64(zeros([0]))})"},
      "({}, {w: ragged<string>[?, ?], t: int64[?]})");
  // Steps of another number or kind of values, without a kind, and damaged.
  lab.check(
      "r -> parse_sequence_example(r, {}, {tok: sequence(int64)})",
      {sequence("", entry("tok", steps({ints("\x05"), ints("\x05\x06")}))),
       sequence("", entry("tok", steps({floats({1})}))), sequence("", entry("tok", steps({""}))),
       sequence("", entry("tok", "\x0a\x05\x01")), sequence("", tok + entry("tok", steps({ints("\x07")}))),
       sequence("", "\x0a\x7f"), literal(field(2, tok) + field(2, entry("x", "")))},
      {"error", "error", "error", "error", "({}, {tok: [7]})", "error", "({}, {tok: [5, 6]})"});
}

TEST_CASE("parse_sequence_example does not parse what nobody uses") {
  Lab lab;
  const std::string id = entry("id", ints("\x03"));
  const std::string tok = entry("tok", steps({ints("\x05"), ints("\x06")}));
  const std::string all = sequence(id, tok);
  // Of another kind, in the context and among the lists; and missing.
  const std::string wrong = sequence(entry("id", floats({1})), entry("tok", steps({floats({1})})));
  const std::string none = sequence("", "");
  const std::string call =
      "parse_sequence_example(r, {id: int64, n: int64}, {tok: sequence(int64), v: sequence(int64)})";
  lab.check("r -> " + call + ".0.id", {all, wrong, none}, {"3", "error", "error"});
  lab.check("r -> " + call + ".1.tok", {all, wrong, none}, {"[5, 6]", "error", "error"});
  lab.check("r -> let e = " + call + " in (e.0.id, e.1.tok)", {all, sequence(id, ""), sequence("", tok)},
            {"(3, [5, 6])", "error", "error"});
  // Damage is an error all the same.
  lab.check("r -> let e = " + call + " in 1", {wrong, none, kDamaged}, {"1", "1", "error"});
  // One component of several is enough.
  lab.check("r -> values(parse_sequence_example(r, {}, {v: varlen(int64), tok: varlen(int64)}).1.tok)", {all},
            {"[5, 6]"});
}

TEST_CASE("parse_sequence_example refuses what it does not parse") {
  Lab lab;
  const auto refuse = [&](const std::string& lists, const std::string& part) {
    INFO(lists);
    lab.refuse("r -> parse_sequence_example(r, {}, {a: " + lists + "})", "\"\"", part);
  };
  refuse("int64", "and not a list of them");
  refuse("sequence(int64) = 1", "has a default");
  refuse("sparse(index_key: \"i\", value_key: \"v\", dtype: float32, size: 3)", "is of the kind sparse");
  refuse("sequence(int32)", "an Example holds int64, float32 and string");
  lab.refuse("r -> parse_sequence_example(r, {}, {})", "[\"\"]", "parse records before they are batched");
  lab.refuse("r -> parse_sequence_example(r, {}, {})", "1", "expected string, found int64");
}

}  // namespace weir::test
