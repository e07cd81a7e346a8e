#include "exec/pace.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "exec/call_watch.h"
#include "exec/milliseconds.h"

namespace weir {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kSecond = 1000 * kMs;

// Calls of `call_ns` each, of which at most `useful` at once get on, while the consumer waits for them.
struct Load {
  CallPace& pace;
  int64_t call_ns = 5 * kMs;
  int useful = 1 << 20;
  bool consumer_waits = true;
  bool feed_waits = false;
  int64_t now_ns = 0;
  int highest = 0;

  void run_for(int64_t ns) {
    for (const int64_t end = now_ns + ns; now_ns < end;) {
      const int parallel = std::min(pace.limit(), useful);
      now_ns += call_ns / parallel;
      if (consumer_waits) pace.starved();
      if (feed_waits) pace.hungry();
      pace.done(1, now_ns);
      highest = std::max(highest, pace.limit());
    }
  }
};

TEST_CASE("call pace: finds as many waiting calls as raise the throughput, within two seconds") {
  for (int useful : {3, 10, 32, 48}) {
    CAPTURE(useful);
    CallPace pace({2, 48});
    Load load{pace};
    load.useful = useful;
    load.run_for(2 * kSecond);
    CHECK(std::min(pace.limit(), useful) == useful);
    CHECK(load.highest <= 48);
    // A step that did not pay is taken back.
    const int kept = pace.limit();
    int more = 0;
    for (int i = 0; i < 1000; ++i) {
      load.run_for(20 * kMs);
      if (pace.limit() > kept) ++more;
    }
    CHECK(more <= 250);
  }
}

TEST_CASE("call pace: where each call more pays, it has them all within a twentieth of a second") {
  CallPace pace({8, 48});
  Load load{pace};
  load.run_for(50 * kMs);
  CHECK(pace.limit() == 48);
}

TEST_CASE("call pace: goes on in the middle of a period, unless there was a pause") {
  for (const bool paused : {false, true}) {
    CAPTURE(paused);
    CallPace pace({8, 48});
    Load load{pace};
    for (int i = 0; i < 100; ++i) {
      // Less than one period each.
      CallPace next = pace;
      next.go_on(paused);
      pace = next;
      load.run_for(2 * kMs);
    }
    CHECK(pace.limit() == (paused ? 8 : 48));
  }
}

TEST_CASE("call pace: never leaves its bounds, and a fixed number stays") {
  for (const auto& [first, most] : {std::pair{5, 7}, std::pair{4, 4}}) {
    CallPace pace({first, most});
    Load load{pace};
    for (int64_t length : {kMs, 20 * kMs, kMs / 10}) {
      load.call_ns = length;
      load.run_for(kSecond);
      CHECK(pace.limit() == most);
      CHECK(load.highest == most);
    }
  }
}

TEST_CASE("call pace: tries nothing while the consumer or the feed is the bound") {
  for (const bool feed : {false, true}) {
    CAPTURE(feed);
    CallPace pace({2, 48});
    Load load{pace};
    load.consumer_waits = feed;
    load.feed_waits = feed;
    load.run_for(2 * kSecond);
    CHECK(load.highest == 2);
  }
}

TEST_CASE("call pace: after a new load it finds as many as that needs, however many trials failed") {
  CallPace pace({2, 48});
  Load load{pace};
  load.useful = 2;
  load.run_for(60 * kSecond);
  CHECK(pace.limit() <= 4);
  load.useful = 48;
  load.call_ns = 20 * kMs;
  load.run_for(5 * kSecond);
  CHECK(pace.limit() == 48);
}

TEST_CASE("call pace: a higher ceiling is used from then on") {
  CallPace pace({2, 2});
  Load load{pace};
  load.run_for(500 * kMs);
  pace.widen(8, 16);
  CHECK(pace.limit() == 8);
  load.run_for(kSecond);
  CHECK(pace.limit() == 16);
}

// A consumer that takes a row each `consumer_ns`, over a feed that fills the room at once but stalls for
// `stall_ns` before every row whose number is a multiple of `stall_every`.
struct BufferedPipe {
  RowPace& pace;
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
    while (made - taken < pace.rows() && now_ns >= ready_ns) {
      ++made;
      if (stall_ns > 0 && made % stall_every == 0) ready_ns = now_ns + stall_ns;
    }
    if (made - taken < pace.rows()) return;
    was_full = true;
    if (full_since_ns == 0) full_since_ns = now_ns;
  }

