#include "core/sync.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

#include "support/interrupting_signal.h"

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

TEST_CASE("Signals let nobody into a mutex that is held, and take nobody's turn") {
  const InterruptingSignal signal;
  Mutex mutex;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> waiting{0};
  std::atomic<bool> may_leave{false};
  std::vector<std::thread> threads;
  mutex.lock();
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      mutex.lock();
      most = std::max(most.load(), ++inside);
      while (!may_leave) std::this_thread::yield();
      --inside;
      mutex.unlock();
    });
  }
  while (waiting < 3) std::this_thread::yield();
  for (int round = 0; round < 100; ++round) {
    for (std::thread& thread : threads) InterruptingSignal::send(thread, 3);
  }
  CHECK(inside == 0);
  mutex.unlock();
  while (inside == 0) std::this_thread::yield();
  // One is inside and stays there; signals let no second one in.
  for (int round = 0; round < 100; ++round) {
    for (std::thread& thread : threads) InterruptingSignal::send(thread, 3);
  }
  CHECK(inside == 1);
  may_leave = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
  CHECK(mutex.try_lock());
  mutex.unlock();
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
