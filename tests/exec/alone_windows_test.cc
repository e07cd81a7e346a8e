// What an AloneTuner concludes from one window of time, or one window after the other.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdint>
#include <utility>

#include "exec/alone_tuner.h"

namespace weir {
namespace {

constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kWindow = 10'000'000;

// Goes from one end of a window to the next, with elements that come so far apart.
class AloneWindows {
 public:
  explicit AloneWindows(AloneTuner& tuner) : tuner_(tuner) {}

  // Each returns true if alone() has changed. The consumer waits for such a part of the time.
  bool element(int64_t after_us, double waits = 1) {
    now_ns += after_us * kMicrosecond;
    waited_ns_ += static_cast<int64_t>(waits * static_cast<double>(after_us * kMicrosecond));
    return tuner_.answered(++elements_, waited_ns_, now_ns);
  }
  bool window(int64_t each_us, double waits = 1) {
    // What was there before the window, and after a change what settles it.
    const int begins = tuner_.next_look_ns() > 0 ? 0 : std::exchange(fresh_, false) ? 1 : 2;
    for (int seen = 0; seen <= begins;) {
      const int64_t look_ns = tuner_.next_look_ns();
      if (element(each_us, waits)) return true;
      if (tuner_.next_look_ns() != look_ns) ++seen;
    }
    return false;
  }
  // Returns how many of so many windows there were until alone() changed; one more if it did not.
  int until_change(int most, int64_t each_us) {
    int windows = 1;
    while (windows <= most && !window(each_us)) ++windows;
    return windows;
  }

  int64_t now_ns = 1;

