#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries ignore_errors_contract("ignore_errors", {{"PROBE | ignore_errors()", anything}},
                                             kLosesPlaces);

TEST_CASE("ignore_errors leaves out what failed") {
  CHECK(run("probe(6, errors: \"0,3,4\") | ignore_errors()") == Lines{"1", "2", "5"});
  CHECK(run("probe(3, errors: \"0,1,2\") | ignore_errors()").empty());
  CHECK(run("range(3) | ignore_errors()") == Lines{"0", "1", "2"});
  CHECK(cardinality("range(3) | ignore_errors()") == -2);
}

TEST_CASE("what is skipped behind ignore_errors are elements") {
  CHECK(run("probe(6, errors: \"1,2\") | ignore_errors() | skip(2)") == Lines{"4", "5"});
}

TEST_CASE("an input that only fails ends, also where it is repeated for ever") {
  CHECK(run("probe(3, errors: \"0,1,2\") | repeat() | ignore_errors()").empty());
}

TEST_CASE("elements of different shapes stay as they are") {
  CHECK(run("probe(4, errors: \"2\") | map(x -> x) | flat_map(x -> range(x) | batch(5)) | ignore_errors()") ==
        Lines{"[0]", "[0, 1, 2]"});
}

TEST_CASE("ignored errors are logged where that is asked for") {
  struct Collect final : Logger {
    void log(Level level, std::string_view message) override {
      if (level == Level::warning) lines.emplace_back(message);
    }
    Lines lines;
  };
  register_probe();
  ThreadsRuntime runtime;
  Collect collect;
  runtime->logger = &collect;
  CHECK(all_lines(*runtime, "probe(4, errors: \"2\") | ignore_errors(log: true)", 4) == Lines{"0", "1", "3"});
  REQUIRE(collect.lines.size() == 1);
  CHECK(contains(collect.lines[0], "planted"));
  CHECK(all_lines(*runtime, "probe(4, errors: \"2\") | ignore_errors()", 4) == Lines{"0", "1", "3"});
  CHECK(collect.lines.size() == 1);
}

}  // namespace
}  // namespace weir::test
