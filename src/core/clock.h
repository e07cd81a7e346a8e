// Clock: where all times come from. May be used on any thread.
#pragma once

#include <cstdint>

namespace weir {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_ns() = 0;
  // How long the calling thread has been computing, rather than waiting; never more than now_ns() advances.
  virtual int64_t computing_ns() { return now_ns(); }
};

}  // namespace weir
