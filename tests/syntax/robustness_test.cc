// Hostile texts: too deep, too long, cut, mutated. Whatever comes, the answer is a tree or an error.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/text.h"
#include "syntax/notation.h"

namespace weir::syntax {
namespace {

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

// Every way to nest, `count` levels deep.
std::vector<std::string> nested(int count) {
  auto around = [count](const char* before, const char* middle, const char* after) {
    return repeated(before, count) + middle + repeated(after, count);
  };
  return {
      around("(", "x", ")"),
      around("[", "x", "]"),
      around("{a: ", "x", "}"),
      around("f(", "x", ")"),
      around("x[", "0", "]"),
      around("-", "x", ""),
      around("not ", "x", ""),
      around("x ** ", "x", ""),
      around("x + ", "x", ""),
      around("", "x", ".a"),
      around("", "x", ".0"),
      around("", "x", "[0]"),
      around("if a then b else ", "x", ""),
      around("let a = ", "x", " in a"),
      around("f(x -> ", "x", ")"),
      around("x | f(", "x", ")"),
      "f(" + around("(", "x", ",)") + " -> x)",
      "f(" + around("{a: ", "x", "}") + " -> x)",
      "empty(" + around("(", "int64", ",)") + ")",
      "empty(" + around("optional<", "int64", ">") + ")",
      "parse_example(r, {a: int64 = " + around("[", "1", "]") + "})",
  };
}

TEST_CASE("robustness: nesting is refused beyond a bound, whatever nests") {
  for (const std::string& text : nested(50)) check_fixpoint(text);
  for (int count : {kMaxDepth + 1, 20000}) {
    for (const std::string& text : nested(count)) {
      INFO(text.substr(0, 40));
      CHECK(canonical(text).find("levels deep") != std::string::npos);
    }
  }
}

TEST_CASE("robustness: pipelines and lists may be long") {
  check_fixpoint(concat("range(1)", repeated(" | map(x -> x + 1)", 5000)));
  check_fixpoint(concat("[", repeated("1, ", 20000), "]"));
  check_fixpoint(concat(repeated("let a = 1\n", 5000), "a"));
}

TEST_CASE("robustness: unclosed and unopened brackets") {
  for (const char* part :
       {"(", "[", "{", ")", "]", "}", "((", "([{", "f(", "x[", "{a:", "<", "\"", "|", "->", ","}) {
    for (int count : {1, 100, 100000}) CHECK_FALSE(parses(repeated(part, count)));
  }
}

TEST_CASE("robustness: a text has a largest size, and messages one too") {
  CHECK(parses("x" + std::string(kMaxSourceBytes - 1, ' ')));
  std::string beyond = canonical("x" + std::string(kMaxSourceBytes, ' '));
  CHECK(beyond.find("at most 1048576 bytes") != std::string::npos);
  CHECK(canonical(std::string(kMaxSourceBytes, '1')).size() < 1000);
  CHECK(canonical("cast(x, " + std::string(100000, 'a') + ")").size() < 1000);
  CHECK(canonical("f(1 " + std::string(100000, 'a') + ")").size() < 1000);
}

TEST_CASE("robustness: zero bytes are errors anywhere") {
  CHECK_FALSE(parses(std::string("f(\0)", 4)));
  CHECK_FALSE(parses(std::string("f(\"\0\")", 6)));
  CHECK_FALSE(parses(std::string("f(\"\\\0\")", 7)));
  CHECK_FALSE(parses(std::string(1, '\0')));
  CHECK(parses(std::string("f(\"\\x00\")")));
}

const std::vector<std::string>& samples() {
  static const std::vector<std::string> texts = {
      "param n: {a: int64[?, 3], \"b c\": optional<sparse<int64>[2]>}\nlet d = range($n)\nd | take(2)",
      "tfrecord(list_files(\"a*\", seed: 7), compression: \"auto\") | map(r -> parse_example(r, {image: string, label: int64 = -1, w: sequence(float32[2], allow_missing: true)}), num_parallel_calls: auto)",
      "range(3) | map({image, label: (a, _)} -> let y = x[1:, ::2, ..., newaxis] in if y.0.1 == -2 ** 2 then {y, \"k/\": 1.5e-7} else not a or b and c // 2)",
      "csv(\"a\\x00\\u{e9}\", [int64, \"\", int32(0)]) | scan((0, 1,), ((s, t), _) -> (s + t, @f))",
  };
  return texts;
}

TEST_CASE("robustness: every cut of a text is a tree or an error with a place") {
  for (const std::string& text : samples()) {
    check_fixpoint(text);
    for (size_t size = 0; size < text.size(); ++size) {
      Result<Tree> tree = parse_document(text.substr(0, size), notation());
      if (!tree.ok()) CHECK(tree.status().error().parts.span);
    }
  }
}

TEST_CASE("robustness: mutated texts parse or fail, and what parses prints to itself") {
  const std::string pieces[] = {"(",   ")",    "[",  "]",   "{",    "}",   ",",      ":",      ".",
                                "|",   "->",   "-",  "**",  "not ", "if ", " then ", " else ", "let ",
                                " = ", " in ", "0",  "1.5", "x",    "\"",  "\\",     "int64",  "...",
                                "$n",  "@1",   "\n", "#",   "<",    ">",   "==",     " "};
  uint64_t state = 20240229;
  auto random = [&state](size_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % bound;
  };
  int parsed = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = samples()[random(samples().size())];
    for (size_t edits = random(3) + 1; edits > 0; --edits) {
      size_t at = random(text.size());
      switch (random(4)) {
        case 0:
          text.erase(at, random(4) + 1);
          break;
        case 1:
          text = text.substr(0, at).append(pieces[random(std::size(pieces))]).append(text, at);
          break;
        case 2:
          text[at] = static_cast<char>(random(256));
          break;
        default:
          text = text.substr(0, at).append(text, random(text.size()), random(12)).append(text, at);
      }
      if (text.empty()) text.push_back('x');
    }
    Result<Tree> tree = parse_document(text, notation());
    if (!tree.ok()) {
      bool placed = tree.status().error().parts.span.has_value();
      if (!placed) FAIL(text);
      continue;
    }
    ++parsed;
    check_fixpoint(text);
  }
  CHECK(parsed > 300);
  CHECK(parsed < 5700);
}

// The documents of a file of cases, except those that must not build.
std::vector<std::string> documents_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> documents;
  bool in_run = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("run: ")) {
      documents.push_back(line.substr(5));
      in_run = true;
    } else if (in_run && line.starts_with("  ")) {
      documents.back() += "\n" + line;
    } else {
      in_run = false;
      if (line.starts_with("build error:")) documents.pop_back();
    }
  }
  return documents;
}

TEST_CASE("robustness: the documents of the conformance cases print to themselves") {
  std::filesystem::path folder = std::filesystem::path(WEIR_SOURCE_DIR) / "tests/conformance";
  INFO(folder);
  REQUIRE(std::filesystem::is_directory(folder));
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cases") continue;
    for (const std::string& document : documents_of(entry.path())) {
      check_fixpoint(document);
      ++count;
    }
  }
  CHECK(count > 500);
}

}  // namespace
}  // namespace weir::syntax
