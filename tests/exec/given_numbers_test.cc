// Numbers that an earlier run found, or that are given: read from text, kept within limits, and used as they
// are.
#include <catch2/catch_test_macros.hpp>

#include "exec/feeds.h"
#include "exec/memory_ledger.h"
#include "exec/threads.h"
#include "exec/tuning.h"
#include "support/sim_world.h"

namespace weir {
namespace {

TEST_CASE("given numbers: of calls and rows, by the paths of operators") {
  TunedNumbers numbers;
  CHECK(read_tuned("prefetch rows 64, prefetch/map calls 8, alone 1", numbers));
  CHECK(numbers == TunedNumbers{{"prefetch rows", 64}, {"prefetch/map calls", 8}, {"alone", 1}});
  CHECK(read_tuned(" a rows 1 ,b calls 2147483647 ", numbers));
  CHECK(numbers.at("a rows") == 1);
  CHECK(numbers.at("b calls") == 2147483647);
  CHECK(read_tuned("", numbers));
  for (const char* text :
       {"a rows 0", "a calls -1", "a rows 2147483648", "a rows 99999999999999999999", "a rows 1x", "a rows",
        "a rows ", "rows 1", " rows 1", "a threads 2", "a row 2", "alone 0", "alone 2", "alone", "a rows 1 2",
        "a rows 1,,b rows 1", "a rows 1;b rows 1"}) {
    CAPTURE(text);
    TunedNumbers other;
    CHECK_FALSE(read_tuned(text, other));
  }
}

TEST_CASE("given numbers: what a tuner had counted stays for five milliseconds") {
  for (const int64_t pause_ns : {0, 5'000'000, 5'000'001}) {
    CAPTURE(pause_ns);
    CallPace tuner({1, 4});
    tuner.done(1, 0);
    TunerPlace place;
    CHECK_FALSE(place.found(0));
    tuner.starved();
    place.leave({tuner, true}, 1'000'000);
    auto found = place.found(1'000'000 + pause_ns);
    REQUIRE(found);
    CHECK(found->waits);
    // The first call of a window that begins here, or the end of one that is long enough.
    CHECK(found->tuner.done(1, 6'000'000) == (pause_ns <= 5'000'000));
  }
}

TEST_CASE("given numbers: calls that wait begin with what was found, within what threads there are") {
  sim::SimWorld world(1, {.compute_threads = 2, .blocking_threads = 40});
  const Executor& executor = *world.runtime().executor;
  const auto limits = [&](int64_t number, bool tunes, int threads) {
    Tuning tuning;
    tuning.threads = threads;
    TunerStart start;
    start.number = number;
    start.tunes = tunes;
    return limits_of_calls(0, Lane::blocking, executor, tuning, start);
  };
  const auto are = [](const CallRange& found, int first, int most) {
    return found.first == first && found.most == most;
  };
  CHECK(are(limits(0, true, 0), 8, 30));
  CHECK(are(limits(20, true, 0), 20, 30));
  CHECK(are(limits(3, true, 0), 3, 30));
  CHECK(are(limits(1000, true, 0), 30, 30));
  CHECK(are(limits(1000, true, 5), 5, 5));
  CHECK(limits(20, false, 0).most == 20);
  CHECK(limits(1000, false, 0).most == 30);
}

TEST_CASE(
    "given numbers: a window that is not to be tuned has as many rows as were found, from the beginning") {
  for (const bool all_fixed : {false, true}) {
    for (const auto& [number, rows] :
         {std::pair{5, 5}, std::pair{0, 100}, std::pair{100, 100}, std::pair{101, 100}, std::pair{1, 1}}) {
      CAPTURE(all_fixed, number);
      ReaderAlone world;
      std::atomic<int64_t> pulled{0};
      Reader reader(world.runtime, [&, given = number](Session& session) {
        auto tuning = make_ref<Tuning>();
        tuning->tunes = !all_fixed;
        session.scheduler->tune(std::move(tuning));
        session.scheduler->wants_threads();
        WindowOptions options;
        options.first_rows = 2;
        options.max_rows = 100;
        options.block_rows = 1;
        options.start.number = given;
        options.start.tunes = all_fixed;
        return window(session, counting({.total = 1000}, &pulled), options);
      });
      REQUIRE(*reader.next() == PullResult::rows);
      for (int i = 0; i < 10; ++i) reader.settle();
      CHECK(pulled == 1 + rows);
    }
  }
}

TEST_CASE("given numbers: at least four blocks have room in a window") {
  for (const auto& [rows, widest] :
       {std::pair{3, 1}, std::pair{4, 1}, std::pair{7, 1}, std::pair{40, 10}, std::pair{1000, 64}}) {
    CAPTURE(rows);
    ReaderAlone world;
    std::atomic<int> found{0};
    Reader reader(world.runtime, [&, max_rows = rows](Session& session) {
      WindowOptions options;
      options.max_rows = max_rows;
      options.block_rows = 64;
      // Whoever waits for a device is never pulled by the consumer.
      options.lane = Lane::blocking;
      return window(session, counting({.total = 100'000, .widest = &found}), options);
    });
    for (int i = 0; i < 200; ++i) {
      REQUIRE(*reader.next(1000) == PullResult::rows);
      reader.settle();
    }
    CHECK(found == widest);
  }
}

TEST_CASE("given numbers: a window that shares memory gives back each row, and its reserve at the end") {
  ReaderAlone world;
  auto memory = make_ref<WindowMemory>(200'000);
  auto waiter = make_ref<test::CountingWaker>();
  Reader reader(world.runtime, [&](Session& session) {
    auto tuning = make_ref<Tuning>();
    tuning->memory = memory;
    session.scheduler->tune(std::move(tuning));
    WindowOptions options;
    options.max_rows = 4;
    options.block_rows = 1;
    options.lane = Lane::blocking;
    return window(session, counting({.total = 100}), options);
  });
  for (int i = 0; i < 50; ++i) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
  }
  CHECK(memory->used() == 4 * 8);
  while (memory->reserve(1'000'000, *waiter) > 0) {
  }
  CHECK(waiter->count == 0);
  REQUIRE(*reader.next() == PullResult::rows);
  CHECK(waiter->count == 1);
  memory->add(-memory->used() + 3 * 8);
  memory->wake_waiters();
  while (*reader.next() == PullResult::rows) reader.settle();
  CHECK(memory->used() == 0);
}

TEST_CASE("given numbers: only what shares the memory of all keeps some in reserve") {
  const auto ledger = make_ref<MemoryLedger>(40'960'000);
  CHECK(WindowMemory(WindowMemory::kUnlimited, ledger.get()).reserve_bytes() == 10'000);
  CHECK(WindowMemory(1'000'000, ledger.get()).reserve_bytes() == 0);
  CHECK(WindowMemory(WindowMemory::kUnlimited).reserve_bytes() == 0);
  const auto large = make_ref<MemoryLedger>(int64_t{1} << 40);
  CHECK(WindowMemory(WindowMemory::kUnlimited, large.get()).reserve_bytes() == 65'536);
}

TEST_CASE("given numbers: who waits twice for memory has one place, and none once it left") {
  MemoryWaiters waiters;
  auto first = make_ref<test::CountingWaker>();
  auto second = make_ref<test::CountingWaker>();
  for (int i = 0; i < 2; ++i) waiters.add(*first);
  waiters.add(*second);
  waiters.leave(*first);
  waiters.wake();
  CHECK(first->count == 0);
  CHECK(second->count == 1);
  for (int i = 0; i < 3; ++i) waiters.add(*first);
  waiters.wake();
  waiters.wake();
  CHECK(first->count == 1);
}

}  // namespace
}  // namespace weir
