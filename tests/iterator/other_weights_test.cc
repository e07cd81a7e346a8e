// Positions go on with other weights of a mixture, wherever the weights come from; files of elements don't.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "support/pipeline.h"
#include "support/temporary_folder.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kBefore = "[0.75, 0.25]";
constexpr std::string_view kAfter = "[0.25, 0.75]";

std::string with_weights(std::string text, std::string_view weights) {
  return text.replace(text.find("WEIGHTS"), 7, weights);
}

// How many of the next hundred elements come from the first dataset, after ten were given with weights that
// favour it.
int64_t from_first_afterwards(const std::string& text, std::string_view after) {
  ThreadsRuntime runtime;
  const bool is_param = text.starts_with("param");
  const auto given = [&](std::string_view weights) {
    return is_param ? std::vector<ParamValue>{{"w", std::string(weights)}} : std::vector<ParamValue>{};
  };
  const auto written = [&](std::string_view weights) {
    return is_param ? text : with_weights(text, weights);
  };
  const auto iterator = open_text(*runtime, written(kBefore), nullptr, given(kBefore));
  const Lines begun = take_lines(*iterator, 10);
  const std::string saved = require_value(iterator->save());
  const auto other = open_text(*runtime, written(after), &saved, given(after));
  Lines all = take_lines(*other, 100);
  int64_t first = 0;
  for (const std::string& line : all) first += std::stoll(line) < 1000 ? 1 : 0;
  // Each dataset goes on where it was.
  all.insert(all.begin(), begun.begin(), begun.end());
  int64_t next[] = {0, 1000};
  for (const std::string& line : all) {
    int64_t& expected = next[std::stoll(line) < 1000 ? 0 : 1];
    CHECK(std::stoll(line) == expected);
    ++expected;
  }
  return first;
}

TEST_CASE("a position goes on with other weights of a mixture") {
  const std::string datasets = "[counter(), counter(start: 1000)]";
  const std::string mixed = concat("mix_datasets(", datasets, ", ");
  const std::string drawn = concat("sample_from_datasets(", datasets, ", seed: 3, weights: ");
  for (const std::string& text :
       {mixed + "WEIGHTS)", "param w: float64[2] " + mixed + "$w)", "let w = WEIGHTS " + mixed + "w)",
        "param w: float64[2] let w = $w " + mixed + "w)"}) {
    INFO(text);
    CHECK(from_first_afterwards(text, kAfter) == 25);
    CHECK(from_first_afterwards(text, "[0.0, 1.0]") == 0);
  }
  for (const std::string& text : {drawn + "WEIGHTS)", drawn + "schedule([(0, WEIGHTS)]))",
                                  "let s = schedule([(0, WEIGHTS)]) " + drawn + "s)"}) {
    INFO(text);
    CHECK(from_first_afterwards(text, kBefore) > 60);
    CHECK(from_first_afterwards(text, kAfter) < 40);
  }
}

// Takes some elements, saves, and goes on with other weights, twice. Says whether each number of both
// datasets came once.
void check_each_once(const std::string& before, const std::string& mixture, const std::string& behind,
                     int64_t taken) {
  ThreadsRuntime runtime;
  INFO(mixture << behind << " after " << taken);
  Lines lines;
  std::string saved;
  int64_t count = taken;
  for (const std::string_view weights : {kBefore, kAfter, std::string_view("[0.5, 0.5]")}) {
    const auto iterator = open_text(*runtime, before + with_weights(mixture, weights) + behind,
                                    saved.empty() ? nullptr : &saved);
    const Lines some = take_lines(*iterator, count);
    lines.insert(lines.end(), some.begin(), some.end());
    saved = require_value(iterator->save());
    // A position is the same for all who take it up.
    if (weights == kAfter) {
      const auto again = open_text(*runtime, before + with_weights(mixture, kBefore) + behind, &saved);
      CHECK(take_lines(*again, 3) ==
            take_lines(*open_text(*runtime, before + with_weights(mixture, kBefore) + behind, &saved), 3));
    }
    count = weights == kBefore ? 7 : 1000;
  }
  std::vector<int64_t> found;
  for (const std::string& line : lines) {
    std::string numbers = line;
    for (char& c : numbers) c = c == '-' || (c >= '0' && c <= '9') ? c : ' ';
    std::istringstream in(numbers);
    for (int64_t number = 0; in >> number;) found.push_back(number);
  }
  std::sort(found.begin(), found.end());
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 60; ++i) expected.push_back(i < 30 ? i : 970 + i);
  CHECK(found == expected);
}

