#include "graph/rewrites/unused_fields.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "iterator/element_at.h"
#include "support/pipeline.h"
#include "support/test_data.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// The structure that the last operator of that name has, going down first inputs, in the graph that is
// opened.
std::string structure_of(std::string_view text, std::string_view name) {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, text);
  require_ok(document->rewrites().status());
  std::string out = "none";
  for (const Dataset* node = document->rewrites()->written.get();; node = node->inputs()[0].get()) {
    if (node->op().name == name) out = node->spec().to_string();
    if (node->inputs().empty()) return out;
  }
}

// Elements, and errors with their paths.
Lines lines_of(Runtime& runtime, const DocumentRef& document, bool rewrites) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .checkpoint = nullptr, .rewrites = rewrites}));
  Lines out;
  Block block;
  while (require_value(iterator->next(7, block)) == PullResult::rows) {
    for (int i = 0; i < block.rows; ++i) {
      const ErrorPtr* error = block.error_of(i);
      out.push_back(error ? concat((*error)->path, ": ", (*error)->message)
                          : require_value(format_element(iterator->spec(), block.row(i), nullptr)));
    }
  }
  return out;
}

std::string people(std::string_view features, std::string_view rest) {
  return concat("tfrecord(\"", test_data("records/people.tfrecord"), "\") | map(r -> parse_example(r, ",
                features, ")) | ", rest);
}

}  // namespace

TEST_CASE("a map leaves out what the maps above it do not use", "[rewrites]") {
  const char* const both = "range(9) | map(x -> {a: x, b: float32(x)}) | ";
  CHECK(structure_of(concat(both, "map(e -> e.b)"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> (e.b, e.a))"), "map") == "{a: int64, b: float32}");
  CHECK(structure_of(concat(both, "take(5) | shuffle(3) | prefetch(2) | repeat(2) | skip(1) | map(e -> e.a)"),
                     "map") == "{a: int64}");
  CHECK(structure_of(concat(both, "batch(2) | ignore_errors() | map(e -> e.a)"), "map") == "{a: int64}");
  CHECK(structure_of(concat(both, "filter(e -> e.a > 2) | map(e -> e.b)"), "map") ==
        "{a: int64, b: float32}");
  CHECK(structure_of(concat(both, "filter(e -> e.b > 2.0) | map(e -> e.b)"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> {c: e.a, d: e.b}) | map(e -> e.d)"), "map") == "{b: float32}");
  CHECK(structure_of("range(9) | map(x -> (x, (x, {k: x, l: [x]}))) | map((a, (b, c)) -> c.l)", "map") ==
        "(({l: int64[1]},),)");
  CHECK(structure_of(
            "range(9) | map(x -> {a: x, b: x}, num_parallel_calls: 2) | map(e -> e.b, num_parallel_calls: 3)",
            "map") == "{b: int64}");
  CHECK(structure_of(concat(both, "map(e -> {...e, a: 1})"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map({a, ...rest} -> rest)"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map({a, ...rest} -> {a, ...rest}) | map(e -> e.b)"), "map") ==
        "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> without(e, [\"a\"]))"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> {...only(e, [\"b\"]), c: 1})"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> if e.b > 1.0 then e.b else 0)"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "filter(e -> if e.b > 2.0 then true else false) | map(e -> e.b)"), "map") ==
        "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> rows([1.5, 2.0], r -> r + e.b))"), "map") == "{b: float32}");
  CHECK(structure_of(concat(both, "map(e -> if e.b > 1.0 then e else {a: 7, b: e.b}) | map(e -> e.b)"),
                     "map") == "{b: float32}");
  // An element has one part at least.
  CHECK(structure_of(concat(both, "map(e -> 1)"), "map") == "{a: int64}");
}

TEST_CASE("what may be used stays", "[rewrites]") {
  const char* const both = "range(9) | map(x -> {a: x, b: zeros([x])}) | ";
  for (const char* rest : {
           "batch(1) | map(e -> e.a)",
           "cache() | map(e -> e.a)",
           "window(2) | flat_map(w -> w.a | batch(2))",
           "map(e -> e)",
           "flat_map(e -> range(e.a))",
           "enumerate() | map((i, e) -> e.a)",
           "map(e -> {a: e.a, n: size(e.b)}) | take_while(e -> e.n < 3) | map(e -> e.a)",
       }) {
    INFO(rest);
    CHECK(structure_of(concat(both, rest), "map") == "{a: int64, b: float32[?]}");
  }
}

TEST_CASE("features that nobody uses are not parsed, whichever map leaves them unused", "[rewrites]") {
  ThreadsRuntime runtime;
  const char* const features = "{age: float32, name: string, missing: int64}";
  for (const char* rest : {
           "map(e -> e.name)",
           "take(4) | map(e -> e.name)",
           "map(e -> e.name) | options(rewrites: false)",
           "batch(2) | map(e -> e.name) | unbatch()",
       }) {
    INFO(rest);
    const DocumentRef document = parse_text(*runtime, people(features, rest));
    for (bool rewrites : {false, true})
      CHECK(lines_of(*runtime, document, rewrites) == Lines{"\"ada\"", "\"bob\"", "\"cyd\"", "\"dee\""});
  }
  const DocumentRef used = parse_text(*runtime, people(features, "map(e -> (e.name, e.age))"));
  const Lines failed = lines_of(*runtime, used, true);
  REQUIRE(failed.size() == 4);
  CHECK(failed[0].starts_with("map/map: "));
}

TEST_CASE("other errors of what nobody uses stay", "[rewrites]") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(
      *runtime,
      "range(5) | map(x -> {a: 12 // (x - 3), b: assert(x != 1, \"one\", x), c: x}) | map(e -> e.c) | map(c -> c + 1)");
  for (bool rewrites : {false, true}) {
    const Lines lines = lines_of(*runtime, document, rewrites);
    REQUIRE(lines.size() == 5);
    CHECK(lines[1].starts_with("map/map/map: one"));
    CHECK(lines[3].starts_with("map/map/map: "));
    CHECK(lines[4] == "5");
  }
}

TEST_CASE("an element by its position is that of the iterator", "[rewrites]") {
  ThreadsRuntime runtime;
  const DocumentRef document =
      parse_text(*runtime, "range(50) | map(x -> {a: x, b: x * 3}) | batch(2) | map(e -> e.b)");
  Block block;
  require_value(element_at(*runtime, nullptr, document, 7, nullptr, block));
  CHECK(require_value(format_element(document->spec(), block.row(0), nullptr)) == "[42, 45]");
}

}  // namespace weir
