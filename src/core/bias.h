// Bias: lets the thread that has taken a lock or a pin many times running take it again without an atomic
// exchange.
//
// The lock or pin that a Bias belongs to is called the real one here. A thread with the bias enters by a
// plain store into its own record, and then checks that it still has the bias. To take the real one
// exclusively, a thread revokes the bias: it sets a flag, makes all threads pass a memory barrier
// (membarrier(2)), and reads the record.
//
// Invariants:
//   1. Only its own thread writes a record, and records are never unmapped.
//   2. A thread is inside at most once per Bias; a nested entry takes the real one.
//   3. A thread that is inside when its bias is revoked gets the real one, and releases it when it leaves.
//   4. Only the holder of the real one gets the bias, before it releases the real one, so the next holder
//      sees the bias.
//
// Methods may be called on any thread. enter and leave cost about 2 ns, revoke some microseconds. A bias that
// was revoked often is not granted again. Without membarrier, and under the simulation, no thread gets one.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/sync.h"

namespace weir {

class Bias;

// Where a thread is inside by bias.
class alignas(64) BiasedThread {
 public:
  static constexpr uint32_t kMost = 6;

  // Null for a thread that never got a bias.
  static BiasedThread* current() { return thread_record; }
  // The record of this thread, made if need be. Null if there are too many or the system cannot do without.
  static BiasedThread* make_current() noexcept;

  // False if this thread is inside already, or inside too many others.
  bool push(const Bias* bias) {
    for (uint32_t i = 0; i < depth_; ++i) {
      if (inside_[i].load(std::memory_order_relaxed) == bias) return false;
    }
    if (depth_ == kMost) return false;
    inside_[depth_++].store(bias, std::memory_order_relaxed);
    return true;
  }
  void pop() { inside_[--depth_].store(nullptr, std::memory_order_release); }
  // On any thread.
  bool inside(const Bias* bias) const {
    for (const auto& place : inside_) {
      if (place.load(std::memory_order_acquire) == bias) return true;
    }
    return false;
  }

 private:
  friend class BiasedThreadOwner;
  // Next to the thread pointer, so that reading it is one instruction in a shared library, too.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local BiasedThread* thread_record;

  std::atomic<const Bias*> inside_[kMost] = {};
  // Of its own thread.
  uint32_t depth_ = 0;
  std::atomic<bool> taken_{false};
};

class Bias {
 public:
  // True if this thread is inside now, and calls leave() once. Else it takes the real one.
  bool enter() noexcept {
    BiasedThread* me = BiasedThread::current();
    if (owner_.load(std::memory_order_relaxed) != token(me) || !me->push(this)) return false;
    // Keeps the compiler's order; the processor's is revoke()'s business.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_acquire) == token(me)) [[likely]]
      return true;
    return enter_late(*me);
  }
  // False if the thread has been given the real one, which it must release now.
  // REQUIRES: entries are left in the reverse order
  bool leave() noexcept {
    BiasedThread* me = BiasedThread::current();
    me->pop();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_relaxed) == token(me)) [[likely]]
      return true;
    return !leave_late(*me);
  }
  // This thread, inside, has been given the real one.
  bool given() const noexcept {
    return owner_.load(std::memory_order_acquire) == (token(BiasedThread::current()) | kGiven);
  }

  // Whether some thread has the bias, or was inside when it lost it and still is.
  bool present() const noexcept { return owner_.load(std::memory_order_acquire) != kNobody; }
  // This thread has the bias.
  bool mine() const noexcept {
    return owner_.load(std::memory_order_relaxed) == token(BiasedThread::current());
  }
  // Takes the bias away from the thread that has it. True if that is inside: give() is called before it can
  // leave.
  // REQUIRES: the caller holds the real one, or it can't be had any more
  template <class Give>
  bool revoke(Give&& give) noexcept {
    const Verdict verdict = decide();
    if (verdict == Verdict::inside) {
      give();
      pronounce(true);
    }
    return verdict != Verdict::outside;
  }
  // Gives this thread the bias if it has held the real one many times running.
  // REQUIRES: this thread holds the real one
  void offer() noexcept {
    if (owner_.load(std::memory_order_relaxed) == kNobody &&
        revocations_.load(std::memory_order_relaxed) < kMostRevocations)
      offer_late();
  }
  // Undoes an offer. REQUIRES: this thread is not inside
  void decline() noexcept {
    uintptr_t mine = token(BiasedThread::current());
    owner_.compare_exchange_strong(mine, kNobody);
  }
  // For a lock or pin that is used again. REQUIRES: no thread is inside, and none holds the real one
  void reset() noexcept {
    owner_.store(kNobody, std::memory_order_relaxed);
    last_.store(0, std::memory_order_relaxed);
    revocations_.store(0, std::memory_order_relaxed);
  }

 private:
  enum class Verdict : uint8_t { outside, inside, given_before };
  // Beside the address of a record.
  static constexpr uintptr_t kDeciding = 1;
  static constexpr uintptr_t kGiven = 2;
  static constexpr uintptr_t kNobody = 4;
  static constexpr uint32_t kMostRevocations = 4;
  static constexpr uint32_t kRunsForBias = 64;

  static uintptr_t token(const BiasedThread* thread) { return reinterpret_cast<uintptr_t>(thread); }
  Verdict decide() noexcept;
  void pronounce(bool inside) noexcept;
  bool was_given(const BiasedThread& me) const noexcept;
  bool enter_late(BiasedThread& me) noexcept;
  bool leave_late(const BiasedThread& me) noexcept;
  void offer_late() noexcept;

  std::atomic<uintptr_t> owner_{kNobody};
  // Who held the real one last, and how often running.
  std::atomic<uintptr_t> last_{0};
  std::atomic<uint32_t> runs_{0};
  std::atomic<uint32_t> revocations_{0};
};

// A mutex with a bias. enter() and leave() take the place of lock() and unlock() for the thread that has it.
// Neither may be entered or locked by a thread that already holds it.
class BiasedMutex {
 public:
  void lock() noexcept {
    do mutex_.lock();
    while (is_taken_away());
  }
  bool try_lock() noexcept { return mutex_.try_lock() && !is_taken_away(); }
  void unlock() noexcept { mutex_.unlock(); }

  bool enter() noexcept { return bias_.enter(); }
  void leave() noexcept {
    if (!bias_.leave()) [[unlikely]]
      mutex_.unlock();
  }
  // Like unlock(); the next enter() may succeed.
  void unlock_and_offer() noexcept {
    bias_.offer();
    mutex_.unlock();
  }
  // Turns what enter() took into what lock() takes, without letting go in between.
  void keep() noexcept;

 private:
  // True if the mutex, just locked, belongs to the thread that was inside by bias.
  bool is_taken_away() noexcept {
    return bias_.present() && !bias_.mine() && bias_.revoke([] {});
  }

  Mutex mutex_;
  Bias bias_;
};

}  // namespace weir
