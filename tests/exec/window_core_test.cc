#include "exec/window_core.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "exec/feeds.h"
#include "support/failing_new.h"

namespace weir {
namespace {

enum class Kind { prefetch, calls };

// A window whose pumps run in settle() only.
struct LoneWindow {
  LoneWindow(Kind kind, std::unique_ptr<Feed> feed, std::function<void(int64_t)> meanwhile = nullptr,
             RefPtr<WindowMemory> memory = nullptr) {
    auto tuning = make_ref<Tuning>();
    tuning->memory = std::move(memory);
    session->scheduler->tune(std::move(tuning));
    if (kind == Kind::prefetch) {
      WindowOptions options;
      options.max_rows = 1000;
      window = std::make_unique<Window>(*session, std::move(feed), options, EpochTableRef());
    } else {
      CallWindowOptions options;
      options.calls_in_flight = 1;
      options.ahead_rows = 1000;
      window = std::make_unique<CallWindow>(*session, std::move(feed),
                                            std::make_unique<AddOne>(std::move(meanwhile)), options,
                                            EpochTableRef());
    }
  }
  PullResult next() {
    Context context{*session, consumer.get(), &epochs};
    return window->next(context, Demand(), out, mark);
  }
  void settle() {
    for (int i = 0; i < 64; ++i)
      REQUIRE(session->scheduler->try_drive([] { return PullResult::pending; }).ok());
  }

  ReaderAlone world;
  RefPtr<Session> session = make_session(world.runtime);
  RefPtr<test::CountingWaker> consumer = make_ref<test::CountingWaker>();
  RefPtr<test::CountingWaker> saver = make_ref<test::CountingWaker>();
  std::unique_ptr<Window> window;
  EpochScope epochs;
  Block out;
  Mark mark;
};

// Runs `first` in its first pull.
class Interrupted final : public Feed {
 public:
  Interrupted(std::unique_ptr<Feed> feed, std::function<void()> first)
      : feed_(std::move(feed)), first_(std::move(first)) {}
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override {
    if (first_) std::exchange(first_, nullptr)();
    return feed_->next(context, demand, out, mark);
  }

 private:
  const std::unique_ptr<Feed> feed_;
  std::function<void()> first_;
};

TEST_CASE("window core: a consumer that waits is woken with the first block, and at the end") {
  for (const Kind kind : {Kind::prefetch, Kind::calls}) {
    for (const int64_t total : {int64_t{0}, int64_t{1}}) {
      CAPTURE(kind == Kind::calls, total);
      LoneWindow alone(kind, counting({.total = total}));
      REQUIRE(alone.next() == PullResult::pending);
      CHECK(alone.consumer->count == 0);
      alone.settle();
      CHECK(alone.consumer->count == 1);
      if (total == 1) CHECK(alone.next() == PullResult::rows);
      CHECK(alone.next() == PullResult::end);
      // It waits no longer.
      alone.window = nullptr;
      CHECK(alone.consumer->count == 1);
    }
  }
}

TEST_CASE("window core: a save that waits is woken when the pump has stopped and all calls are made") {
  for (const Kind kind : {Kind::prefetch, Kind::calls}) {
    for (const bool in_call : {false, true}) {
      if (in_call && kind == Kind::prefetch) continue;
      CAPTURE(kind == Kind::calls, in_call);
      std::function<void()> resume;
      LoneWindow* it = nullptr;
      const auto pause = [&] {
        if (resume) return;
        resume = it->window->pause();
        CHECK_FALSE(it->window->at_rest(it->saver.get()));
      };
      std::atomic<int64_t> pulled{0};
      std::unique_ptr<Feed> feed = counting({.total = 100}, &pulled);
      if (!in_call) feed = std::make_unique<Interrupted>(std::move(feed), pause);
      std::function<void(int64_t)> meanwhile;
      if (in_call) meanwhile = [&](int64_t) { pause(); };
      LoneWindow alone(kind, std::move(feed), std::move(meanwhile));
      it = &alone;
      alone.window->start();
      alone.settle();
      CHECK(alone.saver->count == 1);
      CHECK(alone.window->at_rest(nullptr));
      const int64_t before = pulled;
      CHECK(before < 100);
      std::vector<Block> held;
      alone.window->copy_rows(held);
      int64_t rows = 0;
      for (const Block& block : held) rows += block.rows;
      CHECK(rows == before);
      alone.settle();
      CHECK(pulled == before);
      resume();
      alone.settle();
      CHECK(pulled == 100);
    }
  }
}

TEST_CASE("window core: one that closes gives its memory to those that wait for it") {
  for (const Kind kind : {Kind::prefetch, Kind::calls}) {
    CAPTURE(kind == Kind::calls);
    const auto memory = make_ref<WindowMemory>(800);
    const auto waiter = make_ref<test::CountingWaker>();
    LoneWindow alone(kind, counting({.total = 1000}), nullptr, memory);
    alone.window->start();
    alone.settle();
    REQUIRE(memory->used() > 0);
    while (memory->reserve(1000, *waiter) > 0) {
    }
    REQUIRE(memory->used() >= 800);
    CHECK(waiter->count == 0);
    alone.window = nullptr;
    CHECK(waiter->count == 1);
  }
}

TEST_CASE("window core: the rows that a consumer has not taken go when it does, with the feed") {
  const int live = live_objects;
  for (const Kind kind : {Kind::prefetch, Kind::calls}) {
    LoneWindow alone(kind, counting({.total = 100}));
    REQUIRE(alone.next() == PullResult::pending);
    alone.settle();
    REQUIRE(alone.next() == PullResult::rows);
    alone.mark = Mark();
    alone.window = nullptr;
    CHECK(live_objects == live);
  }
}

// Gives at most three rows at a time, and counts an opening with each block and the end. Counts the blocks
// that are not pulled by a pump.
class Narrow final : public Feed {
 public:
  Narrow(CountingOptions options, Session& session, int* inline_blocks)
      : feed_(options), consumer_(session.scheduler), inline_blocks_(inline_blocks) {}
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override {
    Demand narrow = demand;
    narrow.rows = std::min(demand.rows, 3);
    const PullResult got = feed_.next(context, narrow, out, mark);
    if (got == PullResult::pending) return got;
    *inline_blocks_ += context.waker == consumer_;
    context.epochs->open(7);
    mark.epochs = context.epochs->table();
    return got;
  }

