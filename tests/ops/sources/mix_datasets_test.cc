#include <algorithm>
#include <numeric>
#include <random>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "ops/shuffling/mix_places.h"
#include "support/sanitized.h"

namespace weir::test {
namespace {

const ContractEntries mix_datasets_contract(
    "mix_datasets",
    {{"mix_datasets([PROBE, range(100, 130)], [0.75, 0.25])", anything, false},
     {"mix_datasets([range(9) | shuffle(9, seed: 1), range(20, 29) | shuffle(4, seed: 2)], [0.3, 0.7]) | repeat(2)",
      anything, false},
     {"PROBE | flat_map(x -> mix_datasets([range(x), range(50, 52)], [0.5, 0.5], stop_on_empty: true)) | prefetch(2)",
      anything, false}},
    kLosesPlaces | kLosesOrder);

// The contract with fractions over a common denominator, all numbers small.
Lines model(std::vector<int64_t> weights, const std::vector<std::vector<std::string>>& inputs,
            bool stop_on_empty) {
  Lines out;
  std::vector<size_t> next(inputs.size());
  std::vector<bool> ended(inputs.size());
  for (;;) {
    int64_t sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) sum += ended[i] ? 0 : weights[i];
    if (sum == 0) return out;
    std::vector<int64_t> taken(inputs.size());
    for (int64_t t = 0;;) {
      size_t chosen = inputs.size();
      const auto behind = [&](size_t i) { return weights[i] * (t + 1) - taken[i] * sum; };
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (ended[i] || weights[i] == 0) continue;
        if (chosen == inputs.size() || behind(i) > behind(chosen)) chosen = i;
      }
      if (next[chosen] == inputs[chosen].size()) {
        if (stop_on_empty) return out;
        ended[chosen] = true;
        break;
      }
      out.push_back(inputs[chosen][next[chosen]++]);
      if (out.back().starts_with("error")) continue;
      ++t;
      ++taken[chosen];
    }
  }
}

struct Trial {
  std::string text;
  Lines lines;
  bool has_errors = false;

  explicit Trial(uint32_t number) {
    std::mt19937 random(number);
    const size_t count = 1 + random() % 4;
    std::vector<int64_t> weights(count);
    int64_t left = 1000;
    for (size_t i = 0; i + 1 < count; ++i) {
      weights[i] = random() % 5 == 0 ? 0 : static_cast<int64_t>(random() % static_cast<uint32_t>(left + 1));
      if (random() % 3 == 0) weights[i] = weights[i] / 100 * 100;
      left -= weights[i];
    }
    weights[count - 1] = left;
    std::vector<std::vector<std::string>> inputs(count);
    std::string datasets;
    std::string shares;
    for (size_t i = 0; i < count; ++i) {
      const size_t rows = random() % 12;
      const uint32_t failing = random() % 3 == 0 ? random() % 12 : 99;
      for (size_t k = 0; k < rows; ++k) {
        const bool fails = k == failing;
        has_errors = has_errors || fails;
        inputs[i].push_back(fails ? "error: invalid_argument" : std::to_string(100 * i + k));
      }
      const std::string first = std::to_string(100 * i);
      datasets += (i > 0 ? ", " : "") + std::string("range(") + first + ", " +
                  std::to_string(100 * i + rows) +
                  ") | map(x -> assert(x != " + std::to_string(100 * i + failing) + ", \"bad\", x))";
      const std::string digits = std::to_string(1000 + weights[i]);
      shares += (i > 0 ? ", " : "") + std::string(weights[i] == 1000 ? "1.0" : "0." + digits.substr(1));
    }
    const bool stop_on_empty = random() % 3 == 0;
    lines = model(weights, inputs, stop_on_empty);
    text = "mix_datasets([" + datasets + "], [" + shares + "]" +
           (stop_on_empty ? ", stop_on_empty: true" : "") + ")";
  }
};

constexpr uint32_t kTrials = kSanitized ? 30 : 300;

TEST_CASE("mix_datasets: random mixtures are as the contract says, saved and restored at every position") {
  for (uint32_t number = 0; number < kTrials; ++number) {
    const Trial trial(number);
    INFO(trial.text);
    for (const int rows : {1, 7, 1024}) REQUIRE(run(trial.text, rows) == trial.lines);
    for (size_t at = 0; at <= trial.lines.size(); ++at) {
      REQUIRE(run_restored(trial.text, static_cast<int64_t>(at)) ==
              Lines(trial.lines.begin() + static_cast<ptrdiff_t>(at), trial.lines.end()));
    }
  }
}

