// One test that every registered operator goes through, and that fails when an operator has no entry.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

#include "graph/document.h"
#include "ops/list.h"
#include "support/pipeline.h"
#include "support/probe.h"

namespace weir {
namespace {

// One pipeline in which the operator stands. PROBE stands for the misbehaving source; INPUT rows of it are
// there.
struct Entry {
  std::string text;
  // The rows of PROBE that `next` may have asked for after it gave k rows; negative: anything.
  int64_t (*demand)(int64_t k) = [](int64_t k) { return k; };
  // What follows an error is what would have come anyway, less elements.
  bool elementwise = true;
};

constexpr int kInput = 23;

int64_t anything(int64_t) { return -1; }

const std::map<std::string, std::vector<Entry>>& entries() {
  static const std::map<std::string, std::vector<Entry>> map = {
      {"batch",
       {{"PROBE | batch(4)", [](int64_t k) { return 4 * k; }, false},
        {"PROBE | batch(5, drop_remainder: true)", [](int64_t k) { return 5 * k; }, false},
        {"PROBE | map(x -> [x, x]) | batch(3) | batch(2)", [](int64_t k) { return 6 * k; }, false}}},
      {"concatenate",
       {{"PROBE | concatenate(range(3) | map(x -> x * 10))"},
        {"range(9) | shuffle(9, seed: 1) | concatenate(PROBE | shuffle(4, seed: 2)) | repeat(2)", anything,
         false}}},
      {"empty", {{"empty((int64, string[2]))"}}},
      {"enumerate", {{"PROBE | enumerate(start: 5)", [](int64_t k) { return k; }, true}}},
      {"filter", {{"PROBE | filter(x -> x % 3 == 1)", anything}}},
      {"flat_map",
       {{"PROBE | flat_map(x -> range(x % 4) | map(y -> x * 10 + y))", anything, false},
        {"range(3) | flat_map(x -> PROBE | shuffle(4, seed: 3) | repeat(2) | map(y -> y + x) | batch(5))",
         anything, false}}},
      {"from_tensor_slices", {{"from_tensor_slices({a: [1, 2, 3], b: [\"x\", \"yy\", \"\"]})"}}},
      {"from_tensors", {{"from_tensors(([1, 2], \"a\"))"}}},
      {"ignore_errors", {{"PROBE | ignore_errors()", anything}}},
      {"interleave",
       {{"PROBE | interleave(x -> range(x % 5) | map(y -> x * 10 + y), cycle_length: 3, block_length: 2)",
         anything, false},
        {"PROBE | interleave(x -> probe(4, errors: \"1\") | map(y -> assert(y != x, \"same\", y)), "
         "cycle_length: 4)",
         anything, false},
        {"range(4) | interleave(x -> PROBE | map(y -> x * 100 + y) | shuffle(3, seed: 1), cycle_length: 2)",
         anything, false}}},
      {"list_files", {{"list_files(\"FOLDER/tests/conformance/data/*.csv\", seed: 4) | repeat(2)"}}},
      {"map",
       {{"PROBE | map(x -> (x * 2, x))"},
        {"PROBE | map(x -> x + random_uniform([], max: 100, dtype: int64, seed: 3), num_parallel_calls: 3)",
         anything},
        {"PROBE | map(x -> assert(x != 7, \"seven\", x), num_parallel_calls: auto)", anything}}},
      {"prefetch",
       {{"PROBE | prefetch(3)", [](int64_t k) { return k + 4; }},
        {"PROBE | prefetch(0)"},
        {"PROBE | prefetch(2) | map(x -> x + 1) | prefetch(auto) | batch(2) | prefetch(1)", anything,
         false}}},
      {"range", {{"range(3, 40, 7)"}, {"range(5, 0, -2, dtype: float32)"}}},
      {"reduce", {{"PROBE | reduce(0, (s, x) -> s + x)", anything, false}}},
      {"repeat",
       {{"PROBE | repeat(3)", anything},
        {"PROBE | shuffle(5, seed: 9) | repeat(3) | batch(7)", anything, false},
        {"PROBE | repeat(2) | shuffle(30, seed: 2) | prefetch(4) | repeat(2)", anything, false}}},
      {"shuffle",
       {{"PROBE | shuffle(6, seed: 1)", [](int64_t k) { return 6 + k; }, false},
        {"PROBE | map(x -> (x, [x, x, x])) | shuffle(100, seed: 5)", anything, false},
        {"PROBE | shuffle(1, seed: 5, reshuffle_each_iteration: false) | repeat(2)", anything, false}}},
      {"skip", {{"PROBE | skip(5)", [](int64_t k) { return 5 + k; }}}},
      // An error does not count, so another element comes in its place: tests/ops has that.
      {"take", {{"PROBE | take(7)", [](int64_t k) { return k; }, false}}},
      {"tfrecord",
       {{"tfrecord(\"FOLDER/tests/conformance/data/three.tfrecord\")"},
        {"tfrecord([\"FOLDER/tests/conformance/data/three.tfrecord\", \"FOLDER/nowhere\", "
         "\"FOLDER/tests/conformance/data/five.tfrecord.gz\"], compression: \"auto\") | batch(2)"},
        {"tfrecord(list_files(\"FOLDER/tests/conformance/data/shards/*\", seed: 3), num_parallel_reads: "
         "2)"}}},
      {"zip", {{"zip(PROBE, range(30) | shuffle(7, seed: 2))"}, {"zip({a: PROBE, b: (range(9), PROBE)})"}}},
  };
  return map;
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

std::string with_probe(const Entry& entry, const std::string& arguments) {
  std::string text = entry.text;
  replace(text, "PROBE", "probe(" + std::to_string(kInput) + arguments + ")");
  replace(text, "FOLDER", WEIR_SOURCE_DIR);
  return text;
}

template <class Check>
void for_each_entry(Check check) {
  register_probe();
  for (const auto& [name, list] : entries()) {
    for (const Entry& entry : list) {
      INFO(name << ": " << entry.text);
      check(entry);
    }
  }
}

bool has_probe(const Entry& entry) { return entry.text.find("PROBE") != std::string::npos; }

using Lines = std::vector<std::string>;

Lines tail_of(const Lines& lines, size_t begin) {
  return Lines(lines.begin() + static_cast<int64_t>(begin), lines.end());
}

bool is_subsequence(const Lines& part, const Lines& whole) {
  size_t at = 0;
  for (const std::string& line : part) {
    while (at < whole.size() && whole[at] != line) ++at;
    if (at++ >= whole.size()) return false;
  }
  return true;
}

size_t probes_in(const Entry& entry) {
  size_t count = 0;
  for (size_t at = 0; (at = entry.text.find("PROBE", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("contract: every operator has an entry, and every entry its operator", "[contract]") {
  register_probe();
  std::set<std::string> named;
  for (const auto& [name, list] : entries()) named.insert(name);
  for (const OperatorDef* def : operators()) {
    INFO(def->name);
    if (std::string_view(def->name) == "probe") continue;
    CHECK(named.erase(def->name) == 1);
    CHECK(std::string_view(def->doc).size() > 20);
  }
  CHECK(named.empty());
}

TEST_CASE("contract: spec and cardinality are what comes out", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const Entry& entry) {
    auto iterator = open_text(*runtime, with_probe(entry, ""));
    DocumentRef document = parse_text(*runtime, with_probe(entry, ""));
    std::vector<Component> components = document->spec().components();
    int64_t count = 0;
    Block block;
    while (require_value(iterator->next(3, block)) == Pull::rows) {
      count += block.rows;
      if (!block.errors.empty()) continue;
      REQUIRE(block.columns.size() == components.size());
      for (size_t i = 0; i < components.size(); ++i) {
        Tensor first = block.columns[i].row(0);
        CHECK(first.dtype == components[i].dtype);
        CHECK(first.shape.compatible(components[i].shape));
      }
    }
    if (document->cardinality() >= 0) CHECK(count == document->cardinality());
  });
}

TEST_CASE("contract: a pipeline survives text, bytes and schema", "[contract]") {
  ThreadsRuntime runtime;
  std::string schemas = operator_schemas();
  for_each_entry([&](const Entry& entry) {
    DocumentRef document = parse_text(*runtime, with_probe(entry, ""));
    DocumentRef again = parse_text(*runtime, document->format());
    CHECK(equal(*document, *again));
    CHECK(again->format() == document->format());
    std::string bytes = require_value(document->serialize());
    DocumentRef back = require_value(deserialize_document(*runtime, bytes));
    CHECK(equal(*document, *back));
    CHECK(document->fingerprint() == back->fingerprint());
    CHECK(schemas.find('"' + std::string(document->root()->op().name) + '"') != std::string::npos);
  });
}

TEST_CASE("contract: the same elements in blocks of any width", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const Entry& entry) {
    Lines one = all_lines(*runtime, with_probe(entry, ""), 1);
    CHECK(all_lines(*runtime, with_probe(entry, ""), 7) == one);
    CHECK(all_lines(*runtime, with_probe(entry, ""), 128) == one);
  });
}

// Saves at every position and restores into a fresh iterator of a runtime with another number of threads.
void check_saves(const std::string& text, ThreadsRuntime& runtime, ThreadsRuntime& other) {
  Lines whole = all_lines(*runtime, text);
  auto iterator = open_text(*runtime, text);
  for (size_t position = 0; position <= whole.size() + 1; ++position) {
    INFO("saved after " << position);
    std::string saved = require_value(iterator->save());
    auto restored = open_text(*other, text, &saved);
    if (position % 3 == 0) saved = require_value(restored->save());
    if (position % 3 == 0) restored = open_text(*other, text, &saved);
    CHECK(all_lines(*restored) == tail_of(whole, std::min(position, whole.size())));
    take_lines(*iterator, 1);
  }
}

TEST_CASE("contract: a position saved anywhere gives the same tail", "[contract]") {
  ThreadsRuntime runtime(1);
  ThreadsRuntime other(3);
  for_each_entry([&](const Entry& entry) {
    check_saves(with_probe(entry, ""), runtime, other);
    if (has_probe(entry)) check_saves(with_probe(entry, ", errors: \"0,4,5,11,22\""), runtime, other);
  });
}

TEST_CASE("contract: an error anywhere loses nothing else", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const Entry& entry) {
    if (!has_probe(entry)) return;
    Lines clean = all_lines(*runtime, with_probe(entry, ""));
    for (int at = 0; at < kInput; ++at) {
      INFO("error at " << at);
      Lines lines = all_lines(*runtime, with_probe(entry, ", errors: \"" + std::to_string(at) + "\""), 5);
      if (!entry.elementwise) continue;
      Lines values;
      for (const std::string& line : lines) {
        if (line.rfind("error: data_loss", 0) != 0) values.push_back(line);
      }
      CHECK(is_subsequence(values, clean));
      // No more is missing than failed: an element for each error, or one a probe where errors are ignored.
      size_t planted = lines.size() - values.size();
      CHECK(values.size() + std::max(planted, probes_in(entry)) >= clean.size());
    }
  });
}

TEST_CASE("contract: pending answers change nothing", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const Entry& entry) {
    if (!has_probe(entry)) return;
    Lines clean = all_lines(*runtime, with_probe(entry, ""));
    for (int seed = 1; seed <= 12; ++seed) {
      INFO("seed " << seed);
      CHECK(all_lines(*runtime, with_probe(entry, ", pending: " + std::to_string(seed)), seed % 4 + 1) ==
            clean);
    }
  });
}

