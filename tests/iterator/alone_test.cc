// Iterators whose elements nobody but their consumers makes, since tuning found, or options() says, that it
// is faster.
#include <poll.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "expr/types/callback.h"
#include "iterator/iterator.h"
#include "iterator/iterator_stats.h"
#include "support/pipeline.h"

namespace weir {
namespace {

constexpr const char* kText =
    "range(200) | interleave(x -> range(3) | map(y -> x * 10 + y), cycle_length: 4, num_parallel_calls: auto) | map(@f, num_parallel_calls: auto) | prefetch(auto)";
constexpr const char* kAloneOnly = " | options(autotune: false, tuned: \"prefetch rows 4, alone 1\")";

// Gives its argument, and remembers the threads that called it. Takes long enough for others to make some
// calls.
class Watched final : public Callback {
 public:
  Watched() : Callback({.concurrent = true, .pure = true}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    {
      std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      rows_ += in.rows;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < until) {
    }
    out.columns = in.columns;
    return Status();
  }
  std::set<std::thread::id> threads() const {
    std::lock_guard lock(mutex_);
    return threads_;
  }

  int64_t rows() const {
    std::lock_guard lock(mutex_);
    return rows_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::set<std::thread::id> threads_;
  mutable int64_t rows_ = 0;
};

struct OpenedAlone {
  ThreadsRuntime runtime;
  RefPtr<Watched> watched = make_ref<Watched>();
  DocumentRef document;
  OpenIterator iterator;

