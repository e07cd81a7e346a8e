// Ticker: a thread that calls a function now and then until the Ticker is destroyed, which waits for a call
// in progress.
//
// The thread leaves the host's signals alone. In a child after fork it does not exist, and the destructor
// touches nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace weir {

class Ticker {
 public:
  // `name` is the thread's, of at most 15 bytes. If no thread can be started, `tick` is never called.
  // REQUIRES: tick does not throw, period_ns > 0
  Ticker(const char* name, int64_t period_ns, std::function<void()> tick);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker();

  // False in a child after fork.
  bool alive() const noexcept;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace weir
