#include <algorithm>

#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries interleave_contract(
    "interleave",
    {{"PROBE | interleave(x -> range(x % 5) | map(y -> x * 10 + y), cycle_length: 3, block_length: 2, num_parallel_calls: 2)",
      anything, false},
     {"PROBE | interleave(x -> probe(4, errors: \"1\") | map(y -> assert(y != x, \"same\", y)), cycle_length: 4, num_parallel_calls: auto)",
      anything, false},
     {"range(3) | flat_map(z -> range(z + 4) | interleave(x -> range(x * z), cycle_length: 3, num_parallel_calls: 3)) | prefetch(2) | repeat(2)",
      anything, false},
     {"range(4) | interleave(x -> PROBE | map(y -> x * 100 + y) | shuffle(3, seed: 1), cycle_length: 2, num_parallel_calls: 2)",
      anything, false},
     {"PROBE | interleave(x -> range(x % 5) | map(y -> x * 10 + y), cycle_length: 3, block_length: 2)",
      anything, false},
     {"PROBE | interleave(x -> probe(4, errors: \"1\") | map(y -> assert(y != x, \"same\", y)), cycle_length: 4)",
      anything, false},
     {"range(4) | interleave(x -> PROBE | map(y -> x * 100 + y) | shuffle(3, seed: 1), cycle_length: 2)",
      anything, false}},
    kLosesPlaces | kLosesOrder | kOpens);

TEST_CASE("interleave knows its cardinality where its input has no elements, or no end") {
  CHECK(cardinality("range(0) | interleave(x -> range(3))") == 0);
  CHECK(cardinality("range(3) | repeat() | interleave(x -> range(3))") == -1);
  CHECK(cardinality("range(3) | interleave(x -> range(3))") == -2);
  CHECK(cardinality("range(3) | filter(x -> x > 1) | interleave(x -> range(3))") == -2);
}

TEST_CASE("interleave takes block_length elements of each slot in turns") {
  CHECK(run("range(3) | interleave(x -> range(x * 10, x * 10 + 3), cycle_length: 2, block_length: 2)") ==
        Lines{"0", "1", "10", "11", "2", "12", "20", "21", "22"});
  CHECK(run("range(2) | interleave(x -> range(3), cycle_length: 1)") ==
        run("range(2) | flat_map(x -> range(3))"));
  CHECK(run("range(3) | interleave(x -> range(0), cycle_length: 2)").empty());
  CHECK(run("range(0) | interleave(x -> range(5))").empty());
}

TEST_CASE("auto is a cycle of 8, and a cycle longer than the input costs nothing") {
  const std::string f = "range(20) | interleave(x -> range(x, x + 2)";
  CHECK(run(f + ")") == run(f + ", cycle_length: 8)"));
  CHECK(run("range(3) | interleave(x -> range(2), cycle_length: 1048576)") ==
        Lines{"0", "0", "0", "1", "1", "1"});
}

TEST_CASE("the arguments of interleave have bounds") {
  CHECK(!build_error("range(3) | interleave(x -> range(2), cycle_length: 0)").empty());
  CHECK(!build_error("range(3) | interleave(x -> range(2), block_length: 0)").empty());
  CHECK(contains(build_error("range(3) | interleave(x -> range(2), cycle_length: 2, num_parallel_calls: 3)"),
                 "num_parallel_calls of at most cycle_length, which is 2, found 3"));
}

const char* const kErrors =
    "probe(5, errors: \"1,3\") | interleave(x -> probe(3, errors: \"1\"), cycle_length: 2)";

TEST_CASE("errors stand where they happen and count for no turn") {
  CHECK(run(kErrors, 1) == Lines{"0", "error: data_loss", "0", "error: data_loss", "2", "error: data_loss",
                                 "2", "error: data_loss", "0", "error: data_loss", "2"});
  CHECK(run(kErrors, 100) == run(kErrors, 1));
}

