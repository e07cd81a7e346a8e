// What `auto` finds, under a clock that passes only while functions wait or compute: how long pipelines take
// beside the best settings by hand.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/text.h"
#include "simulation/timed.h"
#include "support/replace.h"

namespace weir::sim {
namespace {

// 100 ms to open a file, 2 ms for an element of it.
constexpr const char* kRemote =
    "range(FILES) | interleave(x -> range(ROWS) | map(@f), cycle_length: 10, num_parallel_calls: CALLS)";

std::string remote(int64_t files, int64_t rows, const std::string& calls) {
  std::string text = kRemote;
  weir::replace(text, "FILES", concat(files));
  weir::replace(text, "ROWS", concat(rows));
  weir::replace(text, "CALLS", calls);
  return text;
}

int64_t read_remote(const std::string& text, CallbackFlags flags, uint64_t seed) {
  return Timed({.seed = seed})
      .with("f", flags, [](SimWorld& world, int64_t row) { world.sleep((row == 0 ? 102 : 2) * kMs); })
      .run(text);
}

TEST_CASE("tuning: auto reads remote files as fast as the best number of calls") {
  const CallbackFlags flags{.concurrent = true, .blocking = true, .pure = true};
  // Now and then the reader itself opens one while others wait for it.
  constexpr int64_t kSeeds = 12;
  const auto mean = [&](int64_t files, int64_t rows, const char* calls) {
    int64_t sum = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed)
      sum += read_remote(remote(files, rows, calls), flags, seed);
    return sum / kSeeds;
  };
  CHECK(static_cast<double>(mean(10, 100, "auto")) <= 1.05 * static_cast<double>(mean(10, 100, "10")));
  // Of short files, more can be read than take turns.
  CHECK(mean(200, 3, "auto") <= mean(200, 3, "10"));
}

TEST_CASE("tuning: an interleave whose functions turn out to wait opens more datasets") {
  const CallbackFlags unsaid{.concurrent = true, .pure = true};
  const int64_t two = read_remote(remote(400, 10, "2"), unsaid, 1);
  CHECK(read_remote(remote(400, 10, "auto"), unsaid, 1) < two / 3);
}

TEST_CASE("tuning: an interleave whose functions compute keeps to the cores") {
  Timed timed({.seed = 1});
  timed.with("f", {.concurrent = true, .pure = true},
             [](SimWorld& world, int64_t) { world.compute(2 * kMs); });
  timed.run(remote(40, 20, "auto"));
  CHECK(timed.most_at_once("f") == 2);
}

TEST_CASE("tuning: an ordered map has room for what its calls make while the longest of them runs") {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> milliseconds(0.0, 1.0);
  std::vector<int64_t> sleeps;
  int64_t sum = 0;
  for (int i = 0; i < 4000; ++i) {
    sleeps.push_back(static_cast<int64_t>(milliseconds(random) * kMs));
    sum += sleeps.back();
  }
  for (uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    const int64_t took =
        Timed({.seed = seed})
            .with("f", {.concurrent = true, .blocking = true, .pure = true},
                  [&](SimWorld& world, int64_t row) { world.sleep(sleeps[static_cast<size_t>(row)]); })
            .run("range(4000) | map(@f, num_parallel_calls: 8)");
    // As long as eight threads sleep.
    CHECK(static_cast<double>(sum) / 8 >= 0.95 * static_cast<double>(took));
  }
}

TEST_CASE(
    "tuning: prefetch(auto) holds what the consumer takes while its input stalls, and then gives it back") {
  int64_t waited_ns = 0;
  int64_t last_ns = 0;
  Timed timed({.seed = 1});
  timed.with("f", {.concurrent = false, .blocking = true, .pure = true}, [](SimWorld& world, int64_t row) {
    // A millisecond for most, and a stall of 60 ms every 200 rows.
    world.sleep(row % 200 == 199 ? 60 * kMs : kMs / 2);
  });
  timed.consumed_by([&](SimWorld& world, Iterator&, int64_t row) {
    Clock& clock = *world.runtime().clock;
    if (row > 1000) waited_ns += clock.now_ns() - last_ns;
    world.sleep(kMs);
    last_ns = clock.now_ns();
    return row < 4000;
  });
  timed.run("range(100000) | map(@f) | prefetch(auto)");
  CHECK(waited_ns == 0);
  const auto& stages = timed.stats().stages;
  CHECK(stages[0].window.max_rows >= 60);
  CHECK(stages[0].window.max_rows <= 130);
}

// A service that many can ask at once, but that serves only some of them.
struct Service {
  int places = 1;
  int busy = 0;
  void use(SimWorld& world, int64_t ns) {
    while (busy >= places) world.sleep(kMs / 4);
    ++busy;
    world.sleep(ns);
    --busy;
  }
};

constexpr CallbackFlags kWaiting{.concurrent = true, .blocking = true, .pure = true};
constexpr CallbackFlags kSaysNothing{.concurrent = true, .pure = true};
constexpr const char* kCalls = "range(10000000) | map(@f, num_parallel_calls: auto)";
constexpr int64_t kTuningSecond = 1000 * kMs;

// Reads for six seconds; `changed` says whether the load has changed, which it does after three.
Timed& for_six_seconds(Timed& timed, std::function<void(SimWorld&, bool changed)> consumer = nullptr) {
  return timed.consumed_by([consumer](SimWorld& world, Iterator&, int64_t) {
    // The clock begins with a second.
    const int64_t now_ns = world.runtime().clock->now_ns() - kTuningSecond;
    if (consumer) consumer(world, now_ns > 3 * kTuningSecond);
    return now_ns < 6 * kTuningSecond;
  });
}
bool changed(SimWorld& world) { return world.runtime().clock->now_ns() > 4 * kTuningSecond; }

TEST_CASE("tuning: two seconds after a change of the load it is as fast as the best setting") {
  SECTION("the consumer becomes fast") {
    Timed timed({.seed = 1});
    timed.with("f", kWaiting, [](SimWorld& world, int64_t) { world.sleep(10 * kMs); });
    for_six_seconds(timed, [](SimWorld& world, bool fast) {
      if (!fast) world.sleep(5 * kMs);
    });
    timed.run(kCalls);
    CHECK(timed.rate(2 * kTuningSecond, 3 * kTuningSecond) >= 195);
    // 48 threads at most.
    CHECK(timed.rate(5 * kTuningSecond, 6 * kTuningSecond) >= 0.95 * 4800);
  }
  SECTION("a service can do more, after many trials that failed") {
    constexpr int64_t kChange = 11 * kTuningSecond;
    Service service{4};
    Timed timed({.seed = 1});
    timed.with("f", kWaiting, [&](SimWorld& world, int64_t) {
      if (world.runtime().clock->now_ns() > kTuningSecond + kChange) service.places = 40;
      service.use(world, 10 * kMs);
    });
    timed.consumed_by([](SimWorld& world, Iterator&, int64_t) {
      return world.runtime().clock->now_ns() < kTuningSecond + kChange + 3 * kTuningSecond;
    });
    timed.run(kCalls);
    CHECK(timed.rate(kChange - kTuningSecond, kChange) >= 0.9 * 400);
    CHECK(timed.rate(kChange + kTuningSecond, kChange + 2 * kTuningSecond) >= 0.9 * 4000);
  }
  SECTION("a function that computed waits") {
    Timed timed({.seed = 1});
    timed.with("f", kSaysNothing,
               [](SimWorld& world, int64_t) { changed(world) ? world.sleep(10 * kMs) : world.compute(kMs); });
    for_six_seconds(timed).run(kCalls);
    CHECK(timed.rate(2 * kTuningSecond, 3 * kTuningSecond) >= 0.95 * 2000);
    CHECK(timed.rate(5 * kTuningSecond, 6 * kTuningSecond) >= 0.95 * 4800);
  }
  SECTION("the datasets of an interleave become slow, and its consumer fast") {
    // Whom a turn of a slow dataset falls to is the schedule's choice.
    double rate = 0;
    constexpr int kSeeds = 12;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Timed timed({.seed = seed});
      timed.with("f", kWaiting,
                 [](SimWorld& world, int64_t) { world.sleep((changed(world) ? 10 : 1) * kMs); });
      timed.consumed_by([](SimWorld& world, Iterator&, int64_t) {
        const int64_t now_ns = world.runtime().clock->now_ns() - kTuningSecond;
        if (now_ns <= 3 * kTuningSecond) world.sleep(2 * kMs);
        return now_ns < 12 * kTuningSecond;
      });
      timed.run(
          "range(1000000) | interleave(x -> range(100) | map(@f), cycle_length: 10, num_parallel_calls: auto)");
      rate += timed.rate(5 * kTuningSecond, 12 * kTuningSecond) / kSeeds;
    }
    // Datasets of a second each: a trial takes half a second, and may cost a third of it.
    CHECK(rate >= 0.95 * 1000);
  }
}

