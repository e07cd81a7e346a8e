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

TEST_CASE("counter wraps") {
  CHECK(run("counter(start: 9223372036854775806) | take(3)") ==
        Lines{"9223372036854775806", "9223372036854775807", "-9223372036854775808"});
  CHECK(run("counter(start: -9223372036854775808, step: -1) | take(2)", 1) ==
        Lines{"-9223372036854775808", "9223372036854775807"});
  CHECK(run_restored("counter(start: 9223372036854775806) | take(4)", 3) == Lines{"-9223372036854775807"});
}

}  // namespace
}  // namespace weir::test
