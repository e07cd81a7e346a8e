#include "ops/functions/mapped_rows.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "graph/document.h"
#include "support/pipeline.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

// What a pipeline answers a demand for 10 rows, of which the values of 1, 4 and 7 are wanted.
Block thinned(TestRuntime& test, const std::string& text) {
  const DocumentRef document = parse_text(test.runtime, text);
  const std::unique_ptr<Stage> stage = test.open(document->root());
  Context ctx = test.context();
  Demand demand;
  demand.rows = 10;
  demand.first = 1;
  demand.step = 3;
  Block block;
  REQUIRE(stage->next(ctx, demand, block) == PullResult::rows);
  return block;
}

std::vector<int64_t> numbers(const Block& block, int count) {
  const int64_t* const data = block.columns[0].tensor().as<const int64_t>();
  return {data, data + count};
}

TEST_CASE("a map computes only the values that are wanted") {
  TestRuntime test;
  for (const char* text :
       {"range(100, 200) | map(x -> x * 10)", "range(100, 200) | map(x -> x * 5) | map(x -> x + x)"}) {
    INFO(text);
    const Block block = thinned(test, text);
    CHECK(block.rows == 10);
    CHECK(block.thinned);
    REQUIRE(block.columns[0].tensor().shape.dims()[0] == 3);
    CHECK(numbers(block, 3) == std::vector<int64_t>{1010, 1040, 1070});
  }
}

TEST_CASE("a map that may fail, or whose input failed, computes all values") {
  TestRuntime test;
  const Block may_fail = thinned(test, "range(100, 200) | map(x -> x // (x - 99))");
  CHECK(!may_fail.thinned);
  CHECK(numbers(may_fail, 3) == std::vector<int64_t>{100, 50, 34});
  const Block failed = thinned(test, "range(9) | map(x -> 60 // (x - 2)) | map(x -> x + 1)");
  CHECK(!failed.thinned);
  CHECK(failed.rows == 9);
  REQUIRE(failed.errors.size() == 1);
  CHECK(failed.errors.begin()->row == 2);
}

TEST_CASE("operators that know nothing of wanted values give all of them") {
  TestRuntime test;
  for (const char* text : {"range(100, 200)", "range(100, 200) | map(x -> x) | take(50)",
                           "range(100, 200) | map(x -> x) | filter(x -> x >= 0)"}) {
    INFO(text);
    const Block block = thinned(test, text);
    CHECK(!block.thinned);
    CHECK(numbers(block, 3) == std::vector<int64_t>{100, 101, 102});
  }
}

TEST_CASE("random numbers above a shard are those of the whole") {
  ThreadsRuntime runtime;
  const std::string drawn = "range(3000) | map(x -> (x, random_uniform([], seed: 3)))";
  const std::vector<std::string> all = all_lines(*runtime, drawn);
  for (const int rows : {1, 7, 1024}) {
    const std::vector<std::string> part = all_lines(*runtime, drawn + " | shard(7, 2)", rows);
    REQUIRE(part.size() == 429);
    for (size_t i = 0; i < part.size(); ++i) CHECK(part[i] == all[7 * i + 2]);
  }
}

}  // namespace
}  // namespace weir::test
