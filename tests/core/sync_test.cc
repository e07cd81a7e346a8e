#include "core/sync.h"

#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

namespace weir {
namespace {

TEST_CASE("A mutex lets one in at a time") {
  Mutex mutex;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20000; ++n) {
        MutexLock lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 80000);
}

TEST_CASE("A held mutex is not had by trying, and a lock can let go early") {
  Mutex mutex;
  {
    MutexLock lock(mutex);
    CHECK(!mutex.try_lock());
    lock.unlock();
    CHECK(mutex.try_lock());
    mutex.unlock();
  }
  CHECK(mutex.try_lock());
  mutex.unlock();
}

TEST_CASE("Under the simulation every lock is a switch point") {
  struct Hooks final : SyncHooks {
    explicit Hooks(Mutex& m) : mutex(m) {}
    void switch_point() override { ++points; }
    // Stands for the fiber that holds the lock.
    void wait_turn() override {
      ++waits;
      mutex.unlock();
    }
    void*& local_slot() override { return slot; }
    Mutex& mutex;
    void* slot = nullptr;
    int points = 0;
    int waits = 0;
  };
  Mutex mutex;
  Hooks hooks(mutex);
  mutex.lock();
  set_sync_hooks(&hooks);
  mutex.lock();
  mutex.unlock();
  set_sync_hooks(nullptr);
  CHECK(hooks.points == 1);
  CHECK(hooks.waits == 1);
}

}  // namespace
}  // namespace weir
