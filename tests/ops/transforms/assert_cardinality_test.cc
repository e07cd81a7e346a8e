#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries assert_cardinality_contract(
    "assert_cardinality", {{"PROBE | assert_cardinality(-2)", [](int64_t k) { return k; }},
                           {"PROBE | take(7) | assert_cardinality(7)", [](int64_t k) { return k; }, false},
                           {"counter() | assert_cardinality(-1) | take(30)", anything, false}});

TEST_CASE("assert_cardinality passes on as many elements as it says") {
  for (int rows : {1, 2, 100}) {
    CHECK(run("range(3) | filter(x -> true) | assert_cardinality(3)", rows) == Lines{"0", "1", "2"});
    CHECK(run("range(0) | filter(x -> true) | assert_cardinality(0)", rows).empty());
    CHECK(run("range(2000) | filter(x -> true) | assert_cardinality(2000) | skip(1999)", rows) ==
          Lines{"1999"});
  }
  CHECK(cardinality("range(3) | filter(x -> true) | assert_cardinality(3)") == 3);
  CHECK(cardinality("range(3) | assert_cardinality(-2)") == -2);
  CHECK(contains(build_error("range(3) | assert_cardinality(-3)"), "expected at least -2, found -3"));
}

TEST_CASE("assert_cardinality: too few, too many, and an end where none should be") {
  for (int rows : {1, 2, 100}) {
    const std::string filtered = "range(3) | filter(x -> true) | assert_cardinality(";
    CHECK(run(filtered + "4)", rows) == Lines{"0", "1", "2", "error: failed_precondition"});
    CHECK(run(filtered + "2)", rows) == Lines{"0", "1", "error: failed_precondition"});
    CHECK(run(filtered + "0)", rows) == Lines{"error: failed_precondition"});
    CHECK(run(filtered + "-1)", rows) == Lines{"0", "1", "2", "error: failed_precondition"});
  }
}

TEST_CASE("assert_cardinality does not count errors") {
  CHECK(run("probe(5, errors: \"1,4\") | assert_cardinality(3)") ==
        Lines{"0", "error: data_loss", "2", "3", "error: data_loss"});
}

TEST_CASE("assert_cardinality goes on counting where it was saved") {
  const std::string text = "range(5) | filter(x -> x != 2) | assert_cardinality(3)";
  CHECK(run_restored(text, 2) == Lines{"3", "error: failed_precondition"});
  CHECK(run_restored(text, 4).empty());
}

}  // namespace
}  // namespace weir::test
