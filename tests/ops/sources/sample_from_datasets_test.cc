#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/sanitized.h"

namespace weir::test {
namespace {

const ContractEntries sample_from_datasets_contract(
    "sample_from_datasets",
    {{"sample_from_datasets([PROBE, range(100, 123)], seed: 3)", anything, false},
     {"sample_from_datasets([range(9), range(20, 29)], weights: [0.2, 0.8], seed: 7, rerandomize_each_iteration: true) | repeat(3)",
      anything, false},
     {"PROBE | flat_map(x -> sample_from_datasets([range(x % 4), range(50, 52)], seed: x, stop_on_empty: true)) | prefetch(2)",
      anything, false}},
    kLosesPlaces | kLosesOrder | kEndless);

int64_t from_first(const Lines& lines) {
  return std::count_if(lines.begin(), lines.end(),
                       [](const std::string& line) { return std::stoll(line) < 100000; });
}

TEST_CASE("sample_from_datasets draws by the weights, and the same for the same seed") {
  const std::string both = "sample_from_datasets([range(4000), range(100000, 104000)], ";
  const Lines lines = run(both + "weights: [0.25, 0.75], seed: 11) | take(4000)", 1024);
  REQUIRE(lines.size() == 4000);
  CHECK(from_first(lines) > 850);
  CHECK(from_first(lines) < 1150);
  for (int rows : {1, 3}) CHECK(run(both + "weights: [0.25, 0.75], seed: 11) | take(4000)", rows) == lines);
  CHECK(run(both + "weights: [0.25, 0.75], seed: 12) | take(4000)", 1024) != lines);
  CHECK(from_first(run(both + "seed: 11) | take(4000)", 64)) > 1850);
  // A weight of 0 leaves a dataset out.
  CHECK(from_first(run(both + "weights: [0.0, 1.0], seed: 11) | take(50)")) == 0);
}

TEST_CASE("sample_from_datasets ends with all datasets, or with the first that is found empty") {
  for (int rows : {1, 5, 100}) {
    CHECK(run("sample_from_datasets([range(3), range(100, 120)], seed: 1)", rows).size() == 23);
    CHECK(
        run("sample_from_datasets([range(3), range(100, 120)], seed: 1, stop_on_empty: true)", rows).size() <
        23);
  }
  CHECK(cardinality("sample_from_datasets([range(3), range(4)])") == -2);
  CHECK(cardinality("sample_from_datasets([range(3) | repeat(), range(4) | repeat()])") == -1);
}

TEST_CASE("sample_from_datasets: a position inside a batch goes on over errors and ends") {
  for (int seed = 1; seed < (kSanitized ? 10 : 60); ++seed) {
    const std::string text =
        "sample_from_datasets([range(5), range(20) | map(x -> assert(x % 5 != 1, \"bad\", x)), range(100, 130)], seed: " +
        std::to_string(seed) + ") | batch(3)";
    INFO(text);
    const Lines lines = run(text);
    for (size_t at = 0; at <= lines.size(); ++at) {
      REQUIRE(run_restored(text, static_cast<int64_t>(at)) ==
              Lines(lines.begin() + static_cast<ptrdiff_t>(at), lines.end()));
    }
  }
}

TEST_CASE(
    "sample_from_datasets: an epoch repeats its draws unless it is told not to, and goes on after a restore") {
  for (const char* anew : {"false", "true"}) {
    const std::string text =
        std::string(
            "sample_from_datasets([range(20), range(100, 120)], seed: 5, rerandomize_each_iteration: ") +
        anew + ") | repeat(2)";
    const Lines lines = run(text);
    REQUIRE(lines.size() == 80);
    const bool same = std::equal(lines.begin(), lines.begin() + 40, lines.begin() + 40);
    CHECK(same == (anew == std::string("false")));
    for (int64_t taken : {0, 1, 17, 39, 40, 41, 79, 80})
      CHECK(run_restored(text, taken) == Lines(lines.begin() + taken, lines.end()));
  }
}

TEST_CASE("sample_from_datasets: weights that change, and weights that do not fit") {
  CHECK(
      run("sample_from_datasets([range(9), range(20, 29)], weights: from_tensor_slices([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]))") ==
      Lines{"0", "20", "21", "1"});
  CHECK(contains(build_error("sample_from_datasets([range(2), range(2)], weights: [1.0])"),
                 "weights of float32[2]"));
  CHECK(contains(build_error("sample_from_datasets([range(2), from_tensors(\"a\")])"), "in dataset 1"));
}

}  // namespace
}  // namespace weir::test
