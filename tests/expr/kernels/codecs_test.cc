#include "expr/harness.h"

namespace weir::test {

namespace {

// The error of a single row.
std::string message_of(Lab& lab, const std::string& lambda, const std::string& row, Code code) {
  INFO(lambda);
  Spec spec;
  const Block in = lab.block({row}, &spec);
  Result<FunctionRef> f = lab.compile(lambda, spec);
  if (!f.ok()) FAIL(f.status().error().message);
  const Block out = lab.run(**f, in, 1);
  REQUIRE(out.failed(0));
  CHECK((*out.error_of(0))->code == code);
  return (*out.error_of(0))->message;
}

}  // namespace

TEST_CASE("encode_base64 and decode_base64") {
  Lab lab;
  lab.check("s -> encode_base64(s)",
            {R"("")", R"("a")", R"("ab")", R"("abc")", R"("\xfb\xff\xfe")", R"("\x00\x00\x00\x00")"},
            {R"("")", R"("YQ")", R"("YWI")", R"("YWJj")", R"("-__-")", R"("AAAAAA")"}, "string");
  lab.check("s -> decode_base64(s)",
            {R"("YQ")", R"("YQ==")", R"("YWI=")", R"("YWJj")", R"("-__-")", R"("YWJjZA")", R"("")"},
            {R"("a")", R"("a")", R"("ab")", R"("abc")", R"("\xfb\xff\xfe")", R"("abcd")", R"("")"}, "string");
  // Unused bits of the last letter may be anything.
  lab.check("s -> decode_base64(s)", {R"("YR")", R"("YWJ")"}, {R"("a")", R"("ab")"});
  lab.check("s -> decode_base64(s)",
            {R"("YQ")", R"("Y")", R"("YWJjZ")", R"("YQ=")", R"("Y===")", R"("====")", R"("Y=Q=")",
             R"("+w==")", R"("_w")", R"("/w==")", R"("YW Jj")", R"("YWJj\n")", R"("YWJj")"},
            {R"("a")", "error", "error", "error", "error", "error", "error", "error", R"("\xff")", "error",
             "error", "error", R"("abc")"});
  lab.check("v -> decode_base64(v)", {R"([["YQ", "YWI"], ["", "YWJj"]])", R"([["YQ", "!!"], ["", "YWJj"]])"},
            {R"([["a", "ab"], ["", "abc"]])", "error"}, "string[2, 2]");
  lab.check("v -> decode_base64(encode_base64(v))", {R"(["\x00\x01\xff", "x", ""])", R"(["y"])"},
            {R"(["\x00\x01\xff", "x", ""])", R"(["y"])"}, "string[?]");
  lab.check("n -> encode_base64(\"abcd\")", {"1", "2"}, {R"("YWJjZA")", R"("YWJjZA")"});
  lab.check("v -> encode_base64(v)", {"zeros([0, 2], dtype: string)"}, {"zeros([0, 2], dtype: string)"});
  CHECK(message_of(lab, "s -> decode_base64(s)", R"("ab+d")", Code::invalid_argument) ==
        "expected web-safe base64 (A-Z a-z 0-9 - _, padded with = or not), found \"+\" at byte 2");
  CHECK(message_of(lab, "s -> decode_base64(s)", R"(["YQ", "YWJjZ"])", Code::invalid_argument) ==
        "string 1 of 2: expected base64, whose length is never one more than a multiple of 4, found 5 bytes");
  lab.refuse("x -> encode_base64(x)", "1", "expected string, found int64");
  lab.refuse("x -> decode_base64(x)", "1.0", "expected string, found float32");
}

TEST_CASE("decode_base64 takes every letter and no other byte") {
  Lab lab;
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  lab.check("s -> encode_base64(decode_base64(s))", {"\"" + letters + "\""}, {"\"" + letters + "\""});
  std::vector<std::string> rows;
  std::vector<std::string> expected;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != 0 && letters.find(static_cast<char>(byte)) != std::string::npos) continue;
    const char* digits = "0123456789abcdef";
    rows.push_back(std::string("\"AA") + "\\x" + digits[byte / 16] + digits[byte % 16] + "A\"");
    expected.emplace_back("error");
  }
  CHECK(rows.size() == 192);
  lab.check("s -> decode_base64(s)", rows, expected);
}

