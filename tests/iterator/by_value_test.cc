// Positions of pipelines whose rows cannot be made again, saved with the rows that were made and not
// delivered.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "core/text.h"
#include "iterator/checkpoint.h"
#include "iterator/iterator.h"
#include "support/pipeline.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// x -> (x, which iterator asked, the number of its call there): never the same twice.
class Tickets final : public Callback {
 public:
  explicit Tickets(bool concurrent)
      : Callback({.concurrent = concurrent,
                  .blocking = false,
                  .block = false,
                  .pure = false,
                  .on_caller = false}) {}

  Result<Spec> result(const Spec& input) const override {
    return Spec::tuple({input, Spec::tensor(DType::int64), Spec::tensor(DType::int64)});
  }
  Status call(Session& session, const Block& in, Block& out) const override {
    const std::lock_guard lock(mutex_);
    const auto life = lives_.emplace(&session, life_).first->second;
    ++calls_;
    out.columns[0].set_row(in.columns[0].row(0));
    out.columns[1].set_row(Tensor::scalar<int64_t>(life));
    out.columns[2].set_row(Tensor::scalar<int64_t>(++tickets_[life]));
    if (*in.columns[0].row(0).as<int64_t>() % 50 == 49) return aborted();
    return {};
  }
  // Called when no iterator is left.
  void begin_life() const {
    const std::lock_guard lock(mutex_);
    ++life_;
    lives_.clear();
  }
  int64_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  static Status aborted() { return Status(Code::aborted, "planted"); }

  mutable std::mutex mutex_;
  mutable int64_t life_ = 0;
  mutable int64_t calls_ = 0;
  mutable std::map<const Session*, int64_t> lives_;
  mutable std::map<int64_t, int64_t> tickets_;
};

class ValueRun {
 public:
  explicit ValueRun(std::string text, bool concurrent = false)
      : text_(std::move(text)), tickets_(make_ref<const Tickets>(concurrent)) {
    handed_.emplace("t", CallbackRef(tickets_));
  }

  void open(const std::string* checkpoint, CheckpointPolicy policy = CheckpointPolicy::by_value) {
    iterator_.reset();
    tickets_->begin_life();
    auto document = require_value(parse_document(*runtime_, text_, handed_));
    iterator_.reset(new Iterator(*runtime_, nullptr, document->spec()));
    require_ok(iterator_->initialize(document, {.params = {}, .checkpoint = checkpoint, .policy = policy}));
  }
  // Saves, and goes on in another iterator.
  void move() {
    const std::string saved = require_value(iterator_->save());
    open(&saved);
  }
  bool take(int64_t count, int rows = 1) {
    Lines lines = take_lines(*iterator_, count, rows);
    const bool ended = !lines.empty() && lines.back() == "end";
    if (ended) lines.pop_back();
    lines_.insert(lines_.end(), lines.begin(), lines.end());
    return ended;
  }
  Iterator& iterator() { return *iterator_; }
  const Tickets& tickets() const { return *tickets_; }
  const Lines& lines() const { return lines_; }

 private:
  ThreadsRuntime runtime_;
  const std::string text_;
  RefPtr<const Tickets> tickets_;
  Handed handed_;
  OpenIterator iterator_;
  Lines lines_;
};

// The triples of tickets in lines, in their order.
struct Ticket {
  int64_t x;
  int64_t life;
  int64_t number;
};
std::vector<Ticket> tickets_of(const Lines& lines) {
  std::vector<Ticket> out;
  for (const std::string& line : lines) {
    if (line.rfind("error", 0) == 0) continue;
    // Batches print as tuples of lists: the i-th of each belong together.
    std::vector<std::vector<int64_t>> lists(1);
    for (size_t i = 0; i < line.size(); ++i) {
      const bool number = line[i] == '-' || (line[i] >= '0' && line[i] <= '9');
      if (number) {
        size_t used = 0;
        lists.back().push_back(std::stoll(line.substr(i), &used));
        i += used - 1;
      } else if (line[i] == ']') {
        lists.emplace_back();
      }
    }
    if (lists.size() == 1) {
      REQUIRE(lists[0].size() == 3);
      out.push_back({lists[0][0], lists[0][1], lists[0][2]});
      continue;
    }
    REQUIRE(lists.size() == 4);
    for (size_t i = 0; i < lists[0].size(); ++i) out.push_back({lists[0][i], lists[1][i], lists[2][i]});
  }
  return out;
}

