#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries unique_contract(
    "unique",
    {{"PROBE | map(x -> x % 7) | unique()", anything, false},
     {"PROBE | map(x -> (x % 3, if x % 2 == 0 then \"even\" else \"an odd number, in more than 15 bytes\")) | unique()",
      anything, false},
     {"PROBE | flat_map(x -> range(x) | map(y -> y % 4) | unique()) | prefetch(2)", anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("unique gives each element the first time that it comes") {
  for (int rows : {1, 2, 100}) {
    CHECK(run("from_tensor_slices([3, 1, 3, 2, 1, 3, 0]) | unique()", rows) == Lines{"3", "1", "2", "0"});
    CHECK(run("from_tensor_slices([\"a\", \"\", \"b\", \"a\", \"\"]) | unique()", rows) ==
          Lines{"\"a\"", "\"\"", "\"b\""});
    // Joined, their bytes are the same.
    CHECK(run("from_list([[\"ab\", \"c\"], [\"a\", \"bc\"], [\"ab\", \"c\"]]) | unique()", rows) ==
          Lines{"[\"ab\", \"c\"]", "[\"a\", \"bc\"]"});
    CHECK(run("from_list([[1, 2, 3], [1, 2], [3], [1, 2]]) | unique()", rows) ==
          Lines{"[1, 2, 3]", "[1, 2]", "[3]"});
    CHECK(run("from_list([[[1, 2]], [[1], [2]]]) | unique()", rows) == Lines{"[[1, 2]]", "[[1], [2]]"});
    CHECK(run("range(6) | map(x -> (x % 2, x % 3 == 0)) | unique()", rows) ==
          Lines{"(0, true)", "(1, false)", "(0, false)", "(1, true)"});
  }
  CHECK(run("from_tensor_slices([false, true, false]) | unique()") == Lines{"false", "true"});
}

TEST_CASE("unique tells apart strings that are longer than a key, by their last byte") {
  CHECK(
      run("from_tensor_slices([\"123456789012345\", \"1234567890123456\", \"1234567890123457\", \"1234567890123456\"]) | unique()")
          .size() == 3);
  CHECK(run("from_tensor_slices([\"a\", \"a\\x00\"]) | unique()").size() == 2);
}

TEST_CASE("unique remembers over many blocks") {
  for (int rows : {1, 7, 1024}) {
    CHECK(run("range(9000) | map(x -> x * 7919 % 3001) | unique()", rows).size() == 3001);
    CHECK(run("range(5000) | map(x -> x // 4999) | unique()", rows) == Lines{"0", "1"});
  }
}

TEST_CASE("unique: errors keep their places") {
  for (int rows : {1, 3, 100}) {
    CHECK(run("range(6) | map(x -> assert(x != 2 and x != 5, \"no\", x) % 2) | unique()", rows) ==
          Lines{"0", "1", "error: invalid_argument", "error: invalid_argument"});
  }
}

TEST_CASE("unique knows after a restore what came before") {
  const std::string text = "from_tensor_slices([3, 1, 3, 2, 1, 3, 0]) | unique()";
  CHECK(run_restored(text, 1) == Lines{"1", "2", "0"});
  CHECK(run_restored(text, 3) == Lines{"0"});
  CHECK(run_restored("range(4000) | map(x -> x % 1500) | unique()", 1499) == Lines{"1499"});
  CHECK(run_restored("range(4000) | map(x -> x % 1500) | unique()", 1500).empty());
  CHECK(run_restored(
            "range(9) | map(x -> if x % 2 == 0 then \"a longer string than a key\" else \"b\") | unique()",
            1) == Lines{"\"b\""});
}

TEST_CASE("unique refuses what has no identity") {
  CHECK(contains(build_error("range(3) | map(x -> float32(x)) | unique()"), "integers, bools and strings"));
  CHECK(contains(build_error("range(3) | map(x -> range(x)) | unique()"), "integers, bools and strings"));
  CHECK(cardinality("range(5) | unique()") == -2);
}

}  // namespace
}  // namespace weir::test
