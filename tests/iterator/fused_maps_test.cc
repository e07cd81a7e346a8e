// Where maps must not be fused, and what fused maps share with the maps as written.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "format/tfrecord.h"
#include "graph/rewrites/rewrites.h"
#include "support/pipeline.h"
#include "support/probe.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

using RunLines = std::vector<std::string>;

// "fuse_maps(map, map)" for each run, from the root on.
std::string runs_in(std::string_view text) {
  register_probe();
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, text);
  std::string out;
  for (const Rewrites::Replaced& replaced : require_value(document->rewrites()).replaced) {
    out += concat(out.empty() ? "" : " ", replaced.rule);
    for (const DatasetRef& node : replaced.operators) out += concat(":", node->op().name);
  }
  return out;
}

// Elements and errors, with the records that they are from, and how many operators counted.
RunLines placed_lines(Runtime& runtime, std::string_view text, bool rewrites, int rows) {
  register_probe();
  const DocumentRef document = parse_text(runtime, text);
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .checkpoint = nullptr, .rewrites = rewrites}));
  RunLines out;
  Block block;
  while (require_value(iterator->next(rows, block)) == PullResult::rows) {
    for (int i = 0; i < block.rows; ++i) {
      const ErrorPtr* error = block.error_of(i);
      const Origin origin = block.origins.of(i);
      const std::string element =
          error ? (*error)->describe()
                : require_value(format_element(iterator->spec(), block.row(i), nullptr));
      out.push_back(concat(element, " of ", origin.known() ? concat(origin.record()) : "none"));
    }
  }
  return out;
}

void check_same_either_way(Runtime& runtime, std::string_view text) {
  INFO(text);
  const RunLines written = placed_lines(runtime, text, false, 1);
  CHECK(written.size() > 2);
  for (const int rows : {1, 3, 1024}) CHECK(placed_lines(runtime, text, true, rows) == written);
}

TEST_CASE("fused maps: a parameter that is not known yet keeps an operator as it is", "[rewrites]") {
  CHECK(runs_in("param n: int64\nrange(9) | map(x -> x + 1) | map(x -> x, num_parallel_calls: $n)").empty());
  // A function has it among its variables.
  CHECK(runs_in("param n: int64\nrange(9) | map(x -> x + $n) | map(x -> x * $n)") == "fuse_maps:map:map");
}

TEST_CASE("fused maps: options of any input keep the whole pipeline as it is", "[rewrites]") {
  const std::string fused = "range(9) | map(x -> x + 1) | map(x -> x * 2)";
  CHECK(runs_in(concat("zip(", fused, ", range(9))")) == "fuse_maps:map:map");
  CHECK(runs_in(concat("zip(", fused, ", range(9) | options(rewrites: false))")).empty());
  CHECK(runs_in(concat("zip(range(9) | options(rewrites: false), ", fused, ")")).empty());
  CHECK(runs_in(concat("zip(range(9), ", fused, ") | options(rewrites: false)")).empty());
  CHECK(runs_in(concat("zip(range(9), ", fused, ") | options(rewrites: true)")) != "");
}

TEST_CASE("fused maps: only maps that lost fields are said to have lost some", "[rewrites]") {
  CHECK(runs_in("range(9) | map(x -> {a: x, b: float32(x)}) | map(e -> {c: e.a, d: e.b}) | map(e -> e.d) | "
                "options(rewrites: false)") == "unused_fields:map unused_fields:map");
  CHECK(runs_in("range(9) | map(x -> {a: x, b: float32(x)}) | map(e -> e.a) | options(rewrites: false)") ==
        "unused_fields:map");
  CHECK(
      runs_in("range(9) | map(x -> {a: x, b: float32(x)}) | map(e -> e) | options(rewrites: false)").empty());
}

TEST_CASE("fused maps: elements and errors are of the records that they are from", "[rewrites]") {
  SimulatedFileSystem files;
  ThreadsRuntime runtime;
  runtime->files = &files;
  auto writer = require_value(RecordWriter::create(files, "a", Compression::none));
  for (int i = 0; i < 60; ++i) {
    const std::string record(static_cast<size_t>(i % 7 + i / 10), 'x');
    require_ok(writer->write({record.data(), record.size()}));
  }
  require_ok(writer->close());
  const std::string lengths =
      "tfrecord(\"a\") | map(r -> assert(string_length(r) != 9, \"nine\", string_length(r))) | ";
  for (const char* rest :
       {"map(x -> x + 1) | map(x -> x * 2)", "map(x -> x + 1) | map(x -> 60 // (x - 3))"}) {
    check_same_either_way(*runtime, lengths + rest);
  }
  check_same_either_way(*runtime,
                        "tfrecord(\"a\") | map(r -> string_length(r)) | map(x -> x + 1) | shard(7, 2)");
}

}  // namespace
}  // namespace weir
