#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

// An error does not count, so another element follows; tests/ops checks that.
const ContractEntries take_contract("take", {{"PROBE | take(7)", [](int64_t k) { return k; }, false}});

TEST_CASE("take keeps the first elements") {
  CHECK(run("range(5) | take(2)") == Lines{"0", "1"});
  CHECK(run("range(5) | take(0)").empty());
  CHECK(run("range(3) | take(9)") == Lines{"0", "1", "2"});
  CHECK(run("range(3) | take(-1)") == Lines{"0", "1", "2"});
}

TEST_CASE("the cardinality of take") {
  CHECK(cardinality("range(5) | take(2)") == 2);
  CHECK(cardinality("range(5) | take(9)") == 5);
  CHECK(cardinality("range(5) | take(-1)") == 5);
  CHECK(cardinality("range(5) | repeat() | take(7)") == 7);
  CHECK(cardinality("range(5) | repeat() | take(-1)") == -1);
  CHECK(cardinality("range(5) | filter(x -> x > 1) | take(7)") == -2);
  CHECK(cardinality("range(5) | filter(x -> x > 1) | take(0)") == 0);
}

TEST_CASE("errors are passed on and not counted, up to the last element") {
  CHECK(run("probe(6, errors: \"0,2,4\") | take(2)") ==
        Lines{"error: data_loss", "1", "error: data_loss", "3"});
}

TEST_CASE("take asks for nothing behind its last element") { CHECK(demand("probe(50) | take(2)", 9) == 2); }

TEST_CASE("take goes on where it was saved") {
  CHECK(run_restored("probe(9, errors: \"1\") | take(3)", 2) == Lines{"2", "3"});
  CHECK(run_restored("probe(9, errors: \"1\") | take(3)", 5).empty());
}

}  // namespace
}  // namespace weir::test