  explicit OpenedAlone(const std::string& text, const std::string* checkpoint = nullptr) {
    Handed handed;
    handed.emplace("f", CallbackRef(watched));
    document = require_value(parse_document(*runtime, text, handed));
    iterator.reset(new Iterator(*runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(document, {.params = {}, .checkpoint = checkpoint}));
  }
  bool only_this_thread() const {
    return watched->threads() == std::set<std::thread::id>{std::this_thread::get_id()};
  }
};

std::vector<std::string> usual_lines() { return all_lines(*OpenedAlone(kText).iterator); }

TEST_CASE("alone: the same elements, all made by who waits for them") {
  const std::vector<std::string> usual = usual_lines();
  for (const int rows : {1, 64}) {
    OpenedAlone alone(std::string(kText) + kAloneOnly);
    CHECK(all_lines(*alone.iterator, rows) == usual);
    CHECK(alone.only_this_thread());
    CHECK(alone.iterator->stats().alone);
  }
}

TEST_CASE("alone: who never waits, or not for long, gets all elements, too") {
  const std::vector<std::string> usual = usual_lines();
  for (const bool within : {false, true}) {
    OpenedAlone alone(std::string(kText) + kAloneOnly);
    std::vector<std::string> lines;
    Block block;
    for (;;) {
      const PullResult got = require_value(within ? alone.iterator->next_within(1'000'000'000, 1, block)
                                                  : alone.iterator->try_next(1, block));
      if (got == PullResult::end) break;
      if (got == PullResult::rows)
        lines.push_back(require_value(format_element(alone.iterator->spec(), block.row(0))));
    }
    CHECK(lines == usual);
  }
}

TEST_CASE("alone: nothing is made ahead, whatever the windows may hold") {
  OpenedAlone alone(
      "range(3000) | map(@f, num_parallel_calls: auto) | prefetch(auto) | options(autotune: false, tuned: \"prefetch rows 1000, prefetch/map calls 16, alone 1\")");
  for (int taken = 1; taken <= 40; ++taken) {
    take_lines(*alone.iterator, 1);
    // Calls of this length have one row each.
    CHECK(alone.watched->rows() == taken);
  }
  CHECK(alone.only_this_thread());
}

TEST_CASE("alone: who does not wait makes only a part of a large element at once") {
  const std::string text =
      std::string("range(1000) | map(@f, num_parallel_calls: auto) | batch(300) | prefetch(auto)") +
      kAloneOnly;
  OpenedAlone alone(text);
  Block block;
  CHECK(require_value(alone.iterator->try_next(1, block)) == PullResult::pending);
  const int64_t tried = alone.watched->rows();
  CHECK(tried < 100);
  // Not at all in no time, but for what is begun.
  CHECK(require_value(alone.iterator->next_within(0, 1, block)) == PullResult::pending);
  CHECK(alone.watched->rows() <= tried + 4);
  CHECK(require_value(alone.iterator->next(1, block)) == PullResult::rows);
  CHECK(block.columns[0].tensor().shape == Shape({1, 300}));
  CHECK(all_lines(*alone.iterator).size() == 3);
}

TEST_CASE("alone: elements that are made one after the other have the same memory") {
  OpenedAlone alone(
      "range(100) | map(x -> zeros([50000]) + float32(x), num_parallel_calls: auto) | prefetch(auto) | options(autotune: false, tuned: \"alone 1\")");
  Block block;
  std::set<const void*> places;
  for (int i = 0; i < 100; ++i) {
    REQUIRE(require_value(alone.iterator->next(1, block)) == PullResult::rows);
    const Tensor& element = block.columns[0].tensor();
    REQUIRE(reinterpret_cast<const float*>(element.data)[49999] == static_cast<float>(i));
    if (i >= 10) places.insert(element.data);
  }
  CHECK(places.size() == 1);
}

TEST_CASE("alone: a position is saved and restored, alone or not") {
  const std::vector<std::string> usual = usual_lines();
  for (const bool restored_alone : {false, true}) {
    OpenedAlone alone(std::string(kText) + kAloneOnly);
    take_lines(*alone.iterator, 101);
    const std::string saved = require_value(alone.iterator->save());
    CHECK(all_lines(*alone.iterator) == std::vector<std::string>(usual.begin() + 101, usual.end()));
    OpenedAlone rest(std::string(kText) + (restored_alone ? kAloneOnly : " | options()"), &saved);
    CHECK(all_lines(*rest.iterator) == std::vector<std::string>(usual.begin() + 101, usual.end()));
  }
}

TEST_CASE("alone: who waits for a descriptor is told when threads have made an element") {
  OpenedAlone alone(std::string(kText) + kAloneOnly);
  take_lines(*alone.iterator, 10);
  REQUIRE(alone.only_this_thread());
  const int descriptor = require_value(alone.iterator->ready_descriptor());
  CHECK_FALSE(alone.iterator->stats().alone);
  Block block;
  int rows = 0;
  for (;;) {
    const PullResult got = require_value(alone.iterator->try_next(1, block));
    if (got == PullResult::end) break;
    rows += got == PullResult::rows;
    pollfd entry{descriptor, POLLIN, 0};
    if (got == PullResult::pending) REQUIRE(::poll(&entry, 1, -1) == 1);
  }
  CHECK(rows == 590);
}

TEST_CASE("alone: not where a window was told how many calls it makes at once") {
  for (const char* calls : {"interleave(x -> range(3), cycle_length: 4, num_parallel_calls: 2)",
                            "map(x -> x, num_parallel_calls: 2)"}) {
    OpenedAlone opened(std::string("range(200) | ") + calls +
                       " | map(@f, num_parallel_calls: auto) | prefetch(auto)" + kAloneOnly);
    take_lines(*opened.iterator, 10);
    CHECK_FALSE(opened.iterator->stats().alone);
  }
  // Nor where nothing is left to tuning.
  OpenedAlone fixed(std::string("range(200) | map(@f, num_parallel_calls: 1) | prefetch(4)") + kAloneOnly);
  take_lines(*fixed.iterator, 10);
  CHECK_FALSE(fixed.iterator->stats().alone);
}

TEST_CASE("alone: the next epoch goes on so, another dataset that wants threads does not") {
  OpenedAlone alone(std::string(kText) + kAloneOnly);
  all_lines(*alone.iterator);
  require_ok(alone.iterator->initialize(nullptr, {{}, nullptr}));
  CHECK(all_lines(*alone.iterator) == usual_lines());
  CHECK(alone.only_this_thread());
  Handed handed;
  handed.emplace("f", CallbackRef(alone.watched));
  const DocumentRef other = require_value(
      parse_document(*alone.runtime, "range(600) | map(@f, num_parallel_calls: 2) | prefetch(auto)", handed));
  require_ok(alone.iterator->initialize(other, {{}, nullptr}));
  CHECK(all_lines(*alone.iterator).size() == 600);
  CHECK_FALSE(alone.iterator->stats().alone);
}

// Also where nothing says so. A thread that the system stops takes long for its element, which ends it: of
// many tries one goes without.
TEST_CASE("alone: another dataset that wants no threads goes on so") {
  bool goes_on = false;
  for (int tries = 0; tries < 50 && !goes_on; ++tries) {
    OpenedAlone alone(std::string(kText) + kAloneOnly);
    all_lines(*alone.iterator);
    Handed handed;
    handed.emplace("f", CallbackRef(alone.watched));
    const DocumentRef usual = require_value(parse_document(*alone.runtime, kText, handed));
    require_ok(alone.iterator->initialize(usual, {{}, nullptr}));
    take_lines(*alone.iterator, 1);
    goes_on = alone.iterator->stats().alone;
  }
  CHECK(goes_on);
}

TEST_CASE("alone: the statistics say so, in words that options() takes") {
  OpenedAlone alone(std::string(kText) + kAloneOnly);
  take_lines(*alone.iterator, 10);
  const std::string json = stats_json(alone.iterator->stats());
  CHECK(json.find(R"("alone": true)") != std::string::npos);
  CHECK(json.find(R"(, alone 1")") != std::string::npos);
  CHECK(stats_table(alone.iterator->stats()).find("no other thread makes elements") != std::string::npos);
  OpenedAlone usual(std::string(kText) + " | options(autotune: false)");
  take_lines(*usual.iterator, 10);
  const std::string other = stats_json(usual.iterator->stats());
  CHECK(other.find(R"("alone": false)") != std::string::npos);
  CHECK(other.find("alone 1") == std::string::npos);
  CHECK(stats_table(usual.iterator->stats()).find("no other thread") == std::string::npos);
}

}  // namespace
}  // namespace weir
