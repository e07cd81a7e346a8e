#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries get_single_element_contract(
    "get_single_element",
    {{"PROBE | batch(23) | get_single_element()", anything, false},
     {"PROBE | map(x -> range(x, x + 1) | get_single_element())"},
     {"PROBE | flat_map(x -> range(x % 3) | map(y -> x + y)) | take(1) | prefetch(1) | get_single_element()",
      anything, false}});

TEST_CASE("get_single_element gives the only element as a value") {
  CHECK(run("range(6) | batch(6) | get_single_element()") == Lines{"[0, 1, 2, 3, 4, 5]"});
  CHECK(run("range(3) | map(x -> from_tensors((x, \"s\")) | get_single_element())") ==
        Lines{"(0, \"s\")", "(1, \"s\")", "(2, \"s\")"});
  CHECK(cardinality("range(9) | get_single_element()") == 1);
  CHECK(run_restored("range(4) | batch(9) | get_single_element()", 1).empty());
}

TEST_CASE("get_single_element: none, two, or a failed one are errors") {
  for (const char* count : {"0", "2", "3000"})
    CHECK(run(std::string("range(") + count + ") | get_single_element()") ==
          Lines{"error: invalid_argument"});
  CHECK(run("range(4) | map(x -> range(x) | get_single_element())") ==
        Lines{"error: invalid_argument", "0", "error: invalid_argument", "error: invalid_argument"});
  CHECK(run("probe(3, errors: \"0\") | get_single_element()") == Lines{"error: data_loss"});
}

}  // namespace
}  // namespace weir::test
