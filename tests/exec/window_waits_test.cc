#include "exec/window_waits.h"

#include <catch2/catch_test_macros.hpp>

#include "support/test_runtime.h"

namespace weir {
namespace {

TEST_CASE("window waits: time counts from the first look at an empty window, and while it is full") {
  test::FakeClock clock;
  StageStats stats("prefetch", -1, 0, false);
  WindowWaits waits;
  waits.stats = &stats;
  waits.found_empty(clock);
  clock.advance(10);
  waits.found_empty(clock);
  clock.advance(5);
  waits.has_rows(clock);
  clock.advance(100);
  waits.has_rows(clock);
  CHECK(stats.waited_for_input_ns == 15);

  waits.is_full(clock);
  clock.advance(7);
  waits.is_full(clock);
  waits.has_room(clock);
  clock.advance(100);
  waits.has_room(clock);
  CHECK(stats.waited_for_consumer_ns == 7);
}

TEST_CASE("window waits: nothing is counted where nobody asked") {
  test::FakeClock clock;
  clock.step_ns = 1;
  const int64_t before = clock.now_ns();
  WindowWaits waits;
  waits.found_empty(clock);
  waits.has_rows(clock);
  waits.is_full(clock);
  waits.has_room(clock);
  CHECK(clock.now_ns() == before + 1);
}

}  // namespace
}  // namespace weir
