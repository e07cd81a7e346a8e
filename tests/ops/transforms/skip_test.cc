#include "ops/contract.h"
#include "ops/list.h"
#include "ops/pipelines.h"
#include "support/test_runtime.h"

namespace weir::test {
namespace {

const ContractEntries skip_contract("skip", {{"PROBE | skip(5)", [](int64_t k) { return 5 + k; }}},
                                    kLosesPlaces);

TEST_CASE("skip leaves out the first elements") {
  CHECK(run("range(5) | skip(3)") == Lines{"3", "4"});
  CHECK(run("range(5) | skip(0)") == Lines{"0", "1", "2", "3", "4"});
  CHECK(run("range(5) | skip(9)").empty());
  CHECK(run("range(5) | skip(-1)").empty());
  CHECK(run("range(5000) | skip(4999)") == Lines{"4999"});
}

TEST_CASE("the cardinality of skip") {
  CHECK(cardinality("range(5) | skip(3)") == 2);
  CHECK(cardinality("range(5) | skip(9)") == 0);
  CHECK(cardinality("range(5) | skip(-1)") == 0);
  CHECK(cardinality("range(5) | repeat() | skip(3)") == -1);
  CHECK(cardinality("range(5) | filter(x -> x > 1) | skip(3)") == -2);
}

TEST_CASE("errors among the skipped are passed on and not counted") {
  CHECK(run("probe(6, errors: \"0,2\") | skip(2)") ==
        Lines{"error: data_loss", "error: data_loss", "4", "5"});
}

TEST_CASE("skip never answers more rows than were wanted") {
  register_probe();
  DatasetRef probe = Build(*find_operator("probe"))
                         .set<IntParam>("n", 12)
                         .set<StringParam>("errors", std::string("0,1,2,3,5,6"))
                         .node();
  TestRuntime runtime;
  auto stage = runtime.open(Build(*find_operator("skip")).set<IntParam>("n", 4).over(probe).node());
  Context ctx = runtime.context();
  Demand demand;
  demand.rows = 2;
  Block block;
  Lines rows;
  while (stage->next(ctx, demand, block) == PullResult::rows) {
    REQUIRE(block.rows <= 2);
    for (int i = 0; i < block.rows; ++i) {
      rows.push_back(block.failed(i) ? "error" : std::to_string(*block.columns[0].row(i).as<int64_t>()));
    }
  }
  CHECK(rows == Lines{"error", "error", "error", "error", "error", "error", "10", "11"});
}

TEST_CASE("skip is restored while it skips and behind") {
  const std::string text = "probe(9, errors: \"1,2,5\") | skip(4)";
  const Lines whole = run(text);
  REQUIRE(whole == Lines{"error: data_loss", "error: data_loss", "error: data_loss", "7", "8"});
  for (int64_t position = 0; position <= 5; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, position) == Lines(whole.begin() + position, whole.end()));
  }
}

}  // namespace
}  // namespace weir::test