  void take(int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
      fill();
      if (made == taken) {
        pace.found_empty(taken, was_full, std::exchange(full_ns, 0), now_ns);
        was_full = false;
        waited_ns += std::max<int64_t>(0, ready_ns - now_ns);
        now_ns = std::max(now_ns, ready_ns);
        ++made;
        pace.has_rows(now_ns);
      }
      ++taken;
      now_ns += consumer_ns;
      if (full_since_ns != 0) full_ns += now_ns - std::exchange(full_since_ns, 0);
      fill();
    }
  }
};

TEST_CASE("row pace: grows in one or two steps to what the consumer takes while the feed stalls") {
  RowPace pace(2, 1024);
  BufferedPipe pipe{pace, kMs, 200 * kMs};
  pipe.take(3000);
  pipe.waited_ns = 0;
  pipe.take(10'000);
  CHECK(pipe.waited_ns == 0);
  CHECK(pace.rows() >= 200);
  CHECK(pace.rows() <= 300);
}

TEST_CASE("row pace: never leaves its bounds, stays small over a feed that keeps up, or where it is fixed") {
  RowPace bound(2, 64);
  BufferedPipe stalling{bound, kMs, 500 * kMs};
  stalling.take(20'000);
  CHECK(bound.rows() == 64);
  RowPace small(2, 1024);
  BufferedPipe steady{small};
  steady.take(5000);
  CHECK(small.rows() == 2);
  RowPace fixed(16, 16);
  BufferedPipe other{fixed, kMs, 200 * kMs};
  other.take(5000);
  CHECK(fixed.rows() == 16);
}

TEST_CASE("row pace: room is of no use to a feed that hardly ever stands still") {
  for (const auto& [full_ns, grows] : {std::pair{24 * kMs, false}, std::pair{25 * kMs, true}}) {
    RowPace pace(2, 1024);
    int64_t now_ns = kMs;
    for (int64_t taken = 2; taken < 200; taken += 2) {
      // It gives two rows, waits until they are taken, and takes as long as 100 ms for the next.
      now_ns += full_ns;
      pace.found_empty(taken, true, full_ns, now_ns);
      now_ns += 100 * kMs;
      pace.has_rows(now_ns);
    }
    CHECK((pace.rows() > 2) == grows);
  }
}

TEST_CASE("wait probe: work waits that computes for less than half of its time, and is long") {
  const auto waits = [](int64_t took_ns, int64_t computed_ns, int pieces) {
    WaitProbe probe;
    for (int i = 0; i < pieces; ++i) probe.add(1, took_ns, computed_ns);
    return probe.waits();
  };
  CHECK(waits(kMs, 499'999, 4));
  CHECK_FALSE(waits(kMs, 499'999, 3));
  CHECK_FALSE(waits(kMs, 500'000, 100));
  CHECK(waits(100 * kUs, 0, 4));
  CHECK_FALSE(waits(99'999, 0, 100));
}

TEST_CASE("wait probe: it looks at the first pieces and at few others, and notices another load") {
  WaitProbe probe;
  int looked = 0;
  const auto work = [&](int pieces, int64_t waited_ns) {
    for (int i = 0; i < pieces; ++i) {
      const int stands_for = probe.stands_for();
      if (stands_for == 0) continue;
      ++looked;
      probe.add(stands_for, waited_ns + 20 * kUs, 20 * kUs);
    }
    return probe.waits();
  };
  CHECK_FALSE(work(1604, 0));
  CHECK(looked == 104);
  CHECK(work(160, kMs));
  CHECK_FALSE(work(16'000, 0));
}

TEST_CASE("wait probe: openings count as often as there are any, other pulls by samples") {
  // The first of each thousand opens a file.
  const auto waits = [](int64_t opening_ns) {
    WaitProbe probe;
    for (int i = 0; i < 20'000; ++i) {
      const bool first = i % 1000 == 0;
      const int stands_for = probe.stands_for(first);
      if (stands_for > 0) probe.add(stands_for, (first ? opening_ns : 0) + 20 * kUs, 20 * kUs);
    }
    return probe.waits();
  };
  // The thousand compute for 20 ms together.
  CHECK_FALSE(waits(kMs));
  CHECK(waits(400 * kMs));
}

// Never on a processor, by what it says.
class IdleClock final : public Clock {
 public:
  int64_t now_ns() override { return now_ns_ += kMs; }
  int64_t computing_ns() override { return 0; }

 private:
  int64_t now_ns_ = 0;
};

int64_t times_given_up() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST_CASE("call watch: a thread that did not give up its processor has computed, whoever else had it") {
  IdleClock clock;
  CallWatch computes;
  computes.begin(clock);
  CHECK(computes.computed_ns(clock, 5 * kMs) == 5 * kMs);
  CallWatch waits;
  waits.begin(clock);
  // A sleep gives the processor up, unless it ends before it has begun.
  const int64_t before = times_given_up();
  while (times_given_up() == before) std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  CHECK(waits.computed_ns(clock, 5 * kMs) == 0);
}

// A consumer that does something else for `consumer_ns` with each element. Threads make one in `together_ns`
// meanwhile, or it makes one in `alone_ns`, in runs of pumps.
struct Pipe {
  Pace& pace;
  int64_t together_ns = 100 * kUs;
  int64_t alone_ns = 50 * kUs;
  int64_t consumer_ns = 0;
  double computing = 1;
  // Runs of pumps for an element.
  int runs = 1;
  int64_t now_ns = kMs;
  int64_t elements = 0;
  int64_t alone_for_ns = 0;
  int changes = 0;

  void run(int64_t ns) {
    for (const int64_t until = now_ns + ns; now_ns < until;) {
      const bool alone = pace.alone();
      const int64_t begin_ns = now_ns;
      for (int i = 0; i < runs; ++i) {
        now_ns += (pace.alone() ? alone_ns : together_ns) / runs;
        const auto computed = static_cast<int64_t>(static_cast<double>(alone_ns / runs) * computing);
        if (pace.samples() && pace.ran(alone_ns / runs, computed, now_ns)) ++changes;
      }
      now_ns = alone ? now_ns + consumer_ns : std::max(now_ns, begin_ns + consumer_ns);
      if (alone) alone_for_ns += now_ns - begin_ns;
      ++elements;
      if (pace.compares() && pace.answered(elements, now_ns)) ++changes;
    }
  }
  double part_alone(int64_t ns) {
    const int64_t before = alone_for_ns;
    const int64_t begin = now_ns;
    run(ns);
    return static_cast<double>(alone_for_ns - before) / static_cast<double>(now_ns - begin);
  }
};

Pace started() {
  Pace pace;
  pace.start(true, false, false, kMs);
  return pace;
}

TEST_CASE("pace: it begins inline, and stays so where that is faster") {
  Pace pace = started();
  CHECK(pace.alone());
  Pipe pipe{pace};
  pipe.run(kSecond / 10);
  CHECK(pace.settled_alone());
  pipe.run(2 * kSecond);
  CHECK(pipe.part_alone(10 * kSecond) > 0.98);
}

TEST_CASE("pace: it takes threads where they are faster, and rarely tries again") {
  Pace pace = started();
  Pipe pipe{pace, 50 * kUs, 100 * kUs};
  pipe.run(kSecond / 10);
  CHECK_FALSE(pace.settled_alone());
  pipe.run(10 * kSecond);
  const double part = pipe.part_alone(40 * kSecond);
  CHECK(part > 0);
  CHECK(part < 0.01);
}

TEST_CASE("pace: what the consumer does meanwhile counts for threads") {
  Pace pace = started();
  Pipe pipe{pace, 60 * kUs, 50 * kUs, 50 * kUs};
  pipe.run(2 * kSecond);
  CHECK_FALSE(pace.settled_alone());
}

TEST_CASE("pace: a consumer that takes some at once, and then does something else, has threads for that") {
  Pace pace = started();
  Pipe pipe{pace, 0, 200 * kUs};
  // Threads make 64 in 7 ms, while it does something else for 20 ms.
  for (int i = 0; i < 200; ++i) {
    const int64_t begin_ns = pipe.now_ns;
    pipe.together_ns = kUs;
    for (const int64_t until = pipe.elements + 64; pipe.elements < until;) pipe.run(1);
    CHECK(pipe.now_ns > begin_ns);
    pipe.now_ns += 20 * kMs;
  }
  CHECK_FALSE(pace.settled_alone());
}

TEST_CASE("pace: less than a twentieth more is worth no change") {
  for (const auto& [together_ns, alone] : {std::pair{96 * kUs, true}, std::pair{90 * kUs, false}}) {
    Pace pace = started();
    Pipe pipe{pace, together_ns, 100 * kUs};
    pipe.run(kSecond);
    CHECK(pace.settled_alone() == alone);
  }
}

TEST_CASE("pace: work that waits, and elements that take long, get threads at once") {
  Pace waits = started();
  Pipe waiting{waits, kMs, 2 * kMs};
  waiting.computing = 0.1;
  waiting.run(10 * kMs);
  CHECK_FALSE(waits.alone());
  CHECK(waiting.part_alone(20 * kSecond) == 0);
  Pace slow = started();
  Pipe long_steps{slow, 20 * kMs, 20 * kMs, 20 * kMs};
  CHECK(long_steps.part_alone(20 * kSecond) < 0.01);
  CHECK_FALSE(slow.alone());
  // One element of many runs: it doesn't wait for its end.
  Pace many = started();
  Pipe batches{many, kSecond, 2 * kSecond};
  batches.runs = 2000;
  batches.run(kSecond);
  CHECK_FALSE(many.alone());
  CHECK(batches.now_ns <= 1100 * kMs);
}

TEST_CASE("pace: where work is said to wait it begins with threads, and compares later") {
  Pace pace = started();
  CHECK(pace.expect_waiting(kMs));
  CHECK_FALSE(pace.alone());
  CHECK_FALSE(pace.expect_waiting(kMs));
  Pipe pipe{pace};
  pipe.run(kSecond / 2);
  CHECK(pace.settled_alone());
  CHECK_FALSE(pace.expect_waiting(pipe.now_ns));
}

TEST_CASE("pace: another load is noticed within four seconds, whichever way it goes") {
  Pace pace = started();
  Pipe pipe{pace};
  for (int i = 0; i < 4; ++i) {
    pipe.run(20 * kSecond);
    std::swap(pipe.together_ns, pipe.alone_ns);
    pipe.run(4 * kSecond);
    CHECK(pace.settled_alone() == (pipe.alone_ns < pipe.together_ns));
  }
  pipe.together_ns = 100 * kUs;
  pipe.alone_ns = 50 * kUs;
  pipe.run(20 * kSecond);
  REQUIRE(pace.alone());
  pipe.alone_ns = kMs;
  pipe.computing = 0;
  pipe.run(200 * kMs);
  CHECK_FALSE(pace.alone());
}

TEST_CASE("pace: it begins as it was found, and stays so if nothing is to be tuned") {
  for (const bool alone : {false, true}) {
    Pace known;
    known.start(alone, true, false, kMs);
    CHECK(known.alone() == alone);
    Pipe pipe{known, alone ? 100 * kUs : 50 * kUs, alone ? 50 * kUs : 100 * kUs};
    pipe.run(40 * kMs);
    CHECK(pipe.changes == 0);
    pipe.run(kSecond);
    CHECK(pipe.changes > 0);
    CHECK(known.settled_alone() == alone);
    Pace fixed;
    fixed.start(alone, true, true, kMs);
    Pipe other{fixed, alone ? 50 * kUs : 100 * kUs, alone ? 100 * kUs : 50 * kUs};
    CHECK(other.part_alone(kSecond) == (alone ? 1 : 0));
  }
}

TEST_CASE("pace: stopped, it uses threads, until it is started again") {
  Pace pace = started();
  pace.stop();
  CHECK_FALSE(pace.alone());
  CHECK_FALSE(pace.samples());
  Pipe pipe{pace};
  CHECK(pipe.part_alone(kSecond) == 0);
  pace.start(true, false, false, pipe.now_ns);
  CHECK(pace.alone());
}

TEST_CASE("pace: another dataset, counted from nothing, is no other load") {
  Pace pace = started();
  Pipe pipe{pace};
  for (int i = 0; i < 200; ++i) {
    pipe.run(7 * kMs);
    pipe.elements = 0;
  }
  pipe.run(200 * kMs);
  CHECK(pace.settled_alone());
}

}  // namespace
}  // namespace weir
