// HandleTable: turns the 64-bit handles of the C interface into objects, and refuses all other values.
// The table owns the objects. May be used on any thread.
//
// A handle is [generation 28 | kind 4 | slot 32]. Slots are never unmapped, so any value can be looked up. A
// slot's one atomic word is [generation 28 | kind 4 | owners 15 | exclusive 1 | pins 16]:
//   1. The object lives while owners or pins are left; the thread that removes the last of both deletes it.
//   2. Without owners no pin is granted: the handle is closed, though calls in progress still use the object.
//   3. Only one exclusive pin is granted at a time, along with shared ones.
//   4. A thread with the slot's bias (core/bias.h) pins without a trace in the word. A thread that drops the
//      last owner, or gets an exclusive pin through the word, revokes the bias; the pin in progress is then
//      counted among the pins, and an exclusive one stays exclusive until the bias is gone.
//   5. A slot's generation changes before the slot is reused, so that old handles do not fit; it begins at a
//      random number, so that handles of another process do not fit either.
//
// Resolve takes about 1 ns, pin and unpin about 6 ns (2 ns with the bias), publish and the last release about
// 50 ns.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "core/bias.h"

namespace weir::capi {

enum class HandleKind : uint8_t {
  runtime = 1,
  dataset,
  spec,
  tensor,
  iterator,
  element,
  call,
  record_writer,
  example,
  bytes,
  error,
  feedable,
  checkpoint_manager,
  file,
};

// Kinds whose objects are pinned for every element.
constexpr bool biased_kind(HandleKind kind) {
  return kind == HandleKind::iterator || kind == HandleKind::element || kind == HandleKind::feedable;
}

// The object behind a handle.
class Object {
 public:
  virtual ~Object() = default;
};

struct alignas(64) Slot {
  std::atomic<uint64_t> word{0};
  Object* object = nullptr;
  // Guarded by the table's lock.
  uint32_t next_free = 0;
  uint32_t index = 0;
  Bias bias;
};
static_assert(sizeof(Slot) == 64);

// How a word is divided, for the functions below that run once per element.
namespace slots {

inline constexpr uint64_t kPin = 1;
inline constexpr uint64_t kPins = 0xffff;
inline constexpr uint64_t kExclusive = uint64_t{1} << 16;
inline constexpr uint64_t kOwner = uint64_t{1} << 17;
inline constexpr uint64_t kOwners = uint64_t{0x7fff} << 17;
inline constexpr int kKindBits = 4;
inline constexpr uint32_t kKindMask = (1u << kKindBits) - 1;

inline constexpr uint32_t kChunkBits = 10;
inline constexpr uint32_t kChunkSlots = 1u << kChunkBits;
inline constexpr uint32_t kChunks = 4096;

// Null until slots with these numbers are needed; a chunk is never removed.
extern constinit std::atomic<Slot*> chunks[kChunks];

// Returns null for a number without a slot.
inline Slot* find(uint64_t handle) noexcept {
  const auto index = static_cast<uint32_t>(handle);
  if (index >= kChunks * kChunkSlots) return nullptr;
  Slot* chunk = chunks[index >> kChunkBits].load(std::memory_order_acquire);
  return chunk ? chunk + (index & (kChunkSlots - 1)) : nullptr;
}

inline bool fits(uint64_t word, HandleKind kind, uint64_t handle) noexcept {
  return (word >> 32) == (handle >> 32) && ((word >> 32) & kKindMask) == static_cast<uint64_t>(kind) &&
         (word & kOwners) != 0;
}

// Deletes the object of a slot without owners and pins, whose word was `word`.
void release(Slot& slot, uint64_t word) noexcept;

}  // namespace slots

// All slots are taken.
class TooManyHandles final : public std::bad_alloc {
 public:
  const char* what() const noexcept override {
    return "expected at most 4194304 handles at once, found one more; release what is not needed";
  }
};
static_assert(slots::kChunks * slots::kChunkSlots == 4194304);

// Never returns 0. Throws TooManyHandles, or std::bad_alloc if there is no memory.
uint64_t publish(HandleKind kind, std::unique_ptr<Object> object);

// Returns the object of a live handle, or null. REQUIRES of the caller's caller: no other thread releases it
// meanwhile.
inline Object* resolve(HandleKind kind, uint64_t handle) noexcept {
  const Slot* found = slots::find(handle);
  if (!found || !slots::fits(found->word.load(std::memory_order_acquire), kind, handle)) return nullptr;
  return found->object;
}

enum class PinMode : uint8_t { shared, exclusive };
enum class PinResult : uint8_t { pinned, unknown, busy };

// Sets `pinned` to the slot; pass it to unpin().
inline PinResult pin(HandleKind kind, uint64_t handle, PinMode mode, Slot*& pinned) noexcept {
  Slot* found = slots::find(handle);
  if (!found) return PinResult::unknown;
  const uint64_t added = mode == PinMode::exclusive ? slots::kPin | slots::kExclusive : slots::kPin;
  uint64_t word = found->word.load(std::memory_order_relaxed);
  do {
    if (!slots::fits(word, kind, handle)) return PinResult::unknown;
    // Two places are reserved: for the thread that loses the bias, and for the one that revokes it.
    if ((word & slots::kPins) >= slots::kPins - 2 ||
        (mode == PinMode::exclusive && (word & slots::kExclusive)))
      return PinResult::busy;
  } while (!found->word.compare_exchange_weak(word, word + added, std::memory_order_acquire));
  pinned = found;
  return PinResult::pinned;
}
inline void unpin(Slot* pinned, PinMode mode) noexcept {
  const uint64_t removed = mode == PinMode::exclusive ? slots::kPin | slots::kExclusive : slots::kPin;
  const uint64_t word = pinned->word.fetch_sub(removed, std::memory_order_acq_rel) - removed;
  if ((word & (slots::kOwners | slots::kPins)) == 0) [[unlikely]]
    slots::release(*pinned, word);
}

// The same with the slot's bias. unpin_biased() takes both kinds of pin.
PinResult pin_unbiased(HandleKind kind, uint64_t handle, PinMode mode, Slot*& pinned) noexcept;
void unpin_unbiased(Slot* pinned, PinMode mode) noexcept;
void unpin_given(Slot* pinned) noexcept;
[[gnu::always_inline]] inline PinResult pin_biased(HandleKind kind, uint64_t handle, PinMode mode,
                                                   Slot*& pinned, bool& biased) noexcept {
  Slot* found = slots::find(handle);
  if (!found) return PinResult::unknown;
  biased = found->bias.enter();
  if (!biased) return pin_unbiased(kind, handle, mode, pinned);
  if (!slots::fits(found->word.load(std::memory_order_acquire), kind, handle)) [[unlikely]] {
    if (!found->bias.leave()) unpin_given(found);
    return PinResult::unknown;
  }
  pinned = found;
  return PinResult::pinned;
}
inline void unpin_biased(Slot* pinned, PinMode mode, bool biased) noexcept {
  if (!biased) return unpin_unbiased(pinned, mode);
  if (!pinned->bias.leave()) [[unlikely]]
    unpin_given(pinned);
}

// Waits until the caller's pin is the last one.
// REQUIRES: no owners are left, so that no pin is granted any more, and holders of a pin are soon done.
void await_last_pin(const Slot& pinned) noexcept;

// Fails if the handle is unknown or has the maximum of owners.
enum class OwnerResult : uint8_t { added, unknown, too_many };
OwnerResult add_owner(HandleKind kind, uint64_t handle) noexcept;
// Of two threads that drop the last owners, only one gets dropped_last.
enum class DropResult : uint8_t { unknown, dropped, dropped_last };
DropResult drop_owner(HandleKind kind, uint64_t handle) noexcept;

// Pins while it lives. T is derived from Object and names its kind in T::kKind.
template <class T, PinMode kMode = PinMode::shared>
class Pin {
 public:
  explicit Pin(uint64_t handle) noexcept {
    if constexpr (biased_kind(T::kKind)) {
      result_ = pin_biased(T::kKind, handle, kMode, slot_, biased_);
    } else {
      result_ = pin(T::kKind, handle, kMode, slot_);
    }
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() {
    if (result_ != PinResult::pinned) return;
    if constexpr (biased_kind(T::kKind)) {
      unpin_biased(slot_, kMode, biased_);
    } else {
      unpin(slot_, kMode);
    }
  }
  explicit operator bool() const { return result_ == PinResult::pinned; }
  bool busy() const { return result_ == PinResult::busy; }
  T* operator->() const { return static_cast<T*>(slot_->object); }
  T& operator*() const { return *operator->(); }

 private:
  Slot* slot_ = nullptr;
  PinResult result_;
  bool biased_ = false;
};

template <class T>
using ExclusivePin = Pin<T, PinMode::exclusive>;

}  // namespace weir::capi
