#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries schedule_contract(
    "schedule",
    {{"schedule([(0, [1.0, 0.0]), (5, [0.25, 0.75])]) | take(9)", anything},
     {"schedule([(0, [1.0, 0.0]), (5, [0.0, 1.0])], interpolation: \"linear\") | take(9)", anything},
     {"sample_from_datasets([PROBE, range(100, 130)], schedule([(0, [1.0, 0.0]), (9, [0.5, 0.5])]), seed: 3)",
      anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("schedule: weights are read with all their digits") {
  CHECK(run("schedule([(0, [0.1, 0.9])]) | take(1)") == Lines{"[0.1, 0.9]"});
  CHECK(run("let w = [0.1, 0.9] schedule([(0, w), (1, [1, 0])]) | take(2)") ==
        Lines{"[0.1, 0.9]", "[1.0, 0.0]"});
  CHECK(run("range(2) | flat_map(x -> schedule([(0, [float64(x), 1.0])]) | take(1))") ==
        Lines{"[0.0, 1.0]", "[1.0, 1.0]"});
}

TEST_CASE("schedule: what is wrong with its points") {
  CHECK(contains(build_error("schedule([(1, [1.0])])"), "a first point at 0"));
  CHECK(contains(build_error("schedule([(0, [1.0]), (0, [1.0])])"), "ascending points"));
  CHECK(contains(build_error("schedule([(0, [-1.0])])"), "weights of at least 0"));
  CHECK(contains(build_error("schedule([(0, [nan])])"), "weights of at least 0"));
  CHECK(contains(build_error("schedule([[1.0]])"), "points of a number and weights"));
  CHECK(contains(build_error("schedule([(0, 1.0)])"), "points of a number and weights"));
  CHECK(contains(build_error("schedule([(0, [1.0])], interpolation: \"cubic\")"), "\"step\" or \"linear\""));
}

TEST_CASE("schedule: elements by position") {
  CHECK(
      run("zip(range(7), schedule([(0, [1.0, 0.0]), (4, [0.0, 1.0])], interpolation: \"linear\")) | global_shuffle(seed: 1) | map((i, w) -> (i, w[1]))",
          7)
          .size() == 7);
}

TEST_CASE("sample_from_datasets ends with an error where the weights of all that are left are 0 for ever") {
  for (const int rows : {1, 3, 100}) {
    const Lines ended = {"0", "1", "2", "error: failed_precondition"};
    CHECK(run("sample_from_datasets([range(3), range(10, 13)], schedule([(0, [1.0, 0.0])]))", rows) == ended);
    CHECK(run("sample_from_datasets([range(3), range(10, 13)], schedule([(0, [0.0, 0.0])]))", rows) ==
          Lines{"error: failed_precondition"});
    CHECK(run("sample_from_datasets([range(2), range(10, 12)], schedule([(0, [1.0, 0.0]), (9, [0.0, 1.0])]))",
              rows) == Lines{"0", "1", "10", "11"});
    // Weights that are no schedule are followed for a while.
    CHECK(run("sample_from_datasets([range(3), range(10, 13)], from_tensors(float64([1.0, 0.0])) | repeat())",
              rows) == ended);
    // What rises later is drawn then.
    CHECK(
        run("sample_from_datasets([range(2), range(10, 12)], schedule([(0, [1.0, 0.0]), (4, [1.0, 0.0]), (5, [0.0, 1.0])], interpolation: \"linear\"))",
            rows) == Lines{"0", "1", "10", "11"});
  }
  const std::string text = "sample_from_datasets([range(3), range(10, 13)], schedule([(0, [1.0, 0.0])]))";
  for (int64_t at = 0; at <= 4; ++at) {
    const Lines all = run(text);
    CHECK(run_restored(text, at) == Lines(all.begin() + static_cast<ptrdiff_t>(at), all.end()));
  }
}

}  // namespace
}  // namespace weir::test
