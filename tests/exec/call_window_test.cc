#include "exec/call_window.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

#include "exec/feeds.h"
#include "exec/threads.h"
#include "support/failing_new.h"

namespace weir {
namespace {

TEST_CASE("call window: ordered calls give the feed's order with its errors in place", "[threads]") {
  ThreadsWorld world;
  for (int width : {1, 7, 128}) {
    for (int in_flight : {0, 1, 3}) {
      CAPTURE(width, in_flight);
      Reader reader(world.runtime, [&](Session& s) {
        CallWindowOptions options;
        options.calls_in_flight = in_flight;
        return calls(s, counting({.total = 3000, .fail_every = 11}), std::make_unique<AddOne>(), options);
      });
      int64_t position = 0;
      bool right = true;
      while (*reader.next(width) == PullResult::rows) {
        right = right && reader.is(position, 1, 11);
        position += reader.out.rows;
      }
      CHECK(right);
      CHECK(position == 3000);
      CHECK(*reader.next() == PullResult::end);
    }
  }
}

TEST_CASE("call window: the function's errors stand at their rows", "[threads]") {
  ThreadsWorld world;
  Reader reader(world.runtime, [&](Session& s) {
    return calls(s, counting({.total = 640, .fail_every = 10}), std::make_unique<AddOne>(nullptr, 5),
                 CallWindowOptions());
  });
  for (int64_t row = 0; row < 640; ++row) {
    REQUIRE(*reader.next() == PullResult::rows);
    const ErrorPtr* error = reader.out.error_of(0);
    const Code code = row % 10 == 9 ? Code::data_loss : row % 64 == 5 ? Code::invalid_argument : Code::ok;
    REQUIRE((error ? (*error)->code : Code::ok) == code);
  }
}

struct StandingClock final : Clock {
  int64_t now_ns() override { return 0; }
};

// Memory comes back with the first reading of the clock, which follows each call.
class ForgivingClock final : public Clock {
 public:
  int64_t now_ns() override {
    fail_allocations(0);
    return ++now_ns_;
  }

 private:
  int64_t now_ns_ = 0;
};

template <class Exception>
class Throws final : public BlockCall {
 public:
  Throws(const Exception& exception, int failures) : exception_(exception), failures_(failures) {}
  void run(Context&, int64_t, Block&, Block&) override {
    fail_allocations(failures_);
    throw exception_;
  }

 private:
  const Exception exception_;
  const int failures_;
};

// The rows of a feed whose every fifth fails, up to the end or cancelled.
template <class Exception>
std::vector<Code> codes_of(const Exception& exception, int failures) {
  ThreadsWorld world({.probe = no_threads});
  ForgivingClock clock;
  world.runtime.clock = &clock;
  Reader reader(world.runtime, [&](Session& s) {
    return calls(s, counting({.total = 20, .fail_every = 5}),
                 std::make_unique<Throws<Exception>>(exception, failures), CallWindowOptions());
  });
  std::vector<Code> codes;
  for (;;) {
    const PullResult got = *reader.next();
    if (got == PullResult::end) return codes;
    const ErrorPtr* error = got == PullResult::rows ? reader.out.error_of(0) : nullptr;
    codes.push_back(got == PullResult::cancelled ? Code::cancelled : error ? (*error)->code : Code::ok);
    if (got == PullResult::cancelled) return codes;
  }
}

std::vector<Code> every_fifth_lost(Code others) {
  std::vector<Code> codes;
  for (int row = 0; row < 20; ++row) codes.push_back(row % 5 == 4 ? Code::data_loss : others);
  return codes;
}

TEST_CASE("call window: what a call throws is the error of its rows", "[threads]") {
  CHECK(codes_of(std::bad_alloc(), 0) == every_fifth_lost(Code::resource_exhausted));
  CHECK(codes_of(std::runtime_error("boom"), 0) == every_fifth_lost(Code::internal));
  // There is memory for the rows, but not for the message.
  CHECK(codes_of(std::runtime_error("boom"), 1) == every_fifth_lost(Code::resource_exhausted));
}

TEST_CASE("call window: without memory to say which rows failed all of them are out of memory", "[threads]") {
  for (int failures : {1, 2, 3, 4, 5, 6, 8, 12, 20, 1000}) {
    CAPTURE(failures);
    const std::vector<Code> codes = codes_of(std::bad_alloc(), failures);
    REQUIRE(codes.size() == 20);
    for (size_t row = 0; row < codes.size(); ++row) {
      const bool lost = row % 5 == 4 && codes[row] == Code::data_loss;
      CHECK((lost || codes[row] == Code::resource_exhausted));
    }
  }
}

TEST_CASE("call window: unordered calls give every row once, with its own mark", "[threads]") {
  ThreadsWorld world;
  Reader reader(world.runtime, [&](Session& s) {
    CallWindowOptions options;
    options.ordered = false;
    options.calls_in_flight = 4;
    return calls(s, counting({.total = 2000}), std::make_unique<AddOne>(), options);
  });
  std::set<int64_t> rows;
  while (*reader.next(3) == PullResult::rows) {
    REQUIRE(reader.mark.anchor);
    for (int i = 0; i < reader.out.rows; ++i) {
      REQUIRE(reader.value(i) == reader.mark.ordinal + i + 1);
      REQUIRE(rows.insert(reader.value(i)).second);
    }
  }
  CHECK(rows.size() == 2000);
}

TEST_CASE("call window: pulls no further ahead than asked for", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    CallWindowOptions options;
    options.calls_in_flight = 2;
    options.ahead_rows = 10;
    return calls(s, counting({.total = 1000}, &pulled), std::make_unique<AddOne>(), options);
  });
  CHECK(pulled == 0);
  int64_t most = 0;
  for (int64_t given = 1; given <= 1000; ++given) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    REQUIRE(pulled <= given + 10);
    most = std::max(most, pulled - given);
  }
  CHECK(most >= 9);
}

