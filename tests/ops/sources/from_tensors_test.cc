#include "ops/contract.h"
#include "ops/lasting.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries from_tensors_contract("from_tensors", {{"from_tensors(([1, 2], \"a\"))"}});

TEST_CASE("from_tensors gives its value once") {
  CHECK(run("from_tensors(7)") == Lines{"7"});
  CHECK(run("from_tensors(([1, 2], \"a\"))") == Lines{"([1, 2], \"a\")"});
  CHECK(spec("from_tensors({a: [[1.5]], b: 2})") == "{a: float32[1, 1], b: int64}");
  CHECK(cardinality("from_tensors([1, 2, 3])") == 1);
}

TEST_CASE("from_tensors can be a value of each row") {
  CHECK(run("range(3) | flat_map(x -> from_tensors([x, -x]))") == Lines{"[0, 0]", "[1, -1]", "[2, -2]"});
}

TEST_CASE("from_tensors is restored before and behind its element") {
  CHECK(run_restored("from_tensors(7)", 0) == Lines{"7"});
  CHECK(run_restored("from_tensors(7)", 1).empty());
}

TEST_CASE("from_tensors gives an element of the highest rank") {
  CHECK(run("from_tensors([[[[[[[[5]]]]]]]])") == Lines{"[[[[[[[[5]]]]]]]]"});
}

TEST_CASE("from_tensors says that its value's memory lasts") { check_lasting("from_tensors"); }

}  // namespace
}  // namespace weir::test
