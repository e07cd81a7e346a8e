#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries take_while_contract(
    "take_while",
    {{"PROBE | take_while(x -> x < 23)", [](int64_t k) { return k; }, false},
     {"PROBE | take_while(x -> assert(x % 5 != 2, \"two\", x) >= 0)", [](int64_t k) { return k; }},
     {"PROBE | flat_map(x -> range(9) | take_while(y -> y < x % 4)) | prefetch(2)", anything, false}});

TEST_CASE("take_while ends before the first element for which f is false") {
  for (int rows : {1, 3, 100}) {
    CHECK(run("range(20) | take_while(x -> x * x < 17)", rows) == Lines{"0", "1", "2", "3", "4"});
    CHECK(run("from_tensor_slices([1, 2, 9, 1, 2]) | take_while(x -> x < 5)", rows) == Lines{"1", "2"});
    CHECK(run("range(3) | take_while(x -> x > 0)", rows).empty());
    CHECK(run("range(3) | take_while(x -> true)", rows) == Lines{"0", "1", "2"});
    CHECK(run("range(2500) | take_while(x -> x < 2047) | skip(2045)", rows) == Lines{"2045", "2046"});
  }
  CHECK(run("range(4) | take_while(x -> x < 2) | repeat(2)") == Lines{"0", "1", "0", "1"});
}

TEST_CASE("take_while: errors keep their places and end nothing") {
  for (int rows : {1, 4, 100}) {
    CHECK(run("probe(6, errors: \"1\") | take_while(x -> assert(x != 2, \"two\", x) < 4)", rows) ==
          Lines{"0", "error: data_loss", "error: invalid_argument", "3"});
  }
}

TEST_CASE("take_while counts what is skipped below it") {
  CHECK(run("range(9) | take_while(x -> x < 4) | skip(2)") == Lines{"2", "3"});
  CHECK(run("range(9) | take_while(x -> x < 4) | skip(5)").empty());
}

TEST_CASE("take_while asks for nothing after its end, also when it is restored") {
  CHECK(demand("probe(50) | take_while(x -> x < 2)", 9) == 3);
  CHECK(run_restored("range(9) | take_while(x -> x != 3)", 2) == Lines{"2"});
  CHECK(run_restored("range(9) | take_while(x -> x != 3)", 3).empty());
  CHECK(run_restored("range(9) | take_while(x -> x != 3)", 4).empty());
  CHECK(cardinality("range(9) | take_while(x -> true)") == -2);
}

}  // namespace
}  // namespace weir::test