TEST_CASE("no error is lost by saving in the middle of a block of rows") {
  register_probe();
  ThreadsRuntime runtime;
  const Lines whole = all_lines(*runtime, kErrors);
  for (int rows = 1; rows <= 12; ++rows) {
    auto iterator = open_text(*runtime, kErrors);
    Block block;
    REQUIRE(require_value(iterator->next(rows, block)) == PullResult::rows);
    std::string saved = require_value(iterator->save());
    auto restored = open_text(*runtime, kErrors, &saved);
    CHECK(all_lines(*restored) == Lines(whole.begin() + block.rows, whole.end()));
  }
}

TEST_CASE("skipping over an interleave counts as reading it does") {
  CHECK(run(std::string(kErrors) + " | skip(2)") == Lines{"error: data_loss", "error: data_loss", "2",
                                                          "error: data_loss", "2", "error: data_loss", "0",
                                                          "error: data_loss", "2"});
}

TEST_CASE("an error before skipped elements leaves their columns out") {
  CHECK(run("probe(3, errors: \"0\") | interleave(x -> range(3), cycle_length: 2) | skip(4)", 9) ==
        Lines{"error: data_loss", "2", "2"});
}

TEST_CASE("a block of interleave ends with the row that reaches the bytes wanted") {
  // Rows of 100 bytes, one per turn.
  const std::string text =
      "range(3) | interleave(x -> range(4) | map(y -> zeros([100], uint8)), cycle_length: 3)";
  using Rows = std::vector<int>;
  CHECK(block_rows(text, 1) == Rows(12, 1));
  CHECK(block_rows(text, 100) == Rows(12, 1));
  CHECK(block_rows(text, 101) == Rows(6, 2));
  CHECK(block_rows(text, 200) == Rows(6, 2));
  CHECK(block_rows(text, 201) == Rows(4, 3));
  CHECK(block_rows(text, 1100) == Rows{11, 1});
  CHECK(block_rows(text, 1101) == Rows{12});
  // What a turn may give is what is left: the prefetch inside hands out no more.
  const std::string turns =
      "range(2) | interleave(x -> range(6) | map(y -> zeros([100], uint8)) | prefetch(6), cycle_length: 2, block_length: 3)";
  CHECK(block_rows(turns, 100) == Rows(12, 1));
  for (int rows : block_rows(turns, 299)) CHECK(rows <= 3);
  for (int rows : block_rows(turns, 400)) CHECK(rows <= 4);
  // An error takes no bytes.
  CHECK(block_rows("range(1) | interleave(x -> probe(6, errors: \"1,2,4\"), cycle_length: 1)", 8)[0] == 1);
  CHECK(block_rows("range(1) | interleave(x -> probe(6, errors: \"0,1,2,4\"), cycle_length: 1)", 8) ==
        block_rows("range(1) | interleave(x -> probe(6, errors: \"0,1,2,4\"), cycle_length: 1)", 7));
}

TEST_CASE("interleave is restored with slots of any age") {
  const std::string text =
      "range(9) | interleave(x -> range(x % 4 * 3) | map(y -> x * 100 + y), cycle_length: 3, block_length: 2)";
  const Lines whole = run(text);
  for (size_t position = 0; position <= whole.size(); ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, static_cast<int64_t>(position)) ==
          Lines(whole.begin() + static_cast<int64_t>(position), whole.end()));
  }
}

const char* const kUneven =
    "range(23) | interleave(x -> range(x % 4 * 3) | map(y -> x * 100 + y), cycle_length: 3, block_length: 2";

TEST_CASE("interleave gives the same elements in the same order, however many datasets run ahead") {
  const Lines whole = run(std::string(kUneven) + ")");
  for (const char* calls : {"1", "2", "3", "auto"}) {
    for (int rows : {1, 5, 1024}) {
      INFO(calls << " calls, " << rows << " rows");
      CHECK(run(std::string(kUneven) + ", num_parallel_calls: " + calls + ")", rows) == whole);
    }
  }
  CHECK(run("range(1) | repeat(3) | interleave(x -> range(3), cycle_length: 2, num_parallel_calls: 2)") ==
        Lines{"0", "0", "1", "1", "2", "2", "0", "1", "2"});
  CHECK(run("range(0) | interleave(x -> range(3), cycle_length: 2, num_parallel_calls: 2)").empty());
}

