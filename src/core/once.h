// Once: what a process does once, at first use. A static inside a function would do, but for fork: the child
// of a process that forked while another thread made the static waits for that thread for ever, and does not
// have it. Here the child begins again.
//
//   constinit Once once;
//   once.call([] { … });   // may come twice, in a child: must not mind what the parent has done
//
// May be used on any thread. A call that has nothing to do costs a load.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace weir {

class Once {
 public:
  // Returns when `work` has been done, by this thread or another. `work` must not throw, or call this again.
  template <class Work>
  void call(Work&& work) noexcept {
    if (state_.load(std::memory_order_acquire) == kDone) [[likely]]
      return;
    const int64_t me = ::getpid();
    for (;;) {
      int64_t seen = state_.load(std::memory_order_acquire);
      if (seen == kDone) return;
      if (seen == me) {
        ::sched_yield();
      } else if (state_.compare_exchange_strong(seen, me)) {
        work();
        return state_.store(kDone, std::memory_order_release);
      }
    }
  }

 private:
  static constexpr int64_t kDone = -1;
  // 0, the process that is at it, or kDone.
  std::atomic<int64_t> state_{0};
};

}  // namespace weir
