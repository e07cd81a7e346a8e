#include "ops/contract.h"
#include "ops/lasting.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries from_tensor_slices_contract(
    "from_tensor_slices", {{"from_tensor_slices({a: [1, 2, 3], b: [\"x\", \"yy\", \"\"]})"}});

TEST_CASE("from_tensor_slices gives the slices along the first dimension") {
  CHECK(run("from_tensor_slices([5, 6, 7])") == Lines{"5", "6", "7"});
  CHECK(run("from_tensor_slices([[1, 2], [3, 4]])") == Lines{"[1, 2]", "[3, 4]"});
  CHECK(run("from_tensor_slices(([1, 2], {s: [\"x\", \"\"]}))") ==
        Lines{"(1, {s: \"x\"})", "(2, {s: \"\"})"});
  CHECK(spec("from_tensor_slices([[1, 2], [3, 4]])") == "int64[2]");
  CHECK(cardinality("from_tensor_slices([5, 6, 7])") == 3);
}

TEST_CASE("from_tensor_slices wants components of one length") {
  CHECK(contains(build_error("from_tensor_slices(([1, 2], [1, 2, 3]))"), "one length, found 2 and 3"));
  CHECK(contains(build_error("from_tensor_slices(4)"), "found a scalar"));
}

TEST_CASE("from_tensor_slices of a row's value") {
  CHECK(run("from_tensor_slices([[1, 2], [3, 4]]) | flat_map(x -> from_tensor_slices(x))") ==
        Lines{"1", "2", "3", "4"});
  CHECK(run("range(2) | flat_map(x -> from_tensor_slices(([x, x], [1, x])))") ==
        Lines{"(0, 1)", "(0, 0)", "(1, 1)", "(1, 1)"});
}

TEST_CASE("from_tensor_slices goes on where it was saved") {
  CHECK(run_restored("from_tensor_slices([5, 6, 7])", 2) == Lines{"7"});
  CHECK(run_restored("from_tensor_slices([5, 6, 7])", 4).empty());
}

TEST_CASE("from_tensor_slices says that its value's memory lasts") { check_lasting("from_tensor_slices"); }

}  // namespace
}  // namespace weir::test
