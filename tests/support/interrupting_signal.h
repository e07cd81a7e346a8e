// InterruptingSignal: interrupts what a thread waits for in the system, again and again, and knows that it
// did. Ownership: puts the handler that was there back. Threads: one at a time has one. Errors: a failed
// check. Cost: a signal and a spin until it was handled.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

namespace weir {

class InterruptingSignal {
 public:
  InterruptingSignal() {
    struct sigaction action = {};
    // Without SA_RESTART, so that a wait in the system answers EINTR.
    action.sa_handler = [](int) { ++handled; };
    REQUIRE(::sigaction(SIGUSR1, &action, &before_) == 0);
  }
  InterruptingSignal(const InterruptingSignal&) = delete;
  InterruptingSignal& operator=(const InterruptingSignal&) = delete;
  ~InterruptingSignal() { ::sigaction(SIGUSR1, &before_, nullptr); }

  // Interrupts a thread so often, each time after it has handled the one before.
  static void send(std::thread& thread, int count) {
    for (int i = 0; i < count; ++i) {
      const int before = handled;
      REQUIRE(::pthread_kill(thread.native_handle(), SIGUSR1) == 0);
      while (handled == before) std::this_thread::yield();
    }
  }

 private:
  static inline std::atomic<int> handled{0};
  struct sigaction before_;
};

}  // namespace weir