TEST_CASE("contract: cancelled and destroyed anywhere, nothing is left", "[contract]") {
  for_each_entry([&](const Entry& entry) {
    if (!has_probe(entry)) return;
    {
      ThreadsRuntime runtime;
      size_t count = all_lines(*runtime, with_probe(entry, "")).size();
      for (size_t position = 0; position <= count; position += 1 + position / 4) {
        auto iterator = open_text(*runtime, with_probe(entry, ""));
        take_lines(*iterator, static_cast<int64_t>(position));
        if (position % 2 == 0) {
          iterator->cancel();
          CHECK(take_lines(*iterator, 1) == Lines{"cancelled"});
        }
      }
    }
    CHECK(probe_counters().open == 0);
  });
}

TEST_CASE("contract: no more is asked of the input than is needed", "[contract]") {
  ThreadsRuntime runtime;
  for_each_entry([&](const Entry& entry) {
    if (!has_probe(entry) || entry.demand(1) < 0) return;
    for (int64_t k : {1, 2, 3}) {
      auto iterator = open_text(*runtime, with_probe(entry, ""));
      probe_counters().pulled = 0;
      take_lines(*iterator, k);
      CHECK(probe_counters().pulled <= static_cast<int64_t>(probes_in(entry)) * entry.demand(k));
    }
  });
}

}  // namespace
}  // namespace weir