TEST_CASE("decode_padded_raw") {
  Lab lab;
  lab.check("s -> decode_padded_raw(s, 4, uint8)", {R"("abcd")", R"("ab")", R"("")", R"("abcdef")"},
            {"uint8([97, 98, 99, 100])", "uint8([97, 98, 0, 0])", "uint8([0, 0, 0, 0])",
             "uint8([97, 98, 99, 100])"},
            "uint8[4]");
  // A number of which only some bytes are there.
  lab.check("s -> decode_padded_raw(s, 4, int16)", {R"("\x01\x00\x02")", R"("\x01\x02\x03\x04\x05")"},
            {"int16([1, 2])", "int16([513, 1027])"}, "int16[2]");
  lab.check("v -> decode_padded_raw(v, 3, bool)", {R"([["\x00\x01\x02\x03"], ["\x05"]])", R"([["a"], [""]])"},
            {"[[[false, true, true]], [[true, false, false]]]",
             "[[[true, false, false]], [[false, false, false]]]"},
            "bool[2, 1, 3]");
  lab.check("(s, n) -> decode_padded_raw(s, n, int16)",
            {R"(("abcd", 2))", R"(("abcd", 3))", R"(("abcd", 0))", R"(("abcd", -2))", R"(("ab", 4))"},
            {"int16([25185])", "error", "error", "error", "int16([25185, 0])"}, "int16[?]");
  lab.check("(s, n) -> decode_padded_raw(s, n, uint8)", {R"(("abcd", 2))", R"(("xyz", 2))"},
            {"uint8([97, 98])", "uint8([120, 121])"}, "uint8[?]");
  lab.check("(s, n) -> size(decode_padded_raw(s, n, uint8))",
            {R"(("abcd", 4611686018427387904))", R"(("xyz", 2))"}, {"error", "2"});
  lab.refuse("s -> decode_padded_raw(s, 3, int16)", "\"a\"", "of 2 bytes or a multiple of it, found 3");
  lab.refuse("s -> decode_padded_raw(s, 0, int16)", "\"a\"", "found 0");
  lab.refuse("s -> decode_padded_raw(s, [2], int16)", "\"a\"", "the length to be a scalar");
  lab.refuse("s -> decode_padded_raw(s, 4, string)", "\"a\"", "found string");
  lab.refuse("x -> decode_padded_raw(x, 4, uint8)", "1", "expected string, found int64");
}

TEST_CASE("decode_csv") {
  Lab lab;
  lab.check("s -> decode_csv(s, [42, -1.5, \"dflt\"])",
            {R"(",,")", R"("3,,z")", R"("7,1e3,\"\"")", R"("1,2")"},
            {R"((42, -1.5, "dflt"))", R"((3, -1.5, "z"))", R"((7, 1000.0, "dflt"))", "error"},
            "(int64, float32, string)");
  lab.check("s -> decode_csv(s, [int32, float64, string])",
            {R"(" 1 , 2.5 , a ")", R"("2147483648,0,a")", R"("1,,a")", R"("1,2,")", R"("-2147483648,inf,b")"},
            {R"((int32(1), float64(2.5), " a "))", "error", "error", "error",
             R"((int32(-2147483648), float64(inf), "b"))"},
            "(int32, float64, string)");
  lab.check("s -> decode_csv(s, [\"none\", 0])",
            {R"("\"a,b\",1")", R"("\"say \"\"hi\"\"\",2")", R"("\"\",3")", R"("\"line\nbreak\",4")",
             R"("a\"b,5")", R"("\"a\"b,6")", R"("\"a,7")", R"("a\nb,8")"},
            {R"(("a,b", 1))", R"(("say \"hi\"", 2))", R"(("none", 3))", R"(("line\nbreak", 4))", "error",
             "error", "error", "error"});
  lab.check("s -> decode_csv(s, [\"\", 0], quote: false)", {R"("\"a\",1")", R"("a\"b,2")"},
            {R"(("\"a\"", 1))", R"(("a\"b", 2))"});
  lab.check("s -> decode_csv(s, [0, 0], delim: \"\\t\")", {R"("1\t2")", R"("1,2")"}, {"(1, 2)", "error"});
  lab.check("s -> decode_csv(s, [-1, \"d\"], na_value: \"NA\")",
            {R"("NA,x")", R"("2,NA")", R"("na,1")", R"(",")"},
            {R"((-1, "x"))", R"((2, "d"))", "error", R"((-1, "d"))"});
}

