#include "exec/window.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/failing_new.h"

namespace weir {
namespace {

WindowOptions window_options(int64_t max_rows, int block_rows) {
  WindowOptions options;
  options.max_rows = max_rows;
  options.block_rows = block_rows;
  return options;
}

// Reads all rows in blocks of `width` and checks them.
int64_t read_all(Reader& reader, int width, int64_t added, int64_t fail_every = 0) {
  int64_t position = 0;
  while (*reader.next(width) == PullResult::rows) {
    if (!reader.is(position, added, fail_every)) return -position;
    position += reader.out.rows;
  }
  return position;
}

TEST_CASE("window: gives the feed's rows in order, whatever the widths", "[threads]") {
  ThreadsWorld world;
  for (int width : {1, 3, 64, 1024}) {
    for (int64_t max_rows : {1, 2, 7, 1000}) {
      CAPTURE(width, max_rows);
      Reader reader(world.runtime, [&](Session& s) {
        return window(s, counting({.total = 2000, .fail_every = 7}), window_options(max_rows, 64));
      });
      CHECK(read_all(reader, width, 0, 7) == 2000);
      CHECK(*reader.next() == PullResult::end);
    }
  }
  CHECK(CountingFeed::overlaps == 0);
}

TEST_CASE("window: works on helping threads alone", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  Reader reader(world.runtime, [&](Session& s) {
    auto inner = window(s, counting({.total = 500, .pending_every = 3}), window_options(16, 4));
    return window(s, std::move(inner), window_options(8, 8));
  });
  CHECK(read_all(reader, 5, 0) == 500);
}

TEST_CASE("window: holds no more than its room, and starts with the first next", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    WindowOptions options = window_options(12, 3);
    // Nor does it find that its rows are cheaper than that.
    options.start.tunes = false;
    return window(s, counting({.total = 1000}, &pulled), options);
  });
  CHECK(pulled == 0);
  for (int64_t given = 1; given < 200; ++given) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    // Each row taken makes room for another one.
    REQUIRE(pulled == given + 12);
  }
}

TEST_CASE("window: room that begins small grows when the consumer finds nothing after it was full",
          "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    s.scheduler->wants_threads();
    WindowOptions options = window_options(32, 8);
    options.first_rows = 2;
    return window(s, counting({.total = 10'000}, &pulled), options);
  });
  int64_t given = 0;
  for (int64_t room = 0, steps = 0; room < 32; ++steps) {
    REQUIRE(steps < 12);
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    ++given;
    REQUIRE(pulled - given > room);
    room = pulled - given;
    REQUIRE(room <= 32);
    if (steps == 0) REQUIRE(room == 2);
    // Taken one at a time, with the window refilled once a quarter of it is free, it stays as it is.
    for (int64_t i = 0, free = 0; i < 20; ++i) {
      REQUIRE(*reader.next() == PullResult::rows);
      reader.settle();
      free = free + 1 > room / 4 ? 0 : free + 1;
      REQUIRE(pulled == ++given + room - free);
    }
    // All of it at once, before the pump has run, and one more.
    while (reader.poll(1) == PullResult::rows) ++given;
  }
}

// Goes on by a step each time that it is read.
struct SteppingClock final : Clock {
  int64_t now_ns() override { return now += step; }
  std::atomic<int64_t> now{1};
  std::atomic<int64_t> step{20};
};

// Polls that give a row each, up to `most` of them, where nobody runs the pump.
int64_t polled(Reader& reader, int64_t& position, int64_t most) {
  for (int64_t i = 0; i < most; ++i, ++position) {
    if (reader.poll(1) != PullResult::rows) return i;
    REQUIRE(reader.is(position, 0, 5));
  }
  return most;
}

TEST_CASE("window: rows cheaper than waking a thread are pulled by their consumer", "[threads]") {
  for (const bool tunes : {true, false}) {
    for (const Lane lane : {Lane::compute, Lane::blocking}) {
      for (const int64_t room : {int64_t{1}, int64_t{16}, int64_t{100'000}}) {
        CAPTURE(tunes, lane == Lane::compute, room);
        ThreadsWorld world({.probe = no_threads});
        SteppingClock clock;
        world.runtime.clock = &clock;
        std::atomic<int> widest{0};
        Reader reader(world.runtime, [&](Session& s) {
          WindowOptions options = window_options(room, 2);
          options.start.tunes = tunes;
          options.lane = lane;
          return window(s, counting({.total = 1 << 20, .fail_every = 5, .widest = &widest}), options);
        });
        int64_t position = 0;
        for (; position < 500; ++position) {
          REQUIRE(*reader.next() == PullResult::rows);
          REQUIRE(reader.is(position, 0, 5));
        }
        // More than the window holds now.
        if (room == 100'000 || lane == Lane::blocking || !tunes) {
          CHECK(polled(reader, position, 400) < 20);
          CHECK(widest <= 2);
          continue;
        }
        CHECK(polled(reader, position, 400) == 400);
        // Nobody waits for the first of them, so as many as fit are asked for at once.
        CHECK(widest == room);
        // From now on a row takes a millisecond.
        clock.step = 1'000'000;
        CHECK(polled(reader, position, 400) < 100);
        CHECK(*reader.next() == PullResult::rows);
      }
    }
  }
}

TEST_CASE("window: what its consumer pulls may be pending, and ends", "[threads]") {
  ThreadsWorld world;
  SteppingClock clock;
  world.runtime.clock = &clock;
  for (int width : {1, 3}) {
    Reader reader(world.runtime, [&](Session& s) {
      return window(s, counting({.total = 5000, .fail_every = 7, .pending_every = 3}), window_options(16, 2));
    });
    CHECK(read_all(reader, width, 0, 7) == 5000);
    CHECK(*reader.next() == PullResult::end);
  }
}

TEST_CASE("window: a row larger than the budget passes alone", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    WindowOptions options = window_options(100, 16);
    options.max_bytes = 1;
    return window(s, counting({.total = 20}, &pulled), options);
  });
  for (int64_t given = 1; given <= 20; ++given) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    REQUIRE(pulled <= given + 1);
  }
  CHECK(*reader.next() == PullResult::end);
}