TEST_CASE("call window: each row that is taken makes room for another one", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    CallWindowOptions options;
    options.calls_in_flight = 2;
    options.ahead_rows = 32;
    options.one_row_per_call = true;
    return calls(s, counting({.total = 1000}, &pulled), std::make_unique<AddOne>(), options);
  });
  for (int64_t given = 1; given <= 900; ++given) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    REQUIRE(pulled == given + 32);
  }
}

// Makes each row this many bytes long.
class Widen final : public BlockCall {
 public:
  explicit Widen(int64_t row_bytes) : row_bytes_(row_bytes) {}
  void run(Context&, int64_t, Block& in, Block& out) override {
    out.reset(1);
    out.rows = in.rows;
    std::memset(out.columns[0].make_dense<uint8_t>(Shape{row_bytes_}, in.rows), 0,
                static_cast<size_t>(in.rows * row_bytes_));
  }

 private:
  const int64_t row_bytes_;
};

TEST_CASE("call window: holds its room in bytes, and a row that begins within it", "[threads]") {
  // Results larger than their input rows count as soon as one is known.
  for (int64_t row_bytes : {8, 96}) {
    for (int64_t max_bytes : {1, 95, 96, 97, 959, 960, 961}) {
      CAPTURE(row_bytes, max_bytes);
      const int64_t room = (max_bytes + row_bytes - 1) / row_bytes;
      ThreadsWorld world({.probe = no_threads});
      std::atomic<int64_t> pulled{0};
      Reader reader(world.runtime, [&](Session& s) {
        CallWindowOptions options;
        options.calls_in_flight = 1;
        options.ahead_rows = 1000;
        options.max_bytes = max_bytes;
        options.one_row_per_call = true;
        return calls(s, counting({.total = 1000}, &pulled), std::make_unique<Widen>(row_bytes), options);
      });
      int64_t most = 0;
      for (int64_t given = 1; given <= 600; ++given) {
        REQUIRE(*reader.next() == PullResult::rows);
        for (int i = 0; i < 8; ++i) reader.settle();
        // The first calls are pulled before any result is known.
        if (given < 50) continue;
        most = std::max(most, pulled - given);
        REQUIRE(pulled - given >= room / 2);
      }
      CHECK(most == room);
    }
  }
}