struct Pipeline {
  const char* text;
  // Elements that come, errors and dropped ones not counted.
  int64_t elements;
  bool in_order = true;
  bool concurrent = false;
};

// Every 50th call fails, so batches break there.
const Pipeline kByValue[] = {
    {"range(120) | map(@t)", 118},
    {"range(120) | map(@t) | batch(7, drop_remainder: false)", 0},
    {"range(120) | map(@t) | prefetch(16)", 118},
    {"range(120) | map(@t) | prefetch(5) | prefetch(9)", 118},
    {"range(45) | map(@t) | prefetch(5) | batch(4) | prefetch(3)", 45},
    {"range(120) | map(@t, num_parallel_calls: 4)", 118, true, true},
    {"range(45) | map(@t, num_parallel_calls: 3) | prefetch(4) | batch(4)", 45, true, true},
    {"range(120) | map(@t, num_parallel_calls: 4, deterministic: false)", 118, false, true},
    {"range(45) | map(@t, num_parallel_calls: 4, deterministic: false) | batch(6) | prefetch(1)", 45, false,
     true},
    {"range(120) | map(@t) | shuffle(10, seed: 1)", 118, false},
    {"range(120) | map(@t) | prefetch(7) | shuffle(200, seed: 1) | prefetch(3)", 118, false},
    {"range(45) | map(@t) | shuffle(6, seed: 4) | batch(5) | shuffle(3, seed: 2)", 45, false},
    {"range(120) | map(@t) | filter(d -> d.0 % 3 != 1) | prefetch(2)", 79},
    {"range(9) | flat_map(x -> range(x * 10, x * 10 + 10) | map(@t) | prefetch(3))", 89},
    {"range(9) | interleave(x -> range(x * 4, x * 4 + 4) | map(@t) | prefetch(3), cycle_length: 3, block_length: 2)",
     36, false},
    {"range(9) | map(@t) | flat_map(d -> range(3) | map(i -> d)) | prefetch(4)", 27},
    {"zip(range(40) | map(@t) | prefetch(3), range(40)) | map((a, b) -> a)", 40},
    {"range(20) | map(@t) | prefetch(2) | concatenate(range(20, 40) | map(@t) | prefetch(4)) | batch(3)", 40},
    {"range(30) | skip(3) | map(@t) | take(20) | repeat(2) | batch(8)", 40, false},
    {"range(40) | map(@t) | enumerate() | prefetch(3) | map((i, d) -> d)", 40},
    {"range(120) | map(@t) | group_by_window(d -> d.0 % 3, (k, w) -> w, 7)", 118, false},
    {"range(45) | map(@t) | prefetch(4) | group_by_window(d -> d.0 % 4, (k, w) -> w | batch(3), 5) | prefetch(3)",
     45, false},
    {"range(45) | map(@t) | group_by_window(d -> d.1 * 0 + d.2 % 2, (k, w) -> w | prefetch(2), k -> k + 4)",
     45, false},
    {"range(45) | map(@t) | group_by_window(d -> @t(d.0).2 % 3, (k, w) -> w, 4)", 45, false},
};

TEST_CASE("by value: nothing is lost, comes twice, or is called again", "[threads]") {
  std::mt19937 draw(11);
  for (const Pipeline& pipeline : kByValue) {
    INFO(pipeline.text);
    ValueRun whole(pipeline.text, pipeline.concurrent);
    whole.open(nullptr);
    whole.take(1'000'000);
    std::vector<int64_t> expected;
    for (const Ticket& ticket : tickets_of(whole.lines())) expected.push_back(ticket.x);
    if (pipeline.elements > 0) CHECK(static_cast<int64_t>(expected.size()) == pipeline.elements);
    REQUIRE(expected.size() > 10);
    for (int round = 0; round < 12; ++round) {
      ValueRun run(pipeline.text, pipeline.concurrent);
      run.open(nullptr);
      // At once, after each element, and here and there.
      const int most = round == 0 ? 1 : 1 + round * 3;
      for (bool ended = false; !ended;) {
        run.move();
        ended = run.take(round == 0 ? 1 : 1 + static_cast<int64_t>(draw() % most), 1 + round % 4);
      }
      run.move();
      CHECK(run.take(3));
      std::vector<Ticket> found = tickets_of(run.lines());
      std::vector<int64_t> xs;
      std::map<int64_t, std::set<int64_t>> numbers;
      bool again = false;
      for (const Ticket& ticket : found) {
        xs.push_back(ticket.x);
        again = again || !numbers[ticket.life].insert(ticket.number).second;
      }
      const bool repeats = std::set<int64_t>(expected.begin(), expected.end()).size() < expected.size();
      if (!repeats) CHECK_FALSE(again);
      if (!pipeline.in_order) {
        std::sort(xs.begin(), xs.end());
        std::sort(expected.begin(), expected.end());
      }
      CHECK(xs == expected);
    }
  }
}