TEST_CASE("interleave that runs ahead keeps errors in their places") {
  const std::string ahead =
      "probe(5, errors: \"1,3\") | interleave(x -> probe(3, errors: \"1\"), cycle_length: 2, num_parallel_calls: 2)";
  for (int rows : {1, 3, 100}) CHECK(run(ahead, rows) == run(kErrors, 1));
}

TEST_CASE("a position of interleave fits whatever runs ahead") {
  register_probe();
  const Lines whole = run(std::string(kUneven) + ")");
  const std::string texts[] = {std::string(kUneven) + ")", std::string(kUneven) + ", num_parallel_calls: 3)"};
  ThreadsRuntime runtime;
  for (size_t count = 0; count <= whole.size(); count += 3) {
    for (int from = 0; from < 2; ++from) {
      auto iterator = open_text(*runtime, texts[from]);
      take_lines(*iterator, static_cast<int64_t>(count));
      const std::string saved = require_value(iterator->save());
      // And once more, in the other.
      auto other = open_text(*runtime, texts[1 - from], &saved);
      take_lines(*other, std::min<int64_t>(5, static_cast<int64_t>(whole.size() - count)));
      const std::string again = require_value(other->save());
      auto last = open_text(*runtime, texts[from], &again);
      INFO(count << " from " << from);
      CHECK(all_lines(*last) ==
            Lines(whole.begin() + static_cast<int64_t>(std::min(count + 5, whole.size())), whole.end()));
    }
  }
}

TEST_CASE("interleave in any order gives each element once, and is saved and restored") {
  const std::string free = std::string(kUneven) + ", num_parallel_calls: 3, deterministic: false)";
  Lines whole = run(std::string(kUneven) + ")");
  std::sort(whole.begin(), whole.end());
  register_probe();
  ThreadsRuntime runtime;
  for (int64_t count : {0, 1, 17, 40, 99}) {
    auto iterator = open_text(*runtime, free);
    Lines lines = take_lines(*iterator, count);
    const std::string saved = require_value(iterator->save());
    auto restored = open_text(*runtime, free, &saved);
    const Lines rest = all_lines(*restored);
    lines.insert(lines.end(), rest.begin(), rest.end());
    std::sort(lines.begin(), lines.end());
    CHECK(lines == whole);
  }
}

TEST_CASE("datasets of interleave that share a shuffle are opened in their turns") {
  const std::string shared =
      "let s = range(5) | shuffle(5, seed: 3)\nrange(6) | interleave(x -> s | map(y -> x * 10 + y), cycle_length: 2";
  CHECK(run(shared + ", num_parallel_calls: 2)") == run(shared + ")"));
}

TEST_CASE("interleave that runs ahead leaves the epochs of its input where the sequential one has them") {
  register_probe();
  ThreadsRuntime runtime;
  const std::string pipeline =
      "range(4) | shuffle(4, seed: 2) | repeat(3) | interleave(x -> range(2) | map(y -> x), cycle_length: 3";
  Lines again[2];
  for (int ahead = 0; ahead < 2; ++ahead) {
    auto iterator = open_text(*runtime, pipeline + (ahead == 0 ? ")" : ", num_parallel_calls: 2)"));
    take_lines(*iterator, 5);
    require_ok(iterator->initialize(nullptr, {{}, nullptr}));
    again[ahead] = all_lines(*iterator);
  }
  CHECK(again[0] == again[1]);
}

TEST_CASE("interleave that runs ahead inside a function that drains it") {
  CHECK(
      run("range(4) | map(z -> range(z) | interleave(x -> range(x + 2), cycle_length: 2, num_parallel_calls: 2) | "
          "reduce(0, (s, y) -> s + y))") == Lines{"0", "1", "4", "10"});
}