TEST_CASE("call window: a piece holds as many whole rows as fit the bytes wanted, and one at least",
          "[threads]") {
  StandingClock clock;
  for (int64_t bytes : {1, 99, 100, 199, 200, 201, 3199, 3200, 100000}) {
    CAPTURE(bytes);
    ThreadsWorld world({.probe = no_threads});
    // Calls that take no time grow.
    world.runtime.clock = &clock;
    Reader reader(world.runtime, [&](Session& s) {
      return calls(s, counting({.total = 4000}), std::make_unique<Widen>(100), CallWindowOptions());
    });
    int most = 0;
    int64_t position = 0;
    for (; *reader.next(32, bytes) == PullResult::rows; position += reader.out.rows) {
      REQUIRE(reader.mark.ordinal == position);
      most = std::max(most, reader.out.rows);
    }
    CHECK(position == 4000);
    CHECK(most == std::clamp<int64_t>(bytes / 100, 1, 32));
  }
}

TEST_CASE("call window: a function of the caller runs on threads inside next only, one call at a time",
          "[threads]") {
  ThreadsWorld world;
  AddOne::most = 0;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  Reader reader(world.runtime, [&](Session& s) {
    CallWindowOptions options;
    options.lane = Lane::caller;
    options.calls_in_flight = 8;
    auto function =
        std::make_unique<AddOne>([&](int64_t) { elsewhere += std::this_thread::get_id() != caller; });
    return calls(s, counting({.total = 300}), std::move(function), options);
  });
  int64_t position = 0;
  while (*reader.next() == PullResult::rows) ++position;
  CHECK(position == 300);
  CHECK(elsewhere == 0);
  CHECK(AddOne::most == 1);
}

TEST_CASE("call window: short calls grow", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  StandingClock clock;
  world.runtime.clock = &clock;
  int made = 0;
  Reader reader(world.runtime, [&](Session& s) {
    return calls(s, counting({.total = 4096}), std::make_unique<AddOne>([&](int64_t) { ++made; }),
                 CallWindowOptions());
  });
  while (*reader.next(16) == PullResult::rows) {
  }
  CHECK(made < 64);
}

TEST_CASE("call window: of short calls, it makes no more than the consumer seems to want", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  StandingClock clock;
  world.runtime.clock = &clock;
  std::atomic<int64_t> pulled{0};
  Reader reader(world.runtime, [&](Session& s) {
    s.scheduler->wants_threads();
    return calls(s, counting({.total = 100'000}, &pulled), std::make_unique<AddOne>(), CallWindowOptions());
  });
  int64_t first = 0;
  int64_t most = 0;
  for (int64_t given = 1; given <= 10'000; ++given) {
    REQUIRE(*reader.next() == PullResult::rows);
    reader.settle();
    if (given == 1) first = pulled;
    REQUIRE(pulled <= 64 + 3 * given);
    most = std::max(most, pulled - given);
  }
  CHECK(first > 32);
  CHECK(most > 4000);
}

TEST_CASE("call window: where an element takes long, each is a call of its own", "[threads]") {
  ThreadsWorld world({.probe = no_threads});
  struct MovedClock final : Clock {
    int64_t now_ns() override { return now; }
    int64_t now = 0;
  } clock;
  world.runtime.clock = &clock;
  constexpr int64_t kShort = 1024;
  constexpr int64_t kTotal = 2048;
  int64_t last_call = 0;
  Reader reader(world.runtime, [&](Session& s) {
    // Short calls first, which grow; then each takes a second.
    return calls(s, counting({.total = kTotal}), std::make_unique<AddOne>([&](int64_t first) {
                   if (first >= kShort) clock.now += 1'000'000'000;
                   last_call = first;
                 }),
                 CallWindowOptions());
  });
  while (*reader.next(16) == PullResult::rows) {
  }
  // The last call began with the last element.
  CHECK(last_call == kTotal - 1);
}

TEST_CASE("call window: closed at any moment it leaves nothing behind", "[threads]") {
  const int live = live_objects;
  {
    ThreadsWorld world;
    for (int64_t stop = 0; stop < 150; ++stop) {
      Reader reader(world.runtime, [&](Session& s) {
        CallWindowOptions options;
        options.ordered = stop % 2 == 0;
        auto inner = calls(s, counting({.total = 100000}), std::make_unique<AddOne>(), options);
        return calls(s, std::move(inner), std::make_unique<AddOne>(), options);
      });
      for (int64_t row = 0; row < stop; ++row) REQUIRE(*reader.next() == PullResult::rows);
      reader.root = nullptr;
      reader.session->scheduler->wait_until_quiet();
    }
  }
  CHECK(live_objects == live);
  CHECK(AddOne::destroyed_early == 0);
}

}  // namespace
}  // namespace weir
