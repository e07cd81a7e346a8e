#include "dataset/yield_timer.h"

#include <catch2/catch_test_macros.hpp>

#include "support/test_runtime.h"

namespace weir::test {
namespace {

TEST_CASE("the yield timer ends a millisecond after rows began to give nothing, and wakes its own asker") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  YieldTimer timer;
  CHECK(!timer.should_yield(ctx, 256));
  runtime.clock.advance(999'999);
  CHECK(!timer.should_yield(ctx, 256));
  runtime.clock.advance(1);
  // Rows that take long make it look at the clock more often: after 8 rows here, not 32.
  CHECK(!timer.should_yield(ctx, 7));
  CHECK(runtime.waker.count == 0);
  CHECK(timer.should_yield(ctx, 1));
  CHECK(runtime.waker.count == 1);
  CHECK(!timer.should_yield(ctx, 256));
}

TEST_CASE("a row resets the yield timer") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  YieldTimer timer;
  CHECK(!timer.should_yield(ctx, 256));
  runtime.clock.advance(2'000'000);
  timer.reset();
  CHECK(!timer.should_yield(ctx, 256));
}

}  // namespace
}  // namespace weir::test
