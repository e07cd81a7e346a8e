#include <filesystem>
#include <fstream>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

const std::string kJsonFolder = kConformanceData + "new/jsonl/";
const std::string kObjects =
    "jsonl(\"" + kJsonFolder + "a-list-of-objects.jsonl\", {tags: list({name: string, n: int64 = 0})";

const ContractEntries jsonl_contract(
    "jsonl",
    {{kObjects + "})", anything, true},
     {"jsonl(\"" + kJsonFolder + "ragged.jsonl\", {r: ragged(int64) = []})", anything, true},
     {"jsonl(\"" + kJsonFolder + "blank-lines-and-crlf.jsonl\", {a: int64})", anything, true},
     {"jsonl([\"" + kJsonFolder + "part-0.jsonl\", \"nowhere.jsonl\", \"" + kJsonFolder +
          "byte-order-mark.jsonl\"], {n: optional(int64), a: int32 = -1})",
      anything, true},
     {"jsonl([\"" + kJsonFolder + "escapes.jsonl\", \"" + kJsonFolder +
          "lone-surrogates.jsonl\"], {s: string}, num_parallel_reads: 2)",
      anything, true},
     {"range(2) | flat_map(i -> " + kObjects + ", i: int64 = 7}))", anything, false}},
    kOpens);

struct Objects {
  explicit Objects(const std::string& text) { std::ofstream(file(), std::ios::binary) << text; }
  std::string file() const { return folder.at("objects.jsonl"); }
  std::string call(const std::string& fields) const { return "jsonl(\"" + file() + "\", " + fields + ")"; }
  Lines rows(const std::string& fields, int width = 3) const { return run(call(fields), width); }
  // The message of the first error.
  std::string mistake(const std::string& fields) const {
    ThreadsRuntime runtime;
    auto iterator = open_text(*runtime, call(fields));
    Block block;
    while (require_value(iterator->next(64, block)) == PullResult::rows) {
      if (!block.errors.empty()) return block.errors[0].error->describe();
    }
    return "";
  }
  TemporaryFolder folder;
};

const std::string kBadLine = "error: invalid_argument";