TEST_CASE("decode_csv counts fields as TensorFlow does") {
  Lab lab;
  lab.check("s -> decode_csv(s, [0, 5])", {R"("1,")", R"("1")", R"("")", R"("1,2,")", R"(",")", R"("1,2,3")"},
            {"(1, 5)", "error", "error", "error", "(0, 5)", "error"});
  // Nothing has no fields. Line ends before a field are passed over.
  lab.check("s -> decode_csv(s, [5])", {R"("")", R"("1")", R"("\n1")", R"("1\n")", R"("\r\n")"},
            {"error", "(1,)", "(1,)", "error", "error"}, "(int64,)");
  lab.check("s -> decode_csv(s, [5, 6])", {R"("1,\n2")", R"("\"1\",\"2\"")", R"("\"1\"\n,2")", R"("1,\n")"},
            {"(1, 2)", "(1, 2)", "error", "error"});
}

TEST_CASE("decode_csv of tensors") {
  Lab lab;
  lab.check("v -> decode_csv(v, [0, string])",
            {R"(["1,a", "2,b"])", R"(["1,a", "x,b"])", R"([",\"c\"\"\"", "4,d"])"},
            {R"(([1, 2], ["a", "b"]))", "error", R"(([0, 4], ["c\"", "d"]))"}, "(int64[2], string[2])");
  lab.check("v -> decode_csv(v, [float32, \"long enough to be copied, if strings were\"])",
            {R"(["1,"])", R"(["1,a", "2,"])", "zeros([0], dtype: string)"},
            {R"(([1.0], ["long enough to be copied, if strings were"]))",
             R"(([1.0, 2.0], ["a", "long enough to be copied, if strings were"]))",
             "(float32(zeros([0])), zeros([0], dtype: string))"},
            "(float32[?], string[?])");
  lab.check("(a, n) -> (decode_csv(\"1,2\", [0, 0]), n)", {"(\"\", 1)", "(\"\", 2)"},
            {"((1, 2), 1)", "((1, 2), 2)"});
}

TEST_CASE("decode_csv says what is wrong") {
  Lab lab;
  const Code code = Code::invalid_argument;
  CHECK(message_of(lab, "s -> decode_csv(s, [0, 0])", R"("1,2,3")", code) ==
        "expected 2 fields for decode_csv, found 3");
  CHECK(message_of(lab, "s -> decode_csv(s, [0, 0])", R"("1,x")", code) ==
        "expected an int64 in field 1 of decode_csv, found \"x\"");
  CHECK(message_of(lab, "s -> decode_csv(s, [0, float32])", R"(["1,2", "1,"])", code)
            .find("string 1 of 2: expected a value in field 1 of decode_csv, found nothing") == 0);
  CHECK(message_of(lab, "s -> decode_csv(s, [\"\"])", R"("a\"b")", code).find("RFC 4180") !=
        std::string::npos);
  lab.refuse("s -> decode_csv(s, [])", "\"\"", "expected a list of columns");
  lab.refuse("s -> decode_csv(s, 1)", "\"\"", "expected a list of columns");
  lab.refuse("s -> decode_csv(s, [uint8])", "\"\"", "found uint8");
  lab.refuse("s -> decode_csv(s, [true])", "\"\"", "found bool");
  lab.refuse("s -> decode_csv(s, [[1, 2]])", "\"\"", "expected a scalar");
  lab.refuse("(s, n) -> decode_csv(s, [n])", "(\"\", 1)", "known when the dataset is built");
  lab.refuse("s -> decode_csv(s, [0], delim: \"ab\")", "\"\"", "expected one byte");
  lab.refuse("s -> decode_csv(s, [0], delim: \"\\\"\")", "\"\"", "expected one byte");
  lab.refuse("n -> decode_csv(n, [0])", "1", "expected string, found int64");
}

