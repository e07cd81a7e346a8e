// A clock that a test moves, and a waker that counts.
#pragma once

#include <cstdint>

#include "core/clock.h"
#include "core/pull.h"

namespace weir::test {

// Not for several threads.
class FakeClock final : public Clock {
 public:
  int64_t now_ns() override { return now_ns_ += step_ns; }
  void advance(int64_t ns) { now_ns_ += ns; }
  // How far each reading of the clock advances it.
  int64_t step_ns = 0;

 private:
  int64_t now_ns_ = 1;
};

struct CountingWaker final : Waker {
  void wake() override { ++count; }
  int count = 0;
};

}  // namespace weir::test
