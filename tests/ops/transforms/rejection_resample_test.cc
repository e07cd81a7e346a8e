#include <algorithm>
#include <map>

#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries rejection_resample_contract(
    "rejection_resample",
    {{"PROBE | rejection_resample(x -> x % 3, [0.5, 0.3, 0.2], initial: [0.2, 0.3, 0.5], seed: 2)", anything,
      false},
     {"PROBE | rejection_resample(x -> x % 2, [0.9, 0.1], seed: 1)", anything, false},
     {"range(3) | flat_map(n -> range(9) | rejection_resample(x -> x % 2, stack([1.0, cast(n, float32)]), seed: n))",
      anything, false},
     {"range(90) | shuffle(9, seed: 1) | rejection_resample(x -> x % 2, [0.2, 0.8], seed: 4) | repeat(2)",
      anything, false}},
    kLosesPlaces | kLosesOrder | kEndless);

// How many elements of each class come, and how many there are in all.
std::map<std::string, int> classes_of(const std::string& document, int rows) {
  std::map<std::string, int> out;
  for (const std::string& line : run(document, rows)) ++out[line.substr(1, line.find(',') - 1)];
  return out;
}

TEST_CASE("rejection_resample: classes come about as often as the target says") {
  const std::string classes =
      " | rejection_resample(x -> cast(x % 4 != 0, int64) + cast(x % 4 == 3, int64), ";
  for (int rows : {1, 64}) {
    for (const char* initial : {"", "initial: [1.0, 2.0, 1.0], "}) {
      INFO(rows << initial);
      std::map<std::string, int> found =
          classes_of("range(20000)" + classes + "[1.0, 2.0, 5.0], " + initial + "seed: 3)", rows);
      const double all = found["0"] + found["1"] + found["2"];
      CHECK(all > 9000);
      // Three deviations at 9,000 draws are 0.015.
      CHECK(std::abs(found["0"] / all - 0.125) < 0.015);
      CHECK(std::abs(found["1"] / all - 0.25) < 0.015);
      CHECK(std::abs(found["2"] / all - 0.625) < 0.015);
    }
  }
}

TEST_CASE("rejection_resample: what comes does not depend on blocks, and does on the seed and the epoch") {
  const std::string text =
      "range(300) | rejection_resample(x -> x % 3, [7.0, 2.0, 1.0], initial: [1.0, 1.0, 1.0], seed: ";
  const Lines lines = run(text + "5)", 1);
  CHECK(run(text + "5)", 64) == lines);
  CHECK(run(text + "(87654321, 5))", 3) == lines);
  CHECK(run(text + "6)", 64) != lines);
  // Each epoch draws anew.
  // Each epoch draws anew; it begins with element 0.
  const Lines twice = run(text + "5) | repeat(2)", 64);
  const auto second = std::find(twice.begin() + 50, twice.end(), "(0, 0)");
  REQUIRE(second != twice.end());
  CHECK(Lines(twice.begin(), second) != Lines(second, twice.end()));
}

TEST_CASE("rejection_resample: a class that is not wanted never comes, and one that is always does") {
  const Lines evens = {"(0, 0)", "(0, 2)", "(0, 4)"};
  CHECK(run("range(6) | rejection_resample(x -> x % 2, [3.0, 0.0], initial: [0.5, 0.5])") == evens);
  CHECK(run("range(6) | rejection_resample(x -> x % 2, [3.0, 0.0])") == evens);
  // 33 elements: the second estimate is of the last one alone.
  CHECK(run("range(66) | rejection_resample(x -> x % 2, [0.0, 1.0])").size() == 33);
  CHECK(run("range(3) | rejection_resample(x -> cast(x % 2, uint8), [1.0, 1.0], initial: [0.3, 0.3])") ==
        Lines{"(0, 0)", "(1, 1)", "(0, 2)"});
  CHECK(run("range(0) | rejection_resample(x -> x % 2, [0.5, 0.5])").empty());
}

TEST_CASE("rejection_resample: an element whose class is none is an error in its place") {
  CHECK(run("range(4) | rejection_resample(x -> x - 1, [1.0, 1.0, 1.0], initial: [2.0, 2.0, 2.0])") ==
        Lines{"error: invalid_argument", "(0, 1)", "(1, 2)", "(2, 3)"});
  CHECK(run("range(4) | rejection_resample(x -> x, [1.0, 1.0, 1.0], initial: [1.0, 1.0, 1.0])").back() ==
        "error: invalid_argument");
}

TEST_CASE("rejection_resample refuses shares that are none") {
  const std::string text = "range(4) | rejection_resample(x -> x % 2, ";
  CHECK(contains(build_error(text + "[1, 2])"), "target: expected a vector of float32 or float64"));
  CHECK(contains(build_error(text + "1.0)"), "target: expected a vector"));
  CHECK(contains(build_error(text + "[1.0, -1.0])"), "at least 0"));
  CHECK(contains(build_error(text + "[0.0, 0.0])"), "at least 0"));
  CHECK(contains(build_error(text + "[1.0, 2.0], initial: [1.0])"), "initial: expected a vector of 2"));
  CHECK(
      contains(build_error("range(4) | rejection_resample(x -> 0.5, [1.0])"), "class: expected a function"));
  CHECK(contains(build_error("range(4) | rejection_resample(x -> [0], [1.0])"), "found int64[1]"));
}

}  // namespace
}  // namespace weir::test