TEST_CASE("tuning: options(threads: …) holds at every moment") {
  for (const char* calls : {"auto", "16"}) {
    CAPTURE(calls);
    Timed timed({.seed = 1});
    timed.with("f", kWaiting, [](SimWorld& world, int64_t) { world.sleep(5 * kMs); });
    std::string text =
        "range(600) | interleave(x -> range(3) | map(@f), cycle_length: 16, num_parallel_calls: CALLS) | map(@f, num_parallel_calls: CALLS) | prefetch(auto) | options(threads: 3)";
    for (int i = 0; i < 2; ++i) weir::replace(text, "CALLS", calls);
    timed.run(text);
    // Three threads of the runtime, and the one inside next.
    CHECK(timed.most_at_once("f") <= 4);
    CHECK(timed.most_at_once("f") >= 3);
    CHECK(timed.times().size() == 1800);
  }
}

TEST_CASE("tuning: options(memory: …) holds at every moment, but for an element of each window and call") {
  int64_t most_bytes = 0;
  Timed timed({.seed = 1});
  timed.with("f", kWaiting, [](SimWorld& world, int64_t row) { world.sleep((row % 20 + 1) * kMs); });
  timed.consumed_by([&](SimWorld& world, Iterator& iterator, int64_t row) {
    int64_t bytes = 0;
    for (const StageSnapshot& stage : iterator.stats().stages) bytes += stage.window.bytes;
    most_bytes = std::max(most_bytes, bytes);
    if (row % 50 == 0) world.sleep(100 * kMs);
    return true;
  });
  const std::string text =
      "range(1000) | map(@f, num_parallel_calls: 4) | map(x -> zeros([25000]), num_parallel_calls: auto) | prefetch(auto)";
  timed.run(text);
  const int64_t unlimited = most_bytes;
  most_bytes = 0;
  timed.run(text + " | options(memory: 1000000)");
  // Elements of 100 KB; two windows have them, and two calls run.
  CHECK(most_bytes <= 1'400'000);
  CHECK(most_bytes >= 500'000);
  CHECK(unlimited > 3'000'000);
  CHECK(timed.times().size() == 1000);
  // Each window may have one element all the same.
  most_bytes = 0;
  timed.run(text + " | options(memory: 1)");
  CHECK(most_bytes <= 400'000);
  CHECK(timed.times().size() == 1000);
}

TEST_CASE("tuning: options(autotune: false) keeps what it begins with") {
  Timed timed({.seed = 1});
  timed.with("f", kWaiting, [](SimWorld& world, int64_t) { world.sleep(5 * kMs); });
  timed.run("range(3000) | map(@f, num_parallel_calls: auto)");
  CHECK(timed.most_at_once("f") > 30);
  Timed frozen({.seed = 1});
  frozen.with("f", kWaiting, [](SimWorld& world, int64_t) { world.sleep(5 * kMs); });
  frozen.run("range(3000) | map(@f, num_parallel_calls: auto) | options(autotune: false)");
  CHECK(frozen.most_at_once("f") == 8);
}

TEST_CASE(
    "tuning: datasets that a function makes, and repeated ones, go on with what the ones before them found") {
  const auto wait = [](SimWorld& world, int64_t) { world.sleep(5 * kMs); };
  for (const CallbackFlags flags : {kWaiting, kSaysNothing}) {
    for (const char* text : {"range(40) | flat_map(x -> range(100) | map(@f, num_parallel_calls: auto))",
                             "range(100) | map(@f, num_parallel_calls: auto) | repeat(40)"}) {
      CAPTURE(text, flags.blocking);
      Timed timed({.seed = 1});
      timed.with("f", flags, wait);
      const int64_t took_ns = timed.run(text);
      CHECK(timed.times().size() == 4000);
      // A hundred rows take three turns of 48 calls; those of 8 take thirteen.
      CHECK(took_ns <= 40 * 20 * kMs);
    }
  }
}

TEST_CASE("tuning: what a run found can be given to the next one") {
  const std::string text =
      "range(4000) | interleave(x -> range(3) | map(@f), cycle_length: 12, num_parallel_calls: auto) | map(@g, num_parallel_calls: auto) | prefetch(auto)";
  const auto wait = [](SimWorld& world, int64_t) { world.sleep(5 * kMs); };
  Timed first({.seed = 1});
  first.with("f", kWaiting, wait).with("g", kSaysNothing, wait);
  const int64_t took_ns = first.run(text);
  CAPTURE(first.tuned());
  CHECK(first.tuned().find("prefetch/map/interleave calls ") != std::string::npos);
  CHECK(first.tuned().find("prefetch/map calls ") != std::string::npos);
  CHECK(first.tuned().find("prefetch rows ") != std::string::npos);
  Timed second({.seed = 1});
  second.with("f", kWaiting, wait).with("g", kSaysNothing, wait);
  const std::string start = " | options(tuned: \"" + first.tuned() + "\"";
  CHECK(second.run(text + start + ")") <= took_ns);
  CHECK(second.rate(0, 40 * kMs) > 1.1 * first.rate(0, 40 * kMs));
  // Not always the same: half the calls of @g more pay little.
  CHECK(second.tuned().find("prefetch/map/interleave calls 24") != std::string::npos);
  Timed frozen({.seed = 1});
  frozen.with("f", kWaiting, wait).with("g", kSaysNothing, wait);
  frozen.run(text + " | options(autotune: false, tuned: \"prefetch/map calls 5\")");
  CHECK(frozen.most_at_once("g") == 5);
}

// Two calls at once hinder each other, as those do that need all of a cache.
struct Hindered {
  int at_once = 0;
  int64_t alone_ns = kMs / 10;
  int64_t together_ns = 3 * kMs / 10;
  void operator()(SimWorld& world, int64_t) {
    ++at_once;
    for (int i = 0; i < 10; ++i) world.compute((at_once > 1 ? together_ns : alone_ns) / 10);
    --at_once;
  }
};

TEST_CASE("tuning: where threads hinder each other, who waits makes the elements alone") {
  const std::string text = "range(20000) | map(@f, num_parallel_calls: auto) | prefetch(auto)";
  Hindered hindered;
  const auto f = [&](SimWorld& world, int64_t row) { hindered(world, row); };
  Timed timed({.seed = 1});
  timed.with("f", {.concurrent = true, .pure = true}, f);
  const int64_t took_ns = timed.run(text);
  CHECK(timed.stats().alone);
  // 2 s alone, 3 s together.
  CHECK(took_ns <= 2100 * kMs);
  CHECK(timed.tuned().find("alone 1") != std::string::npos);
  // Where it begins so, trials take a hundredth of the time at most.
  int64_t next_took_ns = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Timed next({.seed = seed});
    next.with("f", {.concurrent = true, .pure = true}, f);
    next_took_ns += next.run(text + " | options(tuned: \"" + timed.tuned() + "\")");
    if (seed == 1) CHECK(next.rate(0, 20 * kMs) >= 0.99 * timed.rate(0, 20 * kMs));
  }
  CHECK(next_took_ns <= 8 * 2020 * kMs);
  // Elements of many calls take long, their calls do not. A rate that goes up and down at first makes windows
  // of time longer.
  Timed batches({.seed = 1});
  batches.with("f", {.concurrent = true, .pure = true}, [&](SimWorld& world, int64_t row) {
    for (int i = row < 8000 && row / 1600 % 2 == 1 ? 4 : 1; i > 0; --i) hindered(world, row);
  });
  const int64_t batches_ns =
      batches.run("range(40000) | map(@f, num_parallel_calls: auto) | batch(64) | prefetch(auto)");
  CHECK(batches.rate(batches_ns - 2000 * kMs, batches_ns) >= 0.94 * 10'000 / 64);
  CHECK(batches.stats().alone);
  // A consumer that takes as long as a call has it made meanwhile, and a load that changes is seen.
  Timed busy({.seed = 1});
  busy.with("f", {.concurrent = true, .pure = true}, f).consumed_by([](SimWorld& world, Iterator&, int64_t) {
    world.sleep(kMs / 5);
    return true;
  });
  busy.run(text);
  CHECK_FALSE(busy.stats().alone);
  hindered.together_ns = kMs / 10;
  Timed apart({.seed = 1});
  apart.with("f", {.concurrent = true, .pure = true}, f);
  CHECK(apart.run(text) <= 1050 * kMs);
  CHECK_FALSE(apart.stats().alone);
}

TEST_CASE("tuning: options(warm_start: true) begins before the first element is asked for") {
  const auto wait = [](SimWorld& world, int64_t) { world.sleep(5 * kMs); };
  for (const bool warm : {false, true}) {
    Timed timed({.seed = 1, .pause_ns = 100 * kMs});
    timed.with("f", kWaiting, wait);
    timed.run(std::string("range(10) | map(@f, num_parallel_calls: 2) | options(warm_start: ") +
              (warm ? "true)" : "false)"));
    CHECK(timed.times().front() == (warm ? 0 : 5 * kMs));
  }
}

}  // namespace
}  // namespace weir::sim
