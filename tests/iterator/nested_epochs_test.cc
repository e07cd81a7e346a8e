// Datasets that arrive as elements and are opened more than once: what a position in any of their epochs
// restores.
#include <catch2/catch_test_macros.hpp>

#include "support/pipeline.h"
#include "support/sanitized.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

Lines lines_from(const Lines& lines, size_t begin) {
  return Lines(lines.begin() + static_cast<int64_t>(std::min(begin, lines.size())), lines.end());
}

// How many positions further the next one is saved.
constexpr size_t kStride = sanitized_step(3);

// Saves at every position, restores with another number of threads, and saves again some rows later.
void check_everywhere(const std::string& text) {
  INFO(text);
  ThreadsRuntime runtime(1);
  // Draws other seeds: those of a position come from its checkpoint.
  ThreadsRuntime other(3);
  other->random->draw();
  const Lines whole = all_lines(*open_text(*ThreadsRuntime(1), text));
  REQUIRE(whole.size() > 4);
  auto iterator = open_text(*runtime, text);
  // Texts of different lengths begin at different ones.
  const size_t first = text.size() % kStride;
  take_lines(*iterator, static_cast<int64_t>(first));
  for (size_t position = first; position <= whole.size(); position += kStride) {
    INFO("saved after " << position);
    const std::string saved = require_value(iterator->save());
    REQUIRE(all_lines(*open_text(*other, text, &saved)) == lines_from(whole, position));
    for (const size_t later : {1, 11}) {
      INFO("and again " << later << " rows later");
      auto restored = open_text(*other, text, &saved);
      take_lines(*restored, static_cast<int64_t>(later));
      const std::string again = require_value(restored->save());
      REQUIRE(all_lines(*open_text(*runtime, text, &again)) == lines_from(whole, position + later));
    }
    take_lines(*iterator, kStride);
  }
}

TEST_CASE("a dataset in an element is restored in any of its epochs, whatever its shuffle") {
  for (const std::string shuffle : {"shuffle(9)", "shuffle(9, seed: 3)", "shuffle(4, seed: (3, x))",
                                    "shuffle(9, seed: 3, reshuffle_each_iteration: false)",
                                    "shuffle(9, reshuffle_each_iteration: false)"}) {
    const std::string elements = "range(3) | map(x -> range(9) | " + shuffle + ")";
    check_everywhere(elements + " | flat_map(d -> d | repeat(2))");
    check_everywhere(elements + " | prefetch(2) | flat_map(d -> d | repeat(3) | batch(4))");
    check_everywhere(elements + " | interleave(d -> d | repeat(2), cycle_length: 2, block_length: 2)");
  }
}

TEST_CASE("a dataset in an element is restored in any of its epochs, whatever stands around it") {
  const std::string elements = "range(3) | map(x -> range(5) | shuffle(5, seed: 3))";
  for (const char* rest :
       {" | repeat(2) | flat_map(d -> d | repeat(2))",
        " | shuffle(2, seed: 1) | flat_map(d -> d | repeat(2))",
        " | filter(d -> true) | flat_map(d -> d | repeat(3) | shuffle(4, seed: 2))",
        " | map(d -> d | map(x -> x + 100)) | flat_map(d -> d | repeat(2))",
        " | enumerate() | flat_map((i, d) -> d | map(x -> (i, x)) | repeat(2))",
        " | flat_map(d -> d | repeat(2)) | prefetch(2) | batch(4) | repeat(2)",
        " | flat_map(d -> d | repeat(2)) | shuffle(7) | repeat(2)",
        " | interleave(d -> d | repeat(2), cycle_length: 2, block_length: 3, num_parallel_calls: 2)",
        " | interleave(d -> d | prefetch(2) | repeat(3), cycle_length: 2) | shuffle(5)"}) {
    check_everywhere(elements + rest);
  }
}

TEST_CASE("a dataset in an element is restored where several uses take turns at its epochs") {
  const std::string elements = "range(3) | map(x -> range(5) | shuffle(5, seed: 3) | repeat(2))";
  for (const char* rest :
       {" | flat_map(d -> zip(d, d) | repeat(2))",
        " | flat_map(d -> d | concatenate(d | take(4)) | repeat(2))",
        " | flat_map(d -> range(2) | flat_map(y -> d | repeat(2)))",
        // What runs ahead begins with the counts of a dataset that the graph doesn't name there.
        " | flat_map(d -> zip(d, d | prefetch(2)))",
        " | flat_map(d -> zip(d | repeat(2), d | prefetch(2) | repeat(2)))",
        " | map(d -> d | repeat(2)) | flat_map(d -> zip(d, d | map(x -> x, num_parallel_calls: 2)))"}) {
    check_everywhere(elements + rest);
  }
  const std::string shared = "let s = range(5) | shuffle(5, seed: 3) | repeat(2)\nrange(3) | map(x -> s)";
  check_everywhere(shared + " | flat_map(d -> d | repeat(2))");
  check_everywhere(shared + " | flat_map(d -> zip(d | repeat(2), d | prefetch(2) | repeat(2)))");
  check_everywhere(shared + " | interleave(d -> zip(d, d | prefetch(2) | repeat(2)), cycle_length: 2)");
}

TEST_CASE("a shuffle that is opened late is restored behind windows that began before") {
  const std::string late = " | concatenate(range(100, 112) | shuffle(12, seed: 4))";
  for (const std::string& text :
       {"range(12) | prefetch(2)" + late + " | prefetch(2) | batch(2)",
        "range(6) | map(x -> x, num_parallel_calls: 2)" + late + " | prefetch(2) | filter(x -> x != 103)",
        "range(6) | prefetch(2)" + late + " | prefetch(2) | repeat(2) | batch(3) | prefetch(1)",
        "range(4) | prefetch(2) | shuffle(4, seed: 1)" + late + late + " | prefetch(2) | batch(2)"}) {
    check_everywhere(text);
  }
}

TEST_CASE("a dataset in an element of a dataset in an element is restored in any of its epochs") {
  const std::string elements =
      "range(2) | map(x -> range(2) | map(y -> range(5) | shuffle(5) | repeat(2)) | shuffle(2))";
  for (
      const char* rest :
      {" | flat_map(d -> d) | flat_map(e -> e | repeat(2))",
       " | flat_map(d -> d | flat_map(e -> e | repeat(2)) | repeat(2))",
       " | flat_map(d -> d | prefetch(2) | interleave(e -> zip(e, e | prefetch(2)) | repeat(2), cycle_length: 2))"}) {
    check_everywhere(elements + rest);
  }
}

}  // namespace
}  // namespace weir
