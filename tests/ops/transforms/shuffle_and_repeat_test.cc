#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries shuffle_and_repeat_contract(
    "shuffle_and_repeat",
    {{"PROBE | shuffle_and_repeat(7, count: 3, seed: 2)", anything, false},
     {"PROBE | flat_map(x -> range(x % 5) | shuffle_and_repeat(3, count: 2, seed: x))", anything, false}},
    kOpens);

TEST_CASE("shuffle_and_repeat is shuffle and repeat") {
  for (int rows : {1, 4, 100}) {
    for (const char* input : {"range(50)", "range(1)", "range(0)"}) {
      CHECK(run(std::string(input) + " | shuffle_and_repeat(8, count: 3, seed: 4)", rows) ==
            run(std::string(input) + " | shuffle(8, seed: 4) | repeat(3)", rows));
    }
  }
  CHECK(run("range(5) | shuffle_and_repeat(8, seed: 4) | take(12)") ==
        run("range(5) | shuffle(8, seed: 4) | repeat() | take(12)"));
  CHECK(run("range(5) | shuffle_and_repeat(8, 1, seed: 4) | repeat(4)") ==
        run("range(5) | shuffle(8, seed: 4) | repeat(4)"));
  CHECK(run("range(5) | shuffle_and_repeat(8, 2, seed: 4) | repeat(2)") ==
        run("range(5) | shuffle(8, seed: 4) | repeat(4)"));
  CHECK(cardinality("range(5) | shuffle_and_repeat(8)") == -1);
  CHECK(cardinality("range(5) | shuffle_and_repeat(8, 3)") == 15);
  CHECK(contains(build_error("range(5) | shuffle_and_repeat(0)"), "at least 1"));
  CHECK(contains(build_error("range(5) | shuffle_and_repeat(8, 0)"), "at least 1 or -1, found 0"));
}

}  // namespace
}  // namespace weir::test
