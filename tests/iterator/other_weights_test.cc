// Positions go on with other weights of a mixture, wherever the weights come from; files of elements don't.
#include <catch2/catch_test_macros.hpp>
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
    }
  }
}

}  // namespace
}  // namespace weir
