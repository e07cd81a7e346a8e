#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries prefetch_contract(
    "prefetch",
    {{"PROBE | prefetch(3)", [](int64_t k) { return k + 4; }},
     {"PROBE | prefetch(0)"},
     {"PROBE | prefetch(2) | map(x -> x + 1) | prefetch(auto) | batch(2) | prefetch(1)", anything, false}});

TEST_CASE("prefetch changes no element, error or end") {
  const Lines clean = run("probe(50, errors: \"0,7,49\")");
  for (const char* n : {"0", "1", "2", "100", "auto", "-1"}) {
    INFO(n);
    CHECK(run(std::string("probe(50, errors: \"0,7,49\") | prefetch(") + n + ")") == clean);
    CHECK(run(std::string("probe(50, errors: \"0,7,49\", pending: 5) | prefetch(") + n + ")", 9) == clean);
  }
  CHECK(run("range(0) | prefetch(3)").empty());
  CHECK(cardinality("range(5) | prefetch(3)") == 5);
  CHECK(contains(build_error("range(5) | prefetch(-2)"), "expected at least -1, found -2"));
}

TEST_CASE("what was made ahead of a save is made again") {
  const Lines whole = run("range(30) | shuffle(10, seed: 4) | repeat(2)");
  for (int64_t position : {0, 1, 13, 29, 30, 31, 59, 60}) {
    INFO("saved after " << position);
    CHECK(run_restored("range(30) | shuffle(10, seed: 4) | repeat(2) | prefetch(20)", position) ==
          Lines(whole.begin() + position, whole.end()));
    CHECK(run_restored("range(30) | shuffle(10, seed: 4) | prefetch(20) | repeat(2) | prefetch(2)",
                       position) == Lines(whole.begin() + position, whole.end()));
  }
}

TEST_CASE("prefetch makes no more ahead than it was told") {
  CHECK(demand("probe(500) | prefetch(3)", 1) <= 1 + 4);
  CHECK(demand("probe(500) | prefetch(0)", 2) == 2);
}

}  // namespace
}  // namespace weir::test
