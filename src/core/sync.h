// Locks. Only src/exec/ makes others.
//
// Every lock here is a leaf: while one is held, nothing is called that might take another, unless the
// holder's comment names the order. Under the simulated executor every acquisition is a switch point. An
// uncontended lock costs one compare-and-swap, a contended one a futex wait.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

// How the simulated executor intercepts every primitive; null outside the simulation.
class SyncHooks {
 public:
  virtual ~SyncHooks() = default;
  // May run another fiber before it returns.
  virtual void switch_point() = 0;
  // Called when another fiber holds a lock; runs others before it returns.
  virtual void wait_turn() = 0;
  // Replaces a thread-local pointer: one slot per fiber, null at first.
  virtual void*& local_slot() = 0;
};

inline std::atomic<SyncHooks*> installed_sync_hooks{nullptr};
inline SyncHooks* sync_hooks() { return installed_sync_hooks.load(std::memory_order_relaxed); }
inline void set_sync_hooks(SyncHooks* hooks) { installed_sync_hooks.store(hooks, std::memory_order_release); }

// Acquiring, failing to acquire and releasing are sequentially consistent: if a thread announces itself and
// then fails to get the lock, the holder sees the announcement after its release.
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() {
    uint32_t expected = 0;
    if (sync_hooks() != nullptr || !state_.compare_exchange_strong(expected, 1)) {
      lock_slow();
    }
  }
  bool try_lock() {
    uint32_t expected = 0;
    return state_.compare_exchange_strong(expected, 1);
  }
  void unlock() {
    if (state_.exchange(0) == 2) state_.notify_one();
  }

 private:
  void lock_slow();

  // 0 free, 1 held, 2 held and somebody waits.
  std::atomic<uint32_t> state_{0};
};

class MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) : mutex_(&mutex) { mutex.lock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() {
    if (mutex_) mutex_->unlock();
  }
  // Unlocks early, so that wakes come after it.
  void unlock() {
    mutex_->unlock();
    mutex_ = nullptr;
  }

 private:
  Mutex* mutex_;
};

}  // namespace weir
