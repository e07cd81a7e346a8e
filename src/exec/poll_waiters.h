// PollWaiters: who is told that the root of a scheduler is worth polling: threads that are parked, and those
// who wait for a descriptor. SleeperList: threads that are parked.
//
// Guarded by the scheduler's lock, but for wakes() and any(). A thread that joins is seen by whoever looks at
// any() afterwards.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/status.h"
#include "exec/executor.h"

namespace weir {

// A thread that parks; lies on that thread's stack until it has been popped or removed.
struct Sleeper {
  RefPtr<Parker> parker;
  // Waits for Windows to stop, not for a row.
  bool saves = false;
  Sleeper* next = nullptr;
};

class SleeperList {
 public:
  bool empty() const { return head_ == nullptr; }
  int size() const;
  void push(Sleeper& sleeper) {
    sleeper.next = head_;
    head_ = &sleeper;
  }
  // Takes the one that came last; null if there is none.
  RefPtr<Parker> pop() { return take(&head_); }
  // Takes the first that waits for a row, else the first that saves.
  RefPtr<Parker> pop_reader();
  // False if it was popped.
  bool remove(Sleeper& sleeper);

 private:
  static RefPtr<Parker> take(Sleeper** place);

  Sleeper* head_ = nullptr;
};

class PollWaiters {
 public:
  PollWaiters() = default;
  PollWaiters(const PollWaiters&) = delete;
  PollWaiters& operator=(const PollWaiters&) = delete;
  ~PollWaiters();

  // How often the root was worth polling so far.
  uint64_t wakes() const { return wakes_.load(); }
  // Whether anybody waits, who must be told when a driver leaves.
  bool any() const { return count_.load() != 0; }

  // The root is worth polling: counts that, signals the descriptor, and returns a thread to be woken.
  RefPtr<Parker> wake();
  // A pump is ready: returns a thread to be woken.
  RefPtr<Parker> pop();
  void join(Sleeper& sleeper);
  void withdraw(Sleeper& sleeper);
  int sleepers() const { return sleepers_.size(); }

  // Opened at the first call, and closed with this. resource_exhausted if there is none.
  Result<int> descriptor();
  bool has_descriptor() const { return descriptor_ >= 0; }
  // It becomes readable with the next signal.
  void arm();
  void signal();
  bool armed() const { return armed_; }

 private:
  std::atomic<uint64_t> wakes_{0};
  // Sleepers, and the descriptor while it is armed.
  std::atomic<int> count_{0};
  SleeperList sleepers_;
  int descriptor_ = -1;
  bool armed_ = false;
  bool readable_ = false;
};

}  // namespace weir