TEST_CASE("serialize_tensor writes TensorFlow's bytes") {
  Lab lab;
  lab.check(
      "x -> serialize_tensor(x)", {"[[1, 2]]", "[[-1]]", "zeros([0, 3], dtype: int64)"},
      {R"("\x08\x09\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02\x22\x10\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00")",
       R"("\x08\x09\x12\x08\x12\x02\x08\x01\x12\x02\x08\x01\x22\x08\xff\xff\xff\xff\xff\xff\xff\xff")",
       R"("\x08\x09\x12\x06\x12\x00\x12\x02\x08\x03")"},
      "string");
  lab.check(
      "x -> serialize_tensor(x)", {"int32(1)", "int32(-2)"},
      {R"("\x08\x03\x12\x00\x22\x04\x01\x00\x00\x00")", R"("\x08\x03\x12\x00\x22\x04\xfe\xff\xff\xff")"});
  lab.check("x -> serialize_tensor(x)", {R"(["a", ""])", R"(["", "bc"])"},
            {R"("\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x00")",
             R"("\x08\x07\x12\x04\x12\x02\x08\x02B\x00B\x02bc")"});
  lab.check("x -> serialize_tensor(true)", {"1", "2"},
            {R"("\x08\x0a\x12\x00\x22\x01\x01")", R"("\x08\x0a\x12\x00\x22\x01\x01")"});
}

TEST_CASE("parse_tensor gives back what serialize_tensor wrote") {
  Lab lab;
  const char* dtypes[] = {"int8",     "int16",   "int32",   "int64",     "uint8",
                          "uint16",   "uint32",  "uint64",  "bool",      "float16",
                          "bfloat16", "float32", "float64", "complex64", "complex128"};
  for (const std::string dtype : dtypes) {
    const std::string one = "reshape(" + dtype + "([1, 0, 1, 1, 0, 1]), [2, 3])";
    const std::string two = dtype + "(1)";
    const std::string none = dtype + "(zeros([2, 0]))";
    lab.check("x -> parse_tensor(serialize_tensor(x), " + dtype + ")", {one, two, none}, {one, two, none},
              dtype + "[...]");
  }
  lab.check("x -> parse_tensor(serialize_tensor(x), string)",
            {R"([["a"], ["\x00\xff"]])", R"("")", R"(["x"])"},
            {R"([["a"], ["\x00\xff"]])", R"("")", R"(["x"])"}, "string[...]");
  lab.check("x -> parse_tensor(serialize_tensor(x), int64) + 1", {"[1, 2]", "[[3]]"}, {"[2, 3]", "[[4]]"});
}

TEST_CASE("parse_tensor and decode_npy stack the tensors of a vector of strings") {
  Lab lab;
  const std::string tensors =
      "v -> parse_tensor([serialize_tensor(v[0]), serialize_tensor(v[1]), serialize_tensor(v[0])], ";
  lab.check(tensors + "int16)",
            {"int16([[1, 2], [3, 4]])", "int16([[5], [6]])", "zeros([2, 0], dtype: int16)"},
            {"int16([[1, 2], [3, 4], [1, 2]])", "int16([[5], [6], [5]])", "zeros([3, 0], dtype: int16)"},
            "int16[...]");
  lab.check(tensors + "string)", {R"([["a", ""], ["\xff", "bcd"]])"},
            {R"([["a", ""], ["\xff", "bcd"], ["a", ""]])"});
  lab.check("v -> parse_tensor(v, bool)", {R"(full([0], ""))", R"(["", serialize_tensor(true)])"},
            {"full([0], true)", "error"});
  const std::string eight = "zeros([1, 1, 1, 1, 1, 1, 1, 1])";
  CHECK(message_of(lab, "v -> parse_tensor(v, float32)", "[serialize_tensor(" + eight + ")]",
                   Code::invalid_argument)
            .find("expected tensors of less than 8 dimensions") == 0);
  CHECK(message_of(lab, "v -> parse_tensor(v, int64)", "[serialize_tensor([1]), serialize_tensor([1, 2])]",
                   Code::invalid_argument) ==
        "string 1 of 2: expected the first one's shape, [1], found [2]");
  const std::string npy =
      R"("\x93NUMPY\x01\x00\x3a\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n")";
  lab.check("v -> decode_npy([string_join([" + npy + ", v[0]]), string_join([" + npy + ", v[1]])], uint8)",
            {R"(["ab", "cd"])", R"(["ab", "c"])", R"(["ef", "ghi"])"},
            {"uint8([[97, 98], [99, 100]])", "error", "uint8([[101, 102], [103, 104]])"});
}

