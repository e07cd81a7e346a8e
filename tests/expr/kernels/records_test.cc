#include "expr/harness.h"

namespace weir::test {

TEST_CASE("string_length counts bytes") {
  Lab lab;
  lab.check("s -> string_length(s)", {"\"\"", "\"abc\"", "\"h\\u{e9}\"", "\"a\\x00b\""}, {"0", "3", "3", "3"},
            "int64");
  lab.check("v -> string_length(v)", {"[\"a\", \"bc\"]"}, {"[1, 2]"});
  lab.refuse("x -> string_length(x)", "1", "expected string, found int64");
}

TEST_CASE("decode_raw") {
  Lab lab;
  lab.check("s -> (decode_raw(s, uint8), decode_raw(s, int8))", {"\"\\x00\\x7f\\x80\\xff\""},
            {"(uint8([0, 127, 128, 255]), int8([0, 127, -128, -1]))"}, "(uint8[?], int8[?])");
  lab.check("s -> decode_raw(s, int32)", {"\"abcd\"", "\"abc\"", "\"\"", "\"abcdefgh\"", "\"dcba\""},
            {"int32([1684234849])", "error", "int32(zeros([0]))", "int32([1684234849, 1751606885])",
             "int32([1633837924])"},
            "int32[?]");
  lab.check("s -> decode_raw(s, float32, little_endian: false)", {"\"?\\xc0\\x00\\x00\\xc0\\x00\\x00\\x00\""},
            {"[1.5, -2.0]"});
  lab.check("s -> decode_raw(s, bool)", {"\"\\x01\\x00\\x02\""}, {"[true, false, true]"});
  lab.check("v -> decode_raw(v, uint8)", {"[\"ab\", \"cd\"]", "[\"ab\", \"c\"]", "[\"xy\", \"z!\"]"},
            {"uint8([[97, 98], [99, 100]])", "error", "uint8([[120, 121], [122, 33]])"}, "uint8[2, ?]");
  lab.check("s -> float32(reshape(decode_raw(s, uint8), [2, 2])) / 2.0",
            {"\"\\x00\\x01\\x02\\x03\"", "\"\\xff\\x01\\x02\\x03\"", "\"1\""},
            {"[[0.0, 0.5], [1.0, 1.5]]", "[[127.5, 0.5], [1.0, 1.5]]", "error"}, "float32[2, 2]");
  lab.refuse("s -> decode_raw(s, string)", "\"a\"", "found string");
  lab.refuse("x -> decode_raw(x, uint8)", "1", "expected string, found int64");
}

namespace {

// The Examples {a: 5}, {v: [1.0, 2.0]}, {s: "hi"} and an empty one.
const std::string kInt = "\"\\n\\x0c\\n\\n\\n\\x01a\\x12\\x05\\x1a\\x03\\n\\x01\\x05\"";
const std::string kFloats =
    "\"\\n\\x13\\n\\x11\\n\\x01v\\x12\\x0c\\x12\\n\\n\\x08\\x00\\x00\\x80?\\x00\\x00\\x00@\"";
const std::string kString = "\"\\n\\r\\n\\x0b\\n\\x01s\\x12\\x06\\n\\x04\\n\\x02hi\"";
const std::string kDamagedRecord = "\"not an example\"";

}  // namespace

TEST_CASE("parse_example of one record") {
  Lab lab;
  lab.check("r -> parse_example(r, {a: int64})", {kInt, kFloats, "\"\"", kDamagedRecord, kInt},
            {"{a: 5}", "error", "error", "error", "{a: 5}"}, "{a: int64}");
  lab.check("r -> parse_example(r, {s: string = \"none\", v: float32[2] = [0.5, -0.5], a: int64 = -1})",
            {kInt, kFloats, kString, "\"\"", kDamagedRecord},
            {"{s: \"none\", v: [0.5, -0.5], a: 5}", "{s: \"none\", v: [1.0, 2.0], a: -1}",
             "{s: \"hi\", v: [0.5, -0.5], a: -1}", "{s: \"none\", v: [0.5, -0.5], a: -1}", "error"},
            "{s: string, v: float32[2], a: int64}");
  lab.check("r -> parse_example(r, {v: float32[1, 2], \"no/such\": string[2] = \"x\"})", {kFloats, kInt},
            {"{v: [[1.0, 2.0]], \"no/such\": [\"x\", \"x\"]}", "error"},
            "{v: float32[1, 2], \"no/such\": string[2]}");
  lab.check("r -> parse_example(r, {a: int64 = 0}).a + 1", {kInt, "\"\""}, {"6", "1"}, "int64");
  lab.check("r -> parse_example(r, {v: float32[3]})", {kFloats}, {"error"});
  lab.check("r -> parse_example(r, {v: int64[2]})", {kFloats}, {"error"});
}

TEST_CASE("parse_example of a vector of records") {
  Lab lab;
  lab.check("v -> parse_example(v, {a: int64 = -1, s: string = \"?\", v: float32[2] = 0.0})",
            {"[" + kInt + ", " + kString + "]", "[" + kFloats + ", " + kDamagedRecord + "]",
             "[" + kFloats + ", \"\"]"},
            {"{a: [5, -1], s: [\"?\", \"hi\"], v: [[0.0, 0.0], [0.0, 0.0]]}", "error",
             "{a: [-1, -1], s: [\"?\", \"?\"], v: [[1.0, 2.0], [0.0, 0.0]]}"},
            "{a: int64[2], s: string[2], v: float32[2, 2]}");
  lab.check("v -> parse_example(v, {a: int64})", {"[" + kInt + "]", "[" + kInt + ", " + kInt + "]"},
            {"{a: [5]}", "{a: [5, 5]}"}, "{a: int64[?]}");
  lab.check("v -> parse_example(v, {a: int64})", {"zeros([0], dtype: string)"}, {"{a: int64(zeros([0]))}"});
}

TEST_CASE("parse_example names the record that failed") {
  Lab lab;
  Spec spec;
  const Block in = lab.block({"[" + kInt + ", " + kDamagedRecord + "]"}, &spec);
  Result<FunctionRef> f = lab.compile("v -> parse_example(v, {a: int64})", spec);
  REQUIRE(f.ok());
  const Block out = lab.run(**f, in, 1);
  REQUIRE(out.failed(0));
  CHECK((*out.error_of(0))->code == Code::invalid_argument);
  CHECK((*out.error_of(0))->message.find("record 1 of 2: expected a serialized tf.Example, found") == 0);
}

TEST_CASE("parse_example refuses features that it does not know") {
  Lab lab;
  lab.refuse("r -> parse_example(r, {a: int32})", "\"\"", "an Example holds int64, float32 and string");
  lab.refuse("r -> parse_example(r, {a: int64 = \"x\"})", "\"\"", "int64");
  lab.refuse("r -> parse_example(r, {a: int64[3] = [1, 2]})", "\"\"", "default of 2 values");
  lab.refuse("r -> parse_example(r, {a: int64[?]})", "\"\"", "needs a known shape");
  lab.refuse("r -> parse_example(r, {a: int64})", "[[\"\"]]", "a string or a vector of strings");
  lab.refuse("r -> parse_example(r, {a: int64})", "1", "expected string, found int64");
}

TEST_CASE("assert") {
  Lab lab;
  lab.check("x -> assert(x != 2, \"two is not wanted\", x * 10)", {"0", "1", "2", "3"},
            {"0", "10", "error", "30"}, "int64");
  lab.check("x -> assert(x < 2, \"too large\", (x, {a: [x, x], b: \"s\"}))", {"0", "1", "2"},
            {"(0, {a: [0, 0], b: \"s\"})", "(1, {a: [1, 1], b: \"s\"})", "error"},
            "(int64, {a: int64[2], b: string})");
  lab.check("x -> 1 + assert(x > 0, \"positive\", 5)", {"0", "1"}, {"error", "6"});
  lab.check("v -> assert(all(v > 0), \"positive values only\", sum(v))", {"[1, 2]", "[3, -4]"},
            {"3", "error"});
  lab.refuse("x -> assert(x, \"m\", x)", "1", "bool");
  lab.refuse("v -> assert(v > 0, \"m\", v)", "[1]", "the condition to be a scalar");
  Spec spec;
  const Block in = lab.block({"1"}, &spec);
  Result<FunctionRef> f = lab.compile("x -> assert(x > 1, \"a \\\"quoted\\\"\\nmessage\", x)", spec);
  REQUIRE(f.ok());
  const Block out = lab.run(**f, in, 1);
  REQUIRE(out.failed(0));
  CHECK((*out.error_of(0))->code == Code::invalid_argument);
  CHECK((*out.error_of(0))->message == "a \"quoted\"\nmessage");
}

}  // namespace weir::test
