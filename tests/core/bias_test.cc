#include "core/bias.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

namespace weir {
namespace {

// Takes the lock as a thread that drives an iterator does; true if by bias.
bool take(BiasedMutex& mutex) {
  if (mutex.enter()) return true;
  mutex.lock();
  return false;
}

void let_go(BiasedMutex& mutex, bool biased) {
  if (biased) {
    mutex.leave();
  } else {
    mutex.unlock_and_offer();
  }
}

// False where the system has no membarrier.
bool get_bias(BiasedMutex& mutex) {
  for (int i = 0; i < 100; ++i) let_go(mutex, take(mutex));
  if (!mutex.enter()) return false;
  mutex.leave();
  return true;
}

template <class Work>
void elsewhere(Work work) {
  std::thread(work).join();
}

TEST_CASE("a thread that takes a mutex again and again enters without it", "[bias][threads]") {
  BiasedMutex mutex;
  CHECK_FALSE(mutex.enter());
  if (!get_bias(mutex)) return;
  REQUIRE(mutex.enter());
  CHECK_FALSE(mutex.enter());
  mutex.leave();
  elsewhere([&] { CHECK_FALSE(mutex.enter()); });
}

TEST_CASE("a mutex entered by bias is held against other threads until it is left", "[bias][threads]") {
  BiasedMutex mutex;
  if (!get_bias(mutex)) return;
  REQUIRE(mutex.enter());
  elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
  elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
  mutex.leave();
  elsewhere([&] {
    REQUIRE(mutex.try_lock());
    mutex.unlock();
  });
  CHECK_FALSE(mutex.enter());
}

TEST_CASE("what was entered by bias can be kept as a lock", "[bias][threads]") {
  BiasedMutex mutex;
  if (!get_bias(mutex)) return;
  for (const bool noticed : {false, true}) {
    REQUIRE(mutex.enter());
    if (noticed) elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
    mutex.keep();
    elsewhere([&] { CHECK_FALSE(mutex.try_lock()); });
    mutex.unlock();
    elsewhere([&] {
      REQUIRE(mutex.try_lock());
      mutex.unlock();
    });
    if (!noticed) REQUIRE(get_bias(mutex));
  }
}

TEST_CASE("a bias that was taken away often does not come back", "[bias][threads]") {
  BiasedMutex mutex;
  int times = 0;
  for (; times < 100 && get_bias(mutex); ++times) {
    elsewhere([&] {
      mutex.lock();
      mutex.unlock();
    });
  }
  CHECK(times < 100);
}

TEST_CASE("threads that get and lose the bias never meet inside", "[bias][threads]") {
  constexpr int kThreads = 3;
  constexpr int kRounds = 3000;
  constexpr int kMutexes = 8;
  struct Guarded {
    BiasedMutex mutex;
    int64_t count = 0;
  };
  std::vector<Guarded> guarded(kMutexes);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int m = 0; m < kMutexes; ++m) {
        Guarded& mine = guarded[static_cast<size_t>((m + t) % kMutexes)];
        for (int i = 0; i < kRounds; ++i) {
          const bool biased = take(mine.mutex);
          ++mine.count;
          let_go(mine.mutex, biased);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Guarded& each : guarded) CHECK(each.count == kThreads * kRounds);
}

}  // namespace
}  // namespace weir