TEST_CASE("by value: what was made ahead of a save is delivered, not made again", "[threads]") {
  for (const char* text :
       {"range(100) | map(@t) | prefetch(16)", "range(100) | map(@t) | batch(4) | prefetch(4)",
        "range(100) | map(@t, num_parallel_calls: 2) | prefetch(12) | shuffle(4, seed: 1)"}) {
    INFO(text);
    ValueRun run(text, true);
    run.open(nullptr);
    run.take(1);
    // The Window fills by itself.
    while (run.tickets().calls() < 16) {
    }
    const std::string saved = require_value(run.iterator().save());
    run.open(&saved);
    run.take(1'000'000);
    int64_t ahead = 0;
    std::set<int64_t> first_life;
    for (const Ticket& ticket : tickets_of(run.lines())) {
      if (ticket.life == 1) first_life.insert(ticket.number);
    }
    // No gap: what the first iterator had made when it was saved came out.
    ahead = static_cast<int64_t>(first_life.size());
    CHECK(ahead >= 16);
    CHECK(*first_life.rbegin() == ahead + (ahead >= 50 ? 1 : 0));
  }
}

TEST_CASE("by value: an interleave calls nothing for datasets that have no slot", "[threads]") {
  ValueRun run("range(10) | interleave(x -> range(10) | map(@t), 3, 2, num_parallel_calls: 3)", true);
  run.open(nullptr);
  run.take(5);
  // The three slots fill by themselves.
  while (run.tickets().calls() < 30) {
  }
  run.move();
  run.take(1'000'000);
  CHECK(tickets_of(run.lines()).size() == 100);
  CHECK(run.tickets().calls() == 100);
}

TEST_CASE("by value: a shuffle saves its buffer, not what it has drawn") {
  constexpr int64_t kBuffer = 100;
  ValueRun run("range(5000) | map(@t) | map(d -> d.0) | shuffle(100, seed: 5)");
  run.open(nullptr);
  run.take(3000);
  const std::string saved = require_value(run.iterator().save());
  // Read again it would take rows from the oldest one on: several times as many.
  CHECK(saved.size() < 1500 + 60 * kBuffer);
  CHECK(saved.size() > 8 * kBuffer);
  // Also where the policy is another one afterwards.
  run.open(&saved, CheckpointPolicy::ignore);
  run.take(100);
  const std::string again = require_value(run.iterator().save());
  run.open(&again);
  run.take(1'000'000);
  ValueRun whole("range(5000) | map(@t) | map(d -> d.0) | shuffle(100, seed: 5)");
  whole.open(nullptr);
  whole.take(1'000'000);
  CHECK(run.lines() == whole.lines());
}

TEST_CASE("by value: policies") {
  ValueRun run("range(100) | map(@t) | batch(4)");
  run.open(nullptr, CheckpointPolicy::refuse);
  run.take(2);
  const Status refused = run.iterator().save().status();
  CHECK(refused.code() == Code::failed_precondition);
  CHECK(refused.error().message.find("map calls a callback that is not declared pure") != std::string::npos);
  CHECK(refused.error().message.find("policy") != std::string::npos);

  // Ignored, the rows are made again: these have other numbers.
  run.open(nullptr, CheckpointPolicy::ignore);
  run.take(1, 1);
  require_value(run.iterator().save());

  // A policy stays with the iterator.
  auto saved = require_value(run.iterator().save());
  run.open(&saved, CheckpointPolicy::by_value);
  require_ok(run.iterator().initialize(nullptr, {.params = {}}));
  require_value(run.iterator().save());
}

