// InterruptingSignal: interrupts the system calls of a waiting thread, again and again, and knows that it
// did. Restores the previous handler. Only one may exist at a time.
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

  // Interrupts a thread this often, each time after it has handled the one before.
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
