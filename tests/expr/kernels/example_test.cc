#include "format/example.h"

#include "expr/harness.h"

namespace weir::test {

TEST_CASE("example writes what parse_example reads") {
  Lab lab;
  lab.check(
      "(i, f, s) -> parse_example(example({i: i, f: f, s: s}), {s: string[2], i: int64[3], f: float32[1, 2]})",
      {R"(([1, -2, 300], [[0.5, -inf]], ["a", ""]))",
       R"(([0, 0, 9223372036854775807], [[1.0, nan]], ["\x00", "bc"]))"},
      {R"({s: ["a", ""], i: [1, -2, 300], f: [[0.5, -inf]]})",
       R"({s: ["\x00", "bc"], i: [0, 0, 9223372036854775807], f: [[1.0, nan]]})"});
  lab.check("x -> parse_example(example({a: x}), {b: int64 = 7, a: int64})", {"0", "1"},
            {"{b: 7, a: 0}", "{b: 7, a: 1}"});
  // Lists without values, and of another length in each row.
  lab.check("v -> example({v: v})", {"int64(zeros([0]))", "[1]", "[1, 2]"},
            {R"("\x0a\x09\x0a\x07\x0a\x01v\x12\x02\x1a\x00")",
             R"("\x0a\x0c\x0a\x0a\x0a\x01v\x12\x05\x1a\x03\x0a\x01\x01")",
             R"("\x0a\x0d\x0a\x0b\x0a\x01v\x12\x06\x1a\x04\x0a\x02\x01\x02")"},
            "string");
  lab.check("x -> example({})", {"1"}, {R"("\x0a\x00")"});
  lab.check("x -> example({a: \"same\"}) == example({\"a\": \"same\"})", {"1", "2"}, {"true", "true"});
}

TEST_CASE("example sorts by name, as ExampleBuilder does") {
  Lab lab;
  Spec spec;
  const Block in = lab.block({R"((5, [1.5, 2.5], "text"))"}, &spec);
  // Lengths around those where a size takes another byte.
  for (const int count : {0, 1, 30, 31, 126, 127, 128, 129, 5000}) {
    const std::string n = std::to_string(count);
    Result<FunctionRef> f = lab.compile("(i, f, s) -> example({\"z/z\": i, b: f, a: s, n: arange(" + n +
                                            ") * 1000003, o: ones([" + n + "]), p: full([" + n + "], s)})",
                                        spec);
    REQUIRE(f.ok());
    const Block out = lab.run(**f, in, 1);
    REQUIRE_FALSE(out.failed(0));
    ExampleBuilder builder;
    const int64_t five = 5;
    const float floats[] = {1.5f, 2.5f};
    const std::vector<float> ones(static_cast<size_t>(count), 1.f);
    const Str text(std::string_view("text"));
    const std::vector<Str> texts(static_cast<size_t>(count), text);
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(i * 1000003);
    builder.set_int64("z/z", {&five, 1});
    builder.set_float("b", floats);
    builder.set_bytes("a", {&text, 1});
    builder.set_int64("n", numbers);
    builder.set_float("o", ones);
    builder.set_bytes("p", texts);
    std::string expected;
    REQUIRE(builder.serialize(expected).ok());
    CHECK(out.row(0)[0].as<const Str>()->view() == expected);
  }
}

TEST_CASE("example refuses what no feature holds") {
  Lab lab;
  lab.refuse("x -> example({a: int32(x)})", "1", "expected int64, float32 or string for \"a\", found int32");
  lab.refuse("x -> example({a: float64(x)})", "1", "write float32(…) around it");
  lab.refuse("x -> example({a: x > 0})", "1", "write int64(…) around it");
  lab.refuse("x -> example(x)", "1", "expected a dict of features");
  lab.refuse("x -> example((x, x))", "1", "expected a dict of features");
  lab.refuse("x -> example({a: {b: x}})", "1", "expected a tensor for \"a\"");
  lab.refuse("x -> example({a: from_dense([x])})", "1", "expected a tensor for \"a\"");
}

TEST_CASE("sequence_example writes steps") {
  Lab lab;
  const std::string expected =
      R"("\n\x1d\n\x0b\n\x02id\x12\x05\x1a\x03\n\x01\x03\n\x0e\n\x04lang\x12\x06\n\x04\n\x02en\x12_\n\x1c\n\x03tok\x12\x15\n\x05\x1a\x03\n\x01\x05\n\x05\x1a\x03\n\x01\x06\n\x05\x1a\x03\n\x01\x07\n#\n\x03vec\x12\x1c\n\x0c\x12\n\n\x08\x00\x00\x00?\x00\x00\xc0?\n\x0c\x12\n\n\x08\x00\x00 @\x00\x00`@\n\x1a\n\x05words\x12\x11\n\x08\n\x06\n\x01a\n\x01b\n\x05\n\x03\n\x01c")";
  lab.check(
      "(id, tok) -> sequence_example({lang: \"en\", id: id}, {vec: [[0.5, 1.5], [2.5, 3.5]], "
      "words: ragged([\"a\", \"b\", \"c\"], [0, 2, 3]), tok: tok})",
      {"(3, [5, 6, 7])"}, {expected}, "string");
  lab.check("t -> sequence_example({}, {t: t})", {"[1]", "int64(zeros([0]))", "[1, 2]"},
            {R"("\n\x00\x12\x0e\n\x0c\n\x01t\x12\x07\n\x05\x1a\x03\n\x01\x01")",
             R"("\n\x00\x12\x07\n\x05\n\x01t\x12\x00")",
             R"("\n\x00\x12\x15\n\x13\n\x01t\x12\x0e\n\x05\x1a\x03\n\x01\x01\n\x05\x1a\x03\n\x01\x02")"});
  // Steps without values.
  lab.check("t -> sequence_example({}, {t: t})", {"float32(zeros([2, 0]))"},
            {R"("\n\x00\x12\x0f\n\x0d\n\x01t\x12\x08\n\x02\x12\x00\n\x02\x12\x00")"});
  lab.check("x -> sequence_example({}, {})", {"1"}, {R"("\n\x00\x12\x00")"});
  // A list of unknown rank.
  lab.check("s -> string_length(sequence_example({}, {t: parse_tensor(s, int64)}))",
            {"serialize_tensor([1])", "serialize_tensor(1)"}, {"18", "error"});
}

TEST_CASE("sequence_example refuses what has no steps") {
  Lab lab;
  lab.refuse("x -> sequence_example({}, {a: x})", "1", "expected a list of steps for \"a\", found a scalar");
  lab.refuse("x -> sequence_example({}, [x])", "1", "expected a dict of features");
  lab.refuse("x -> sequence_example({a: bool(x)}, {})", "1", "write int64(…) around it");
  lab.refuse("x -> sequence_example({a: ragged([x], [0, 1])}, {})", "1", "expected a tensor for \"a\"");
}

}  // namespace weir::test