// Datasets of 0 to 24 elements, of which some fail.
std::string turns(int cycle, int block) {
  return "range(17) | interleave(x -> probe(x * 7 % 25, errors: if x % 3 == 1 then \"2,3,9\" else \"\") | enumerate(start: x * 100), cycle_length: " +
         std::to_string(cycle) + ", block_length: " + std::to_string(block) + ")";
}

TEST_CASE("interleave gives the same rows at the same places in blocks and one by one") {
  for (int cycle : {1, 2, 3, 7, 30}) {
    for (int block : {1, 2, 5, 2000}) {
      INFO("cycle of " << cycle << ", blocks of " << block);
      const Lines whole = run(turns(cycle, block), 1);
      for (int rows : {2, 3, 8, 64, 1024}) CHECK(run(turns(cycle, block), rows) == whole);
    }
  }
}

TEST_CASE("interleave pulls no row of a slot that the call does not give") {
  register_probe();
  ThreadsRuntime runtime;
  for (int block : {1, 3, 9}) {
    const std::string text = "range(9) | interleave(x -> probe(x * 5 % 9), cycle_length: 4, block_length: " +
                             std::to_string(block) + ")";
    auto iterator = open_text(*runtime, text);
    probe_counters().pulled = 0;
    int64_t given = 0;
    for (int rows = 1; given < 36; rows = rows % 11 + 3) {
      Block out;
      REQUIRE(require_value(iterator->next(rows, out)) == PullResult::rows);
      given += out.rows;
      INFO("blocks of " << block << ", " << rows << " rows");
      CHECK(probe_counters().pulled == given);
    }
  }
}

TEST_CASE("interleave is restored between blocks of any width") {
  register_probe();
  ThreadsRuntime runtime;
  for (int block : {1, 3}) {
    const std::string text = turns(4, block);
    const Lines whole = all_lines(*runtime, text);
    auto iterator = open_text(*runtime, text);
    size_t given = 0;
    for (int rows = 1; given < whole.size(); rows = rows % 23 + 4) {
      Block out;
      REQUIRE(require_value(iterator->next(rows, out)) == PullResult::rows);
      given += static_cast<size_t>(out.rows);
      const std::string saved = require_value(iterator->save());
      INFO("saved after " << given);
      CHECK(all_lines(*open_text(*runtime, text, &saved), 7) ==
            Lines(whole.begin() + static_cast<int64_t>(given), whole.end()));
    }
  }
}

TEST_CASE("a thousand slots have a position of a few bytes each, and no thread") {
  const std::string text =
      "range(1000) | interleave(x -> range(x, x + 3), cycle_length: 1000, num_parallel_calls: 4)";
  const Lines whole = run(text.substr(0, text.rfind(',')) + ")");
  CHECK(run(text) == whole);
  CHECK(run_restored(text, 1500) == Lines(whole.begin() + 1500, whole.end()));
}

TEST_CASE("tens of thousands of slots close, and are restored, without a look at all of them for each") {
  const std::string text =
      "range(50000) | interleave(x -> range(x, x + 1 + x % 3), cycle_length: 40000, block_length: 2)";
  const Lines whole = run(text, 1024);
  REQUIRE(whole.size() == 99999);
  for (int64_t position : {1, 70000, 93000})
    CHECK(run_restored(text, position) == Lines(whole.begin() + position, whole.end()));
}

TEST_CASE("slots that have ended take no turns once nothing more is opened") {
  // Slots 2 and 5003 outlast the others.
  const std::string text =
      "range(9000) | interleave(x -> range(x, x + 1 + 700 * int64(x % 5001 == 2)), cycle_length: 8500, "
      "block_length: 3)";
  const Lines whole = run(text, 1024);
  REQUIRE(whole.size() == 9000 + 2 * 700);
  CHECK(Lines(whole.end() - 6, whole.end()) == Lines{"5700", "5701", "701", "702", "5702", "5703"});
  for (int64_t position : {3, 8999, 9007, 10390})
    CHECK(run_restored(text, position) == Lines(whole.begin() + position, whole.end()));
}

}  // namespace
}  // namespace weir::test
