#include "exec/alone_tuner.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdint>
#include <tuple>
#include <utility>

#include "exec/milliseconds.h"

namespace weir {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kSecond = 1'000'000'000;

// A consumer that waits for each element, of which one is made in so long, with all threads or alone.
struct Pipe {
  AloneTuner& tuner;
  int64_t together_ns = 100 * kUs;
  int64_t alone_ns = 50 * kUs;
  // What the consumer does with one.
  int64_t consumer_ns = 0;
  int64_t run_ns = 40 * kUs;
  double computing = 1;
  // Elements that are there already after the threads were used.
  int stock = 0;
  int64_t now_ns = kMs;
  int64_t elements = 0;
  int64_t waited_ns = 0;
  int64_t alone_for_ns = 0;
  int changes = 0;
  int left = 0;
  // Counts answers that change nothing, and tells of them later.
  bool counts = true;
  int unseen = 0;

  void run(int64_t ns) {
    const int64_t until = now_ns + ns;
    while (now_ns < until) {
      const bool alone = tuner.alone();
      int64_t took = alone ? alone_ns : together_ns;
      if (alone && left > 0) {
        --left;
        took = kUs;
      }
      if (tuner.samples()) tuner.ran(run_ns, static_cast<int64_t>(static_cast<double>(run_ns) * computing));
      now_ns += took + consumer_ns;
      waited_ns += took;
      if (alone) alone_for_ns += took + consumer_ns;
      ++elements;
      ++unseen;
      if (counts && now_ns < tuner.next_look_ns()) continue;
      if (!tuner.answered(elements, waited_ns, now_ns, std::exchange(unseen, 0))) continue;
      ++changes;
      if (tuner.alone()) left = stock;
    }
  }
  double part_alone(int64_t ns) {
    const int64_t before = alone_for_ns;
    const int64_t begin = now_ns;
    run(ns);
    return static_cast<double>(alone_for_ns - before) / static_cast<double>(now_ns - begin);
  }
};

AloneTuner started() {
  AloneTuner tuner;
  tuner.start(false, false, false);
  return tuner;
}

TEST_CASE("alone tuner: who waits makes elements alone where that is faster") {
  AloneTuner tuner = started();
  Pipe pipe{tuner};
  pipe.run(kSecond / 10);
  CHECK(tuner.settled_alone());
  pipe.run(2 * kSecond);
  CHECK(pipe.part_alone(10 * kSecond) > 0.99);
}

TEST_CASE("alone tuner: threads stay where they are faster, and trials cost less than a hundredth") {
  AloneTuner tuner = started();
  Pipe pipe{tuner, 50 * kUs, 100 * kUs};
  pipe.run(2 * kSecond);
  CHECK_FALSE(tuner.settled_alone());
  CHECK(pipe.changes >= 2);
  const double part = pipe.part_alone(20 * kSecond);
  CHECK(part > 0);
  CHECK(part < 0.01);
}

TEST_CASE("alone tuner: a trial that gives much less ends early, and one that gives a little less does not") {
  const auto [alone_us, least_ms, most_ms] =
      GENERATE(std::tuple{100, 5.0, 5.5}, std::tuple{64, 5.0, 5.5}, std::tuple{61, 12.0, 12.5});
  CAPTURE(alone_us);
  AloneTuner tuner = started();
  Pipe pipe{tuner, 50 * kUs, alone_us * kUs};
  const double alone_ms = 1200 * pipe.part_alone(1200 * kMs);
  const int trials = pipe.changes / 2;
  CHECK(trials >= 3);
  CHECK(alone_ms >= least_ms * trials);
  CHECK(alone_ms <= most_ms * trials);
}

TEST_CASE("alone tuner: where an earlier run found threads better, the first trial comes late") {
  for (const bool known : {false, true}) {
    CAPTURE(known);
    AloneTuner tuner;
    tuner.start(false, known, false);
    Pipe pipe{tuner, 50 * kUs, 100 * kUs};
    pipe.run(600 * kMs);
    CHECK((pipe.changes == 0) == known);
    pipe.run(200 * kMs);
    CHECK(pipe.changes > 0);
  }
}

TEST_CASE("alone tuner: answers that change nothing need only be counted") {
  for (const int64_t alone_ns : {50 * kUs, 90 * kUs, 200 * kUs}) {
    for (const int64_t together_ns : {20 * kUs, 100 * kUs, 3 * kMs}) {
      CAPTURE(alone_ns, together_ns);
      AloneTuner told = started();
      AloneTuner counted = started();
      Pipe one{told, together_ns, alone_ns};
      one.counts = false;
      Pipe other{counted, together_ns, alone_ns};
      for (int i = 0; i < 300; ++i) {
        one.run(10 * kMs);
        other.run(10 * kMs);
        REQUIRE(one.changes == other.changes);
        REQUIRE(told.alone() == counted.alone());
        REQUIRE(one.elements == other.elements);
      }
    }
  }
}

TEST_CASE("alone tuner: once it knows what runs are like, it looks at few of them, but while alone at more") {
  const auto [alone_ns, each] = GENERATE(std::tuple{200 * kUs, 64}, std::tuple{50 * kUs, 8});
  AloneTuner tuner = started();
  Pipe pipe{tuner, 100 * kUs, alone_ns};
  pipe.run(kSecond);
  REQUIRE(tuner.alone() == (each == 8));
  int sampled = 0;
  for (int i = 0; i < 64 * 10; ++i) sampled += tuner.samples() ? 1 : 0;
  CHECK(sampled == 64 * 10 / each);
}

TEST_CASE("alone tuner: less than a tenth more is not worth it, more is") {
  AloneTuner little = started();
  Pipe pipe{little, 107 * kUs, 100 * kUs};
  pipe.run(kSecond);
  CHECK(pipe.changes >= 2);
  CHECK_FALSE(little.settled_alone());
  AloneTuner enough = started();
  Pipe other{enough, 113 * kUs, 100 * kUs};
  other.run(kSecond);
  CHECK(enough.settled_alone());
}

TEST_CASE("alone tuner: what threads had made before does not make it look faster for long") {
  AloneTuner tuner = started();
  Pipe pipe{tuner, 50 * kUs, 100 * kUs};
  pipe.stock = 1000;
  pipe.run(2 * kSecond);
  CHECK(pipe.changes >= 2);
  CHECK_FALSE(tuner.settled_alone());
  CHECK(pipe.part_alone(20 * kSecond) < 0.02);
}

TEST_CASE("alone tuner: nothing is tried where runs wait, are long, or the consumer takes its time") {
  const auto [computing, run_ns, consumer_ns, tried] =
      GENERATE(std::tuple{0.26, 40 * kUs, int64_t{0}, true}, std::tuple{0.24, 40 * kUs, int64_t{0}, false},
               std::tuple{1.0, 1500 * kUs, int64_t{0}, true}, std::tuple{1.0, 1501 * kUs, int64_t{0}, false},
               std::tuple{1.0, 40 * kUs, 24 * kUs, true}, std::tuple{1.0, 40 * kUs, 26 * kUs, false});
  CAPTURE(computing, run_ns, consumer_ns);
  AloneTuner tuner = started();
  Pipe pipe{tuner, 100 * kUs, 100 * kUs, consumer_ns, run_ns, computing};
  pipe.run(kSecond);
  CHECK((pipe.changes > 0) == tried);
}

TEST_CASE("alone tuner: a few long runs among many short ones count as long") {
  AloneTuner tuner = started();
  for (int i = 0; i < 200; ++i) tuner.ran(i % 8 == 0 ? 1600 * kUs : kUs, i % 8 == 0 ? 1600 * kUs : kUs);
  Pipe pipe{tuner};
  pipe.run_ns = 2 * kUs;
  pipe.run(kSecond / 20);
  CHECK(pipe.changes == 0);
}

TEST_CASE("alone tuner: nothing is tried, or goes on, where elements come slowly") {
  AloneTuner tuner = started();
  Pipe slow{tuner, 2'700 * kUs, kMs};
  slow.run(5 * kSecond);
  CHECK(slow.changes == 0);
  AloneTuner often = started();
  Pipe fast{often, 2'600 * kUs, kMs};
  fast.run(5 * kSecond);
  CHECK(fast.changes > 0);
  // A trial of what is much slower alone ends soon.
  AloneTuner tried = started();
  Pipe worse{tried, 2 * kMs, 30 * kMs};
  worse.run(2 * kSecond / 5);
  CHECK(worse.changes >= 2);
  CHECK(worse.alone_for_ns < 150 * kMs);
}

TEST_CASE(
    "alone tuner: it is not alone any longer once the consumer takes its time, runs wait, or it is slow") {
  const int change = GENERATE(0, 1, 2);
  CAPTURE(change);
  AloneTuner tuner = started();
  Pipe pipe{tuner};
  pipe.run(kSecond / 2);
  REQUIRE(tuner.settled_alone());
  if (change == 0) pipe.consumer_ns = 50 * kUs;
  if (change == 1) pipe.computing = 0.1;
  if (change == 2) pipe.alone_ns = 110 * kUs;
  pipe.run(kSecond);
  CHECK_FALSE(tuner.settled_alone());
}

TEST_CASE("alone tuner: another load is noticed, whichever way it goes") {
  AloneTuner tuner = started();
  Pipe pipe{tuner, 50 * kUs, 100 * kUs};
  pipe.run(30 * kSecond);
  REQUIRE_FALSE(tuner.settled_alone());
  pipe.together_ns = 300 * kUs;
  pipe.alone_ns = 150 * kUs;
  pipe.run(kSecond / 2);
  CHECK(tuner.settled_alone());
  pipe.run(30 * kSecond);
  REQUIRE(tuner.settled_alone());
  pipe.together_ns = 40 * kUs;
  pipe.alone_ns = 75 * kUs;
  pipe.run(kSecond / 2);
  CHECK_FALSE(tuner.settled_alone());
}

TEST_CASE("alone tuner: it begins where it ended, and stays there if nothing is to be tuned") {
  AloneTuner goes_on;
  goes_on.start(true, true, false);
  CHECK(goes_on.alone());
  Pipe pipe{goes_on};
  CHECK(pipe.part_alone(kSecond) > 0.9);
  CHECK(goes_on.settled_alone());
  AloneTuner fixed;
  fixed.start(true, true, true);
  Pipe slower{fixed, 50 * kUs, 100 * kUs};
  CHECK(slower.part_alone(kSecond) == 1);
  AloneTuner not_alone;
  not_alone.start(false, false, true);
  Pipe faster{not_alone};
  CHECK(faster.part_alone(kSecond) == 0);
}

TEST_CASE("alone tuner: stopped, it uses threads, until it is started again") {
  AloneTuner tuner = started();
  Pipe pipe{tuner};
  pipe.run(kSecond / 2);
  REQUIRE(tuner.alone());
  tuner.stop();
  CHECK_FALSE(tuner.alone());
  CHECK(pipe.part_alone(kSecond) == 0);
  tuner.start(false, false, false);
  pipe.run(kSecond / 2);
  CHECK(tuner.alone());
}

TEST_CASE(
    "alone tuner: a little slower than with threads is enough to use them again, long before the next trial") {
  AloneTuner tuner = started();
  Pipe pipe{tuner, 100 * kUs, 88 * kUs};
  pipe.run(20 * kSecond);
  REQUIRE(tuner.settled_alone());
  const int changes = pipe.changes;
  pipe.alone_ns = 102 * kUs;
  pipe.run(kSecond / 10);
  CHECK(pipe.changes == changes + 1);
  CHECK_FALSE(tuner.settled_alone());
}

TEST_CASE("alone tuner: another dataset, counted from nothing, is no other load") {
  AloneTuner tuner = started();
  Pipe pipe{tuner};
  pipe.run(20 * kSecond);
  REQUIRE(tuner.settled_alone());
  const int changes = pipe.changes;
  pipe.elements = 0;
  pipe.run(kSecond / 5);
  CHECK(pipe.changes == changes);
}

}  // namespace
}  // namespace weir
