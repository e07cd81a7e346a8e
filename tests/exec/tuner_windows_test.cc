// What a CallTuner, a WaitDetector and a BufferTuner conclude from one window of time, or one window after
// the other.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "exec/buffer_tuner.h"
#include "exec/call_tuner.h"

namespace weir {
namespace {

constexpr int64_t kEightMs = 8'000'000;

// Goes from one end of a window to the next. Each takes 8 ms and has as many calls as it needs.
class CallWindows {
 public:
  explicit CallWindows(CallTuner& tuner, int calls_per_flight = 4)
      : tuner_(tuner), calls_per_flight_(calls_per_flight) {
    tuner_.done(1, 0);
  }

  // Returns true if the limit has risen. `rows` end in all, while the consumer waits or not.
  bool window(int64_t rows, bool starved = true) {
    if (settles_) {
      for (int i = 0; i < tuner_.limit(); ++i) tuner_.done(1, ++now_ns_);
    }
    if (starved) tuner_.starved();
    const int64_t calls = calls_per_flight_ * tuner_.limit();
    const int64_t begin_ns = now_ns_;
    for (int64_t i = 1; i < calls; ++i) tuner_.done(0, begin_ns + kEightMs * i / calls);
    now_ns_ = begin_ns + kEightMs;
    settles_ = tuner_.done(rows, now_ns_);
    return settles_;
  }
  // Returns how many windows there were until the limit rose.
  int until_more(int64_t rows) {
    int windows = 1;
    while (windows < 1000 && !window(rows)) ++windows;
    return windows;
  }
  // From now on windows have so many calls for each in flight.
  void lengthen(int calls_per_flight) { calls_per_flight_ = calls_per_flight; }

 private:
  CallTuner& tuner_;
  int calls_per_flight_;
  int64_t now_ns_ = 0;
  bool settles_ = false;
};

TEST_CASE("tuner windows: a trial that failed is put off by twice as many windows each time, up to 64") {
  CallTuner tuner({.first = 2, .most = 4, .alike = false});
  CallWindows windows(tuner);
  CHECK(windows.until_more(1000) == 2);
  for (const int pause : {1, 2, 4, 8, 16, 32, 64, 64, 64}) {
    REQUIRE_FALSE(windows.window(1000));
    REQUIRE(tuner.limit() == 2);
    // Two more say how much windows at the same setting differ.
    REQUIRE(windows.until_more(1000) == pause + 2);
  }
}

TEST_CASE("tuner windows: after another load the pauses begin anew") {
  CallTuner tuner({.first = 2, .most = 4, .alike = false});
  CallWindows windows(tuner);
  windows.until_more(1000);
  for (int i = 0; i < 5; ++i) {
    windows.window(1000);
    windows.until_more(1000);
  }
  windows.window(1000);
  // The first window of the other load, and two to compare.
  CHECK(windows.until_more(2000) == 3);
  windows.window(2000);
  CHECK(windows.until_more(2000) == 3);
}

TEST_CASE(
    "tuner windows: a trial has to gain more than two windows at the same setting differ, and a twentieth") {
  for (const int64_t second : {1000, 1200}) {
    const int64_t best = second;
    const int64_t least = second == 1000 ? 1050 : 1400;
    for (const int64_t gained : {least - 5, least + 5}) {
      CAPTURE(second, gained);
      CallTuner tuner({.first = 2, .most = 4, .alike = false});
      CallWindows windows(tuner);
      CHECK_FALSE(windows.window(1000));
      CHECK(windows.window(best));
      CHECK(tuner.limit() == 4);
      windows.window(gained);
      CHECK(tuner.limit() == (gained > least ? 4 : 2));
    }
  }
}

TEST_CASE(
    "tuner windows: a step that gained something in a short window has to gain a tenth in a longer one") {
  for (const int64_t gained : {1080, 1120}) {
    CAPTURE(gained);
    CallTuner tuner({.first = 2, .most = 4});
    CallWindows windows(tuner, 1);
    CHECK(windows.window(1000));
    // Neither most of twice as much nor nothing.
    CHECK_FALSE(windows.window(1300));
    CHECK(tuner.limit() == 4);
    windows.lengthen(4);
    CHECK_FALSE(windows.window(gained));
    CHECK(tuner.limit() == (gained > 1100 ? 4 : 2));
  }
}

TEST_CASE("tuner windows: it goes back a step after eight windows in a row for which nobody waited") {
  CallTuner tuner({.first = 2, .most = 8, .alike = false});
  CallWindows windows(tuner);
  windows.until_more(1000);
  CHECK(windows.window(2000));
  CHECK_FALSE(windows.window(4000));
  REQUIRE(tuner.limit() == 8);
  for (int i = 0; i < 7; ++i) windows.window(4000, false);
  // This one, and the two that compare before it knows that there can be no more.
  for (int i = 0; i < 3; ++i) windows.window(4000);
  for (int i = 0; i < 7; ++i) windows.window(4000, false);
  CHECK(tuner.limit() == 8);
  windows.window(4000, false);
  CHECK(tuner.limit() == 6);
}

TEST_CASE("tuner windows: calls wait that compute for less than half of their time, and are long") {
  const auto waits = [](int64_t took_ns, int64_t computed_ns) {
    WaitDetector detector;
    bool said = false;
    for (int i = 0; i < 8; ++i) said = detector.add(took_ns, computed_ns) || said;
    return said;
  };
  CHECK(waits(1'000'000, 499'999));
  CHECK_FALSE(waits(1'000'000, 500'000));
  CHECK(waits(100'000, 0));
  CHECK_FALSE(waits(99'999, 0));
}

// A buffer whose consumer has taken so many rows, and which stands still in between.
struct TakenBuffer {
  BufferTuner tuner{2, 1'000'000, 0};
  int64_t taken = 0;
  int64_t now_ns = 1;

  // The consumer finds nothing after it was full for long.
  void stall() {
    tuner.found_empty(taken, true, 1'000'000, now_ns);
    now_ns += 1'000'000;
    REQUIRE(tuner.has_rows(now_ns));
  }
  // Most rows are never used for a second.
  void give_back() {
    const int64_t before = tuner.rows();
    tuner.check(taken, now_ns);
    tuner.took(++taken, tuner.rows());
    tuner.check(taken, now_ns += 1'000'000'000);
    REQUIRE(tuner.rows() < before);
  }
  // For how many times its rows it waits before it looks again.
  int64_t patience() {
    tuner.check(taken, now_ns);
    int64_t times = 1;
    while (!tuner.took(taken + times * tuner.rows(), 0)) ++times;
    return times;
  }
};

TEST_CASE("tuner windows: rows that were given back and missed are given back later, up to a limit") {
  TakenBuffer buffer;
  buffer.stall();
  CHECK(buffer.patience() == 16);
  for (const int64_t patience : {32, 64, 128, 256, 512, 1024, 1024, 1024}) {
    buffer.stall();
    buffer.give_back();
    buffer.stall();
    CHECK(buffer.patience() == patience);
    // That it grows once more is no sign that too much was given back.
    buffer.stall();
    CHECK(buffer.patience() == patience);
  }
}

}  // namespace
}  // namespace weir
