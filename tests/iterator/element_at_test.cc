// Reading by position gives what an iterator gives, in whatever order the positions are read.
#include "iterator/element_at.h"

#include <algorithm>

#include "graph/format_element.h"
#include "ops/pipelines.h"
#include "support/sanitized.h"

namespace weir::test {
namespace {

std::string line_at(Runtime& runtime, const DocumentRef& document, int64_t position) {
  Block block;
  require_value(element_at(runtime, nullptr, document, position, nullptr, block));
  return require_value(format_element(document->spec(), block.row(0), nullptr));
}

// All by position, beginning at `first`, each `step` positions after the one before.
// REQUIRES: step and the count have no common divisor
Lines lines_by_position(const std::string& text, int64_t count, int64_t first, int64_t step) {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, text);
  Lines lines(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = (first + i * step) % count;
    lines[static_cast<size_t>(position)] = line_at(*runtime, document, position);
  }
  return lines;
}

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

const std::vector<std::string>& reshuffled() {
  static const std::vector<std::string> texts = {
      "range(5) | global_shuffle(seed: 1) | repeat(3)",
      // More epochs than stay open.
      "range(3) | global_shuffle(seed: 1) | repeat(200)",
      "range(5) | global_shuffle(seed: 1) | repeat(2) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(2) | batch(2) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(2) | batch(5) | take(2) | repeat(3)",
      "let d = range(5) | global_shuffle(seed: 1) | repeat(2) d | concatenate(d)",
      "let d = range(5) | global_shuffle(seed: 1) | repeat(3) d | take(6) | concatenate(d) | repeat(2)",
      "let d = range(5) | global_shuffle(seed: 1) d | concatenate(d | repeat(2)) | repeat(2)",
      "let d = range(5) | global_shuffle(seed: 1) | repeat(2) d | take(0) | concatenate(d) | repeat(2)",
      "let d = range(5) | global_shuffle(seed: 1) | repeat(2) d | repeat(0) | concatenate(d) | repeat(2)",
      // Those that end early open one epoch less than those that come to the end.
      "range(5) | global_shuffle(seed: 1) | repeat(3) | take(10) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(3) | take(11) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(3) | skip(4) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(3) | shard(4, 3) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(3) | shard(4, 3) | take(2) | repeat(3)",
      "zip(range(9) | global_shuffle(seed: 1), range(4)) | repeat(3)",
      "zip(range(5) | global_shuffle(seed: 1) | repeat(2), range(5)) | repeat(3)",
      "zip(range(5), range(5) | global_shuffle(seed: 1) | repeat(2)) | repeat(3)",
      "zip(range(4), range(5) | global_shuffle(seed: 1) | repeat(2)) | repeat(3)",
      "let d = range(5) | global_shuffle(seed: 1) zip(d, d) | repeat(3)",
      "range(5) | global_shuffle(seed: 1) | repeat(3) | global_shuffle(seed: 2) | repeat(2)",
      "range(5) | global_shuffle(seed: 7) | repeat(3) | map(x -> (x, random_uniform([], seed: 4))) | repeat(2)",
      "mix_datasets([range(5) | global_shuffle(seed: 1) | repeat(2), range(4) | global_shuffle(seed: 1)], "
      "weights: [0.7, 0.3]) | repeat(3)",
      "mix_datasets([range(5) | global_shuffle(seed: 1) | repeat(2), range(4) | global_shuffle(seed: 1)], "
      "weights: [0.7, 0.3], stop_on_empty: true) | repeat(3)",
      "mix_datasets([range(5) | global_shuffle(seed: 1) | repeat(2), range(9)], weights: [0.7, 0.3]) | "
      "take(6) | repeat(3)",
  };
  return texts;
}

TEST_CASE("an element by its position has the order of its epoch, whatever is read first") {
  for (const std::string& text : reshuffled()) {
    INFO(text);
    const Lines all = run(text);
    const auto count = static_cast<int64_t>(all.size());
    CHECK(lines_by_position(text, count, 0, 1) == all);
    CHECK(lines_by_position(text, count, count - 1, count - 1) == all);
    const int64_t step = count % 7 != 0 ? 7 : 11;
    CHECK(lines_by_position(text, count, count / 2, step) == all);
  }
}

TEST_CASE("what is shuffled or cut over epochs has each element of each epoch") {
  for (const std::string& text : reshuffled()) {
    INFO(text);
    const Lines all = run(text);
    CHECK(sorted(run(text + " | global_shuffle(seed: 3)", 64)) == sorted(all));
    // Functions draw other numbers in parts.
    if (contains(text, "random")) continue;
    CHECK(sorted(run(text + " | partition(4, part -> part)")) == sorted(all));
    CHECK(sorted(run(text + " | partition(2, part -> part | shuffle(4, seed: 9))")) == sorted(all));
  }
}

TEST_CASE("a position in what is shuffled over epochs goes on with their orders") {
  size_t tried = 0;
  for (const std::string& text : reshuffled()) {
    for (const std::string rest :
         {" | global_shuffle(seed: 3)", " | global_shuffle(seed: 3) | repeat(2)",
          " | partition(3, part -> part | shuffle(4, seed: 6))", " | global_shuffle(seed: 3) | batch(4)"}) {
      const std::string whole = text + rest;
      INFO(whole);
      const Lines all = run(whole);
      const auto count = static_cast<int64_t>(all.size());
      for (const int64_t taken : {int64_t{0}, int64_t{1}, count / 3, count / 2 + 1, count - 1}) {
        if (++tried % sanitized_step(3) != 0) continue;
        INFO(taken);
        CHECK(run_restored(whole, taken) == Lines(all.begin() + taken, all.end()));
      }
    }
  }
}

TEST_CASE("two datasets side by side by position that take turns to open a shuffle are refused") {
  const std::string text = "let d = range(5) | global_shuffle(seed: 1) | repeat(2) zip(d, d)";
  CHECK(run(text).size() == 10);
  CHECK(run(text + " | global_shuffle(seed: 2)") == Lines{"error: failed_precondition"});
}

}  // namespace
}  // namespace weir::test