TEST_CASE("by value: a position fits another parallelism") {
  for (const char* text : {"range(60) | map(@t, num_parallel_calls: 1) | batch(4)",
                           "range(60) | map(@t, num_parallel_calls: 3) | batch(4)"}) {
    for (const char* other : {"range(60) | map(@t, num_parallel_calls: 5) | batch(4)",
                              "range(60) | map(@t, num_parallel_calls: 1) | batch(4)"}) {
      ValueRun run(text, true);
      run.open(nullptr);
      run.take(3);
      const std::string saved = require_value(run.iterator().save());
      ValueRun next(other, true);
      next.open(&saved);
      next.take(1'000'000);
      std::vector<int64_t> xs;
      for (const Ticket& ticket : tickets_of(next.lines())) xs.push_back(ticket.x);
      REQUIRE_FALSE(xs.empty());
      CHECK(xs.front() == 12);
      CHECK(xs.size() == 46);  // 48 was dropped with the batch in which 49 failed.
      CHECK(std::is_sorted(xs.begin(), xs.end()));
    }
  }
}

TEST_CASE("by value: nested datasets are refused by their place") {
  ValueRun run("range(100) | map(@t) | map(d -> range(d.0)) | prefetch(8) | flat_map(d -> d)");
  run.open(nullptr);
  run.take(3);
  while (run.tickets().calls() < 8) {
  }
  const Status refused = run.iterator().save().status();
  CHECK(refused.code() == Code::failed_precondition);
  CHECK(refused.error().message.find("nested datasets, at ") != std::string::npos);
  CHECK(refused.error().message.find("prefetch") != std::string::npos);
  // The iterator goes on.
  run.take(3);
  CHECK(run.lines().size() == 6);
}

TEST_CASE("by value: what opens a dataset must not call what gives something else again") {
  for (const char* text :
       {"range(9) | flat_map(x -> range(@t(x).1))", "range(9) | interleave(x -> range(9) | take(@t(x).2))",
        "range(9) | flat_map(x -> if @t(x).2 > 3 then range(x) else range(2)) | prefetch(2)",
        "range(9) | flat_map(x -> range(range(x) | map(@t) | reduce(0, (s, t) -> s + t.2)))",
        "range(9) | flat_map(x -> range(3) | flat_map(y -> range(@t(x + y).2))) | batch(2)"}) {
    INFO(text);
    ValueRun run(text);
    run.open(nullptr);
    run.take(1);
    const Status refused = run.iterator().save().status();
    CHECK(refused.code() == Code::failed_precondition);
    CHECK(refused.error().message.find("calls a callback that is not declared pure for what it opens") !=
          std::string::npos);
    run.open(nullptr, CheckpointPolicy::ignore);
    require_value(run.iterator().save());
  }
  ValueRun cached("range(9) | map(@t) | cache() | repeat(2)");
  cached.open(nullptr);
  cached.take(1);
  CHECK(cached.iterator().save().status().error().message.find(
            "cache would make its elements again, and map calls") != std::string::npos);
  // A value that is computed as a whole is no position inside a dataset.
  for (const char* text : {"range(9) | map(x -> range(@t(x).0) | reduce(0, (s, y) -> s + y))",
                           "range(9) | flat_map(x -> range(3) | map(y -> @t(y)))",
                           "range(9) | map(@t) | flat_map(t -> range(t.0))"}) {
    INFO(text);
    ValueRun run(text);
    run.open(nullptr);
    require_value(run.iterator().save());
  }
}

// A callback that remembers: the sum of what it was given, and the number of calls.
class Summing final : public Callback {
 public:
  Summing()
      : Callback(
            {.concurrent = false, .blocking = false, .block = false, .pure = false, .on_caller = false}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    const std::lock_guard lock(mutex_);
    sum_ += *in.columns[0].row(0).as<int64_t>();
    out.columns[0].set_row(Tensor::scalar<int64_t>(sum_));
    return {};
  }
  bool has_state() const override { return true; }
  Result<std::string> save_state() const override {
    const std::lock_guard lock(mutex_);
    return std::to_string(sum_);
  }
  Status restore_state(std::string_view bytes) const override {
    const std::lock_guard lock(mutex_);
    if (bytes.empty()) return invalid_argument("expected a sum, found nothing");
    sum_ = std::stoll(std::string(bytes));
    return Status();
  }

 private:
  mutable std::mutex mutex_;
  mutable int64_t sum_ = 0;
};