TEST_CASE("no element is lost behind a mixture that goes on with other weights") {
  const std::string datasets = "[range(30), range(1000, 1030)]";
  const std::string mixed = concat("mix_datasets(", datasets, ", WEIGHTS)");
  const std::string drawn = concat("sample_from_datasets(", datasets, ", seed: 3, weights: WEIGHTS)");
  const std::string scheduled = concat("sample_from_datasets(", datasets,
                                       ", seed: 3, weights: schedule([(0, [0.5, 0.5]), (4, WEIGHTS)]))");
  for (const std::string& mixture : {mixed, drawn, scheduled}) {
    for (const std::string behind :
         {"", " | prefetch(3)", " | batch(4)", " | filter(x -> x >= 0)", " | shuffle(8, seed: 5)",
          " | cache()", " | batch(4) | prefetch(2) | unbatch()",
          " | prefetch(2) | batch(3) | shuffle(3, seed: 1) | prefetch(2)",
          " | map(x -> x, num_parallel_calls: 2)",
          " | batch(4) | interleave(b -> from_tensor_slices(b), cycle_length: 2)",
          " | repeat(1) | prefetch(5)"}) {
      for (const int64_t taken : {1, 3, 5, 9}) check_each_once("", mixture, behind, taken);
    }
  }
  // The error of a dataset takes no turn.
  check_each_once("",
                  "mix_datasets([range(-2, 30) | map(x -> x // int64(x >= 0)), range(1000, 1030)], WEIGHTS)",
                  " | prefetch(3) | ignore_errors()", 5);
}

// An iterator that shares what caches keep with others of the document.
OpenIterator sharing(Runtime& runtime, const DocumentRef& document) {
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec(), document, true));
  const std::vector<ParamValue> none;
  require_ok(iterator->initialize(document, {.params = none}));
  return iterator;
}

TEST_CASE("a position in elements that another iterator's cache kept has their weights") {
  ThreadsRuntime runtime;
  const std::string datasets = "[range(30), range(1000, 1020)]";
  const std::string drawn = concat("sample_from_datasets(", datasets, ", seed: 3, weights: ");
  for (const std::string& mixture : {concat("mix_datasets(", datasets, ", WEIGHTS)"), drawn + "WEIGHTS)",
                                     drawn + "schedule([(0, [0.5, 0.5]), (4, WEIGHTS)]))"}) {
    const std::string cached = mixture + " | cache()";
    for (const std::string& text :
         {cached, cached + " | repeat(2)", cached + " | shuffle(7, seed: 2)", cached + " | batch(4)",
          concat("zip(", cached, ", range(100))"), cached + " | cache() | prefetch(2)",
          concat("mix_datasets([", cached, ", range(2000, 2005)], [0.9, 0.1])")}) {
      INFO(text);
      const DocumentRef document = parse_text(*runtime, with_weights(text, kBefore));
      all_lines(*sharing(*runtime, document));
      for (const int64_t taken : {0, 1, 5, 11, 12, 45, 49}) {
        INFO("after " << taken);
        const auto iterator = sharing(*runtime, document);
        take_lines(*iterator, taken);
        const std::string saved = require_value(iterator->save());
        CHECK(all_lines(*open_text(*runtime, with_weights(text, kAfter), &saved)) == all_lines(*iterator));
      }
    }
  }
}