TEST_CASE("jsonl: errors name the file, the offset, the record and the field") {
  const std::string one = "{\"a\": 1, \"l\": [1, 2], \"u\": {\"n\": \"x\"}, \"t\": [{\"n\": 1}]}\n\n";
  const auto mistake = [&](const std::string& line, const std::string& fields) {
    const Objects objects(one + line + "\n");
    const std::string text = objects.mistake(fields);
    CHECK(contains(text, objects.file()));
    CHECK(contains(text, "offset " + std::to_string(one.size())));
    CHECK(contains(text, "record 1"));
    return text;
  };
  CHECK(contains(mistake(R"({"a": "x"})", "{a: int64}"), R"(the field a must be int64, found "x")"));
  CHECK(contains(mistake(R"({"b": 1})", "{a: int64}"), "the field a is missing; give it a default"));
  CHECK(contains(mistake(R"({"a": {"b": 1}, "c": 2})", "{a: int64}"),
                 R"(the field a must be int64, found {"b": 1} ()"));
  CHECK(contains(mistake(R"({"a": {"b": 1}})", "{a: int64}"), R"(found {"b": 1} ()"));
  CHECK(contains(mistake(R"({"a": null})", "{a: int64}"), "the field a is null; give it a default"));
  CHECK(contains(mistake(R"({"b": 1})", R"({u: {n: string = "-"}})"),
                 "the field u is missing; write optional({…})"));
  CHECK(contains(mistake(R"({"l": [1, [2]]})", "{l: int64[?]}"), "the field l must be int64, found [2]"));
  CHECK(
      contains(mistake(R"({"l": [1, null]})", "{l: int64[?]}"), "the field l must have no null in its list"));
  CHECK(contains(mistake(R"({"l": [1]})", "{l: int64[2]}"), "must have 2 values in each list, found 1 ("));
  CHECK(contains(mistake(R"({"l": [1, 2, "x", [4, 5], 6]})", "{l: int64[2]}"),
                 "2 values in each list, found 5 ("));
  const Objects uneven(R"({"l": [[1, 2, 3], [4]]})");
  CHECK(contains(uneven.mistake("{l: int64[?, ?]}"), "must have 3 values in each list, found 1 ("));
  CHECK(contains(mistake(R"({"l": 1})", "{l: int64[?]}"), "the field l must be a list, found 1"));
  CHECK(contains(mistake(R"({"u": []})", "{u: {n: string}}"), "the field u must be an object, found []"));
  CHECK(contains(mistake(R"({"u": {"n": 5}})", "{u: {n: string}}"), "the field u.n must be string, found 5"));
  CHECK(contains(mistake(R"({"t": [{"n": 1}, {}]})", "{t: list({n: int64})}"),
                 "the field t.n is missing in an object of a list; give it a default, as in n: … = 0"));
  const Objects nulls(R"({"t": [{"s": null, "l": null}]})");
  CHECK(contains(nulls.mistake("{t: list({s: string})}"), R"(as in s: … = "")"));
  CHECK(contains(nulls.mistake("{t: list({l: ragged(bool)})}"), "as in l: … = []"));
  CHECK(contains(mistake(R"({"s": "\ud800"})", "{s: optional(string)}"), "half a pair of surrogates"));
  CHECK(contains(mistake(R"({"a": 1 "b": 2})", "{a: int64}"),
                 R"(expected ',' or '}', found "\"b\"" at byte 8 of the line)"));
  CHECK(contains(mistake(R"({"a": 1, "b": tru})", "{a: int64}"),
                 R"(expected a value, found "tru" at byte 14)"));
  CHECK(contains(mistake("[1]", "{a: int64}"), "expected an object, found \"[1]\" at byte 0"));
  CHECK(contains(mistake(R"({"a": 1} x)", "{a: int64}"), "expected nothing after the object"));
  CHECK(contains(mistake("{\"a\": \"\xff\"}", "{a: int64 = 0}"), "the line is not UTF-8"));
  CHECK(contains(mistake("{\"a\": \"\t\"}", "{a: int64 = 0}"), "the line has a control character"));
  CHECK(contains(mistake("{\"a\": \"", "{a: int64 = 0}"), "the line has a string that does not end"));
}

TEST_CASE("jsonl: a field that is missing is told with the names that are there") {
  CHECK(contains(Objects("{\"b\": 1, \"c d\": 2}").mistake("{ax: int64}"),
                 "the field ax is missing, found b, \"c d\"; give it a default"));
  CHECK(contains(Objects("{\"u\": {\"nam\": 1}}").mistake("{u: {name: int64}}"),
                 "the field u.name is missing, found nam; did you mean nam?"));
  // Nobody meant a name that is asked for, or one of which no letter is there.
  CHECK(contains(Objects("{\"label1\": 1}").mistake("{label1: int64, label2: int64}"),
                 "the field label2 is missing, found label1; give it a default"));
  CHECK(contains(Objects("{\"a\": 1}").mistake("{u: int64}"), "the field u is missing, found a; give it"));
  CHECK(contains(Objects("{\"a\": 1}\n{\"b\": 1}").mistake("{a: int64}"), "the field a is missing; give it"));
  CHECK(contains(Objects("{}").mistake("{a: int64}"), "the field a is missing; give it a default"));
}

TEST_CASE("jsonl: brackets within each other") {
  const auto nested = [](int depth, char open, char close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open == '{' ? "{\"k\":" : "[";
    return text + "0" + std::string(static_cast<size_t>(depth), close);
  };
  const auto line = [](const std::string& value) { return "{\"a\": 1, \"d\": " + value + "}\n"; };
  const Objects objects(line(nested(1023, '[', ']')) + line(nested(1024, '[', ']')) +
                        line(nested(1023, '{', '}')) + line(nested(1024, '{', '}')) +
                        line(nested(100000, '[', ']')));
  CHECK(objects.rows("{a: int64}") == Lines{"{a: 1}", kBadLine, "{a: 1}", kBadLine, kBadLine});
}

TEST_CASE("jsonl: halves are rounded once") {
  // The middle of two halves, and what is next to it beyond the digits of a double.
  const std::string zeros(40, '0');
  const Objects objects("{\"h\": 2049}\n{\"h\": 2049." + zeros + "1}\n{\"h\": 2048.9" + std::string(40, '9') +
                        "}\n{\"h\": 2051}\n{\"h\": 2050.9" + std::string(40, '9') + "}\n");
  CHECK(objects.rows("{h: float16}") ==
        Lines{"{h: 2048.0}", "{h: 2050.0}", "{h: 2048.0}", "{h: 2052.0}", "{h: 2050.0}"});
  const Objects brief("{\"h\": 257}\n{\"h\": 257." + zeros + "1}\n{\"h\": 256.9" + std::string(40, '9') +
                      "}\n{\"h\": -257." + zeros + "1}\n{\"h\": 1e-60}\n{\"h\": -1e60}\n");
  CHECK(brief.rows("{h: bfloat16}") ==
        Lines{"{h: 256.0}", "{h: 258.0}", "{h: 256.0}", "{h: -258.0}", "{h: 0.0}", "{h: -inf}"});
}

TEST_CASE("jsonl: what a field had before it came again is forgotten") {
  const Objects objects(
      "{\"l\": [1, 2], \"l\": [3]}\n"
      "{\"l\": [1, \"x\"], \"l\": []}\n"
      "{\"u\": {\"l\": [1]}, \"u\": {}}\n"
      "{\"u\": {\"l\": [7], \"l\": null}}\n"
      "{\"t\": [{\"n\": 1}, {\"n\": 2}], \"t\": [{\"n\": 3, \"n\": 4, \"r\": [1], \"r\": [2, 3]}]}\n"
      "{\"t\": [{\"r\": [1, 2]}, {\"n\": 1}], \"t\": null}\n"
      "{\"o\": {\"x\": [1]}, \"o\": null, \"l\": [9]}\n");
  CHECK(
      objects.rows(
          "{l: int64[?] = [0], u: optional({l: int64[?] = [5, 6]}), t: list({n: int64 = 0, r: ragged(int64) = []}) = "
          "[], o: optional({x: int64[?]})}") ==
      Lines{"{l: [3], u: none, t: {n: [], r: ragged([])}, o: none}",
            "{l: [], u: none, t: {n: [], r: ragged([])}, o: none}",
            "{l: [0], u: some({l: [5, 6]}), t: {n: [], r: ragged([])}, o: none}",
            "{l: [0], u: some({l: [5, 6]}), t: {n: [], r: ragged([])}, o: none}",
            "{l: [0], u: none, t: {n: [4], r: ragged([[2, 3]])}, o: none}",
            "{l: [0], u: none, t: {n: [], r: ragged([])}, o: none}",
            "{l: [9], u: none, t: {n: [], r: ragged([])}, o: none}"});
}

TEST_CASE("jsonl: keys with escapes, and more keys than are remembered") {
  std::string many = "{";
  for (int i = 0; i < 600; ++i) many += "\"key" + std::to_string(i) + "\": " + std::to_string(i) + ", ";
  const Objects objects("{\"\\u0061\": 1, \"b\\/c\": 2}\n{\"a\\ud800\": 5, \"a\": 3, \"b/c\": 4}\n" + many +
                        "\"a\": 6, \"b/c\": 7}\n" + many + "\"b/c\": 8, \"a\": 9}\n{\"a\": 1, \"\\q\": 1}\n");
  CHECK(objects.rows("{a: int64, \"b/c\": int64 = 0, key599: int64 = -1}") ==
        Lines{"{a: 1, \"b/c\": 2, key599: -1}", "{a: 3, \"b/c\": 4, key599: -1}",
              "{a: 6, \"b/c\": 7, key599: 599}", "{a: 9, \"b/c\": 8, key599: 599}", kBadLine});
}

TEST_CASE("jsonl: a position is one of an object, errors included") {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    // Some blocks have a line that is no text, so each of their lines is looked at alone.
    text += i % 700 == 3 ? "{\"a\": \"\xff\"}\n"
            : i % 7 == 3 ? "{\"a\": }\n \n"
                         : "{\"a\": " + std::to_string(i) + "}\n";
  }
  const Objects objects(text);
  const std::string pipeline = objects.call("{a: int64}");
  const Lines all = run(pipeline, 64);
  REQUIRE(all.size() == 3000);
  CHECK(all[3] == kBadLine);
  CHECK(all[4] == "{a: 4}");
  for (size_t count : {0, 1, 3, 4, 100, 1024, 2999, 3000})
    CHECK(run_restored(pipeline, static_cast<int64_t>(count)) ==
          Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
}

TEST_CASE("jsonl: every byte flipped and every length cut") {
  const std::string text =
      "{\"a\": 1, \"s\": \"x\\u00e9\", \"l\": [[1, 2], [3]], \"t\": [{\"n\": 1.5, \"r\": []}]}\n"
      "{\"a\": -2e1, \"s\": null, \"l\": [], \"t\": [], \"more\": {\"k\": [NaN, true, null, \"\\ud83d\"]}}\n";
  const std::string fields =
      "{a: int64 = 0, s: optional(string), l: ragged(int64) = [], t: list({n: float32 = 0.0, r: ragged(int64) = []}) = "
      "[], more: json = \"\"}";
  const auto check = [&](const std::string& damaged) {
    const Objects objects(damaged);
    for (const std::string& line : objects.rows(fields, 64)) {
      INFO(damaged);
      CHECK((line == kBadLine || line.starts_with("{a: ")));
    }
  };
  CHECK(Objects(text).rows(fields).size() == 2);
  for (size_t size = 0; size < text.size(); ++size) check(text.substr(0, size));
  for (size_t at = 0; at < text.size(); ++at) {
    for (const int bit : {0x01, 0x02, 0x20, 0x80}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      check(damaged);
    }
  }
}

TEST_CASE("jsonl: what it is built with") {
  CHECK(spec("jsonl(\"a\", {o: optional({x: int8[2], l: list({b: {c: bool}})}), r: ragged(string)})") ==
        "{o: optional<{x: int8[2], l: {b: {c: bool[?]}}}>, r: ragged<string>[?, ?]}");
  CHECK(cardinality("jsonl(\"a\", {})") == -2);
  const auto mistake = [](const std::string& fields) { return build_error("jsonl(\"a\", " + fields + ")"); };
  CHECK(contains(mistake("{a: int6}"), "did you mean int"));
  CHECK(contains(mistake("{a: optinal(int64)}"), "did you mean optional?"));
  CHECK(contains(mistake("{a: list}"), "expected '(' right after 'list'"));
  CHECK(contains(mistake("{a: int64, a: int64}"), "a"));
  CHECK(contains(mistake("[int64]"), "expected fields, such as {text: string, label: int64}"));
  CHECK(contains(mistake("{a: int64[...]}"), "the field a has an unknown rank"));
  CHECK(contains(mistake("{a: complex64}"), "JSON has no complex numbers"));
  CHECK(contains(mistake("{u: {a: member(\"x\")}}"), "the field u.a names members of an archive"));
  CHECK(contains(mistake("{a: list({b: int64[?]})}"), "a list there is written ragged(int64)"));
  CHECK(contains(mistake("{a: list({b: optional(int64)})}"), "the field a.b is optional inside list(…)"));
  CHECK(contains(mistake("{a: list({b: list({c: int64})})}"), "a list of objects inside another one"));
  CHECK(contains(mistake("{a: ragged(int64[2])}"), "write ragged(int64)"));
  CHECK(contains(mistake("{a: optional(int64) = 1}"), "is optional and has a default"));
  CHECK(contains(mistake("{a: optional(optional(int64))}"), "is optional twice"));
  CHECK(contains(mistake("{a: {b: int64} = 1}"), "give its members defaults"));
  CHECK(contains(mistake("{a: float32[2] = [1.0, 2.0, 3.0]}"), "a default of shape [3]"));
  CHECK(contains(mistake("{a: uint8 = 256}"), "256"));
  CHECK(contains(mistake("{a: string = 1}"), "string"));
  CHECK(Objects("{}\n").rows("{a: float32[2] = 0.5, b: int64[?, 2] = [], c: ragged(int64) = [[1, 2]]}") ==
        Lines{"{a: [0.5, 0.5], b: zeros([0, 2]), c: ragged([[1, 2]])}"});
}

}  // namespace
}  // namespace weir::test
