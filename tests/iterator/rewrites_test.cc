#include "graph/rewrites/rewrites.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "graph/explain.h"
#include "support/pipeline.h"
#include "support/sanitized.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// "fuse_maps(map, map)" for each run.
std::string replaced_in(std::string_view text) {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, text);
  const Rewrites rewrites = require_value(document->rewrites());
  std::string out;
  for (const Rewrites::Replaced& replaced : rewrites.replaced) {
    std::string names;
    for (const DatasetRef& node : replaced.operators)
      names += concat(names.empty() ? "" : ", ", node->op().name);
    out += concat(out.empty() ? "" : " ", replaced.rule, "(", names, ")");
  }
  return out;
}

OpenIterator open(Runtime& runtime, const DocumentRef& document, bool rewrites,
                  const std::string* checkpoint = nullptr) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .checkpoint = checkpoint, .rewrites = rewrites}));
  return iterator;
}

// Elements, and errors with their paths.
Lines described(Iterator& iterator, int rows) {
  Lines out;
  Block block;
  while (require_value(iterator.next(rows, block)) == PullResult::rows) {
    for (int i = 0; i < block.rows; ++i) {
      const ErrorPtr* error = block.error_of(i);
      out.push_back(error ? (*error)->describe()
                          : require_value(format_element(iterator.spec(), block.row(i), nullptr)));
    }
  }
  return out;
}

// Runs of each rule, and what must stay as written beside them.
const char* const kDocuments[] = {
    "range(20) | take(-1) | skip(0)",
    "range(20) | skip(0)",
    "range(20) | take(-1) | repeat(1) | prefetch(0) | options()",
    "range(20) | concatenate(empty(int64)) | take(-1) | batch(3)",
    "range(20) | map(x -> x) | filter(x -> true) | batch(3)",
    "range(20) | map(x -> x + 1) | map(x -> x * 2) | map(x -> (x, x))",
    "range(20) | map(x -> x + 1) | skip(0) | map(x -> x * 2) | take(-1) | shuffle(5, seed: 1)",
    "range(20) | map(x -> x - 3) | map(x -> 12 // x) | take(-1)",
    "range(20) | map(x -> 12 // (x - 3)) | map(x -> 60 // (x - 4)) | map(x -> x + 1)",
    "range(20) | map(x -> (x, random_uniform([2], seed: 4))) | map((x, u) -> (u, random_normal([], seed: 5), x))",
    "range(20) | map(x -> (x, random_uniform([]))) | map((x, u) -> (u, random_uniform([]), x)) | repeat(3)",
    "range(20) | map(x -> (x, random_uniform([], seed: 2))) | repeat(1) | map((x, u) -> (u, random_uniform([], seed: 3)))",
    "range(8) | map(x -> if x % 2 == 0 then as_string(x) else \"odd\") | map(s -> (s + \"!\", string_length(s)))",
    "range(20) | map(x -> assert(x % 5 != 2, \"two\", x)) | take(-1) | map(x -> x + 1) | map(x -> x * x) | batch(4)",
    "range(30) | shuffle(7, seed: 3) | repeat(1) | map(x -> x + 1) | map(x -> x % 4) | repeat(2)",
    "range(30) | map(x -> x + 1) | map(x -> x * 3) | shard(3, 1) | map(x -> x - 1)",
    "range(30) | map(x -> x + 1) | take(-1) | map(x -> (x, x)) | shard(4, 3) | batch(2)",
    "range(30) | map(x -> assert(x % 4 != 1, \"one\", x)) | map(x -> x + 1) | shard(3, 0)",
    "range(5000) | map(x -> x + 1) | shard(2500, 1)",
    "range(30) | map(x -> x + 1, num_parallel_calls: 2) | map(x -> x * 3) | map(x -> x - 1) | prefetch(4)",
    "range(20) | window(4) | flat_map(w -> w | batch(4))",
    "range(20) | map(x -> x + 1) | window(5, shift: 2) | flat_map(w -> w | batch(5)) | map(x -> x) | batch(2)",
    "range(40) | window(4, shift: 1, stride: 3) | flat_map(w -> w | batch(6))",
    "range(40) | window(3, shift: 11, stride: 2) | flat_map(w -> w | batch(3)) | take(-1) | skip(0)",
    "range(40) | shuffle(6, seed: 3) | window(3, shift: 7, stride: 2, drop_remainder: true) | flat_map(w -> w | batch(4)) | repeat(2)",
    "range(23) | window(4, shift: 3) | flat_map(w -> w | batch(4, drop_remainder: true))",
    "range(90) | map(x -> assert(x % 17 != 5, \"five\", x)) | window(4, shift: 3, stride: 2) | flat_map(w -> w | batch(4)) | take(25)",
    "range(30) | map(x -> as_string(x * 7)) | window(4, shift: 1) | flat_map(w -> w | batch(4))",
    "range(14) | map(x -> zeros([x % 5 // 4 + 1])) | window(3, shift: 2) | flat_map(w -> w | batch(3))",
    "range(30) | map(x -> {a: x, b: float32([x, -x])}) | window(3, shift: 2) | flat_map(w -> zip({a: w.a, b: w.b}) | batch(3))",
    "range(30) | map(x -> (x, (int8(x), x * x))) | window(2) | flat_map((a, (b, c)) -> zip((a, (b, c))) | batch(2)) | skip(3)",
    "range(9) | map(x -> float32(x) * ones([9000])) | window(3, shift: 1) | flat_map(w -> w | batch(3))",
    "range(9) | map(x -> x) | window(2) | flat_map(w -> w | batch(2)) | shard(3, 1)",
    "range(30) | map(x -> {a: x, b: 12 // (x % 7 - 3), c: zeros([x])}) | shuffle(4, seed: 1) | map(e -> e.a) | batch(3)",
    "range(30) | map(x -> {a: x, b: random_uniform([], seed: 1), c: x}) | filter(e -> e.a % 3 > 0) | repeat(2) | map(e -> e.b)",
    "zip(range(9) | map(x -> x) | skip(0), range(9) | map(x -> x + 1) | map(x -> x + 2)) | take(-1) | take(5)",
};

}  // namespace