// What is passed over may be more than what comes before an error or an end.
TEST_CASE("mix_datasets: a position inside a batch goes on over errors and ends") {
  for (uint32_t number = 0; number < kTrials / 3; ++number) {
    const std::string text = Trial(number).text + " | batch(3)";
    INFO(text);
    const Lines lines = run(text);
    for (size_t at = 0; at <= lines.size(); ++at) {
      REQUIRE(run_restored(text, static_cast<int64_t>(at)) ==
              Lines(lines.begin() + static_cast<ptrdiff_t>(at), lines.end()));
    }
  }
}

TEST_CASE("mix_datasets: elements have the positions at which they come") {
  for (uint32_t number = 0; number < kTrials; ++number) {
    const Trial trial(number);
    if (trial.has_errors || trial.lines.empty()) continue;
    INFO(trial.text);
    CHECK(run(trial.text + " | partition(1, p -> p)", 5) == trial.lines);
    Lines shuffled = run(trial.text + " | global_shuffle(seed: 1)");
    Lines sorted = trial.lines;
    std::sort(shuffled.begin(), shuffled.end());
    std::sort(sorted.begin(), sorted.end());
    CHECK(shuffled == sorted);
  }
}

Tensor weights_of(const std::vector<double>& weights) {
  Tensor out = Tensor::allocate(DType::float64, Shape{static_cast<int64_t>(weights.size())});
  std::copy(weights.begin(), weights.end(), out.as<double>());
  return out;
}

