// What the watchdog says about schedulers, queues and who waits for whom. Part of each test program that has
// src/exec, by the name of weir_watched (cmake/WeirTests.cmake).
#include <pthread.h>

#include <cstdio>
#include <map>
#include <mutex>

#include "exec/wait_graph.h"
#include "exec/watch.h"
#include "support/watchdog.h"

namespace weir {
namespace {

class AllThereIs final : public Watch {
 public:
  void made(void* object, std::string (*describe)(void* object)) override {
    const std::lock_guard lock(mutex_);
    shown_[object] = describe;
  }
  void gone(void* object) override {
    const std::lock_guard lock(mutex_);
    shown_.erase(object);
  }
  std::mutex& mutex() { return mutex_; }
  void print() {
    const std::lock_guard lock(mutex_);
    for (const auto& [object, describe] : shown_) std::fprintf(stderr, "%s\n", describe(object).c_str());
    std::fprintf(stderr, "%s", describe_waits().c_str());
  }

 private:
  std::mutex mutex_;
  std::map<void*, std::string (*)(void*)> shown_;
};

// Never destroyed: threads may still run while the process ends.
AllThereIs& all_there_is() {
  static AllThereIs* const all = [] {
    // In a child after fork nobody is left to release the lock.
    ::pthread_atfork([] { all_there_is().mutex().lock(); }, [] { all_there_is().mutex().unlock(); },
                     [] { all_there_is().mutex().unlock(); });
    return new AllThereIs;
  }();
  return *all;
}

}  // namespace
}  // namespace weir

extern "C" const bool weir_watched = [] {
  weir::installed_watch = &weir::all_there_is();
  watchdog_describe = [] { weir::all_there_is().print(); };
  return true;
}();
