#include "exec/ticker.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>

namespace weir {
namespace {

TEST_CASE("ticker: calls until it is destroyed") {
  std::atomic<int> ticks{0};
  {
    const Ticker ticker("weir-test", 1, [&] {
      ticks.fetch_add(1);
      ticks.notify_all();
    });
    CHECK(ticker.alive());
    for (int seen = 0; seen < 3; seen = ticks.load()) ticks.wait(seen);
  }
  const int before = ticks.load();
  CHECK(before >= 3);
  CHECK(ticks.load() == before);
}

TEST_CASE("ticker: one that is not due is stopped at once") {
  bool called = false;
  {
    const Ticker ticker("weir-test", int64_t{3600} * 1'000'000'000, [&] { called = true; });
  }
  CHECK_FALSE(called);
}

}  // namespace
}  // namespace weir