TEST_CASE("window: holds its room in bytes, and a row that begins within it", "[threads]") {
  // Rows of 8 bytes.
  for (int64_t max_bytes : {7, 8, 9, 79, 80, 81}) {
    CAPTURE(max_bytes);
    const int64_t room = (max_bytes + 7) / 8;
    ThreadsWorld world({.probe = no_threads});
    std::atomic<int64_t> pulled{0};
    Reader reader(world.runtime, [&](Session& s) {
      WindowOptions options = window_options(1000, 64);
      options.max_bytes = max_bytes;
      return window(s, counting({.total = 400}, &pulled), options);
    });
    int64_t most = 0;
    for (int64_t given = 1; given <= 300; ++given) {
      REQUIRE(*reader.next() == PullResult::rows);
      reader.settle();
      most = std::max(most, pulled - given);
    }
    CHECK(most == room);
  }
}

TEST_CASE("window: one that chooses its size waits until a quarter of its bytes is free", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    s.scheduler->wants_threads();
    WindowOptions options = window_options(1000, 8);
    options.first_rows = 500;
    // 100 rows.
    options.max_bytes = 800;
    return window(s, counting({.total = 1000}, &pulled), options);
  });
  int64_t before = 0;
  int64_t least = INT64_MAX;
  for (int64_t given = 1; given <= 600; ++given) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    const int64_t more = pulled - std::exchange(before, pulled.load());
    // It ramps up at first.
    if (given > 200 && more > 0) least = std::min(least, more);
  }
  CHECK(least >= 25);
  CHECK(least <= 100);
}

TEST_CASE("window: a piece holds as many whole rows as fit the bytes wanted, and one at least", "[threads]") {
  for (int64_t bytes : {1, 7, 8, 15, 16, 17, 31, 32, 1000}) {
    CAPTURE(bytes);
    ThreadsWorld world({.probe = no_threads});
    Reader reader(world.runtime,
                  [&](Session& s) { return window(s, counting({.total = 400}), window_options(400, 16)); });
    int most = 0;
    int64_t position = 0;
    for (; *reader.next(64, bytes) == PullResult::rows; position += reader.out.rows) {
      REQUIRE(reader.is(position, 0));
      most = std::max(most, reader.out.rows);
    }
    CHECK(position == 400);
    CHECK(most == std::clamp<int64_t>(bytes / 8, 1, 16));
  }
}

TEST_CASE("window: pieces carry the number of their first row and their block's anchor", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  Reader reader(world.runtime,
                [&](Session& s) { return window(s, counting({.total = 100}), window_options(400, 16)); });
  RefPtr<const RefCounted> anchor;
  int anchors = 0;
  for (int64_t row = 0; row < 100; ++row) {
    REQUIRE(*reader.next() == PullResult::rows);
    REQUIRE(reader.mark.ordinal == row);
    anchors += !(reader.mark.anchor == anchor);
    anchor = reader.mark.anchor;
  }
  // Blocks of 1, 2, 4, 8, 16, 16 … rows.
  CHECK(anchors == 10);
}

