#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries counter_contract("counter", {{"counter(start: 5, step: -3) | take(40)", anything},
                                                   {"range(4) | flat_map(x -> counter(start: x) | take(3))",
                                                    anything, false}});

TEST_CASE("counter counts without end") {
  CHECK(run("counter() | take(3)") == Lines{"0", "1", "2"});
  CHECK(run("counter(start: 2, step: -2) | take(3)", 2) == Lines{"2", "0", "-2"});
  CHECK(run("counter(start: 9, step: 0) | skip(2000) | take(2)", 100) == Lines{"9", "9"});
  CHECK(cardinality("counter()") == -1);
  CHECK(spec("counter()") == "int64");
}

TEST_CASE("after the last number that counter can give comes an error, and the end") {
  const std::string error = "error: out_of_range";
  for (int width : {1, 2, 1000}) {
    CHECK(run("counter(start: 9223372036854775806) | take(9)", width) ==
          Lines{"9223372036854775806", "9223372036854775807", error});
    CHECK(run("counter(start: -9223372036854775807, step: -1)", width) ==
          Lines{"-9223372036854775807", "-9223372036854775808", error});
    CHECK(run("counter(-9223372036854775808, 4611686018427387904)", width) ==
          Lines{"-9223372036854775808", "-4611686018427387904", "0", "4611686018427387904", error});
    CHECK(run("counter(5, -9223372036854775808)", width) == Lines{"5", "-9223372036854775803", error});
    CHECK(run("counter(9223372036854775800) | skip(8)", width) == Lines{error});
  }
  CHECK(run_restored("counter(start: 9223372036854775806)", 1) == Lines{"9223372036854775807", error});
  CHECK(run_restored("counter(start: 9223372036854775806)", 2) == Lines{error});
  CHECK(run_restored("counter(start: 9223372036854775806)", 3).empty());
}

}  // namespace
}  // namespace weir::test