 private:
  AloneTuner& tuner_;
  int64_t elements_ = 0;
  int64_t waited_ns_ = 0;
  bool fresh_ = true;
};

// With all threads, and what runs are like is known: they are short and compute.
AloneTuner knowing() {
  AloneTuner tuner;
  tuner.start(false, false, false);
  for (int i = 0; i < 100; ++i) tuner.ran(40 * kMicrosecond, 40 * kMicrosecond);
  return tuner;
}

TEST_CASE("alone windows: the first trial comes after four, and one that fails puts the next one off") {
  AloneTuner tuner = knowing();
  AloneWindows windows(tuner);
  CHECK(windows.until_change(9, 100) == 4);
  CHECK(tuner.alone());
  CHECK(windows.window(100));
  CHECK_FALSE(tuner.alone());
  CHECK(windows.until_change(20, 100) == 16);
  CHECK(windows.window(100));
  CHECK(windows.until_change(40, 100) == 32);
}

TEST_CASE("alone windows: however many trials have failed, the next one is 1,024 windows away") {
  AloneTuner tuner = knowing();
  AloneWindows windows(tuner);
  windows.until_change(4, 100);
  for (const int pause : {16, 32, 64, 128, 256, 512, 1024, 1024, 1024}) {
    REQUIRE(windows.window(100));
    REQUIRE(windows.until_change(2000, 100) == pause);
  }
}

TEST_CASE("alone windows: a trial whose consumer did something else meanwhile says nothing") {
  for (const double waits : {0.79, 0.81}) {
    CAPTURE(waits);
    AloneTuner tuner = knowing();
    AloneWindows windows(tuner);
    windows.until_change(4, 100);
    CHECK(windows.window(50, waits));
    CHECK_FALSE(tuner.alone());
    // The window that a good trial is compared with once more.
    CHECK(windows.window(100) == (waits > 0.8));
    CHECK(tuner.alone() == (waits > 0.8));
  }
}

TEST_CASE("alone windows: it has to gain more than two windows with all threads differ") {
  // 18 % more than the better one of two that differ by a fifth, or hardly.
  for (const int64_t again_us : {125, 102}) {
    CAPTURE(again_us);
    AloneTuner tuner = knowing();
    AloneWindows windows(tuner);
    windows.until_change(4, 100);
    CHECK(windows.window(85));
    CHECK_FALSE(tuner.alone());
    CHECK(windows.window(again_us) == (again_us == 102));
    CHECK(tuner.alone() == (again_us == 102));
  }
}

// With all threads an element each 100 microseconds, alone each 84.
AloneTuner found_alone(AloneWindows& windows, AloneTuner& tuner) {
  windows.until_change(4, 100);
  windows.window(84);
  windows.window(100);
  return tuner;
}

TEST_CASE(
    "alone windows: it is given up after three windows in a row that are worse, not after three in all") {
  AloneTuner tuner = knowing();
  AloneWindows windows(tuner);
  found_alone(windows, tuner);
  REQUIRE(tuner.settled_alone());
  for (int i = 0; i < 4; ++i) {
    REQUIRE_FALSE(windows.window(96));
    REQUIRE_FALSE(windows.window(96));
    REQUIRE_FALSE(windows.window(84));
  }
  CHECK(windows.until_change(9, 96) == 3);
  CHECK_FALSE(tuner.settled_alone());
}

TEST_CASE("alone windows: what a rate differed by before a trial is no sign of another load after it") {
  for (const bool differed : {false, true}) {
    CAPTURE(differed);
    AloneTuner tuner = knowing();
    AloneWindows windows(tuner);
    windows.window(100);
    // Not yet enough for another load.
    windows.window(differed ? 61 : 100);
    windows.window(differed ? 61 : 100);
    REQUIRE(windows.window(100));
    REQUIRE(windows.window(50));
    REQUIRE(windows.window(100));
    REQUIRE(tuner.settled_alone());
    CHECK_FALSE(windows.window(50));
    CHECK_FALSE(windows.window(28));
    // The rest of the sixteen before threads are tried again.
    CHECK(windows.until_change(20, 50) == 14);
  }
}

TEST_CASE("alone windows: where the rate goes up and down they become longer, up to eight times") {
  AloneTuner tuner;
  tuner.start(false, false, false);
  AloneWindows windows(tuner);
  windows.window(400);
  int64_t each_us = 400;
  for (const int64_t length : {2, 4, 8, 8, 8}) {
    each_us = each_us * 2 / 5;
    CHECK_FALSE(windows.window(each_us));
    CHECK(tuner.next_look_ns() - windows.now_ns == length * kWindow);
  }
}

TEST_CASE("alone windows: a trial that begins slowly ends at once, but not where the rate goes up and down") {
  const bool steady = GENERATE(true, false);
  CAPTURE(steady);
  AloneTuner tuner = knowing();
  AloneWindows windows(tuner);
  // A load that changes so much has longer windows.
  if (!steady) {
    windows.window(300);
    CHECK_FALSE(windows.window(100));
  }
  REQUIRE(windows.until_change(9, 100) < 9);
  REQUIRE(tuner.alone());
  for (int i = 0; i < 60 && tuner.alone(); ++i) windows.element(130);
  CHECK(tuner.alone() == !steady);
  for (int i = 0; i < 600 && tuner.alone(); ++i) windows.element(30);
  // The trial is over; what it was better than is measured once more.
  CHECK_FALSE(tuner.alone());
  CHECK(windows.window(100) == !steady);
  CHECK(tuner.settled_alone() == !steady);
}

TEST_CASE("alone windows: a run counts as computing for no longer than it took") {
  // A clock of the processor that is coarse says that a short run computed for long: most of the time waited
  // all the same.
  AloneTuner tuner;
  tuner.start(false, false, false);
  for (int i = 0; i < 30; ++i) {
    for (int waiting = 0; waiting < 4; ++waiting) tuner.ran(40 * kMicrosecond, 0);
    tuner.ran(40 * kMicrosecond, 4000 * kMicrosecond);
  }
  AloneWindows windows(tuner);
  CHECK(windows.until_change(50, 100) == 51);
}

}  // namespace
}  // namespace weir
