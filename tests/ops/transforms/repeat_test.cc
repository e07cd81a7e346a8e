#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries repeat_contract(
    "repeat",
    {{"PROBE | repeat(3)", anything},
     {"PROBE | shuffle(5, seed: 9) | repeat(3) | batch(7)", anything, false},
     {"PROBE | repeat(2) | shuffle(30, seed: 2) | prefetch(4) | repeat(2)", anything, false}},
    kOpens);

TEST_CASE("repeat gives its input count times") {
  CHECK(run("range(2) | repeat(3)") == Lines{"0", "1", "0", "1", "0", "1"});
  CHECK(run("range(2) | repeat(1)") == Lines{"0", "1"});
  CHECK(run("range(2) | repeat(0)").empty());
  CHECK(run("range(2) | repeat() | take(5)") == Lines{"0", "1", "0", "1", "0"});
  CHECK(run("range(2) | repeat(-7) | take(3)") == Lines{"0", "1", "0"});
}

TEST_CASE("the cardinality of repeat") {
  CHECK(cardinality("range(2) | repeat(3)") == 6);
  CHECK(cardinality("range(2) | repeat()") == -1);
  CHECK(cardinality("range(0) | repeat()") == 0);
  CHECK(cardinality("range(2) | filter(x -> x > 0) | repeat(0)") == 0);
  CHECK(cardinality("range(2) | filter(x -> x > 0) | repeat(2)") == -2);
}

TEST_CASE("an input that gives no element is not repeated for ever") {
  CHECK(run("range(0) | repeat()").empty());
  CHECK(run("range(0) | repeat(9223372036854775807)").empty());
  CHECK(run("probe(2, errors: \"0,1\") | repeat()") == Lines{"error: data_loss", "error: data_loss"});
  CHECK(run("probe(1, errors: \"0\") | repeat(2)") == Lines{"error: data_loss", "error: data_loss"});
}

TEST_CASE("errors come again with their epoch") {
  CHECK(run("probe(2, errors: \"1\") | repeat(2)") ==
        Lines{"0", "error: data_loss", "0", "error: data_loss"});
}

TEST_CASE("each epoch draws anew, and a restored one goes on with its draws") {
  const std::string text =
      "range(4) | map(x -> random_uniform([], max: 1000000, dtype: int64, seed: 1)) | shuffle(4, seed: 6) | repeat(3)";
  const Lines whole = run(text);
  REQUIRE(whole.size() == 12);
  CHECK(Lines(whole.begin(), whole.begin() + 4) != Lines(whole.begin() + 4, whole.begin() + 8));
  for (int64_t position = 0; position <= 12; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, position) == Lines(whole.begin() + position, whole.end()));
  }
}

TEST_CASE("repeats of repeats are restored in any of their epochs") {
  const Lines whole = run("range(3) | shuffle(3, seed: 8) | repeat(2) | repeat(2)");
  for (int64_t position = 0; position <= 12; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored("range(3) | shuffle(3, seed: 8) | repeat(2) | repeat(2)", position) ==
          Lines(whole.begin() + position, whole.end()));
  }
}

}  // namespace
}  // namespace weir::test