TEST_CASE("rewrites take what they may", "[rewrites]") {
  CHECK(replaced_in("range(9) | map(x -> x + 1) | map(x -> x * 2) | map(x -> (x, x))") ==
        "fuse_maps(map, map, map)");
  CHECK(replaced_in("range(9) | map(x -> 1 // x) | map(x -> x * 2) | map(x -> x + 2)") ==
        "fuse_maps(map, map)");
  CHECK(replaced_in("range(9) | map(x -> x + 1) | map(x -> 1 // x) | batch(2) | map(x -> x) | map(x -> x)") ==
        "fuse_maps(map, map) fuse_maps(map, map)");
  CHECK(replaced_in("range(9) | map(x -> random_uniform([])) | map(x -> x + 1.0)") == "fuse_maps(map, map)");
}

TEST_CASE("rewrites leave what they must", "[rewrites]") {
  for (const char* text : {
           "range(9) | take(-1)",
           "range(9) | take(3) | skip(1) | repeat(2) | prefetch(1)",
           "range(9) | map(x -> x + 1) | map(x -> x, num_parallel_calls: 2)",
           "range(9) | map(x -> 1 // x) | map(x -> x * 2)",
           "range(9) | shuffle(3) | repeat(1) | batch(2)",
           "range(9) | concatenate(range(0)) | batch(2)",
           "range(9) | map(x -> range(x)) | map(d -> d | batch(2))",
           "range(9) | map(x -> x + 1) | take(-1) | map(x -> x * 2)",
           "range(9) | map(x -> x + 1) | shard(2, 1) | map(x -> x * 2)",
           "range(9) | map(x -> x + 1) | map(x -> x * 2) | options(rewrites: false)",
           "range(9) | map(x -> x + 1) | map(x -> x * 2) | cache()",
       }) {
    INFO(text);
    CHECK(replaced_in(text).empty());
  }
}

TEST_CASE("rewritten pipelines give what the written ones give", "[rewrites]") {
  ThreadsRuntime runtime;
  for (const char* text : kDocuments) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    const Lines expected = described(*open(*runtime, document, false), 1);
    for (int rows : {1, 3, 1024}) CHECK(described(*open(*runtime, document, true), rows) == expected);
  }
}

