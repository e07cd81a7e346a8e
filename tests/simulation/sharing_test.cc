// Several iterators in one process: what each of them gets of the threads and bytes that they share, under a
// clock that passes only while functions wait or compute.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "core/text.h"
#include "exec/memory_ledger.h"
#include "simulation/timed.h"

namespace weir::sim {
namespace {

constexpr CallbackFlags kWaits{.concurrent = true, .blocking = true, .pure = true};
constexpr CallbackFlags kComputes{.concurrent = true, .pure = true};
constexpr int64_t kSecond = 1000 * kMs;

// Reads until so long after the beginning of the world, whose clock begins with a second.
Timed& until(Timed& timed, int64_t end_ns) {
  return timed.consumed_by([end_ns](SimWorld& world, Iterator&, int64_t) {
    return world.runtime().clock->now_ns() - kSecond < end_ns;
  });
}

std::string calls_of(const char* calls) {
  return concat("range(100000000) | map(@f, num_parallel_calls: ", calls, ")");
}

TEST_CASE("sharing: iterators that wait have as many threads each, and a new one within two seconds") {
  for (const char* greedy : {"auto", "200"}) {
    CAPTURE(greedy);
    const TimedOptions options{.seed = 3, .blocking_threads = 40};
    Timed first(options), second(options), last(options);
    const auto wait = [](SimWorld& world, int64_t) { world.sleep(5 * kMs); };
    for (Timed* timed : {&first, &second, &last}) timed->with("f", kWaits, wait);
    until(first, 8 * kSecond);
    until(second, 8 * kSecond);
    until(last, 6 * kSecond);
    SimWorld world = timed_world(options);
    first.read_in(world, calls_of(greedy));
    second.read_in(world, calls_of("auto"), 2 * kSecond);
    // Wants no more than four.
    last.read_in(world, calls_of("4"), 4 * kSecond);
    REQUIRE(world.run() == "");
    // Forty threads make eight thousand in a second.
    CHECK(first.rate(kSecond, 2 * kSecond) >= (std::string(greedy) == "auto" ? 0.7 : 0.95) * 8000);
    for (Timed* timed : {&first, &second}) {
      CHECK(timed->rate(3 * kSecond, 4 * kSecond) >= 0.94 * 4000);
      CHECK(timed->rate(3 * kSecond, 4 * kSecond) <= 1.06 * 4000);
      CHECK(timed->rate(5 * kSecond, 6 * kSecond) >= 0.94 * 3600);
      CHECK(timed->rate(5 * kSecond, 6 * kSecond) <= 1.08 * 3600);
    }
    CHECK(last.rate(5 * kSecond, 6 * kSecond) >= 0.94 * 800);
    CHECK(second.rate(7 * kSecond, 8 * kSecond) >= 0.94 * 4000);
  }
}

TEST_CASE(
    "sharing: iterators that compute have as much of the processors each, however many calls they have") {
  const TimedOptions options{.seed = 5};
  Timed first(options), second(options);
  for (Timed* timed : {&first, &second}) {
    timed->with("f", kComputes, [](SimWorld& world, int64_t) { world.compute(2 * kMs); });
    until(*timed, 4 * kSecond);
  }
  SimWorld world = timed_world(options);
  first.read_in(world, calls_of("64"));
  second.read_in(world, calls_of("2"), 2 * kSecond);
  REQUIRE(world.run() == "");
  CHECK(first.rate(kSecond, 2 * kSecond) >= 0.97 * 1000);
  CHECK(first.rate(2500 * kMs, 4 * kSecond) >= 0.9 * 500);
  CHECK(second.rate(2500 * kMs, 4 * kSecond) >= 0.9 * 500);
}

TEST_CASE("sharing: what runs ahead inside a function counts to its iterator's share") {
  const TimedOptions options{.seed = 7, .blocking_threads = 24};
  Timed first(options), second(options);
  const auto wait = [](SimWorld& world, int64_t) { world.sleep(5 * kMs); };
  first.with("f", kWaits, wait);
  second.with("f", kWaits, wait);
  until(first, 3 * kSecond);
  until(second, 3 * kSecond);
  SimWorld world = timed_world(options);
  // Eight calls at once, each of which has eight of its own.
  first.read_in(
      world,
      "range(100000000) | map(x -> (range(40) | map(@f, num_parallel_calls: 8) | reduce(0, (s, y) -> s + y)), "
      "num_parallel_calls: 8)");
  second.read_in(world, calls_of("24"));
  REQUIRE(world.run() == "");
  CHECK(second.rate(kSecond, 3 * kSecond) >= 0.9 * 2400);
}

// The most that the windows of all held at any moment when somebody took an element, and what each held then.
struct Held {
  int64_t most = 0;
  int64_t now[2] = {};
  void note(int which, Iterator& iterator) {
    now[which] = 0;
    for (const StageSnapshot& stage : iterator.stats().stages) now[which] += stage.window.bytes;
    most = std::max(most, now[0] + now[1]);
  }
};

TEST_CASE("sharing: the bytes of all windows stay below the limit, and each iterator has its share") {
  // Elements of 100 KB; two windows and two calls may have one beyond.
  constexpr int64_t kElement = 100'000;
  const TimedOptions options{.seed = 9, .ahead_bytes = 9'000'000};
  Held held;
  Timed timed[2] = {Timed(options), Timed(options)};
  int64_t most_of[2] = {};
  for (int i = 0; i < 2; ++i) {
    timed[i].with("f", kWaits, [](SimWorld& world, int64_t) { world.sleep(kMs / 4); });
    timed[i].consumed_by([&, i](SimWorld& world, Iterator& iterator, int64_t) {
      held.note(i, iterator);
      const int64_t now_ns = world.runtime().clock->now_ns() - kSecond;
      if (now_ns > 3 * kSecond) most_of[i] = std::max(most_of[i], held.now[i]);
      // A slow consumer, whose windows are full.
      world.sleep(5 * kMs);
      return now_ns < 4 * kSecond;
    });
  }
  const std::string text =
      "range(1000000) | map(@f) | map(x -> zeros([25000]), num_parallel_calls: 2) | prefetch(1000)";
  SimWorld world = timed_world(options);
  timed[0].read_in(world, text);
  timed[1].read_in(world, text, kSecond);
  REQUIRE(world.run() == "");
  CHECK(held.most <= 9'000'000 + 8 * kElement);
  // One alone has four fifths of it, each of two four ninths.
  CHECK(held.most >= 6'500'000);
  for (const int64_t most : most_of) {
    CHECK(most >= 3'000'000);
    CHECK(most <= 4'000'000 + 4 * kElement);
  }
}

}  // namespace
}  // namespace weir::sim
