// What shuffles, caches and windows hold, and the budget for it.
#include "core/memory_budget.h"

#include <algorithm>

#include "ops/pipelines.h"
#include "support/failing_new.h"

namespace weir::test {
namespace {

// Eight million bytes, which no dataset node owns.
const std::string kRows = "range(8000) | map(x -> full([125], x))";
constexpr int64_t kPayload = 8000 * 1000;
// Of rows on their way.
constexpr int64_t kBlock = 2 << 20;

// The most that was held while the pipeline ran.
int64_t most_held(const std::string& text, int64_t limit, Lines& lines) {
  ThreadsRuntime runtime;
  (*runtime).budget = make_ref<MemoryBudget>(limit);
  auto iterator = open_text(*runtime, text);
  int64_t most = 0;
  for (bool ended = false; !ended;) {
    for (std::string& line : take_lines(*iterator, 1)) {
      ended = line == "end";
      if (!ended) lines.push_back(std::move(line));
    }
    most = std::max(most, (*runtime).budget->used());
  }
  iterator->close();
  return most;
}

size_t errors_in(const Lines& lines) {
  return static_cast<size_t>(std::count(lines.begin(), lines.end(), "error: resource_exhausted"));
}

TEST_CASE("what is held is counted, and given back") {
  Lines shuffled;
  const int64_t held = most_held(kRows + " | shuffle(8000, seed: 1)", INT64_MAX, shuffled);
  CHECK(errors_in(shuffled) == 0);
  CHECK(held >= kPayload);
  CHECK(held <= kPayload * 11 / 10 + 64 * 8000 + (1 << 20));
  Lines cached;
  const int64_t twice = most_held(kRows + " | cache() | repeat(2)", INT64_MAX, cached);
  CHECK(cached.size() == 16000);
  CHECK(twice >= kPayload);
  CHECK(twice <= 2 * kPayload + 64 * 8000 + kBlock);
  ThreadsRuntime runtime;
  const RefPtr<MemoryBudget> budget = make_ref<MemoryBudget>(INT64_MAX);
  (*runtime).budget = budget;
  {
    auto iterator = open_text(*runtime, kRows + " | shuffle(4000, seed: 1) | cache()");
    take_lines(*iterator, 5600);
    CHECK(budget->used() > kPayload / 2);
  }
  CHECK(budget->used() == 0);
}

TEST_CASE("a shuffle beyond the budget gives errors in place of elements") {
  Lines all;
  most_held(kRows + " | shuffle(8000, seed: 1) | map(x -> x[0])", INT64_MAX, all);
  for (int64_t limit : {int64_t{1}, kPayload / 2}) {
    Lines lines;
    CHECK(most_held(kRows + " | shuffle(8000, seed: 1) | map(x -> x[0])", limit, lines) <= limit + kBlock);
    REQUIRE(lines.size() == all.size());
    CHECK(errors_in(lines) > 0);
    if (limit > 1) CHECK(errors_in(lines) < 4800);
    // The others come in their places.
    for (size_t i = 0; i < all.size(); ++i)
      CHECK((lines[i] == all[i] || lines[i] == "error: resource_exhausted"));
  }
  Lines enough;
  most_held(kRows + " | shuffle(2400, seed: 1)", kPayload / 2, enough);
  CHECK(errors_in(enough) == 0);
}

TEST_CASE("a cache beyond the budget says so once an epoch, and gives all elements of the first") {
  Lines lines;
  CHECK(most_held(kRows + " | map(x -> x + 0) | cache() | map(x -> x[0])", 1600 * 1000, lines) <=
        1600 * 1000 + kBlock);
  CHECK(lines.size() == 8001);
  CHECK(errors_in(lines) == 1);
  std::erase(lines, "error: resource_exhausted");
  CHECK(lines == run("range(8000)"));
}

TEST_CASE("the budget is shared") {
  Lines lines;
  most_held(kRows + " | shuffle(4800, seed: 1) | map(x -> x + 1) | shuffle(4800, seed: 2)", kPayload, lines);
  CHECK(errors_in(lines) > 0);
  ThreadsRuntime runtime;
  (*runtime).budget = make_ref<MemoryBudget>(1);
  auto iterator = open_text(*runtime, kRows + " | shuffle(8000, seed: 1)");
  Block block;
  std::string message;
  while (message.empty() && require_value(iterator->next(1, block)) == PullResult::rows) {
    if (block.failed(0)) message = block.errors[0].error->describe();
  }
  CHECK(contains(message, "at most 1 bytes, the runtime's memory_bytes"));
  CHECK(contains(message, "shuffle"));
}

TEST_CASE("windows hold their rows and little more, within the budget") {
  for (const std::string& text : {kRows + " | window(2000, shift: 500) | flat_map(w -> w | take(500))",
                                  kRows + " | group_by_window(x -> x[0] % 4, (k, w) -> w, 500)"}) {
    INFO(text);
    Lines lines;
    const int64_t held = most_held(text, INT64_MAX, lines);
    CHECK(lines.size() == 8000);
    CHECK(errors_in(lines) == 0);
    CHECK(held >= kPayload / 8);
    CHECK(held <= kPayload / 2 + 64 * 2000 + kBlock);
  }
}

TEST_CASE("windows of rows that came one at a time hold at most an eighth more") {
  Lines lines;
  const std::string text =
      "range(5000) | flat_map(x -> from_tensors(x)) | window(3000, shift: 1, drop_remainder: true) | map(w -> 1)";
  const int64_t held = most_held(text, INT64_MAX, lines);
  CHECK(lines.size() == 2001);
  CHECK(held >= 2999 * 8);
  CHECK(held <= 3000 * 8 * 9 / 8);
}

TEST_CASE("a window beyond the budget is an error, and those that fit are there") {
  const std::string text = kRows + " | window(4000, shift: 4000) | map(w -> 1)";
  Lines lines;
  CHECK(most_held(text, kPayload / 4, lines) <= kPayload / 4 + kBlock);
  CHECK(lines == Lines{"error: resource_exhausted", "error: resource_exhausted"});
  // Elements that were dropped are those of later windows, too.
  Lines overlapping;
  most_held(kRows + " | take(3500) | window(2500, shift: 1100) | map(w -> 1)", kPayload / 4, overlapping);
  CHECK(overlapping == Lines{"error: resource_exhausted", "error: resource_exhausted", "1", "1"});
  Lines enough;
  most_held(kRows + " | window(1000) | map(w -> 1)", kPayload / 4, enough);
  CHECK(enough == Lines(8, "1"));
}

TEST_CASE("a batch beyond the budget is an error in its place, and those that fit are there") {
  Lines lines;
  CHECK(most_held(kRows + " | batch(4000) | map(b -> b[0, 0])", kPayload / 4, lines) <=
        kPayload / 4 + kBlock);
  CHECK(lines == Lines{"error: resource_exhausted", "error: resource_exhausted"});
  // So is one of rows of different shapes.
  Lines padded;
  most_held("range(4000) | map(x -> full([x % 250], x)) | padded_batch(2000) | map(b -> 1)", 1 << 20, padded);
  CHECK(padded == Lines{"error: resource_exhausted", "error: resource_exhausted"});
  Lines enough;
  most_held(kRows + " | batch(1000) | map(b -> b[0, 0])", kPayload / 4, enough);
  CHECK(enough == run("range(0, 8000, 1000)"));
}

TEST_CASE("what a function makes of many rows comes in blocks of the bytes that are wanted") {
  ThreadsRuntime runtime;
  for (const char* const text :
       {"range(64) | map(x -> full([250000], x))", "range(64) | map(x -> full([250000 + x % 2], x))",
        "range(64) | scan(0, (s, x) -> (s, full([250000 + x % 2], x)))"}) {
    INFO(text);
    auto iterator = open_text(*runtime, text);
    Block block;
    int64_t rows = 0;
    while (require_value(iterator->next(kMaxBlockRows, block)) == PullResult::rows) {
      CHECK(block.byte_size() <= (int64_t{4} << 20));
      rows += block.rows;
    }
    CHECK(rows == 64);
  }
}

// Each of 64 rows takes 2 MB or more in the function, whose result is small.
TEST_CASE("what a function needs for many rows is bounded by bytes") {
  for (
      const char* const text :
      {"range(64) | map(x -> sum(full([250000], x)))", "range(64) | map(x -> sum(full([250000 + x % 2], x)))",
       "range(64) | filter(x -> sum(full([250000 + x % 2], x)) >= 0)",
       "range(64) | take_while(x -> sum(full([250000], x)) >= 0)",
       "range(64) | map(x -> full([250000], x)) | map(x -> x * 2) | map(x -> x[0])",
       "range(64) | scan(0, (s, x) -> (s, sum(full([250000], x))))",
       "range(64) | map(x -> if x > 3 then sum(full([250000], x)) else sum(full([250000], -x)))",
       "range(64) | map(x -> sum(string_length(as_string(full([40000], x)))))",
       "range(64) | map(x -> range(2) | reduce(full([250000], x), (s, _) -> s + 1)) | map(x -> x[0])",
       "range(64) | group_by_reducer(x -> sum(full([250000], x)) % 1, init: k -> 0, reduce: (s, x) -> s + x, "
       "finalize: s -> s)",
       "range(64) | group_by_window(x -> sum(full([250000], x)) % 1, (k, w) -> w, 64)",
       // The rows grow when the function has been found cheap.
       "range(4096) | map(x -> sum(full([if x < 4000 then 1 else 250000], x)))"}) {
    INFO(text);
    const Lines all = run(text);
    ThreadsRuntime runtime;
    auto iterator = open_text(*runtime, text);
    MemoryUse use;
    {
      const Metered metered(use);
      CHECK(all_lines(*iterator, kMaxBlockRows) == all);
    }
    CHECK(use.most_bytes < int64_t{32} << 20);
  }
}

TEST_CASE("an element that no group has room for is an error in its place") {
  const std::string groups = kRows + " | group_by_window(x -> x[0] % 4, (k, w) -> w | map(x -> x[0]), 4000)";
  Lines lines;
  CHECK(most_held(groups, kPayload / 4, lines) <= kPayload / 4 + kBlock);
  CHECK(lines.size() == 8000);
  CHECK(errors_in(lines) == 6000);
  // A position among them goes on as it would have: what was lost is in no group.
  ThreadsRuntime runtime;
  (*runtime).budget = make_ref<MemoryBudget>(kPayload / 4);
  auto iterator = open_text(*runtime, groups);
  take_lines(*iterator, 3000);
  const std::string saved = require_value(iterator->save());
  const Lines rest = all_lines(*iterator);
  iterator.reset();
  CHECK(all_lines(*open_text(*runtime, groups, &saved)) == rest);
}

}  // namespace
}  // namespace weir::test
