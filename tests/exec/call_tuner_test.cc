#include "exec/call_tuner.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

#include "exec/call_watch.h"
#include "exec/milliseconds.h"

namespace weir {
namespace {

// Calls of `call_ns` each, of which at most `useful` at once get on, while the consumer waits for them.
struct Load {
  CallTuner& tuner;
  int64_t call_ns = 5 * kMs;
  int useful = 1 << 20;
  bool consumer_waits = true;
  bool feed_waits = false;
  int64_t now_ns = 0;
  int highest = 0;

  void run_for(int64_t ns) {
    for (const int64_t end = now_ns + ns; now_ns < end;) {
      const int parallel = std::min(tuner.limit(), useful);
      now_ns += call_ns / parallel;
      if (consumer_waits) tuner.starved();
      if (feed_waits) tuner.hungry();
      tuner.done(1, now_ns);
      highest = std::max(highest, tuner.limit());
    }
  }
};

TEST_CASE("call tuner: finds as many waiting calls as raise the throughput, within two seconds") {
  for (int useful : {3, 10, 32, 48}) {
    CAPTURE(useful);
    CallTuner tuner({.first = 2, .most = 48});
    Load load{tuner};
    load.useful = useful;
    load.run_for(2000 * kMs);
    CHECK(std::min(tuner.limit(), useful) == useful);
    // A step that did not pay was taken back.
    CHECK(tuner.limit() < 2 * std::max(useful, 2));
    CHECK(load.highest <= 48);
  }
}

TEST_CASE("call tuner: where each call more pays, it has them all within a twentieth of a second") {
  CallTuner tuner({.first = 8, .most = 48});
  Load load{tuner};
  load.run_for(50 * kMs);
  CHECK(tuner.limit() == 48);
  // Of pulls that are not alike, short windows say too little.
  CallTuner unlike({.first = 8, .most = 48, .alike = false});
  Load slow{unlike};
  slow.run_for(50 * kMs);
  CHECK(unlike.limit() == 16);
}

TEST_CASE("call tuner: a step that pays in part is kept, and one that does not is taken back at once") {
  CallTuner tuner({.first = 8, .most = 48});
  Load load{tuner};
  load.useful = 12;
  load.run_for(150 * kMs);
  CHECK(tuner.limit() == 16);
  CHECK(load.highest == 32);
  CallTuner other({.first = 8, .most = 48});
  Load flat{other};
  flat.useful = 8;
  flat.run_for(60 * kMs);
  CHECK(other.limit() == 8);
  CHECK(flat.highest == 16);
}

TEST_CASE("call tuner: goes on in the middle of a window of time, unless there was a pause") {
  CallTuner tuner({.first = 8, .most = 48});
  Load load{tuner};
  for (int i = 0; i < 100; ++i) {
    // Less than one window each.
    CallTuner next = tuner;
    next.go_on(false);
    tuner = next;
    load.run_for(2 * kMs);
  }
  CHECK(tuner.limit() == 48);
  CallTuner paused({.first = 8, .most = 48});
  Load other{paused};
  for (int i = 0; i < 100; ++i) {
    paused.go_on(true);
    other.run_for(2 * kMs);
  }
  CHECK(paused.limit() == 8);
}

TEST_CASE("call tuner: never leaves its bounds") {
  CallTuner tuner({.first = 5, .most = 7});
  Load load{tuner};
  for (int64_t length : {kMs, 20 * kMs, kMs / 10}) {
    load.call_ns = length;
    load.run_for(1000 * kMs);
    CHECK(tuner.limit() == 7);
  }
  load.consumer_waits = false;
  load.run_for(20'000 * kMs);
  CHECK(tuner.limit() == 5);
  CHECK(load.highest == 7);
}

TEST_CASE("call tuner: a fixed number stays") {
  CallTuner tuner({.first = 4, .most = 4});
  Load load{tuner};
  load.run_for(500 * kMs);
  CHECK(tuner.limit() == 4);
}

TEST_CASE("call tuner: tries nothing while the consumer or the feed is the bound") {
  SECTION("the consumer") {
    CallTuner tuner({.first = 2, .most = 48});
    Load load{tuner};
    load.consumer_waits = false;
    load.run_for(2000 * kMs);
    CHECK(load.highest == 2);
  }
  SECTION("the feed") {
    CallTuner tuner({.first = 2, .most = 48});
    Load load{tuner};
    load.feed_waits = true;
    load.run_for(2000 * kMs);
    CHECK(load.highest == 2);
  }
}

TEST_CASE("call tuner: a trial that fails is rarely repeated, and a new load brings it back") {
  CallTuner tuner({.first = 2, .most = 48});
  Load load{tuner};
  load.useful = 2;
  load.run_for(20'000 * kMs);
  CHECK(tuner.limit() == 2);
  // Windows last 20 ms here. With pauses that double there are few trials in a thousand of them.
  int changes = 0;
  for (int last = tuner.limit(), i = 0; i < 1000; ++i) {
    load.run_for(20 * kMs);
    if (tuner.limit() != last) ++changes;
    last = tuner.limit();
  }
  CHECK(changes <= 60);
  load.useful = 40;
  load.call_ns = 20 * kMs;
  load.run_for(2000 * kMs);
  CHECK(tuner.limit() >= 40);
}

TEST_CASE("call tuner: a change of the rate is noticed at once, however long the next trial is put off") {
  CallTuner tuner({.first = 2, .most = 48});
  Load load{tuner};
  load.useful = 2;
  load.run_for(60'000 * kMs);
  // Right after a trial that failed, the next one is 64 windows away, which are five seconds of the new load.
  for (int before = tuner.limit();; before = tuner.limit()) {
    load.run_for(5 * kMs);
    if (before > 2 && tuner.limit() == 2) break;
  }
  load.useful = 48;
  load.call_ns = 20 * kMs;
  load.run_for(2000 * kMs);
  CHECK(tuner.limit() == 48);
}

TEST_CASE("call tuner: gives back what a consumer that became slow does not need") {
  CallTuner tuner({.first = 2, .most = 48});
  Load load{tuner};
  load.run_for(2000 * kMs);
  CHECK(tuner.limit() == 48);
  load.consumer_waits = false;
  load.run_for(20'000 * kMs);
  CHECK(tuner.limit() == 2);
}

TEST_CASE("call tuner: a higher ceiling is used from then on") {
  CallTuner tuner({.first = 2, .most = 2});
  Load load{tuner};
  load.run_for(500 * kMs);
  tuner.widen(8, 16);
  CHECK(tuner.limit() == 8);
  load.run_for(1000 * kMs);
  CHECK(tuner.limit() == 16);
}

TEST_CASE("wait detector: tells waiting from computing, once") {
  WaitDetector waits;
  int said = 0;
  int samples = 0;
  for (int i = 0; i < 40; ++i) {
    const bool sampled = waits.samples();
    samples += sampled ? 1 : 0;
    said += waits.add(kMs, sampled ? kMs / 10 : -1) ? 1 : 0;
  }
  CHECK(samples == 4);
  CHECK(said == 1);
  WaitDetector computes;
  for (int i = 0; i < 20; ++i) CHECK_FALSE(computes.add(kMs, kMs * 9 / 10));
  // One call that was interrupted for long is not enough by itself.
  WaitDetector once;
  CHECK_FALSE(once.add(3 * kMs, kMs));
  for (int i = 0; i < 19; ++i) CHECK_FALSE(once.add(kMs, kMs));
}

// Never on a processor, by what it says.
class IdleClock final : public Clock {
 public:
  int64_t now_ns() override { return now_ns_ += kMs; }
  int64_t computing_ns() override { return 0; }

 private:
  int64_t now_ns_ = 0;
};

TEST_CASE("call watch: a thread that did not give up its processor has computed, whoever else had it") {
  IdleClock clock;
  CallWatch computes;
  computes.begin(clock);
  CHECK(computes.computed_ns(clock, 5 * kMs) == 5 * kMs);
  CallWatch waits;
  waits.begin(clock);
  // The shortest sleep gives the processor up.
  std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  CHECK(waits.computed_ns(clock, 5 * kMs) == 0);
}

// On a processor for 2 ms from one question to the next.
class BusyClock final : public Clock {
 public:
  int64_t now_ns() override { return 0; }
  int64_t computing_ns() override { return computing_ns_ += 2 * kMs; }

 private:
  int64_t computing_ns_ = 0;
};

TEST_CASE(
    "call watch: a length is without the time in which others had the processor, unless it was given up") {
  BusyClock clock;
  CallWatch computes;
  computes.begin(clock);
  const CallWatch::Length interrupted = computes.length(clock, 5 * kMs);
  CHECK(interrupted.ns == 2 * kMs);
  CHECK(interrupted.computed_ns == 2 * kMs);
  CallWatch waits;
  waits.begin(clock);
  std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  const CallWatch::Length gave_up = waits.length(clock, 5 * kMs);
  CHECK(gave_up.ns == 5 * kMs);
  CHECK(gave_up.computed_ns == 2 * kMs);
  // Two clocks differ.
  CallWatch fast;
  fast.begin(clock);
  CHECK(fast.length(clock, kMs).computed_ns == kMs);
}

// Adds pulls of a feed in turns, the first of each `rows` pulls one that opens it.
bool waits_after(WaitShare& share, int pulls, int rows, int64_t opening_ns, int64_t waiting_ns) {
  for (int i = 0; i < pulls; ++i) {
    const bool first = i % rows == 0;
    const int stands_for = share.stands_for(first);
    if (stands_for == 0) continue;
    const int64_t waited_ns = first ? opening_ns : waiting_ns;
    share.add(stands_for, waited_ns + 20'000, 20'000);
  }
  return share.waits();
}

TEST_CASE("wait share: openings count as often as there are any, other pulls by samples") {
  WaitShare share;
  // 100 ms to open, and 1,000 pulls of 20 µs: four fifths are waiting.
  CHECK(waits_after(share, 20'000, 1000, 100 * kMs, 0));
  // 1 ms to open: a twentieth is.
  CHECK_FALSE(waits_after(share, 20'000, 1000, kMs, 0));
  CHECK(waits_after(share, 20'000, 1000, kMs, kMs));
  CHECK_FALSE(waits_after(share, 20'000, 1000, 0, 0));
}

TEST_CASE("wait share: the first four pulls are judged at once, unless they waited for less than 0.4 ms") {
  WaitShare share;
  CHECK_FALSE(waits_after(share, 3, 1, kMs, 0));
  CHECK(waits_after(share, 1, 1, kMs, 0));
  // From then on sixty-four.
  CHECK(waits_after(share, 63, 1, 0, 0));
  CHECK_FALSE(waits_after(share, 1, 1, 0, 0));
  WaitShare little;
  CHECK_FALSE(waits_after(little, 4, 1, 99'000, 0));
  WaitShare enough;
  CHECK(waits_after(enough, 4, 1, 100'000, 0));
}

}  // namespace
}  // namespace weir