// Whether a position is refused, at once or in place of the next element where what refuses it is opened for
// that.
bool is_refused(Runtime& runtime, const std::string& text, const std::string& saved) {
  try {
    return take_lines(*open_text(runtime, text, &saved), 1) == Lines{"error: failed_precondition"};
  } catch (const std::exception&) {
    return true;
  }
}

TEST_CASE(
    "a position of another epoch, or of rows by their positions, fits only the same weights of a mixture") {
  ThreadsRuntime runtime;
  const std::string mixture = "mix_datasets([range(6), range(100, 106)], WEIGHTS)";
  for (const std::string& text :
       {mixture + " | repeat(2) | prefetch(2)", mixture + " | global_shuffle(seed: 1)",
        mixture + " | partition(2, p -> p | shuffle(3, seed: 1), by: \"index\")",
        mixture + " | partition(2, p -> p) | prefetch(2)",
        mixture + " | partition(2, p -> p) | ignore_errors()",
        mixture + " | rejection_resample(x -> x % 2, [0.5, 0.5], seed: 3)",
        concat("range(1) | flat_map(i -> ", mixture, " | cache())"),
        concat("range(2) | flat_map(i -> ", mixture, ")"),
        concat("let m = ", mixture, " range(2) | flat_map(i -> m)"),
        concat("let m = ", mixture, " range(3) | flat_map(i -> m) | batch(1) | ignore_errors()")}) {
    INFO(text);
    const auto iterator = open_text(*runtime, with_weights(text, kBefore));
    take_lines(*iterator, 8);
    std::string saved = require_value(iterator->save());
    // It takes some pulls until the rows of the first epoch are left behind.
    take_lines(*iterator, 6);
    if (text.find("repeat") != std::string::npos) saved = require_value(iterator->save());
    CHECK(is_refused(*runtime, with_weights(text, kAfter), saved));
    take_lines(*open_text(*runtime, with_weights(text, kBefore), &saved), 1);
  }
}

// After a change of weights, a position continues as the iterator does that saved it.
void check_continues(const std::string& text, const Lines& weights, const std::vector<int64_t>& taken) {
  ThreadsRuntime runtime;
  INFO(text);
  std::string saved;
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string document = with_weights(text, weights[i]);
    const auto iterator = open_text(*runtime, document, i == 0 ? nullptr : &saved);
    take_lines(*iterator, taken[i]);
    saved = require_value(iterator->save());
    CHECK(all_lines(*open_text(*runtime, document, &saved)) == all_lines(*iterator));
  }
}

TEST_CASE("a position saved after a change of weights continues in each epoch, and behind an end") {
  const std::string mixture = "mix_datasets([range(10), range(100, 110)], WEIGHTS)";
  for (const int64_t taken : {3, 14, 15, 16, 17, 25})
    check_continues(mixture + " | repeat(2)", {"[0.9, 0.1]", "[0.2, 0.8]"}, {5, taken});
  check_continues(mixture + " | shuffle(4, seed: 1) | batch(3) | prefetch(2)",
                  {"[0.9, 0.1]", "[0.2, 0.8]", "[0.5, 0.5]"}, {1, 1, 2});
  // It had ended with the old weights.
  check_continues(
      "mix_datasets([range(3), range(100, 140)], WEIGHTS, stop_on_empty: true) | shuffle(4, seed: 1)",
      {"[0.9, 0.1]", "[0.2, 0.8]"}, {1, 1});
  check_continues("mix_datasets([range(5), range(100, 110)], WEIGHTS) | shuffle(4, seed: 1)",
                  {"[1.0, 0.0]", "[0.5, 0.5]", "[0.3, 0.7]"}, {3, 1, 1});
  check_continues("mix_datasets([range(5), range(100, 108)], WEIGHTS) | batch(3) | prefetch(2)",
                  {"[1.0, 0.0]", "[0.9, 0.1]"}, {2, 0});
}

