#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries random_contract(
    "random", {{"random(seed: 3) | take(9)"},
               {"random(seed: (1, 2), rerandomize_each_iteration: true) | take(3) | repeat(4)"},
               {"PROBE | flat_map(x -> random(seed: x) | take(x % 4)) | prefetch(2)", anything, false}});

Lines slice(const Lines& lines, size_t begin, size_t count) {
  return {lines.begin() + static_cast<int64_t>(begin), lines.begin() + static_cast<int64_t>(begin + count)};
}

TEST_CASE("random gives the same numbers for the same seed, in blocks of any width") {
  const Lines numbers = run("random(seed: 42) | take(2500)", 1);
  for (int rows : {3, 4, 5, 1024}) CHECK(run("random(seed: 42) | take(2500)", rows) == numbers);
  CHECK(run("random(seed: 43) | take(9)") != slice(numbers, 0, 9));
  CHECK(run("random(seed: (0, 42)) | take(9)") == run("random(seed: (0, 42)) | take(9)"));
  CHECK(run_restored("random(seed: 42) | take(2500)", 1027) == slice(numbers, 1027, 1473));
  CHECK(run("random(seed: 42) | skip(5) | take(6)") == slice(numbers, 5, 6));
}

TEST_CASE("random repeats its numbers in each epoch, unless it is told not to") {
  const Lines same = run("random(seed: 5) | take(4) | repeat(2)");
  CHECK(slice(same, 0, 4) == slice(same, 4, 4));
  const Lines other = run("random(seed: 5, rerandomize_each_iteration: true) | take(4) | repeat(3)");
  CHECK(slice(other, 0, 4) != slice(other, 4, 4));
  CHECK(slice(other, 4, 4) != slice(other, 8, 4));
  for (int taken = 0; taken <= 12; ++taken) {
    CHECK(run_restored("random(seed: 5, rerandomize_each_iteration: true) | take(4) | repeat(3)", taken) ==
          slice(other, static_cast<size_t>(taken), 12 - static_cast<size_t>(taken)));
  }
  CHECK(cardinality("random()") == -1);
}

}  // namespace
}  // namespace weir::test