 private:
  CountingFeed feed_;
  const Waker* const consumer_;
  int* const inline_blocks_;
};

struct InlineReader {
  InlineReader(Kind kind, CountingOptions rows, std::function<void(int64_t)> meanwhile = nullptr)
      : reader(world.runtime, [&](Session& session) {
          auto tuning = make_ref<Tuning>();
          tuning->tunes = false;
          tuning->begin["alone"] = 1;
          session.scheduler->tune(std::move(tuning));
          auto feed = std::make_unique<Narrow>(rows, session, &inline_blocks);
          WindowOptions options;
          options.max_rows = 1000;
          options.first_rows = 2;
          if (kind == Kind::prefetch) return window(session, std::move(feed), options);
          return calls(session, std::move(feed), std::make_unique<AddOne>(std::move(meanwhile)), {});
        }) {}

  ReaderAlone world;
  int inline_blocks = 0;
  Reader reader;
};

TEST_CASE("window core: cheap blocks are made inline, past the line, and are the same") {
  for (const Kind kind : {Kind::prefetch, Kind::calls}) {
    for (const CountingOptions& options :
         {CountingOptions{.total = 1000}, CountingOptions{.total = 1000, .fail_every = 7},
          CountingOptions{.total = 1000, .pending_every = 5}}) {
      CAPTURE(kind == Kind::calls, options.fail_every, options.pending_every);
      InlineReader it(kind, options);
      int64_t row = 0;
      uint64_t blocks = 0;
      PullResult got = PullResult::rows;
      while ((got = *it.reader.next(64)) == PullResult::rows) {
        REQUIRE(it.reader.is(row, kind == Kind::calls ? 1 : 0, options.fail_every));
        REQUIRE(it.reader.mark.anchor);
        REQUIRE(EpochScope(it.reader.mark.epochs).count(7) == ++blocks);
        row += it.reader.out.rows;
      }
      CHECK(got == PullResult::end);
      CHECK(row == 1000);
      CHECK(*it.reader.next(64) == PullResult::end);
      CHECK(EpochScope(it.reader.mark.epochs).count(7) == blocks + 1);
      CHECK(it.inline_blocks >= 250);
    }
  }
}

// Takes so long for each row.
class SlowRows final : public BlockCall {
 public:
  SlowRows(test::FakeClock& clock, int64_t row_ns, std::vector<int>& calls)
      : clock_(clock), row_ns_(row_ns), calls_(calls) {}
  void run(Context& context, int64_t first_ordinal, Block& in, Block& out) override {
    clock_.advance(in.rows * row_ns_);
    calls_.push_back(in.rows);
    add_.run(context, first_ordinal, in, out);
  }

