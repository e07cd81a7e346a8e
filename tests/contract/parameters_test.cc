// Parameters that are computed when a cursor opens: their random draws are part of the position.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "support/pipeline.h"

namespace weir {
namespace {

TEST_CASE("contract: a random parameter comes back with the checkpoint") {
  const char* text = "range(1000) | skip(random_uniform([], 0, 900, int64))";
  ThreadsRuntime runtime;
  auto first = open_text(*runtime, text);
  const std::vector<std::string> begin = take_lines(*first, 1);
  const std::string saved = require_value(first->save());
  const std::vector<std::string> rest = take_lines(*first, 20);
  // Another graph of the same text draws another seed.
  CHECK(take_lines(*open_text(*runtime, text), 1) != begin);
  CHECK(take_lines(*open_text(*runtime, text, &saved), 20) == rest);
}

TEST_CASE("contract: a random parameter is drawn anew for every dataset that a function makes") {
  const char* text =
      "range(8) | flat_map(x -> range(1000) | skip(random_uniform([], 0, 900, int64)) | take(1))";
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, text);
  const std::vector<std::string> lines = all_lines(*iterator);
  REQUIRE(lines.size() == 8);
  CHECK(std::count(lines.begin(), lines.end(), lines[0]) < 8);
}

TEST_CASE("contract: without a seed each call of a lambda shuffles in its own order, which comes back") {
  const char* texts[] = {
      "range(6) | flat_map(x -> range(30) | shuffle(30) | batch(30))",
      "range(6) | flat_map(x -> range(30) | shuffle(30) | prefetch(2) | batch(30))",
      "range(6) | interleave(x -> range(30) | shuffle(30) | batch(30), cycle_length: 2)",
      "range(6) | map(x -> range(30) | shuffle(30) | reduce(0, (s, y) -> s * 3 + y))",
  };
  ThreadsRuntime runtime;
  for (const char* text : texts) {
    INFO(text);
    auto iterator = open_text(*runtime, text);
    std::vector<std::string> lines = take_lines(*iterator, 2);
    const std::string saved = require_value(iterator->save());
    const std::vector<std::string> rest = all_lines(*iterator);
    CHECK(all_lines(*open_text(*runtime, text, &saved)) == rest);
    lines.insert(lines.end(), rest.begin(), rest.end());
    REQUIRE(lines.size() == 6);
    std::sort(lines.begin(), lines.end());
    CHECK(std::unique(lines.begin(), lines.end()) == lines.end());
  }
  // A given seed gives the same order each time.
  const std::vector<std::string> seeded =
      all_lines(*runtime, "range(2) | flat_map(x -> range(30) | shuffle(30, seed: 5) | batch(30))");
  CHECK(seeded[0] == seeded[1]);
}

}  // namespace
}  // namespace weir