TEST_CASE("parse_tensor fails what is no such tensor") {
  Lab lab;
  lab.check("s -> parse_tensor(s, float32)",
            {R"("\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\x00\x00\x80?\x00\x00 @")", R"("garbage")", R"("")",
             R"("\x08\x09\x12\x00\x22\x08\x00\x00\x00\x00\x00\x00\x00\x00")",
             R"("\x08\x01\x12\x00\x22\x04\x00\x00\x80?")"},
            {"[1.0, 2.5]", "error", "error", "error", "1.0"}, "float32[...]");
  // A string of unknown rank, which is a scalar or a vector in some rows only.
  lab.check("s -> parse_tensor(parse_tensor(s, string), bool)",
            {R"(serialize_tensor(serialize_tensor([true])))", R"(serialize_tensor([["a"]]))",
             R"(serialize_tensor([serialize_tensor(true)]))"},
            {"[true]", "error", "[true]"});
  CHECK(message_of(lab, "s -> parse_tensor(s, int32)", R"(serialize_tensor([true, false]))",
                   Code::invalid_argument) == "expected int32 for parse_tensor, found bool[2]");
  lab.refuse("s -> parse_tensor(s, int64)", "[[\"a\"]]",
             "one string or a vector of strings, found the shape [1, 1]");
  lab.refuse("s -> parse_tensor(s, int64)", "1", "expected string, found int64");
}

TEST_CASE("decode_compressed") {
  Lab lab;
  const std::string fine = R"("x\x9cK\xcb\xccK\x05\x00\x04\x18\x01\xa3")";
  const std::string one = R"("x\x9c\xcb\xcfK\x05\x00\x02\x91\x01C")";
  lab.check("s -> decode_compressed(s, \"zlib\")", {fine, "\"not zlib\"", one, "\"x\\x9cK\"", "\"\"", fine},
            {"\"fine\"", "error", "\"one\"", "error", "\"\"", "\"fine\""}, "string");
  lab.check("v -> decode_compressed(v, \"zlib\")",
            {"[[" + fine + "], [" + one + "]]", "[[" + one + "], [\"?\"]]", "[[\"\"], [" + fine + "]]"},
            {R"([["fine"], ["one"]])", "error", R"([[""], ["fine"]])"}, "string[2, 1]");
  const std::string gzip =
      R"("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcbH\xcd\xc9\xc9W\xc8\xc0 \x19\xfeg\x90!\x03\x00\xc0\x9b\x12uN\x00\x00\x00")";
  lab.check("s -> string_length(decode_compressed(s, \"gzip\"))", {gzip, fine}, {"78", "error"});
  CHECK(message_of(lab, "s -> decode_compressed(s, \"gzip\")", fine, Code::data_loss)
            .find("damaged gzip data") == 0);
  CHECK(message_of(lab, "s -> decode_compressed(s, \"zlib\")", "[" + fine + ", \"?\"]", Code::data_loss)
            .find("string 1 of 2: damaged zlib data") == 0);
  lab.refuse("s -> decode_compressed(s, \"auto\")", "\"\"", "\"bz2\" or \"xz\", found \"auto\"");
  lab.check("s -> decode_compressed(s, \"\")", {"\"as it is\"", "\"\""}, {"\"as it is\"", "\"\""}, "string");
  lab.refuse("s -> decode_compressed(s, s)", "\"\"", "known when the dataset is built");
  lab.refuse("n -> decode_compressed(n, \"gzip\")", "1", "expected string, found int64");
}

}  // namespace weir::test
