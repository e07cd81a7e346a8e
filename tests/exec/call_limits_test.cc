// What bounds a CallWindow's calls: room, memory that windows share, and the end of the feed while calls
// change their lane.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <optional>

#include "exec/call_window.h"
#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/sim_world.h"

namespace weir {
namespace {

// Rows of so many bytes, by their number.
class Sized final : public BlockCall {
 public:
  explicit Sized(std::function<int64_t(int64_t)> bytes) : bytes_(std::move(bytes)) {}
  void run(Context&, int64_t first_ordinal, Block& in, Block& out) override {
    const int64_t bytes = bytes_(first_ordinal);
    out.reset(1);
    out.rows = in.rows;
    std::memset(out.columns[0].make_dense<uint8_t>(Shape{bytes}, in.rows), 0,
                static_cast<size_t>(in.rows * bytes));
  }

 private:
  const std::function<int64_t(int64_t)> bytes_;
};

// A reader of one row for each call, whose windows share `memory`.
Reader sharing_reader(Runtime& runtime, const RefPtr<WindowMemory>& memory, int64_t ahead_rows,
                      std::function<int64_t(int64_t)> bytes) {
  return Reader(runtime, [&](Session& session) {
    auto tuning = make_ref<Tuning>();
    tuning->memory = memory;
    session.scheduler->tune(std::move(tuning));
    CallWindowOptions options;
    options.calls_in_flight = 1;
    options.ahead_rows = ahead_rows;
    options.one_row_per_call = true;
    return calls(session, counting({.total = 1000}), std::make_unique<Sized>(std::move(bytes)), options);
  });
}

// Takes all that is left for somebody else, who then waits for more.
void take_the_rest(WindowMemory& memory, Waker& waiter) {
  while (memory.reserve(1'000'000, waiter) > 0) {
  }
}

TEST_CASE("call limits: who waits for memory is woken by each row that is taken") {
  ReaderAlone world;
  auto memory = make_ref<WindowMemory>(1000);
  test::CountingWaker waiter;
  waiter.ref();
  Reader reader = sharing_reader(world.runtime, memory, 4, [](int64_t) { return 100; });
  REQUIRE(*reader.next() == PullResult::rows);
  reader.settle();
  REQUIRE(memory->used() == 400);
  take_the_rest(*memory, waiter);
  REQUIRE(waiter.count == 0);
  REQUIRE(*reader.next() == PullResult::rows);
  CHECK(waiter.count == 1);
  CHECK(memory->used() == 900);
}

TEST_CASE("call limits: who waits for memory is woken by a result that is smaller than expected") {
  ReaderAlone world;
  auto memory = make_ref<WindowMemory>(1000);
  test::CountingWaker waiter;
  waiter.ref();
  int woken_before = -1;
  Reader reader = sharing_reader(world.runtime, memory, 4, [&](int64_t row) {
    if (row == 2) take_the_rest(*memory, waiter);
    if (row == 2) woken_before = waiter.count;
    return row < 2 ? 100 : 10;
  });
  REQUIRE(*reader.next() == PullResult::rows);
  reader.settle();
  CHECK(woken_before == 0);
  CHECK(waiter.count > 0);
}

TEST_CASE("call limits: a window that has ended keeps nothing in reserve") {
  ReaderAlone world;
  auto memory = make_ref<WindowMemory>(100'000);
  Reader reader = sharing_reader(world.runtime, memory, 4, [](int64_t) { return 100; });
  for (int i = 0; i < 997; ++i) REQUIRE(*reader.next() == PullResult::rows);
  // There was room for one more, so the feed's end is found.
  reader.settle();
  CHECK(memory->used() == 300);
  for (int i = 0; i < 3; ++i) REQUIRE(*reader.next() == PullResult::rows);
  CHECK(memory->used() == 0);
  CHECK(*reader.next() == PullResult::end);
}

TEST_CASE("call limits: four rows ahead for each call, while the consumer found none only at the beginning") {
  for (const bool ordered : {true, false}) {
    for (const int in_flight : {2, 5}) {
      CAPTURE(ordered, in_flight);
      ReaderAlone world;
      std::atomic<int64_t> pulled{0};
      Reader reader(world.runtime, [&](Session& session) {
        CallWindowOptions options;
        options.calls_in_flight = in_flight;
        options.ordered = ordered;
        options.one_row_per_call = true;
        return calls(session, counting({.total = 1000}, &pulled), std::make_unique<AddOne>(), options);
      });
      for (int64_t given = 1; given <= 50; ++given) {
        REQUIRE(*reader.next() == PullResult::rows);
        for (int i = 0; i < 4; ++i) reader.settle();
        REQUIRE(pulled - given == 4 * in_flight);
      }
    }
  }
}

TEST_CASE("call limits: of short calls, there is a row for each that may be in flight") {
  for (const auto& [in_flight, ahead] :
       {std::pair{2, 66}, std::pair{10, 66}, std::pair{65, 66}, std::pair{67, 67}, std::pair{300, 300}}) {
    CAPTURE(in_flight);
    ReaderAlone world;
    std::atomic<int64_t> pulled{0};
    Reader reader(world.runtime, [&, calls_in_flight = in_flight](Session& session) {
      CallWindowOptions options;
      options.calls_in_flight = calls_in_flight;
      return calls(session, counting({.total = 1000}, &pulled), std::make_unique<AddOne>(), options);
    });
    REQUIRE(*reader.next() == PullResult::rows);
    // It knows by now that calls are short.
    CHECK(pulled == 1);
    reader.settle();
    CHECK(pulled == 1 + ahead);
  }
}

TEST_CASE("call limits: what is prepared when calls turn out to wait is made, however few follow") {
  for (int64_t total = 1; total <= 16; ++total) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      CAPTURE(total, seed);
      sim::SimWorld world(
          seed,
          {.compute_threads = 1 + static_cast<int>(seed % 2), .blocking_threads = 8, .exact_time = true});
      int64_t rows = 0;
      world.client("reader", [&] {
        Reader reader(world.runtime(), [&](Session& session) {
          CallWindowOptions options;
          options.one_row_per_call = true;
          options.may_wait = true;
          auto waits = std::make_unique<AddOne>([&](int64_t) { world.sleep(150'000); });
          return calls(session, counting({.total = total}), std::move(waits), options);
        });
        while (*reader.next() == PullResult::rows) rows += reader.is(rows, 1) ? 1 : 1000;
      });
      REQUIRE(world.run() == "");
      REQUIRE(rows == total);
    }
  }
}

TEST_CASE("call limits: where windows share memory, one row is pulled until its result's size is known") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    std::atomic<int64_t> pulled{0};
    int64_t pulled_by_first = 0;
    sim::SimWorld world(seed, {.compute_threads = 3});
    world.client("reader", [&] {
      Reader reader(world.runtime(), [&](Session& session) {
        auto tuning = make_ref<Tuning>();
        tuning->memory = make_ref<WindowMemory>(10'000);
        session.scheduler->tune(std::move(tuning));
        CallWindowOptions options;
        options.calls_in_flight = 3;
        options.one_row_per_call = true;
        return calls(session, counting({.total = 20}, &pulled), std::make_unique<AddOne>([&](int64_t row) {
                       if (row > 0) return;
                       for (int i = 0; i < 100; ++i) world.switch_point();
                       pulled_by_first = pulled;
                     }),
                     options);
      });
      while (*reader.next() == PullResult::rows) {
      }
    });
    REQUIRE(world.run() == "");
    REQUIRE(pulled == 20);
    REQUIRE(pulled_by_first == 1);
  }
}

TEST_CASE("call limits: where windows share memory, a large result is expected for some time after it came") {
  ReaderAlone world;
  auto memory = make_ref<WindowMemory>(100'000);
  std::vector<int64_t> used(400);
  Reader reader = sharing_reader(world.runtime, memory, 4, [&](int64_t row) {
    used[static_cast<size_t>(row)] = memory->used();
    return row == 0 ? 1600 : 16;
  });
  for (int i = 0; i < 390; ++i) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
  }
  // So much for the call, and for the next one, which may be pulled meanwhile.
  CHECK(used[1] == 2 * 1600);
  // A sixteenth is forgotten with each; before it there is one small result.
  CHECK(used[2] == 16 + 2 * 1500);
  CHECK(used[300] < 200);
}

TEST_CASE(
    "call limits: as many calls as cores, found by an earlier run, are no sign of a function that waits") {
  for (const int64_t found : {0, 1, 2, 3}) {
    CAPTURE(found);
    AddOne::most = 0;
    sim::SimWorld world(1, {.compute_threads = 2, .blocking_threads = 40, .exact_time = true});
    world.client("reader", [&] {
      Reader reader(world.runtime(), [&](Session& session) {
        CallWindowOptions options;
        options.one_row_per_call = true;
        options.may_wait = true;
        options.start.number = found;
        auto computes = std::make_unique<AddOne>([&](int64_t) { world.compute(5'000'000); });
        return calls(session, counting({.total = 200}), std::move(computes), options);
      });
      while (*reader.next() == PullResult::rows) {
      }
    });
    REQUIRE(world.run() == "");
    CHECK((AddOne::most == 2) == (found <= 2));
  }
}

// Writes down how many rows each call has, and says how long it takes.
class Lengthy final : public BlockCall {
 public:
  Lengthy(std::vector<int>& sizes, std::function<void(int)> takes)
      : sizes_(sizes), takes_(std::move(takes)) {}
  void run(Context&, int64_t, Block& in, Block& out) override {
    sizes_.push_back(in.rows);
    takes_(in.rows);
    out.reset(1);
    out.rows = in.rows;
    std::fill_n(out.columns[0].make_dense<int64_t>(Shape(), in.rows), in.rows, 0);
  }

 private:
  std::vector<int>& sizes_;
  const std::function<void(int)> takes_;
};

TEST_CASE(
    "call limits: calls of 50 to 200 microseconds keep their size, shorter ones grow and longer ones shrink") {
  for (const auto& [took_ns, last] : {std::pair{49'999, kMaxBlockRows}, std::pair{50'000, 16},
                                      std::pair{200'000, 16}, std::pair{200'001, 1}}) {
    CAPTURE(took_ns);
    ReaderAlone world;
    std::vector<int> sizes;
    Reader reader(world.runtime, [&](Session& session) {
      CallWindowOptions options;
      options.calls_in_flight = 1;
      options.ahead_rows = 10 * kMaxBlockRows;
      bool grows = true;
      auto lengthy =
          std::make_unique<Lengthy>(sizes, [&clock = world.clock, grows, took = took_ns](int rows) mutable {
            grows = grows && rows < 16;
            clock.advance(grows ? 0 : took);
          });
      return calls(session, counting({.total = 1'000'000}), std::move(lengthy), options);
    });
    while (sizes.size() < 60) REQUIRE(*reader.next(kMaxBlockRows) == PullResult::rows);
    CHECK(sizes.front() == 1);
    CHECK(sizes.back() == last);
    CHECK(*std::max_element(sizes.begin(), sizes.end()) == std::max(16, last));
  }
}

TEST_CASE("call limits: after a cancel nothing is pulled, and no call begins, whatever is prepared") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    bool cancelled = false;
    int begun_after = 0;
    std::atomic<int64_t> pulled{0};
    int64_t pulled_before = 0;
    sim::SimWorld world(seed, {.compute_threads = 2});
    world.client("reader", [&] {
      std::optional<Reader> reader;
      reader.emplace(world.runtime(), [&](Session& session) {
        CallWindowOptions options;
        options.calls_in_flight = 1;
        options.ahead_rows = 30;
        options.one_row_per_call = true;
        return calls(session, counting({.total = 100}, &pulled), std::make_unique<AddOne>([&](int64_t row) {
                       begun_after += cancelled ? 1 : 0;
                       for (int i = 0; i < 30; ++i) world.switch_point();
                       if (row != 5) return;
                       cancelled = true;
                       session.cancelled = true;
                       pulled_before = pulled;
                     }),
                     options);
      });
      while (*reader->next() == PullResult::rows) {
      }
    });
    REQUIRE(world.run() == "");
    REQUIRE(cancelled);
    REQUIRE(begun_after == 0);
    REQUIRE(pulled == pulled_before);
  }
}

}  // namespace
}  // namespace weir
