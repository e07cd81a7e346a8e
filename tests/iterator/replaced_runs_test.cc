// Where rewrites must stay away, and what the runs that they make share with the operators as written.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "format/tfrecord.h"
#include "fs/simulated.h"
#include "graph/rewrites/rewrites.h"
#include "support/pipeline.h"
#include "support/probe.h"

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
    for (const char* rule : replaced.rules) out += concat(out.empty() ? "" : " ", rule);
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

TEST_CASE("replaced runs: a parameter that is not known yet keeps an operator as it is", "[rewrites]") {
  CHECK(runs_in("param n: int64\nrange(9) | skip($n) | take($n)").empty());
  // A function has it among its variables.
  CHECK(runs_in("param n: int64\nrange(9) | map(x -> x + $n) | map(x -> x * $n)") == "fuse_maps:map:map");
}

TEST_CASE("replaced runs: options of any input keep the whole pipeline as it is", "[rewrites]") {
  const std::string fused = "range(9) | map(x -> x + 1) | map(x -> x * 2)";
  CHECK(runs_in(concat("zip(", fused, ", range(9))")) == "fuse_maps:map:map");
  CHECK(runs_in(concat("zip(", fused, ", range(9) | options(rewrites: false))")).empty());
  CHECK(runs_in(concat("zip(range(9) | options(rewrites: false), ", fused, ")")).empty());
  CHECK(runs_in(concat("zip(range(9), ", fused, ") | options(rewrites: false)")).empty());
  CHECK(runs_in(concat("zip(range(9), ", fused, ") | options(rewrites: true)")) != "");
}

TEST_CASE("replaced runs: what does something after all is no no-op", "[rewrites]") {
  CHECK(runs_in("range(9) | skip(0) | batch(2)") == "drop_no_ops:skip");
  CHECK(runs_in("range(9) | skip(1) | batch(2)").empty());
  CHECK(runs_in("range(9) | take(0) | skip(0)") == "drop_no_ops:skip");
  // Elements that are found by their places in a file.
  CHECK(runs_in("tfrecord(\"a\") | skip(0) | batch(2)").empty());
  CHECK(runs_in("tfrecord(\"a\") | take(-1) | skip(0) | batch(2)").empty());
  // The structure of both together is less exact.
  const std::string pairs = "range(9) | batch(2, drop_remainder: true) | take(-1) | ";
  CHECK(runs_in(pairs + "concatenate(empty(int64[2])) | batch(2)") == "drop_no_ops:take:concatenate");
  CHECK(runs_in(pairs + "concatenate(empty(int64[?])) | batch(2)").empty());
}

TEST_CASE("replaced runs: draws below a repeat keep their numbers, whatever stands between", "[rewrites]") {
  const std::string draws = "range(9) | map(x -> random_uniform([])) | ";
  CHECK(runs_in(draws + "map(x -> x + 1.0) | take(-1)") == "drop_no_ops fuse_maps:map:map:take");
  CHECK(runs_in(draws + "take(-1) | repeat(1) | batch(2)") == "drop_no_ops:take:repeat");
  CHECK(runs_in(draws + "repeat(1) | take(-1) | batch(2)") == "drop_no_ops:repeat:take");
  ThreadsRuntime runtime;
  check_same_either_way(*runtime,
                        "range(9) | map(x -> random_uniform([], seed: 3)) | take(-1) | repeat(1) | take(-1)");
}

TEST_CASE("replaced runs: only maps that lost fields are said to have lost some", "[rewrites]") {
  CHECK(runs_in("range(9) | map(x -> {a: x, b: float32(x)}) | map(e -> {c: e.a, d: e.b}) | map(e -> e.d) | "
                "options(rewrites: false)") == "unused_fields:map unused_fields:map");
  CHECK(runs_in("range(9) | map(x -> {a: x, b: float32(x)}) | map(e -> e.a) | options(rewrites: false)") ==
        "unused_fields:map");
  CHECK(
      runs_in("range(9) | map(x -> {a: x, b: float32(x)}) | map(e -> e) | options(rewrites: false)").empty());
}

TEST_CASE("replaced runs: errors below a run say by which input they came", "[rewrites]") {
  ThreadsRuntime runtime;
  const std::string text =
      "range(9) | map(x -> 12 // (x - 3), num_parallel_calls: 2) | concatenate(empty(int64)) | take(-1)";
  check_same_either_way(*runtime, text);
  bool found = false;
  for (const std::string& line : placed_lines(*runtime, text, true, 4))
    found = found || line.find("in take/concatenate[0]/map") != std::string::npos;
  CHECK(found);
}

TEST_CASE("replaced runs: elements and errors are of the records that they are from", "[rewrites]") {
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
       {"map(x -> x + 1) | map(x -> x * 2) | take(-1)", "map(x -> x + 1) | skip(0) | map(x -> 60 // (x - 3))",
        "window(4, shift: 3) | flat_map(w -> w | batch(4))",
        "window(3, shift: 7, stride: 2) | flat_map(w -> w | batch(5))",
        "window(2, drop_remainder: true) | flat_map(w -> w | batch(2))"}) {
    check_same_either_way(*runtime, lengths + rest);
  }
  for (
      const char* text :
      {"tfrecord(\"a\") | map(r -> string_length(r)) | map(x -> x + 1) | shard(7, 2)",
       "tfrecord(\"a\") | window(4, shift: 3) | flat_map(w -> w | batch(4))",
       "tfrecord(\"a\") | map(r -> zeros([string_length(r) // 6])) | window(3) | flat_map(w -> w | batch(3))"}) {
    check_same_either_way(*runtime, text);
  }
}

}  // namespace
}  // namespace weir
