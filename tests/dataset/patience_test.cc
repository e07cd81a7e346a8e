#include "dataset/patience.h"

#include <catch2/catch_test_macros.hpp>

#include "support/test_runtime.h"

namespace weir::test {
namespace {

TEST_CASE("patience ends a millisecond after rows began to give nothing, and wakes its own asker") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  Patience patience;
  CHECK(!patience.exhausted(ctx, 256));
  runtime.clock.advance(999'999);
  CHECK(!patience.exhausted(ctx, 256));
  runtime.clock.advance(1);
  CHECK(!patience.exhausted(ctx, 255));
  CHECK(runtime.waker.count == 0);
  CHECK(patience.exhausted(ctx, 1));
  CHECK(runtime.waker.count == 1);
  CHECK(!patience.exhausted(ctx, 256));
}

TEST_CASE("a row restores patience") {
  TestRuntime runtime;
  Context ctx = runtime.context();
  Patience patience;
  CHECK(!patience.exhausted(ctx, 256));
  runtime.clock.advance(2'000'000);
  patience.reset();
  CHECK(!patience.exhausted(ctx, 256));
}

}  // namespace
}  // namespace weir::test
