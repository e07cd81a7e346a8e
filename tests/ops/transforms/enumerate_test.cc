#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries contract("enumerate",
                               {{"PROBE | enumerate(start: 5)", [](int64_t k) { return k; }, true}});

TEST_CASE("enumerate numbers elements") {
  CHECK(run("range(5, 7) | enumerate()") == Lines{"(0, 5)", "(1, 6)"});
  CHECK(run("range(5, 7) | enumerate(start: -1)") == Lines{"(-1, 5)", "(0, 6)"});
  CHECK(run("range(0) | enumerate()").empty());
  CHECK(run("range(2) | enumerate(start: 9223372036854775807)") ==
        Lines{"(9223372036854775807, 0)", "(-9223372036854775808, 1)"});
  CHECK(spec("zip(range(2), range(2)) | enumerate()") == "(int64, (int64, int64))");
  CHECK(cardinality("range(7) | enumerate()") == 7);
}

TEST_CASE("an error spends a number") {
  CHECK(run("probe(3, errors: \"1\") | enumerate()") == Lines{"(0, 0)", "error: data_loss", "(2, 2)"});
}

TEST_CASE("numbers go on behind what was skipped and where it was saved") {
  CHECK(run("range(9) | enumerate() | skip(7)") == Lines{"(7, 7)", "(8, 8)"});
  CHECK(run_restored("range(4) | enumerate(start: 10)", 2) == Lines{"(12, 2)", "(13, 3)"});
}

}  // namespace
}  // namespace weir::test
