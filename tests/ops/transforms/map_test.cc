#include <algorithm>

#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries map_contract(
    "map",
    {{"PROBE | map(x -> (x * 2, x))"},
     {"PROBE | map(x -> x + random_uniform([], max: 100, dtype: int64, seed: 3), num_parallel_calls: 3)",
      anything},
     {"PROBE | map(x -> assert(x != 7, \"seven\", x), num_parallel_calls: auto)", anything}});

TEST_CASE("map gives f of each element") {
  CHECK(run("range(3) | map(x -> x * x)") == Lines{"0", "1", "4"});
  CHECK(run("zip(range(2), range(5, 7)) | map((a, b) -> {sum: a + b})") == Lines{"{sum: 5}", "{sum: 7}"});
  CHECK(run("range(0) | map(x -> x)").empty());
  CHECK(spec("range(3) | map(x -> (x, [x, x]))") == "(int64, int64[2])");
  CHECK(cardinality("range(3) | map(x -> x)") == 3);
  CHECK(cardinality("range(3) | map(x -> x, num_parallel_calls: 2)") == 3);
}

TEST_CASE("a failing call is an error in its place; failed rows are not called") {
  for (const char* calls : {"1", "2", "auto"}) {
    INFO(calls);
    CHECK(run(std::string(
                  "probe(5, errors: \"3\") | map(x -> assert(x != 1, \"one\", x), num_parallel_calls: ") +
              calls + ")") == Lines{"0", "error: invalid_argument", "2", "error: data_loss", "4"});
  }
}

TEST_CASE("parallel calls keep the order unless they need not") {
  const Lines ordered = run("range(500) | map(x -> x * 3)", 64);
  CHECK(run("range(500) | map(x -> x * 3, num_parallel_calls: 4)", 64) == ordered);
  CHECK(run("range(500) | map(x -> x * 3, num_parallel_calls: auto)", 5) == ordered);
  Lines any = run("range(500) | map(x -> x * 3, num_parallel_calls: 4, deterministic: false)", 7);
  Lines sorted = ordered;
  std::sort(any.begin(), any.end());
  std::sort(sorted.begin(), sorted.end());
  CHECK(any == sorted);
}

TEST_CASE("random draws are the same whatever the calls in flight, and after a restore") {
  const std::string draw = "range(40) | map(x -> random_uniform([], max: 1000000, dtype: int64, seed: 3)";
  const Lines one = run(draw + ")");
  CHECK(run(draw + ", num_parallel_calls: 3)", 7) == one);
  CHECK(run_restored(draw + ", num_parallel_calls: 3)", 21) == Lines(one.begin() + 21, one.end()));
}

TEST_CASE("only what may fail is computed for rows that are skipped") {
  CHECK(run("range(6) | map(x -> assert(x != 1, \"one\", x)) | skip(3)") ==
        Lines{"error: invalid_argument", "4", "5"});
  CHECK(run("probe(6, errors: \"1\") | map(x -> x + 1) | skip(3)") == Lines{"error: data_loss", "5", "6"});
}

TEST_CASE("a sequential map asks for what it is asked for") {
  CHECK(demand("probe(50) | map(x -> x + 1)", 3) == 3);
}

}  // namespace
}  // namespace weir::test
