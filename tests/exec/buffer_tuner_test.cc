#include "exec/buffer_tuner.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <utility>

#include "exec/milliseconds.h"

namespace weir {
namespace {

// A consumer that takes a row each `consumer_ns`, over a feed that fills the room at once but stalls for
// `stall_ns` before every row whose number is a multiple of `stall_every`.
struct BufferedPipe {
  BufferTuner& buffer;
  int64_t consumer_ns = kMs;
  int64_t stall_ns = 0;
  int64_t stall_every = 1000;
  int64_t now_ns = kMs;
  int64_t made = 0;
  int64_t taken = 0;
  int64_t waited_ns = 0;
  // When the feed goes on.
  int64_t ready_ns = 0;
  bool was_full = false;
  // Since when there is no room, and for how long there was none.
  int64_t full_since_ns = 0;
  int64_t full_ns = 0;

  void fill() {
    while (made - taken < buffer.rows() && now_ns >= ready_ns) {
      ++made;
      if (stall_ns > 0 && made % stall_every == 0) ready_ns = now_ns + stall_ns;
    }
    if (made - taken < buffer.rows()) return;
    was_full = true;
    if (full_since_ns == 0) full_since_ns = now_ns;
  }

  void take(int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
      fill();
      if (made == taken) {
        buffer.found_empty(taken, was_full, std::exchange(full_ns, 0), now_ns);
        was_full = false;
        waited_ns += std::max<int64_t>(0, ready_ns - now_ns);
        now_ns = std::max(now_ns, ready_ns);
        ++made;
        buffer.has_rows(now_ns);
      }
      ++taken;
      now_ns += consumer_ns;
      if (full_since_ns != 0) full_ns += now_ns - std::exchange(full_since_ns, 0);
      fill();
      if (buffer.took(taken, made - taken)) buffer.check(taken, now_ns);
    }
  }
};

TEST_CASE("buffer tuner: grows in one or two steps to what the consumer takes while the feed stalls") {
  BufferTuner buffer(2, 1024);
  BufferedPipe pipe{buffer, kMs, 200 * kMs};
  pipe.take(3000);
  pipe.waited_ns = 0;
  pipe.take(10'000);
  CHECK(pipe.waited_ns == 0);
  CHECK(buffer.rows() >= 200);
  CHECK(buffer.rows() <= 300);
}

TEST_CASE("buffer tuner: never leaves its bounds") {
  BufferTuner buffer(2, 64);
  BufferedPipe pipe{buffer, kMs, 500 * kMs};
  pipe.take(20'000);
  CHECK(buffer.rows() == 64);
  pipe.stall_ns = 0;
  pipe.take(100'000);
  CHECK(buffer.rows() >= 2);
  CHECK(buffer.rows() <= 4);
}

TEST_CASE("buffer tuner: stays small over a feed that keeps up") {
  BufferTuner buffer(2, 1024);
  BufferedPipe pipe{buffer};
  pipe.take(5000);
  CHECK(buffer.rows() == 2);
}

TEST_CASE("buffer tuner: room is of no use to a feed that hardly ever stands still") {
  for (const auto& [full_ns, grows] : {std::pair{24 * kMs, false}, std::pair{25 * kMs, true}}) {
    BufferTuner buffer(2, 1024);
    int64_t now_ns = kMs;
    for (int64_t taken = 2; taken < 200; taken += 2) {
      // It gives two rows, waits until they are taken, and takes as long as 100 ms for the next.
      now_ns += full_ns;
      buffer.found_empty(taken, true, full_ns, now_ns);
      now_ns += 100 * kMs;
      buffer.has_rows(now_ns);
    }
    CHECK((buffer.rows() > 2) == grows);
  }
}

TEST_CASE("buffer tuner: a fixed number stays") {
  BufferTuner buffer(16, 16);
  BufferedPipe pipe{buffer, kMs, 200 * kMs};
  pipe.take(5000);
  CHECK(buffer.rows() == 16);
}

TEST_CASE("buffer tuner: gives back what is never used, but keeps what lasts while a thread wakes") {
  BufferTuner buffer(2, 1024);
  BufferedPipe pipe{buffer, kMs, 200 * kMs};
  pipe.take(3000);
  CHECK(buffer.rows() >= 200);
  pipe.stall_ns = 0;
  pipe.take(60'000);
  CHECK(buffer.rows() <= 4);

  BufferTuner quick(2, 1024);
  BufferedPipe fast{quick, 10'000, 8 * kMs};
  fast.take(3000);
  CHECK(quick.rows() > 800);
  fast.stall_ns = 0;
  fast.take(1'000'000);
  // Two hundred rows are two milliseconds.
  CHECK(quick.rows() >= 200);
  CHECK(quick.rows() < 800);
}

TEST_CASE("buffer tuner: where stalls come back, rows are given back ever later") {
  BufferTuner buffer(2, 1024);
  BufferedPipe pipe{buffer, kMs, 100 * kMs, 5000};
  pipe.take(100'000);
  pipe.waited_ns = 0;
  pipe.take(100'000);
  // Of twenty stalls.
  CHECK(pipe.waited_ns <= 300 * kMs);
}

}  // namespace
}  // namespace weir
