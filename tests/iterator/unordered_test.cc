// Positions of a map whose results come in any order.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>

#include "iterator/iterator.h"
#include "support/pipeline.h"
#include "support/sanitized.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// x * 3, for some x after the calls of others.
class Uneven final : public Callback {
 public:
  Uneven()
      : Callback({.concurrent = true, .blocking = false, .block = false, .pure = true, .on_caller = false}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    const int64_t x = *in.columns[0].row(0).as<int64_t>();
    const int64_t turns = x % 5 == 0 ? 200'000 : 1;
    for (int64_t i = 0; i < turns; ++i) spun_.fetch_add(1, std::memory_order_relaxed);
    if (x % 11 == 10) return Status(Code::aborted, "planted");
    out.columns[0].set_row(Tensor::scalar<int64_t>(x * 3));
    return {};
  }

 private:
  mutable std::atomic<int64_t> spun_{0};
};

OpenIterator open(Runtime& runtime, const char* text, const std::string* checkpoint) {
  Handed handed;
  handed.emplace("f", CallbackRef(make_ref<const Uneven>()));
  auto document = require_value(parse_document(runtime, text, handed));
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .checkpoint = checkpoint}));
  return iterator;
}

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("unordered: a position has the numbers that were delivered beyond it", "[threads]") {
  ThreadsRuntime runtime(4);
  std::mt19937 draw(5);
  for (
      const char* text :
      {"range(150) | map(@f, num_parallel_calls: 4, deterministic: false)",
       "range(150) | shuffle(20, seed: 3) | map(x -> (x, @f(x), random_uniform([], seed: 4)), num_parallel_calls: 3, deterministic: false)",
       "range(50) | map(@f, num_parallel_calls: 4, deterministic: false) | repeat(3) | enumerate() | map((i, x) -> x)"}) {
    INFO(text);
    Lines expected = sorted(all_lines(*open(*runtime, text, nullptr)));
    REQUIRE(expected.size() == 150);
    bool beyond = false;
    for (int round = 0; round < (kSanitized ? 4 : 8); ++round) {
      OpenIterator iterator = open(*runtime, text, nullptr);
      Lines lines;
      for (bool ended = false; !ended;) {
        const Lines more = take_lines(*iterator, 1 + static_cast<int64_t>(draw() % 9), 1 + round % 3);
        lines.insert(lines.end(), more.begin(), more.end());
        ended = lines.back() == "end";
        const std::string saved = require_value(iterator->save());
        beyond = beyond || saved.find("delivered") != std::string::npos;
        iterator = open(*runtime, text, &saved);
      }
      lines.pop_back();
      CHECK(sorted(lines) == expected);
    }
    CHECK(beyond);
  }
}

TEST_CASE("unordered: saved at each position, also of a restored one", "[threads]") {
  ThreadsRuntime runtime(4);
  const char* text = "range(60) | map(@f, num_parallel_calls: 4, deterministic: false)";
  const Lines expected = sorted(all_lines(*open(*runtime, text, nullptr)));
  OpenIterator iterator = open(*runtime, text, nullptr);
  Lines lines;
  while (lines.empty() || lines.back() != "end") {
    // Twice in a row: nothing was taken between.
    std::string saved = require_value(iterator->save());
    iterator = open(*runtime, text, &saved);
    saved = require_value(iterator->save());
    iterator = open(*runtime, text, &saved);
    const Lines more = take_lines(*iterator, 1);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  lines.pop_back();
  CHECK(sorted(lines) == expected);
}

TEST_CASE("unordered: above it nothing may keep elements, unless by value") {
  ThreadsRuntime runtime;
  for (const char* text :
       {"range(60) | map(@f, num_parallel_calls: 4, deterministic: false) | batch(2)",
        "range(60) | map(@f, num_parallel_calls: 4, deterministic: false) | prefetch(2)",
        "range(9) | flat_map(x -> range(3) | map(@f, num_parallel_calls: 4, deterministic: false))"}) {
    OpenIterator iterator = open(*runtime, text, nullptr);
    const Status refused = iterator->save().status();
    CHECK(refused.code() == Code::failed_precondition);
    CHECK(refused.error().message.find("in any order") != std::string::npos);
  }
}

TEST_CASE("unordered: a sequential map cannot take up results beyond its position") {
  ThreadsRuntime runtime(4);
  const char* text = "range(150) | map(@f, num_parallel_calls: 4, deterministic: false)";
  std::string saved;
  for (int64_t taken = 1; saved.find("delivered") == std::string::npos; ++taken) {
    OpenIterator iterator = open(*runtime, text, nullptr);
    take_lines(*iterator, 1 + taken % 100);
    saved = require_value(iterator->save());
  }
  OpenIterator iterator;
  Handed handed;
  handed.emplace("f", CallbackRef(make_ref<const Uneven>()));
  auto document = require_value(
      parse_document(*runtime, "range(150) | map(@f, num_parallel_calls: 1, deterministic: false)", handed));
  iterator.reset(new Iterator(*runtime, nullptr, document->spec()));
  const Status begun = iterator->initialize(document, {.params = {}, .checkpoint = &saved});
  // The message comes at once or with the first element.
  const std::string message = begun.ok() ? take_lines(*iterator, 1).at(0) : begun.error().message;
  CHECK(message.find(begun.ok() ? "data_loss" : "num_parallel_calls") != std::string::npos);
}

}  // namespace
}  // namespace weir