TEST_CASE("by value: a callback with a state goes on where it was, under any policy that saves") {
  for (const char* text :
       {"range(100) | map(@t)", "range(100) | map(@t) | prefetch(9) | batch(4)",
        "range(100) | map(x -> @t(x) + 1) | shuffle(8, seed: 3)",
        "range(10) | flat_map(x -> range(10) | map(@t) | prefetch(3))",
        "range(40) | map(x -> @u(x * 7)) | prefetch(2) | map(x -> (@t(x), x)) | prefetch(3)"}) {
    INFO(text);
    ThreadsRuntime runtime;
    const auto open = [&](const std::string* checkpoint, CheckpointPolicy policy) {
      // As in a new process: nothing remembered.
      Handed handed;
      handed.emplace("t", CallbackRef(make_ref<const Summing>()));
      if (std::string_view(text).find("@u") != std::string_view::npos)
        handed.emplace("u", CallbackRef(make_ref<const Summing>()));
      auto document = require_value(parse_document(*runtime, text, handed));
      OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
      require_ok(iterator->initialize(document, {.params = {}, .checkpoint = checkpoint, .policy = policy}));
      return iterator;
    };
    const Lines expected = all_lines(*open(nullptr, CheckpointPolicy::refuse));
    REQUIRE(expected.size() >= 25);
    for (const CheckpointPolicy policy :
         {CheckpointPolicy::refuse, CheckpointPolicy::by_value, CheckpointPolicy::ignore}) {
      OpenIterator iterator = open(nullptr, policy);
      Lines lines;
      for (int64_t taken = 0; lines.empty() || lines.back() != "end"; ++taken) {
        const Lines more = take_lines(*iterator, taken % 7);
        lines.insert(lines.end(), more.begin(), more.end());
        const std::string saved = require_value(iterator->save());
        iterator = open(&saved, policy);
      }
      lines.pop_back();
      CHECK(lines == expected);
    }
  }
}

// Counts its calls. The one that is held waits until its state was given back, or for long.
class Held final : public Callback {
 public:
  Held()
      : Callback(
            {.concurrent = false, .blocking = false, .block = false, .pure = false, .on_caller = false}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    inside.store(true);
    if (*in.columns[0].row(0).as<int64_t>() == hold.load()) {
      reached.store(true);
      for (int i = 0; i < 20000 && !restored.load(); ++i) std::this_thread::yield();
    }
    out.columns[0].set_row(Tensor::scalar<int64_t>(calls.fetch_add(1)));
    inside.store(false);
    return {};
  }
  bool has_state() const override { return true; }
  Result<std::string> save_state() const override { return std::to_string(calls.load()); }
  Status restore_state(std::string_view bytes) const override {
    if (inside.load()) restored_inside.store(true);
    restored.store(true);
    calls.store(std::stoll(std::string(bytes)));
    return Status();
  }

  mutable std::atomic<int64_t> hold = -1;
  mutable std::atomic<int64_t> calls = 0;
  mutable std::atomic<bool> inside = false;
  mutable std::atomic<bool> reached = false;
  mutable std::atomic<bool> restored = false;
  mutable std::atomic<bool> restored_inside = false;
};

TEST_CASE("by value: a state is given back when no call of the position before it runs", "[threads]") {
  ThreadsRuntime runtime;
  const auto held = make_ref<const Held>();
  Handed handed;
  handed.emplace("f", CallbackRef(held));
  auto document = require_value(parse_document(*runtime, "range(40) | map(@f) | prefetch(30)", handed));
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .policy = CheckpointPolicy::by_value}));
  const std::string saved = require_value(iterator->save());
  held->hold.store(20);
  take_lines(*iterator, 1);
  while (!held->reached.load()) std::this_thread::yield();
  require_ok(iterator->initialize(
      document, {.params = {}, .checkpoint = &saved, .policy = CheckpointPolicy::by_value}));
  CHECK(held->restored.load());
  CHECK(!held->restored_inside.load());
  const Lines lines = all_lines(*iterator);
  REQUIRE(lines.size() == 40);
  for (int64_t i = 0; i < 40; ++i) CHECK(lines[static_cast<size_t>(i)] == std::to_string(i));
}

TEST_CASE("by value: a checkpoint without the state of a callback is refused") {
  ValueRun run("range(9) | map(@t)");
  run.open(nullptr);
  const std::string saved = require_value(run.iterator().save());
  ThreadsRuntime runtime;
  Handed handed;
  handed.emplace("t", CallbackRef(make_ref<const Summing>()));
  auto document = require_value(parse_document(*runtime, "range(9) | map(@t)", handed));
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  const Status refused = iterator->initialize(document, {.params = {}, .checkpoint = &saved});
  CHECK(refused.code() == Code::failed_precondition);
}

}  // namespace
}  // namespace weir
