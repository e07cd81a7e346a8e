// Resizing under the simulated executor: all ranks that join the same positions must find the same, whatever
// their threads have made by then.
#include "iterator/resize.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/pipeline.h"
#include "support/sim_world.h"

namespace weir::sim {
namespace {

// Runs `body(runtime)` as the only client of a world.
template <class Body>
void in_world(uint64_t seed, Body&& body) {
  SimWorld world(seed);
  world.client("rank", [&] { body(world.runtime()); });
  REQUIRE(world.run() == "");
}

// A rank as a process of its own has it: its document and an iterator at the position, if there is one.
struct Rank {
  Rank(Runtime& runtime, const char* text, World world, const std::string* position = nullptr)
      : document(parse_text(runtime, text)), iterator(new Iterator(runtime, nullptr, document->spec())) {
    require_ok(iterator->initialize(document, {.params = {}, .checkpoint = position, .world = &world}));
  }
  const DocumentRef document;
  const OpenIterator iterator;
};

// The positions of so many ranks, each after as many elements as `taken` says. Appends these elements to
// `given`.
std::vector<std::string> positions(uint64_t seed, const char* text, const std::vector<int64_t>& taken,
                                   std::vector<std::string>& given) {
  std::vector<std::string> saved(taken.size());
  for (size_t number = 0; number < taken.size(); ++number) {
    in_world(seed + number, [&](Runtime& runtime) {
      const Rank rank(runtime, text, {static_cast<int64_t>(number), static_cast<int64_t>(taken.size()), {}});
      for (std::string& line : take_lines(*rank.iterator, taken[number])) given.push_back(std::move(line));
      saved[number] = require_value(rank.iterator->save());
    });
  }
  return saved;
}

std::string joined(uint64_t seed, const char* text, const std::vector<std::string>& saved, World world) {
  std::string out;
  in_world(seed, [&](Runtime& runtime) {
    out = require_value(resize({runtime, nullptr, parse_text(runtime, text), {}, &world}, saved));
  });
  return out;
}

TEST_CASE("resize: joined positions depend on nothing but the positions") {
  const char* const texts[] = {
      "range(200) | prefetch(7) | shard(auto, auto) | filter(x -> x % 3 != 0)",
      "range(200) | prefetch(7) | shard(auto, auto) | filter(x -> x % 3 != 0) | prefetch(4) | batch(2) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)",
      "range(200) | map(x -> x + 1, num_parallel_calls: 2) | shard(auto, auto) | filter(x -> x % 2 != 0) | filter(x -> x % 5 != 0) | batch(3)",
  };
  for (const char* text : texts) {
    for (uint64_t seed = 0; seed < seed_count(10); ++seed) {
      INFO(text << ", seed " << seed);
      std::vector<std::string> given;
      const std::vector<int64_t> taken = {static_cast<int64_t>(seed % 4), 7, static_cast<int64_t>(seed % 40)};
      const std::vector<std::string> saved = positions(100 * seed, text, taken, given);
      const std::string first = joined(1, text, saved, {0, 4, {}});
      for (uint64_t other = 2; other < 8; ++other) {
        // In parentheses, since bytes are not for printing.
        CHECK((joined(100 * seed + other, text, saved, {0, 4, {}}) == first));
      }
    }
  }
}

// Its positions also say what has been opened ahead.
TEST_CASE("resize: ranks behind a parallel interleave give each element once") {
  const char* const text =
      "range(20) | interleave(x -> range(x * 9, x * 9 + 9), cycle_length: 3, num_parallel_calls: 2) | shard(auto, auto) | filter(x -> x % 3 != 0) | prefetch(1)";
  for (uint64_t seed = 0; seed < seed_count(10); ++seed) {
    INFO("seed " << seed);
    std::vector<std::string> given;
    const std::vector<int64_t> taken = {static_cast<int64_t>(seed % 4), 7, static_cast<int64_t>(seed % 40)};
    const std::vector<std::string> saved = positions(100 * seed, text, taken, given);
    for (int64_t number = 0; number < 4; ++number) {
      const uint64_t own = 100 * seed + 10 + static_cast<uint64_t>(number);
      const std::string position = joined(own, text, saved, {number, 4, {}});
      in_world(own, [&](Runtime& runtime) {
        const Rank rank(runtime, text, {number, 4, {}}, &position);
        for (std::string& line : all_lines(*rank.iterator)) given.push_back(std::move(line));
      });
    }
    std::vector<std::string> expected;
    for (int i = 0; i < 180; ++i) {
      if (i % 3 != 0) expected.push_back(std::to_string(i));
    }
    std::sort(given.begin(), given.end());
    std::sort(expected.begin(), expected.end());
    CHECK(given == expected);
  }
}

}  // namespace
}  // namespace weir::sim
