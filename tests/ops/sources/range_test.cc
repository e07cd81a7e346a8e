#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries range_contract("range", {{"range(3, 40, 7)"}, {"range(5, 0, -2, dtype: float32)"}});

TEST_CASE("range counts from start to stop, without stop") {
  CHECK(run("range(3)") == Lines{"0", "1", "2"});
  CHECK(run("range(3, 12, 4)") == Lines{"3", "7", "11"});
  CHECK(run("range(3, 11, 4)") == Lines{"3", "7"});
  CHECK(run("range(2, -3, -2)") == Lines{"2", "0", "-2"});
}

TEST_CASE("a range that leads away from its stop is empty") {
  CHECK(run("range(0)").empty());
  CHECK(run("range(-4)").empty());
  CHECK(run("range(5, 5)").empty());
  CHECK(run("range(1, 5, -1)").empty());
}

TEST_CASE("the count of a range needs more than 64 bits on the way") {
  CHECK(cardinality("range(-9223372036854775807, 9223372036854775807, 4611686018427387904)") == 4);
  CHECK(cardinality("range(9223372036854775807, -9223372036854775807, -4611686018427387904)") == 4);
  CHECK(run("range(9223372036854775806, 9223372036854775807, 5)") == Lines{"9223372036854775806"});
  CHECK(run("range(9223372036854775807, -9223372036854775808, -9223372036854775808)") ==
        Lines{"9223372036854775807", "-1"});
  CHECK(run("range(-9223372036854775808, 9223372036854775807, 9223372036854775807)") ==
        Lines{"-9223372036854775808", "-1", "9223372036854775806"});
  CHECK(cardinality("range(-9223372036854775808, -1)") == INT64_MAX);
  CHECK(contains(build_error("range(-9223372036854775808, 0)"),
                 "expected at most 9223372036854775807 numbers"));
  CHECK(contains(build_error("range(9223372036854775807, -2, -1)"), "expected at most"));
  CHECK(run("range(1) | flat_map(x -> range(x - 9223372036854775807, x + 1))") ==
        Lines{"error: invalid_argument"});
}

TEST_CASE("a range of another dtype is cast from int64") {
  CHECK(run("range(254, 258, dtype: uint8)") == Lines{"254", "255", "0", "1"});
  CHECK(run("range(2, dtype: float32)") == Lines{"0.0", "1.0"});
  CHECK(spec("range(2, dtype: float16)") == "float16");
  CHECK(contains(build_error("range(2, dtype: string)"), "expected an integer or float dtype"));
  CHECK(contains(build_error("range(2, dtype: bool)"), "expected an integer or float dtype"));
}

TEST_CASE("a step of 0 is an error, of the element where it is not known before") {
  CHECK(contains(build_error("range(0, 5, 0)"), "expected a step other than 0, found 0"));
  CHECK(run("range(3) | flat_map(x -> range(0, 2, x - 1))") == Lines{"error: invalid_argument", "0", "1"});
}

TEST_CASE("a range goes on where it was saved, whatever the width of blocks") {
  CHECK(run_restored("range(0, 50, 10)", 3) == Lines{"30", "40"});
  CHECK(run("range(5)", 2) == run("range(5)", 1024));
}

}  // namespace
}  // namespace weir::test