TEST_CASE("mix_datasets: places far ahead and over many ends are those that turn by turn gives") {
  for (const auto& [weights, counts] : std::vector<std::pair<std::vector<double>, std::vector<int64_t>>>{
           {{0.5, 0.3, 0.2}, {20000, 6000, MixPlaces::kEndless}},
           {{0.123, 0.877}, {5000, 4000}},
           {{0.00017, 0.99983}, {MixPlaces::kEndless, MixPlaces::kEndless}},
           {{0.2, 0.2, 0.2, 0.4}, {3, 0, 70000, 1}}}) {
    MixTurns turns = require_value(MixTurns::make(weights_of(weights), static_cast<int64_t>(weights.size())));
    MixPlaces near(turns, counts);
    MixPlaces far(turns, counts);
    std::vector<MixPlaces::Place> places;
    std::vector<int64_t> given(counts.size());
    while (!turns.empty() && places.size() < 60000) {
      const int64_t source = turns.take();
      int64_t& position = given[static_cast<size_t>(source)];
      if (position == counts[static_cast<size_t>(source)]) {
        turns.close(source);
        continue;
      }
      places.push_back({source, position++});
    }
    const auto never = [] { return false; };
    const auto count = static_cast<int64_t>(places.size());
    size_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
      MixPlaces::Place place;
      for (const auto& [from, at] : {std::pair(&near, i), std::pair(&far, i * 7919 % count)}) {
        REQUIRE(from->find(at, never, place));
        const MixPlaces::Place& expected = places[static_cast<size_t>(at)];
        wrong += place.source != expected.source || place.position != expected.position ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("mix_datasets: a place beyond any number of turns is found by the period") {
  MixTurns turns = require_value(MixTurns::make(weights_of({0.75, 0.25}), 2));
  MixPlaces places(turns, {MixPlaces::kEndless, MixPlaces::kEndless});
  MixPlaces::Place place;
  REQUIRE(places.find(
      int64_t{4} << 58, [] { return false; }, place));
  CHECK(place.source == 0);
  CHECK(place.position == int64_t{3} << 58);
}

TEST_CASE("mix_datasets: weights are decimals, and nothing is rounded") {
  // In binary 0.1 three times is more than 0.3, which would decide the third turn.
  const std::string tenths =
      "mix_datasets([counter(), counter(start: 100), counter(start: 200), counter(start: 300)], ";
  CHECK(run(tenths + "[0.1, 0.2, 0.3, 0.4]) | take(10)") ==
        Lines{"300", "200", "100", "301", "0", "201", "302", "101", "202", "303"});
  CHECK(run(tenths + "float32([0.1, 0.2, 0.3, 0.4])) | take(10)") ==
        run(tenths + "float64([0.1, 0.2, 0.3, 0.4])) | take(10)"));
  // Rare ones come when they are due.
  CHECK(
      run("mix_datasets([counter(), counter(start: -3000000)], [0.9999999, 0.0000001]) | map(x -> if x < 0 then 1 else 0) | take(5000002) | reduce(0, (s, x) -> s + x)",
          1024) == Lines{"1"});
  CHECK(run("mix_datasets([counter(), counter(start: -3)], [1, 0]) | take(2)") == Lines{"0", "1"});
  CHECK(
      run("let third = 0.3333333333333333 mix_datasets([range(1), range(5, 6), range(7, 8)], [third, third, third])") ==
      Lines{"0", "5", "7"});
}

TEST_CASE("mix_datasets: no share is ever more than an element off") {
  // Seven datasets of fifteen digits.
  std::vector<double> weights = {0.123456789012345,
                                 0.234567890123456,
                                 0.111111111111111,
                                 0.098765432109876,
                                 0.2,
                                 0.032098777643212,
                                 0.2};
  MixTurns turns = require_value(MixTurns::make(weights_of(weights), 7));
  std::vector<int64_t> taken(7);
  int64_t wrong = 0;
  for (int64_t t = 0; t < 200000; ++t) {
    ++taken[static_cast<size_t>(turns.take())];
    for (size_t i = 0; i < 7; ++i) {
      const double behind = weights[i] * static_cast<double>(t + 1) - static_cast<double>(taken[i]);
      wrong += behind < -1.001 || behind > 1.001 ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("mix_datasets: what is wrong with its weights") {
  const std::string text = "mix_datasets([range(3), range(4)], ";
  CHECK(contains(build_error(text + "[0.5, 0.4])"), "weights that add up to 1, found a sum of 0.9"));
  CHECK(contains(build_error(text + "[1.5, -0.5])"), "weights from 0 to 1"));
  CHECK(contains(build_error(text + "[nan, 1.0])"), "weights from 0 to 1"));
  CHECK(contains(build_error(text + "[1.0, 1e-35])"), "digits after the point"));
  CHECK(contains(build_error(text + "[1.0])"), "a weight for each dataset"));
  CHECK(contains(build_error(text + "range(2))"), "expected"));
  CHECK(contains(build_error("mix_datasets([range(3), from_tensors(\"a\")], [0.5, 0.5])"), "in dataset 1"));
}

TEST_CASE("mix_datasets: cardinality and structure") {
  CHECK(cardinality("mix_datasets([range(3), range(4)], [0.5, 0.5])") == 7);
  CHECK(cardinality("mix_datasets([range(3), range(4)], [0.5, 0.5], stop_on_empty: true)") == -2);
  CHECK(cardinality("mix_datasets([range(3), counter()], [1.0, 0.0])") == 3);
  CHECK(cardinality("mix_datasets([range(3), counter()], [0.5, 0.5])") == -1);
  CHECK(spec("mix_datasets([from_tensors([1, 2]), from_tensors([3])], [0.5, 0.5])") == "int64[?]");
  CHECK(run("mix_datasets([from_tensors({a: 1, b: \"x\"}), from_tensors({b: \"y\", a: 2})], [0.5, 0.5])") ==
        Lines{"{a: 1, b: \"x\"}", "{a: 2, b: \"y\"}"});
}

TEST_CASE("mix_datasets: a position fits other weights, which count from there") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "mix_datasets([counter(), counter(start: 100)], [0.75, 0.25])");
  CHECK(take_lines(*iterator, 5) == Lines{"0", "1", "100", "2", "3"});
  const std::string saved = require_value(iterator->save());
  auto other = open_text(*runtime, "mix_datasets([counter(), counter(start: 100)], [0.25, 0.75])", &saved);
  CHECK(take_lines(*other, 4) == Lines{"101", "4", "102", "103"});
  auto same = open_text(*runtime, "mix_datasets([counter(), counter(start: 100)], [0.75, 0.25])", &saved);
  CHECK(take_lines(*same, 3) == Lines{"4", "101", "5"});
  // Another dataset is another document.
  CHECK_THROWS(open_text(*runtime, "mix_datasets([counter(), counter(start: 9)], [0.75, 0.25])", &saved));
}

}  // namespace
}  // namespace weir::test
