#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries filter_contract("filter", {{"PROBE | filter(x -> x % 3 == 1)", anything}},
                                      kLosesPlaces);

TEST_CASE("filter keeps the elements for which f is true") {
  CHECK(run("range(9) | filter(x -> x % 3 == 1)") == Lines{"1", "4", "7"});
  CHECK(run("range(9) | filter(x -> x > 100)").empty());
  CHECK(run("range(3) | filter(x -> x >= 0)") == Lines{"0", "1", "2"});
  CHECK(run("zip(range(4), range(4)) | filter((a, b) -> a + b > 3)") == Lines{"(2, 2)", "(3, 3)"});
  CHECK(cardinality("range(9) | filter(x -> x > 3)") == -2);
  CHECK(!build_error("range(9) | filter(x -> x + 1)").empty());
}

TEST_CASE("errors of the input and of f stand in their places") {
  CHECK(run("probe(6, errors: \"0,3\") | filter(x -> assert(x != 4, \"four\", x > 1))") ==
        Lines{"error: data_loss", "2", "error: data_loss", "error: invalid_argument", "5"});
}

TEST_CASE("elements of different shapes are kept whole") {
  CHECK(run("range(5) | flat_map(x -> range(x) | batch(9)) | filter(x -> shape(x)[0] != 2)") ==
        Lines{"[0]", "[0, 1, 2]", "[0, 1, 2, 3]"});
}

TEST_CASE("a filter that never matches lets itself be cancelled") {
  ThreadsRuntime runtime;
  register_probe();
  auto iterator =
      open_text(*runtime, "probe(100) | repeat() | filter(x -> x < 50) | take(50) | filter(x -> x > 60)");
  CHECK(take_lines(*iterator, 1) == Lines{"end"});
}

TEST_CASE("skipping over a filter counts what it keeps") {
  CHECK(run("probe(10, errors: \"4\") | filter(x -> x % 2 == 1) | skip(2)") ==
        Lines{"error: data_loss", "5", "7", "9"});
}

TEST_CASE("a filter asks for more rows at a time while nothing passes, and keeps what it has too many") {
  // One row, then 2, 4 … 64: rows 63 to 126 hold the first that passes.
  CHECK(demand("probe(900) | filter(x -> x >= 100)", 1) == 127);
  CHECK(demand("probe(900) | filter(x -> x >= 100)", 27) == 127);
  CHECK(demand("probe(900) | filter(x -> x >= 100)", 28) == 128);
  CHECK(demand("probe(900) | filter(x -> x >= 0)", 5) == 5);
}

TEST_CASE("a filter goes on where it was saved") {
  CHECK(run_restored("range(9) | filter(x -> x % 3 == 1)", 2) == Lines{"7"});
  const std::string text =
      "probe(300, errors: \"70,99,100,110\") | filter(x -> assert(x != 105, \"\", x % 7 == 2 or x >= 100))";
  for (int rows : {1, 3, 100}) {
    const Lines whole = run(text, rows);
    REQUIRE(whole == run(text));
    for (size_t count = 0; count < whole.size(); count += 1 + count / 30) {
      INFO(count << " given");
      CHECK(run_restored(text, static_cast<int64_t>(count)) ==
            Lines(whole.begin() + static_cast<int64_t>(count), whole.end()));
    }
  }
}

}  // namespace
}  // namespace weir::test