TEST_CASE("window: the epochs that its feed counts are its own", "[threads]") {
  struct OpeningFeed final : Feed {
    PullResult next(Context& context, const Demand&, Block& out, Mark& mark) override {
      mark.ordinal = static_cast<int64_t>(context.epochs->open(7));
      mark.epochs = context.epochs->table();
      out.reset(0);
      out.rows = 1;
      return PullResult::rows;
    }
  };
  ThreadsWorld world({.probe = no_threads});
  Reader reader(world.runtime, [&](Session& s) {
    EpochScope scope;
    scope.set(7, 3);
    return std::make_unique<WindowFeed<Window>>(s, std::make_unique<OpeningFeed>(), window_options(4, 1),
                                                scope.table());
  });
  for (uint64_t row = 0; row < 10; ++row) {
    REQUIRE(*reader.next() == PullResult::rows);
    CHECK(reader.mark.ordinal == static_cast<int64_t>(3 + row));
    CHECK(EpochScope(reader.mark.epochs).count(7) == 4 + row);
  }
  CHECK(reader.epochs.table() == nullptr);
}

TEST_CASE("window: a feed that throws ends with one error row", "[threads]") {
  struct ThrowingFeed final : Feed {
    PullResult next(Context&, const Demand&, Block&, Mark&) override { throw 1; }
  };
  ThreadsWorld world;
  Reader reader(world.runtime, [&](Session& s) {
    return window(s, std::make_unique<ThrowingFeed>(), window_options(4, 1));
  });
  REQUIRE(*reader.next() == PullResult::rows);
  CHECK(reader.out.failed(0));
  CHECK(*reader.next() == PullResult::end);
  CHECK(*reader.next() == PullResult::end);
}

TEST_CASE("window: a feed that throws without memory is one error", "[threads]") {
  struct ThrowingFeed final : Feed {
    PullResult next(Context&, const Demand&, Block&, Mark&) override {
      fail_allocations(1000);
      throw std::bad_alloc();
    }
  };
  ThreadsWorld world({.probe = no_threads});
  Reader reader(world.runtime, [&](Session& s) {
    return window(s, std::make_unique<ThrowingFeed>(), window_options(4, 1));
  });
  const PullResult got = *reader.next();
  fail_allocations(0);
  CHECK(got == PullResult::rows);
  CHECK(reader.out.errors[0].error->code == Code::resource_exhausted);
  CHECK(*reader.next() == PullResult::end);
}

TEST_CASE("window: closed at any moment it leaves nothing behind", "[threads]") {
  const int live = live_objects;
  {
    ThreadsWorld world;
    for (int64_t stop = 0; stop < 200; ++stop) {
      Reader reader(world.runtime, [&](Session& s) {
        auto inner = window(s, counting({.total = 100000}), window_options(64, 8));
        return window(s, std::move(inner), window_options(32, 4));
      });
      for (int64_t row = 0; row < stop; ++row) REQUIRE(*reader.next() == PullResult::rows);
      reader.root = nullptr;
      reader.session->scheduler->wait_until_quiet();
    }
  }
  CHECK(live_objects == live);
  CHECK(CountingFeed::overlaps == 0);
}

TEST_CASE("window: cancel ends a wait that nothing else would end", "[threads]") {
  struct SilentFeed final : Feed {
    explicit SilentFeed(std::atomic<bool>& a) : asked(a) {}
    PullResult next(Context&, const Demand&, Block&, Mark&) override {
      asked = true;
      asked.notify_all();
      return PullResult::pending;
    }
    std::atomic<bool>& asked;
  };
  ThreadsWorld world;
  std::atomic<bool> asked{false};
  Reader reader(world.runtime, [&](Session& s) {
    return window(s, std::make_unique<SilentFeed>(asked), window_options(4, 1));
  });
  std::thread canceller([&] {
    asked.wait(false);
    reader.cancel();
  });
  CHECK(*reader.next() == PullResult::cancelled);
  CHECK(*reader.next() == PullResult::cancelled);
  canceller.join();
}

TEST_CASE("window: threads that share an iterator share its rows", "[threads]") {
  ThreadsWorld world;
  constexpr int64_t kTotal = 20000;
  Reader reader(world.runtime,
                [&](Session& s) { return window(s, counting({.total = kTotal}), window_options(64, 16)); });
  std::vector<int> seen(kTotal);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      PullResult last = PullResult::rows;
      while (last == PullResult::rows) {
        last = *reader.session->scheduler->drive([&] {
          PullResult got = reader.poll(3);
          for (int row = 0; got == PullResult::rows && row < reader.out.rows; ++row)
            ++seen[size_t(reader.value(row))];
          return got;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(seen == std::vector<int>(kTotal, 1));
}

}  // namespace
}  // namespace weir
