// HandleTable: turns the 64-bit values that the C interface hands out into objects, and refuses all others.
//
// A handle is [generation 28 | kind 4 | slot 32]. Slots are never unmapped, so that any value can be looked
// up. A slot's one atomic word is [generation 28 | kind 4 | owners 15 | exclusive 1 | pins 16]:
//  1. The object lives while owners or pins are left; whoever takes the last of both deletes it, once.
//  2. Without owners no pin is granted: the handle is closed, though calls in progress still use the object.
//  3. An exclusive pin is granted once at a time, beside plain ones.
//  4. A slot's generation changes before it is used again, so that old handles do not fit; it begins at a
//     random number, so that those of another process do not either.
// Ownership: the table owns what is published. Threads: any.
// Errors: a null pointer or pin; exceptions from publish().
// Cost: resolve about 1 ns, pin and unpin about 6 ns, publish and the last release about 50 ns.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

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
};

// What a handle stands for.
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
};

// How a word is divided, for the functions below that run once an element.
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

// Null until slots of that number are needed; a chunk is never taken away.
extern constinit std::atomic<Slot*> chunks[kChunks];

// Null for a number that no slot has.
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

// 0 is no handle. Throws TooManyHandles, or std::bad_alloc where memory has run out.
uint64_t publish(HandleKind kind, std::unique_ptr<Object> object);

// The object of a live handle, or null. REQUIRES of the caller's caller: no release meanwhile on another
// thread.
inline Object* resolve(HandleKind kind, uint64_t handle) noexcept {
  const Slot* found = slots::find(handle);
  if (!found || !slots::fits(found->word.load(std::memory_order_acquire), kind, handle)) return nullptr;
  return found->object;
}

enum class PinMode : uint8_t { shared, exclusive };
enum class PinResult : uint8_t { pinned, unknown, busy };

// `pinned` is the slot, to be given to unpin().
inline PinResult pin(HandleKind kind, uint64_t handle, PinMode mode, Slot*& pinned) noexcept {
  Slot* found = slots::find(handle);
  if (!found) return PinResult::unknown;
  const uint64_t added = mode == PinMode::exclusive ? slots::kPin | slots::kExclusive : slots::kPin;
  uint64_t word = found->word.load(std::memory_order_relaxed);
  do {
    if (!slots::fits(word, kind, handle)) return PinResult::unknown;
    if ((word & slots::kPins) == slots::kPins || (mode == PinMode::exclusive && (word & slots::kExclusive)))
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

// Waits until the caller's pin is the last one. REQUIRES: no owners are left, so that no pin is granted any
// more, and those who hold one do something short.
void await_last_pin(const Slot& pinned) noexcept;

// False if the handle is unknown or has the most owners already.
enum class OwnerResult : uint8_t { added, unknown, too_many };
OwnerResult add_owner(HandleKind kind, uint64_t handle) noexcept;
// Of two that drop the last owner, one is told.
enum class DropResult : uint8_t { unknown, dropped, dropped_last };
DropResult drop_owner(HandleKind kind, uint64_t handle) noexcept;

// A pin while it lives. T is derived from Object and says its kind as T::kKind.
template <class T, PinMode kMode = PinMode::shared>
class Pin {
 public:
  explicit Pin(uint64_t handle) noexcept : result_(pin(T::kKind, handle, kMode, slot_)) {}
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() {
    if (result_ == PinResult::pinned) unpin(slot_, kMode);
  }
  explicit operator bool() const { return result_ == PinResult::pinned; }
  bool busy() const { return result_ == PinResult::busy; }
  T* operator->() const { return static_cast<T*>(slot_->object); }
  T& operator*() const { return *operator->(); }

 private:
  Slot* slot_ = nullptr;
  PinResult result_;
};

template <class T>
using ExclusivePin = Pin<T, PinMode::exclusive>;

}  // namespace weir::capi