TEST_CASE(
    "a position is refused where weights decide which datasets are read, or more than weights differs") {
  ThreadsRuntime runtime;
  const auto refuses = [&](const std::string& text, const std::string& other) {
    INFO(other);
    const auto iterator = open_text(*runtime, text);
    take_lines(*iterator, 3);
    const std::string saved = require_value(iterator->save());
    CHECK_THROWS(open_text(*runtime, other, &saved));
    open_text(*runtime, text, &saved);
    open_text(*runtime, other);
  };
  // Of three datasets another two are drawn from.
  const std::string three = "sample_from_datasets([range(9), range(9), range(9)], seed: 1, weights: ";
  refuses(three + "[0.5, 0.5, 0.0])", three + "[0.0, 0.5, 0.5])");
  refuses(three + "[0.5, 0.5, 0.0])", three + "[0.5, 0.25, 0.25])");
  refuses("let w = [0.5, 0.5] mix_datasets([range(9), range(8)], w)",
          "let w = [0.5, 0.5] mix_datasets([range(9), range(7)], w)");
  // A `let` that is used otherwise, too.
  const std::string used = " mix_datasets([range(9), range(8)], w) | map(x -> (x, w))";
  refuses("let w = [0.5, 0.5]" + used, "let w = [0.75, 0.25]" + used);
  const std::string param = "param w: float64[2] mix_datasets([range(9), range(8)], $w) | map(x -> (x, $w))";
  const auto iterator = open_text(*runtime, param, nullptr, {{"w", std::string(kBefore)}});
  const std::string saved = require_value(iterator->save());
  CHECK_THROWS(open_text(*runtime, param, &saved, {{"w", std::string(kAfter)}}));
}

TEST_CASE("a position goes on with another number of parallel calls from a $param") {
  ThreadsRuntime runtime;
  const std::string text = "param n: int64 range(9) | map(x -> x + 1, num_parallel_calls: $n)";
  const auto iterator = open_text(*runtime, text, nullptr, {{"n", "2"}});
  CHECK(take_lines(*iterator, 3) == Lines{"1", "2", "3"});
  const std::string saved = require_value(iterator->save());
  CHECK(take_lines(*open_text(*runtime, text, &saved, {{"n", "3"}}), 2) == Lines{"4", "5"});
}

TEST_CASE("files of a cache or a snapshot aren't taken for those of other weights") {
  ThreadsRuntime runtime;
  const std::string mixture = "mix_datasets([range(6), range(100, 106)], WEIGHTS)";
  for (const std::string& text : Lines{
           mixture, concat("range(1) | flat_map(i -> ", mixture, ")"),
           "sample_from_datasets([range(6), range(100, 106)], seed: 1, weights: schedule([(0, WEIGHTS)]))"}) {
    INFO(text);
    TemporaryFolder folder;
    const std::string before = with_weights(text, kBefore);
    const std::string after = with_weights(text, kAfter);
    for (const char* name : {"cache", "snapshot"}) {
      const std::string kept = concat(" | ", name, "(", quote(folder.at(name)), ")");
      const Lines lines = all_lines(*runtime, before + kept);
      CHECK(all_lines(*runtime, before + kept) == lines);
      CHECK(all_lines(*runtime, after + kept) == Lines{"error: failed_precondition"});
      // Nor at a position, be it in the first pass that read them or behind it.
      for (const char* const passes : {"", " | repeat(2)", " | repeat(2) | batch(1) | ignore_errors()"}) {
        const auto iterator = open_text(*runtime, before + kept + passes);
        for (const int64_t taken : {1, 1, 9}) {
          take_lines(*iterator, taken);
          const std::string saved = require_value(iterator->save());
          CHECK(is_refused(*runtime, after + kept + passes, saved));
        }
      }
    }
  }
}

}  // namespace
}  // namespace weir