TEST_CASE("positions fit rewritten and written pipelines", "[rewrites]") {
  ThreadsRuntime runtime;
  for (const char* text : kDocuments) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    const Lines all = take_lines(*open(*runtime, document, false), 200);
    for (const bool first : {false, true}) {
      for (size_t at = 0; at < all.size(); at += sanitized_step(3)) {
        const OpenIterator before = open(*runtime, document, first);
        take_lines(*before, static_cast<int64_t>(at), 2);
        const std::string saved = require_value(before->save());
        for (const bool second : {false, true}) {
          INFO("saved at " << at << (first ? ", rewritten" : ", written")
                           << (second ? ", then rewritten" : ", then written"));
          const OpenIterator after = open(*runtime, document, second, &saved);
          // A position that was loaded and not gone on from is saved as well.
          const std::string again = require_value(after->save());
          const Lines rest(all.begin() + static_cast<ptrdiff_t>(at), all.end());
          CHECK(take_lines(*after, 200, 3) == rest);
          CHECK(take_lines(*open(*runtime, document, !second, &again), 200, 3) == rest);
        }
      }
    }
  }
}

TEST_CASE("a position fits whatever options say of rewrites", "[rewrites]") {
  ThreadsRuntime runtime;
  const char* const text = "range(20) | map(x -> x + 1) | map(x -> x * 2) | options(rewrites: ";
  const OpenIterator before = open_text(*runtime, concat(text, "true)"));
  take_lines(*before, 7);
  const std::string saved = require_value(before->save());
  CHECK(take_lines(*open_text(*runtime, concat(text, "false)"), &saved), 2) == Lines{"16", "18"});
  CHECK(!parse_document(*runtime, "param p: bool\nrange(2) | options(rewrites: $p)").ok());
}

TEST_CASE("rewritten operators count what they would as written", "[rewrites]") {
  ThreadsRuntime runtime;
  const auto counts = [&](const DocumentRef& document, bool rewrites) {
    const OpenIterator iterator = open(*runtime, document, rewrites);
    take_lines(*iterator, 100, 7);
    Lines out;
    for (const StageSnapshot& stage : iterator->stats().stages) {
      out.push_back(concat(stage.parent, " ", stage.operator_name, " ", stage.elements, " ", stage.failed,
                           " ", stage.openings));
    }
    return out;
  };
  const std::pair<size_t, const char*> documents[] = {
      {5,
       "range(20) | map(x -> assert(x % 5 != 2, \"two\", x)) | map(x -> x + 1) | take(-1) | map(x -> x * x)"},
      {7,
       "range(60) | map(x -> assert(x % 17 != 5, \"five\", x)) | window(4, shift: 3) | flat_map(w -> w | batch(4, drop_remainder: true))"},
      {7, "range(9) | map(x -> zeros([x % 5 // 4 + 1])) | window(2) | flat_map(w -> w | batch(3))"},
      {10, "range(11) | map(x -> (x, x)) | window(2) | flat_map((a, b) -> zip(a, b) | batch(2))"},
  };
  for (const auto& [stages, text] : documents) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    CHECK(counts(document, true) == counts(document, false));
    CHECK(counts(document, true).size() == stages);
  }
}

TEST_CASE("explain shows a graph before and after its rewrites", "[rewrites]") {
  ThreadsRuntime runtime;
  const DocumentRef document =
      parse_text(*runtime, "range(5) | map(x -> x + 1) | map(x -> x * 2) | batch(2)");
  CHECK(explain(*document, false)
            .starts_with("batch(2)  int64[?]  3\n"
                         "  map(x -> x * 2)  int64  5\n"
                         "    map(x -> x + 1)  int64  5\n"
                         "      range(5)  int64  5\n"
                         "rewrites:\n"
                         "  fuse_maps: map(x -> x + 1) | map(x -> x * 2)\n"
                         "after rewrites:\n"
                         "batch(2)  int64[?]  3\n"
                         "  map(x -> x + 1) | map(x -> x * 2)  int64  5\n"
                         "    range(5)  int64  5\n"
                         "nothing runs ahead\n"));
  const std::string json = explain(*document, true);
  CHECK(
      json.find(
          R"json("rewrites": [{"rules": ["fuse_maps"], "operators": ["map(x -> x + 1)", "map(x -> x * 2)"]}], "rewritten": {"operator": "batch")json") !=
      std::string::npos);
  CHECK(json.find(R"("path": "batch/map/map/range")") != json.rfind(R"("path": "batch/map/map/range")"));
  CHECK(explain(*parse_text(*runtime, "range(5)"), true).find(R"("rewrites": [], "rewritten": null)") !=
        std::string::npos);
}

}  // namespace weir