 private:
  test::FakeClock& clock_;
  const int64_t row_ns_;
  std::vector<int>& calls_;
  AddOne add_;
};

TEST_CASE("window core: inline, more rows than wanted are made at once as long as they take little time") {
  for (const int64_t row_ns : {int64_t{100}, int64_t{19'000}, int64_t{300'000}}) {
    CAPTURE(row_ns);
    ReaderAlone world;
    std::vector<int> made;
    Reader reader(world.runtime, [&](Session& session) {
      auto tuning = make_ref<Tuning>();
      tuning->tunes = false;
      tuning->begin["alone"] = 1;
      session.scheduler->tune(std::move(tuning));
      auto call = std::make_unique<SlowRows>(world.clock, row_ns, made);
      return calls(session, counting({.total = 3000}), std::move(call), CallWindowOptions());
    });
    for (int64_t row = 0; row < 3000; ++row) {
      REQUIRE(*reader.next(1) == PullResult::rows);
      REQUIRE(reader.is(row, 1));
      REQUIRE(reader.mark.ordinal == row);
    }
    CHECK(*reader.next(1) == PullResult::end);
    const int most = *std::max_element(made.begin(), made.end());
    // 12.8 us are little, 25.6 us are not.
    CHECK(most == (row_ns == 100 ? 256 : row_ns == 19'000 ? 2 : 1));
    CHECK(made.front() == 1);
  }
}

TEST_CASE("window core: inline, a limit for memory holds from the first row of each window") {
  ReaderAlone world;
  std::atomic<int> widest{0};
  Reader reader(world.runtime, [&](Session& session) {
    auto tuning = make_ref<Tuning>();
    tuning->tunes = false;
    tuning->begin["alone"] = 1;
    tuning->memory = make_ref<WindowMemory>(100);
    session.scheduler->tune(std::move(tuning));
    WindowOptions options;
    options.max_rows = 1000;
    options.first_rows = 2;
    // What the windows before it have found.
    options.rows_inline = std::make_shared<std::atomic<int>>(64);
    return window(session, counting({.total = 100, .widest = &widest}), options);
  });
  REQUIRE(*reader.next(1) == PullResult::rows);
  CHECK(widest == 1);
}

TEST_CASE("window core: inline rows that were not given are copied for a save, and given after it") {
  for (const Kind kind : {Kind::prefetch, Kind::calls}) {
    CAPTURE(kind == Kind::calls);
    InlineReader it(kind, {.total = 100});
    const int64_t added = kind == Kind::calls ? 1 : 0;
    int64_t row = 0;
    for (; row < 11; ++row) REQUIRE(*it.reader.next(1) == PullResult::rows);
    Window* window = nullptr;
    if (kind == Kind::calls) {
      window = &static_cast<WindowFeed<CallWindow>&>(*it.reader.root).window();
    } else {
      window = &static_cast<WindowFeed<Window>&>(*it.reader.root).window();
    }
    std::vector<Block> held;
    const auto resume = window->pause();
    REQUIRE(window->at_rest(nullptr));
    window->copy_rows(held);
    REQUIRE(held.size() == 1);
    CHECK(*held[0].row(0)[0].as<int64_t>() == row + added);
    for (int left = held[0].rows; left > 0; --left, ++row) {
      REQUIRE(*it.reader.try_next() == PullResult::rows);
      CHECK(it.reader.is(row, added));
    }
    CHECK(*it.reader.try_next() == PullResult::pending);
    resume();
    for (; row < 100; ++row) {
      REQUIRE(*it.reader.next(1) == PullResult::rows);
      REQUIRE(it.reader.is(row, added));
    }
    CHECK(*it.reader.next(1) == PullResult::end);
  }
}

TEST_CASE("window core: rows lost inline for want of memory are errors, each in its place") {
  int64_t lost = 0;
  InlineReader it(Kind::calls, {.total = 1000}, [&](int64_t first) {
    if (first < 500 || first >= 503) return;
    lost = first;
    fail_allocations(1000);
    throw std::bad_alloc();
  });
  int64_t row = 0;
  while (row < 1000) {
    const PullResult got = *it.reader.next(64);
    fail_allocations(0);
    REQUIRE(got == PullResult::rows);
    REQUIRE(it.reader.mark.ordinal == row);
    const bool fails = row >= lost && row < lost + 3 && lost > 0;
    for (int i = 0; i < it.reader.out.rows; ++i) REQUIRE(it.reader.out.failed(i) == fails);
    row += it.reader.out.rows;
  }
  CHECK(lost >= 500);
  CHECK(*it.reader.next(64) == PullResult::end);
}

}  // namespace
}  // namespace weir
