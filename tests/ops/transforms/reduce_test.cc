#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries reduce_contract("reduce", {{"PROBE | reduce(0, (s, x) -> s + x)", anything, false}},
                                      kLosesOrder);

TEST_CASE("reduce gives the last state as its only element") {
  CHECK(run("range(5) | reduce(0, (s, x) -> s + x)") == Lines{"10"});
  CHECK(run("range(0) | reduce(7, (s, x) -> s + x)") == Lines{"7"});
  CHECK(run("range(3) | reduce((0, 1), ((a, b), x) -> (a + x, b * 2))") == Lines{"(3, 8)"});
  CHECK(run("range(3000) | reduce(0, (s, x) -> s + 1)") == Lines{"3000"});
  CHECK(cardinality("range(5) | reduce(0, (s, x) -> s + x)") == 1);
}

TEST_CASE("a state that is the element before keeps its own bytes") {
  CHECK(run("range(5) | map(x -> [x, x]) | reduce(([0, 0], 0), ((last, n), x) -> (x, n + last[0]))") ==
        Lines{"([4, 4], 6)"});
}

TEST_CASE("an error of the input or of f is the result") {
  CHECK(run("probe(5, errors: \"2,3\") | reduce(0, (s, x) -> s + x)") == Lines{"error: data_loss"});
  CHECK(run("range(5) | reduce(0, (s, x) -> assert(s < 3, \"much\", s + x))") ==
        Lines{"error: invalid_argument"});
}

TEST_CASE("reduce in a lambda is a value") {
  CHECK(run("range(1, 4) | map(n -> range(n) | reduce(0, (s, x) -> s + x + n))") == Lines{"1", "5", "12"});
}

TEST_CASE("reduce is restored before and behind its element, and waits where it must") {
  CHECK(run_restored("range(5) | reduce(0, (s, x) -> s + x)", 0) == Lines{"10"});
  CHECK(run_restored("range(5) | reduce(0, (s, x) -> s + x)", 1).empty());
  CHECK(run("probe(40, pending: 3) | reduce(0, (s, x) -> s + x)") == Lines{"780"});
}

}  // namespace
}  // namespace weir::test
