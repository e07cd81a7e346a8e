#include "expr/harness.h"

namespace weir::test {

TEST_CASE("substr") {
  Lab lab;
  lab.check("s -> substr(s, 1, 2)", {"\"abcd\"", "\"ab\"", "\"a\"", "\"\"", "\"\\xff\\x00\\xc3\\xa9\""},
            {"\"bc\"", "\"b\"", "\"\"", "error", "\"\\x00\\xc3\""}, "string");
  lab.check("s -> substr(s, -2, 5)", {"\"abcd\"", "\"ab\"", "\"a\"", "\"\""},
            {"\"cd\"", "\"ab\"", "error", "error"});
  lab.check("s -> (substr(s, 0, -1), substr(s, 1, 0), substr(s, 0, 9223372036854775807))",
            {"\"abc\"", "\"x\""}, {"(\"abc\", \"\", \"abc\")", "(\"x\", \"\", \"x\")"});
  lab.check("(s, p, n) -> substr(s, p, n)",
            {"(\"abcd\", 0, 1)", "(\"xyz\", 3, 1)", "(\"xyz\", 4, 1)", "(\"xyz\", -4, 1)", "(\"xyz\", -3, 2)",
             "(\"xyz\", -9223372036854775808, 1)", "(\"xyz\", 9223372036854775807, 1)"},
            {"\"a\"", "\"\"", "error", "error", "\"xy\"", "error", "error"});
  lab.check(
      "(v, p) -> substr(v, p, [[1], [2]])",
      {"([\"abc\", \"defg\"], [0, 1])", "([\"abc\", \"defg\"], [2, 0])", "([\"abc\", \"defg\"], [4, 0])"},
      {"[[\"a\", \"e\"], [\"ab\", \"ef\"]]", "[[\"c\", \"d\"], [\"c\", \"de\"]]", "error"}, "string[2, 2]");
  lab.check("(v, p) -> substr(v, p, 1)",
            {"([\"ab\"], [0, 1, 2])", "([\"ab\", \"cd\"], [0, 1, 0])", "([\"ab\", \"cd\"], [1, 0])"},
            {"[\"a\", \"b\", \"\"]", "error", "[\"b\", \"c\"]"}, "string[?]");
  lab.refuse("s -> substr(s, 0, 1)", "1", "expected string, found int64");
  lab.refuse("s -> substr(s, 0.5, 1)", "\"a\"", "int64");
  lab.refuse("v -> substr(v, [0, 1, 2], 1)", "[\"a\", \"b\"]", "do not broadcast");
}

TEST_CASE("string_join") {
  Lab lab;
  lab.check("(a, b) -> (string_join([a, b]), string_join((a, b, a), separator: \", \"), string_join([b]))",
            {"(\"ab\", \"\")", "(\"\", \"c\")", "(\"\", \"\")"},
            {"(\"ab\", \"ab, , ab\", \"\")", "(\"c\", \", c, \", \"c\")", "(\"\", \", , \", \"\")"},
            "(string, string, string)");
  lab.check("(v, s) -> string_join([v, \"/\", s], separator: s)",
            {"([\"a\", \"b\"], \"1\")", "([\"\", \"c\"], \"\")"},
            {"[\"a1/11\", \"b1/11\"]", "[\"/\", \"c/\"]"}, "string[2]");
  lab.check("(v, w) -> string_join([v, w])",
            {"([\"a\", \"b\"], [[\"c\"], [\"d\"], [\"e\"]])", "([\"x\", \"y\"], [[\"1\"], [\"\"], [\"3\"]])"},
            {"[[\"ac\", \"bc\"], [\"ad\", \"bd\"], [\"ae\", \"be\"]]",
             "[[\"x1\", \"y1\"], [\"x\", \"y\"], [\"x3\", \"y3\"]]"},
            "string[3, 2]");
  lab.check("(v, w) -> string_join([v, w], separator: \"-\")",
            {"([\"a\"], [\"b\"])", "([\"a\"], [\"b\", \"c\"])", "([\"a\", \"b\"], [\"c\", \"d\", \"e\"])"},
            {"[\"a-b\"]", "[\"a-b\", \"a-c\"]", "error"}, "string[?]");
  lab.check("t -> string_join(t, separator: \"+\")", {"(\"a\", \"b\", \"c\")"}, {"\"a+b+c\""});
  lab.refuse("s -> string_join([s, 1])", "\"a\"", "the literal 1 is no string");
  lab.refuse("s -> string_join([])", "\"a\"", "at least one member");
  lab.refuse("v -> string_join([v, [\"a\", \"b\", \"c\"]])", "[\"a\", \"b\"]", "do not broadcast");
  lab.refuse("v -> string_join([v], separator: v)", "[\"a\", \"b\"]", "to be a scalar");
}

TEST_CASE("string_split") {
  Lab lab;
  lab.check("s -> string_split(s)",
            {"\"a bc  d\"", "\"\"", "\" \\t\\n\\r\\x0b\\x0c\"", "\"\\tone\\n\"", "\"a\\x00b \\xc2\\xa0\""},
            {"[\"a\", \"bc\", \"d\"]", "zeros([0], string)", "zeros([0], string)", "[\"one\"]",
             "[\"a\\x00b\", \"\\xc2\\xa0\"]"},
            "string[?]");
  lab.check("s -> string_split(s, sep: \",\")",
            {"\"a,b,,c\"", "\",\"", "\"\"", "\"abc\"", "\",x\"", "\"x,\""},
            {"[\"a\", \"b\", \"\", \"c\"]", "[\"\", \"\"]", "[\"\"]", "[\"abc\"]", "[\"\", \"x\"]",
             "[\"x\", \"\"]"});
  lab.check("s -> string_split(s, sep: \"<>\")", {"\"1<>2<><>3\"", "\"<\"", "\"<><\"", "\"<<>>\""},
            {"[\"1\", \"2\", \"\", \"3\"]", "[\"<\"]", "[\"\", \"<\"]", "[\"<\", \">\"]"});
  lab.check("(s, p) -> string_split(s, sep: p)",
            {"(\"a-b c\", \"-\")", "(\"a-b c\", \"\")", "(\"aaa\", \"aa\")"},
            {"[\"a\", \"b c\"]", "[\"a-b\", \"c\"]", "[\"\", \"a\"]"});
  lab.refuse("v -> string_split(v)", "[[\"a\"], [\"b\"]]", "string_split");
  lab.refuse("s -> string_split(s, sep: [\"a\"])", "\"a\"", "to be a scalar");
  lab.refuse("s -> string_split(s)", "1", "expected string, found int64");
}

TEST_CASE("string_split into more parts than are kept aside") {
  Lab lab;
  for (int parts : {31, 32, 33, 100}) {
    std::string text = "\"";
    std::string expected = "[";
    for (int i = 0; i < parts; ++i) {
      text += (i > 0 ? " w" : "w") + std::to_string(i);
      expected += (i > 0 ? ", \"w" : "\"w") + std::to_string(i) + "\"";
    }
    lab.check("s -> string_split(s)", {text + "\"", "\"x y\""}, {expected + "]", "[\"x\", \"y\"]"});
    lab.check("s -> string_split(s, sep: \" \")", {text + "\""}, {expected + "]"});
  }
}

TEST_CASE("lower, upper and strip") {
  Lab lab;
  lab.check(
      "s -> (lower(s), upper(s))",
      {"\"@AZ[`az{09\"", "\"\"", "\"\\xc3\\x89\\xe1\\xc1\"", "\"A long one: The Quick Brown Fox, JUMPS\""},
      {"(\"@az[`az{09\", \"@AZ[`AZ{09\")", "(\"\", \"\")",
       "(\"\\xc3\\x89\\xe1\\xc1\", \"\\xc3\\x89\\xe1\\xc1\")",
       "(\"a long one: the quick brown fox, jumps\", \"A LONG ONE: THE QUICK BROWN FOX, JUMPS\")"},
      "(string, string)");
  lab.check("v -> upper(lower(v[:, 1]))",
            {"[[\"aB\", \"Cd\"], [\"Ef\", \"gH\"]]", "[[\"\", \"x\"], [\"\", \"\"]]"},
            {"[\"CD\", \"GH\"]", "[\"X\", \"\"]"});
  lab.check("s -> strip(s)",
            {"\"  a b \"", "\"\\t\\n\\x0b\\x0c\\r x\\r\\n\"", "\"\"", "\"   \"", "\"\\x00 \""},
            {"\"a b\"", "\"x\"", "\"\"", "\"\"", "\"\\x00\""}, "string");
  lab.check("v -> strip(v)", {"[[\" a\"], [\"b \"]]"}, {"[[\"a\"], [\"b\"]]"}, "string[2, 1]");
  lab.refuse("x -> lower(x)", "1", "expected string, found int64");
  lab.refuse("x -> upper(x)", "true", "expected string, found bool");
  lab.refuse("x -> strip(x)", "1.5", "expected string, found float32");
}

TEST_CASE("regex_match") {
  Lab lab;
  lab.check(
      "s -> (regex_match(s, \"a|b\"), regex_match(s, \".*b\"), regex_match(s, \"\"), regex_match(s, \"(?i)AB\"))",
      {"\"a\"", "\"ab\"", "\"\"", "\"xb\"", "\"b\\x00\""},
      {"(true, false, false, false)", "(false, true, false, true)", "(false, false, true, false)",
       "(false, true, false, false)", "(false, false, false, false)"},
      "(bool, bool, bool, bool)");
  lab.check("v -> regex_match(v, \"\\\\d+\")", {"[[\"12\", \"x\"]]", "[[\"\", \"7\"]]"},
            {"[[true, false]]", "[[false, true]]"}, "bool[1, 2]");
  lab.check("(s, p) -> regex_match(s, p)",
            {"(\"ab\", \"a.\")", "(\"ab\", \"b.\")", "(\"ab\", \"(\")", "(\"ab\", \"a.\")", "(\"b\", \"[\")",
             "(\"\", \"\")"},
            {"true", "false", "error", "true", "error", "true"}, "bool");
  lab.refuse("s -> regex_match(s, \"a(\")", "\"a\"", "\"a(\" is no regular expression: missing ): a(");
  lab.refuse("s -> regex_match(s, \"\\\\1\")", "\"a\"", "invalid escape sequence");
  lab.refuse("s -> regex_match(s, \"((a{100}){100}){100}\")", "\"a\"", "is no regular expression");
  lab.refuse("s -> regex_match(s, [\"a\", \"b\"])", "\"a\"", "the pattern to be a scalar");
  lab.refuse("x -> regex_match(x, \"a\")", "1", "expected string, found int64");
}

TEST_CASE("regex_replace") {
  Lab lab;
  lab.check("s -> regex_replace(s, \"[0-9]+\", \"#\")", {"\"a1b22\"", "\"none\"", "\"\"", "\"7\""},
            {"\"a#b#\"", "\"none\"", "\"\"", "\"#\""}, "string");
  lab.check("s -> regex_replace(s, \"(\\\\w)(\\\\w)\", \"<\\\\2\\\\1\\\\0>\")", {"\"abcd e\"", "\"a\""},
            {"\"<baab><dccd> e\"", "\"a\""});
  lab.check("s -> regex_replace(s, \"b*\", \"-\")",
            {"\"abc\"", "\"\"", "\"bb\"", "\"h\\u{e9}\"", "\"\\xff\""},
            {"\"-a-c-\"", "\"-\"", "\"-\"", "\"-h-\\u{e9}-\"", "\"-\\xff-\""});
  lab.check("v -> regex_replace(v, \"a\", \"\")", {"[[\"banana\", \"a\"], [\"x\", \"\"]]"},
            {"[[\"bnn\", \"\"], [\"x\", \"\"]]"}, "string[2, 2]");
  lab.check("(s, p, r) -> regex_replace(s, p, r)",
            {"(\"abc\", \"b\", \"x\")", "(\"abc\", \"b\", \"y\")", "(\"abc\", \"(b)\", \"\\\\1\\\\1\")",
             "(\"abc\", \"b\", \"\\\\1\")", "(\"abc\", \"(\", \"\")", "(\"abc\", \"c\", \"\")"},
            {"\"axc\"", "\"ayc\"", "\"abbc\"", "error", "error", "\"ab\""}, "string");
  lab.refuse("s -> regex_replace(s, \"*\", \"\")", "\"a\"", "no argument for repetition operator: *");
  lab.refuse("s -> regex_replace(s, \"a\", \"\\\\1\")", "\"a\"", "\"\\\\1\" is no rewrite for this pattern");
  lab.refuse("s -> regex_replace(s, \"a\", \"\\\\x\")", "\"a\"", "is no rewrite for this pattern");
  lab.refuse("s -> regex_replace(s, \"a\", [\"b\"])", "\"a\"", "the rewrite to be a scalar");
}

TEST_CASE("regex_replace makes results of any length") {
  Lab lab;
  std::vector<std::string> rows;
  std::vector<std::string> expected;
  for (int i = 0; i < 40; ++i) {
    rows.push_back("\"" + std::string(static_cast<size_t>(i * i), 'a') + "\"");
    expected.push_back("\"" + std::string(static_cast<size_t>(2 * i * i), 'b') + "\"");
  }
  lab.check("s -> regex_replace(s, \"a\", \"bb\")", rows, expected);
}

TEST_CASE("to_number reads floats") {
  Lab lab;
  lab.check(
      "s -> to_number(s)",
      {"\"1\"", "\"-2.5\"", "\"1e3\"", "\".5\"", "\"5.\"", "\"+7\"", "\" \\t0.1\\n\"", "\"-0\"", "\"1E-2\""},
      {"1.0", "-2.5", "1000.0", "0.5", "5.0", "7.0", "0.1", "-0.0", "0.01"}, "float32");
  lab.check("s -> to_number(s)",
            {"\"inf\"", "\"-INF\"", "\"Infinity\"", "\"nan\"", "\"1e400\"", "\"-1e400\"", "\"1e-400\"",
             "\"0x10\"", "\"-0XfF\""},
            {"inf", "-inf", "inf", "nan", "inf", "-inf", "0.0", "16.0", "-255.0"});
  lab.check(
      "s -> to_number(s)",
      {"\"\"", "\" \"", "\"x\"", "\"1x\"", "\"1 2\"", "\"--1\"", "\"+-1\"", "\"++1\"", "\"e5\"", "\"1e\"",
       "\".\"", "\"nan(1)\"", "\"1.5.2\"", "\"0x1.8\"", "\"1,5\"", "\"+\"", "\"1\\x00\"", "\"8\""},
      {"error", "error", "error", "error", "error", "error", "error", "error", "error", "error", "error",
       "error", "error", "error", "error", "error", "error", "8.0"});
  lab.check("v -> to_number(v, float64)",
            {"[\"0.1\", \"1e300\"]", "[\"x\", \"1\"]", "[\"1\", \"\"]", "[\"3\", \"4\"]"},
            {"float64([0.1, 1e300])", "error", "error", "float64([3.0, 4.0])"}, "float64[2]");
  lab.check("s -> (to_number(s, float16), to_number(s, bfloat16))",
            {"\"0.1\"", "\"65504\"", "\"1e9\"", "\"y\""},
            {"(float16(0.1), bfloat16(0.1))", "(float16(65504.0), bfloat16(65504.0))",
             "(float16(inf), bfloat16(1e9))", "error"});
}

TEST_CASE("to_number reads integers") {
  Lab lab;
  lab.check(
      "s -> to_number(s, int64)",
      {"\"9223372036854775807\"", "\"-9223372036854775808\"", "\"9223372036854775808\"",
       "\"-9223372036854775809\"", "\" +5 \"", "\"0042\"", "\"-0\"", "\"1.0\"", "\"1e3\"", "\"\"", "\"- 1\""},
      {"9223372036854775807", "-9223372036854775807 - 1", "error", "error", "5", "42", "0", "error", "error",
       "error", "error"},
      "int64");
  lab.check("s -> to_number(s, uint8)", {"\"255\"", "\"256\"", "\"-1\"", "\"0\"", "\"+7\""},
            {"uint8(255)", "error", "error", "uint8(0)", "uint8(7)"}, "uint8");
  lab.check("s -> to_number(s, int8)", {"\"127\"", "\"128\"", "\"-128\"", "\"-129\""},
            {"int8(127)", "error", "int8(-128)", "error"});
  lab.check("s -> (to_number(s, int16), to_number(s, int32), to_number(s, uint16), to_number(s, uint32))",
            {"\"32767\"", "\"32768\""},
            {"(int16(32767), int32(32767), uint16(32767), uint32(32767))", "error"});
  lab.check("s -> to_number(s, uint64)", {"\"18446744073709551615\"", "\"18446744073709551616\""},
            {"uint64(18446744073709551615)", "error"});
  lab.refuse("s -> to_number(s, string)", "\"1\"", "an integer or float dtype, found string");
  lab.refuse("s -> to_number(s, bool)", "\"1\"", "an integer or float dtype, found bool");
  lab.refuse("x -> to_number(x)", "1", "expected string, found int64");
}

TEST_CASE("to_number shows the string that is no number") {
  Lab lab;
  Spec spec;
  const Block in = lab.block({"[\"1\", \"" + std::string(100, 'x') + "\"]"}, &spec);
  Result<FunctionRef> f = lab.compile("v -> to_number(v, int32)", spec);
  REQUIRE(f.ok());
  const Block out = lab.run(**f, in, 1);
  REQUIRE(out.failed(0));
  CHECK((*out.error_of(0))->message ==
        "expected a number for to_number that fits int32, found \"" + std::string(40, 'x') + "\"...");
}

TEST_CASE("as_string") {
  Lab lab;
  lab.check("x -> as_string(x)", {"0", "-17", "9223372036854775807", "-9223372036854775807 - 1"},
            {"\"0\"", "\"-17\"", "\"9223372036854775807\"", "\"-9223372036854775808\""}, "string");
  lab.check("v -> as_string(v)", {"[1.5, -0.1, 1e-7]", "[inf, -inf, nan]", "[-0.0, 16777216.0, 0.0000005]"},
            {"[\"1.500000\", \"-0.100000\", \"0.000000\"]", "[\"inf\", \"-inf\", \"nan\"]",
             "[\"-0.000000\", \"16777216.000000\", \"0.000000\"]"},
            "string[3]");
  lab.check("x -> size(x) + string_length(as_string(x))", {"float64(1e308)", "float64(-1e308)"},
            {"317", "318"});
  lab.check(
      "x -> (as_string(x), as_string(uint8(x)), as_string(float16(x)), as_string(bfloat16(x)), as_string(x == 3))",
      {"3", "200"},
      {"(\"3\", \"3\", \"3.000000\", \"3.000000\", \"true\")",
       "(\"200\", \"200\", \"200.000000\", \"200.000000\", \"false\")"});
  lab.check("x -> as_string(complex64(x))", {"1.5", "-2.0"},
            {"\"(1.500000,0.000000)\"", "\"(-2.000000,0.000000)\""});
  lab.check("s -> as_string(s)", {"\"a\"", "\"\""}, {"\"a\"", "\"\""}, "string");
  lab.check("m -> as_string(m[:, 0])", {"[[1, 2], [3, 4]]", "[[5, 6], [70, 8]]"},
            {"[\"1\", \"3\"]", "[\"5\", \"70\"]"});
  lab.check("n -> as_string(arange(n))", {"0", "3", "1"},
            {"zeros([0], string)", "[\"0\", \"1\", \"2\"]", "[\"0\"]"}, "string[?]");
}

TEST_CASE("hash_bucket") {
  Lab lab;
  lab.check("s -> (hash_bucket(s, 10), hash_bucket(s, 1000000007), hash_bucket(s, 1))",
            {"\"\"", "\"a\"", "\"hello\"", "\"The quick brown fox jumps over the lazy dog\""},
            {"(3, 912170738, 0)", "(9, 384735799, 0)", "(6, 359589692, 0)", "(4, 124322544, 0)"},
            "(int64, int64, int64)");
  lab.check("v -> hash_bucket(v, 100)", {"[[\"a\", \"b\"], [\"a\", \"c\"]]"}, {"[[39, 22], [39, 72]]"},
            "int64[2, 2]");
  lab.check("(s, n) -> hash_bucket(s, n)",
            {"(\"a\", 10)", "(\"a\", 0)", "(\"a\", 100)", "(\"a\", -1)", "(\"\", 9223372036854775807)"},
            {"9", "error", "39", "error", "hash_bucket(\"\", 9223372036854775807)"}, "int64");
  lab.refuse("s -> hash_bucket(s, 0)", "\"a\"", "at least one bucket for hash_bucket, found 0");
  lab.refuse("s -> hash_bucket(s, -5)", "\"a\"", "found -5");
  lab.refuse("s -> hash_bucket(s, [1, 2])", "\"a\"", "the number of buckets of hash_bucket to be a scalar");
  lab.refuse("x -> hash_bucket(x, 5)", "1", "expected string, found int64");
}

TEST_CASE("lookup") {
  Lab lab;
  lab.check("s -> lookup(s, [\"dog\", \"cat\", \"\"], -1)",
            {"\"cat\"", "\"dog\"", "\"cow\"", "\"\"", "\"cat\\x00\""}, {"1", "0", "-1", "2", "-1"}, "int64");
  lab.check("(v, d) -> lookup(v, [\"a\"], d)", {"([[\"a\", \"b\"]], 7)", "([[\"b\", \"a\"]], 8)"},
            {"[[0, 7]]", "[[8, 0]]"}, "int64[1, 2]");
  lab.check("(s, t) -> lookup(s, t, -1)",
            {"(\"b\", [\"a\", \"b\"])", "(\"b\", [\"b\", \"c\"])", "(\"b\", [\"a\", \"a\"])",
             "(\"b\", [\"c\", \"b\"])"},
            {"1", "0", "error", "1"});
  lab.check("(s, t) -> lookup(string_split(s), string_split(t), -1)",
            {"(\"x y z\", \"z x\")", "(\"x\", \"\")", "(\"\", \"a b\")", "(\"q\", \"q q\")"},
            {"[1, -1, 0]", "[-1]", "int64(zeros([0]))", "error"}, "int64[?]");
  lab.refuse("s -> lookup(s, [\"a\", \"b\", \"a\"], 0)", "\"a\"", "\"a\" at the positions 0 and 2");
  lab.refuse("s -> lookup(s, \"a\", 0)", "\"a\"", "a list of strings");
  lab.refuse("s -> lookup(s, [\"a\"], [1, 2])", "\"a\"", "the default of lookup to be a scalar");
  lab.refuse("s -> lookup(s, [1, 2], 0)", "\"a\"", "the literal 1 is no string");
  lab.refuse("x -> lookup(x, [\"a\"], 0)", "1", "expected string, found int64");
}

TEST_CASE("Functions of strings check a rank that is unknown at the element") {
  Lab lab;
  lab.check("s -> string_split(s)", {"\"a b\"", "[[\"a\"]]", "\"c\""},
            {"[\"a\", \"b\"]", "error", "[\"c\"]"});
  lab.check("p -> string_split(\"a-b\", sep: p)", {"\"-\"", "[\"-\"]"}, {"[\"a\", \"b\"]", "error"});
  lab.check("p -> string_join([\"a\", \"b\"], separator: p)", {"[[\"-\"]]", "\"-\""}, {"error", "\"a-b\""},
            "string");
  lab.check("s -> string_join([s, [\"a\", \"b\"]])", {"[\"x\", \"y\", \"z\"]", "\"-\"", "[[\"u\"], [\"v\"]]"},
            {"error", "[\"-a\", \"-b\"]", "[[\"ua\", \"ub\"], [\"va\", \"vb\"]]"}, "string[...]");
  lab.check("s -> substr(s, [0, 1], 1)", {"\"ab\"", "[\"ab\", \"c\", \"\"]", "[\"ab\"]"},
            {"[\"a\", \"b\"]", "error", "[\"a\", \"b\"]"}, "string[...]");
  lab.check("p -> regex_match(\"ab\", p)", {"\"a.\"", "[\"a.\"]", "\"b\""}, {"true", "error", "false"},
            "bool");
  lab.check("r -> regex_replace(\"ab\", \"a\", r)", {"\"x\"", "[\"x\"]", "\"\""},
            {"\"xb\"", "error", "\"b\""});
  lab.check("n -> hash_bucket(\"a\", n)", {"[10]", "10"}, {"error", "9"}, "int64");
  lab.check("d -> lookup(\"a\", [\"b\"], d)", {"[10]", "10"}, {"error", "10"}, "int64");
  lab.check("t -> lookup(\"a\", t, -1)", {"[\"b\", \"a\"]", "\"a\"", "[[\"a\"]]"}, {"1", "error", "error"},
            "int64");
  lab.check("x -> (lower(x), strip(x), as_string(x), hash_bucket(x, 1))", {"\"A \"", "[[\"B\"]]"},
            {"(\"a \", \"A\", \"A \", 0)", "([[\"b\"]], [[\"B\"]], [[\"B\"]], [[0]])"});
}

TEST_CASE("lookup in a large table") {
  Lab lab;
  std::string table = "[";
  for (int i = 0; i < 1000; ++i) table += (i > 0 ? ", \"word" : "\"word") + std::to_string(i) + "\"";
  table += "]";
  std::vector<std::string> rows;
  std::vector<std::string> expected;
  for (int i = -3; i < 1003; i += 17) {
    rows.push_back("\"word" + std::to_string(i) + "\"");
    expected.push_back(std::to_string(i < 0 || i >= 1000 ? -1 : i));
  }
  lab.check("s -> lookup(s, " + table + ", -1)", rows, expected);
}

}  // namespace weir::test
