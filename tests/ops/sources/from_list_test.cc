#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries from_list_contract("from_list",
                                         {{"from_list([(1, \"a\"), (2, \"bc\"), (3, \"\")])"},
                                          {"from_list([[1], [2, 3], [4, 5, 6]]) | prefetch(1) | repeat(2)"},
                                          {"range(5) | flat_map(x -> from_list([x, x * x, x + 7]))"}});

TEST_CASE("from_list gives the members, which may differ in shape") {
  for (int rows : {1, 2, 100}) {
    CHECK(run("from_list([5, 3, 4])", rows) == Lines{"5", "3", "4"});
    CHECK(run("from_list([[1], [2, 3]])", rows) == Lines{"[1]", "[2, 3]"});
    CHECK(run("from_list([{a: 1, b: \"x\"}, {b: \"y\", a: 2}])", rows) ==
          Lines{"{a: 1, b: \"x\"}", "{a: 2, b: \"y\"}"});
  }
  CHECK(spec("from_list([[1], [2, 3]])") == "int64[?]");
  CHECK(cardinality("from_list([[1], [2, 3]])") == 2);
  CHECK(run_restored("from_list([5, 3, 4])", 2) == Lines{"4"});
  CHECK(run_restored("from_list([5, 3, 4])", 3).empty());
}

TEST_CASE("from_list has a member of each block") {
  std::string text = "from_list([";
  Lines expected;
  for (int i = 0; i < 1030; ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(i * 7);
    expected.push_back(std::to_string(i * 7));
  }
  for (int rows : {1, 1000, 1024}) CHECK(run(text + "])", rows) == expected);
}

TEST_CASE("from_list refuses members of several structures, and none at all") {
  CHECK(contains(build_error("from_list([1, \"a\"])"), "as element 1"));
  CHECK(contains(build_error("from_list([1, (1, 2)])"), "elements of one structure, int64"));
  CHECK(contains(build_error("from_list([])"), "at least one element"));
  CHECK(contains(build_error("from_list(3)"), "expected a list"));
}

}  // namespace
}  // namespace weir::test
