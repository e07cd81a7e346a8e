#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries empty_contract("empty", {{"empty((int64, string[2]))"}});

TEST_CASE("empty gives nothing, of the structure it was told") {
  CHECK(run("empty((int64, string[2]))").empty());
  CHECK(spec("empty({a: float32[?, 3]})") == "{a: float32[?, 3]}");
  CHECK(cardinality("empty(int64)") == 0);
  CHECK(run("empty(int64) | concatenate(range(2))") == Lines{"0", "1"});
  CHECK(run("empty(int64) | repeat()").empty());
  CHECK(run_restored("empty(int64)", 1).empty());
  CHECK(run("empty(int64) | partition(2, part -> part)").empty());
  CHECK(run("range(2) | concatenate(empty(int64)) | global_shuffle(seed: 1) | reduce(0, (s, x) -> s + x)") ==
        Lines{"1"});
}

}  // namespace
}  // namespace weir::test
