#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/test_generators.h"

namespace weir::test {
namespace {

const std::string kSpec = ", {n: int64, text: string})";

const ContractEntries from_generator_contract(
    "from_generator",
    {{"from_generator(@squares" + kSpec, anything},
     {"from_generator(@pure" + kSpec + " | batch(4)", anything},
     {"range(3) | flat_map(x -> from_generator(@squares" + kSpec + " | take(x + 11))", anything},
     {"from_generator(@squares" + kSpec + " | prefetch(3) | shuffle(5, seed: 1) | repeat(2)", anything}},
    kLosesPlaces | kEndless);

TEST_CASE("from_generator gives what the generator gives, and opens it anew for each epoch") {
  for (const char* name : {"squares", "pure", "unsaved"}) {
    for (int rows : {1, 4, 64}) {
      INFO(name << " " << rows);
      const std::string text = "from_generator(@" + std::string(name) + kSpec;
      const Lines lines = run(text, rows);
      REQUIRE(lines.size() == 30);
      CHECK(lines[0] == R"({n: 0, text: "text 0"})");
      CHECK(lines[10] == R"({n: 100, text: "text 10"})");
      CHECK(lines[11] == "error: invalid_argument");
      CHECK(lines[12] == R"({n: 144, text: "text 12"})");
      CHECK(lines[29] == R"({n: 841, text: "text 29"})");
      Lines twice = lines;
      twice.insert(twice.end(), lines.begin(), lines.end());
      CHECK(run(text + " | repeat(2)", rows) == twice);
    }
  }
  CHECK(cardinality("from_generator(@pure" + kSpec) == -2);
}

TEST_CASE("from_generator makes no element that nobody asks for, and closes what it opened") {
  const int64_t before = generated_elements();
  CHECK(run("from_generator(@squares" + kSpec + " | take(5)", 1).size() == 5);
  CHECK(generated_elements() == before + 5);
  CHECK(open_generator_runs() == 0);
}

TEST_CASE("from_generator goes on where it was saved: by its place, or by making its elements again") {
  for (const int64_t count : {0, 1, 11, 12, 29, 30}) {
    INFO(count);
    for (const char* name : {"squares", "pure"}) {
      const std::string text = "from_generator(@" + std::string(name) + kSpec;
      const Lines lines = run(text);
      const int64_t before = generated_elements();
      CHECK(run_restored(text, count) == Lines(lines.begin() + count, lines.end()));
      // One iterator up to `count`, the other from there, or from the beginning if only the count was saved.
      const bool again = std::string(name) == "pure";
      CHECK(generated_elements() - before == 30 + (again ? count : 0));
    }
  }
  ThreadsRuntime runtime;
  CHECK(open_text(*runtime, "from_generator(@unsaved" + kSpec)->save().status().code() ==
        Code::failed_precondition);
}

TEST_CASE("from_generator refuses what is no generator") {
  CHECK(contains(build_error("from_generator(x -> x, int64)"), "expected a @generator"));
  CHECK(contains(build_error("range(3) | map(@squares)"), "expected a function, found a generator"));
  CHECK(contains(build_error("from_generator(@nowhere, int64)"), "nowhere"));
  CHECK(contains(build_error("from_generator(@squares, dataset<int64>)"), "a structure without datasets"));
}

}  // namespace
}  // namespace weir::test
