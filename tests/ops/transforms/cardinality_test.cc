#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries cardinality_contract("cardinality",
                                           {{"range(9) | batch(2) | cardinality()"},
                                            {"PROBE | map(x -> range(x) | batch(2) | cardinality())"}});

TEST_CASE("cardinality is what is known without reading") {
  CHECK(run("range(100) | batch(7) | cardinality()") == Lines{"15"});
  CHECK(run("range(3) | repeat() | cardinality()") == Lines{"-1"});
  CHECK(run("range(3) | filter(x -> true) | cardinality()") == Lines{"-2"});
  CHECK(run("range(0) | cardinality()") == Lines{"0"});
  CHECK(cardinality("range(9) | cardinality()") == 1);
  CHECK(run_restored("range(9) | cardinality()", 1).empty());
}

TEST_CASE("cardinality counts variables with their values") {
  CHECK(run("range(4) | map(x -> range(x * 3) | batch(2, drop_remainder: true) | cardinality())") ==
        Lines{"0", "1", "3", "4"});
  CHECK(run("range(3) | map(x -> range(5) | take(x) | repeat(x) | cardinality())") == Lines{"0", "1", "4"});
  CHECK(run("range(2) | map(x -> range(5) | skip(x - 3) | cardinality())") == Lines{"0", "0"});
  CHECK(run("range(7) | window(3) | map(w -> w | cardinality())") == Lines{"3", "3", "1"});
  CHECK(run("let d = range(8) | batch(3)\nrange(2) | map(x -> d | cardinality())") == Lines{"3", "3"});
  CHECK(run("range(2) | map(x -> range(3) | repeat(x - 2) | cardinality())") == Lines{"-1", "-1"});
  CHECK(run("range(2) | map(x -> from_tensor_slices(full([x + 2], 0)) | cardinality())") == Lines{"2", "3"});
}

}  // namespace
}  // namespace weir::test
