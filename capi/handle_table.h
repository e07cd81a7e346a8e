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
// Errors: a null pointer or pin; std::bad_alloc from publish().
// Cost: resolve about 1 ns, pin and unpin about 6 ns, publish and the last release about 50 ns.
#pragma once

#include <cstdint>
#include <memory>

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
};

// What a handle stands for.
class Object {
 public:
  virtual ~Object() = default;
};

struct Slot;

// 0 is no handle. Throws std::bad_alloc if there is no slot left.
uint64_t publish(HandleKind kind, std::unique_ptr<Object> object);

// The object of a live handle, or null. REQUIRES of the caller's caller: no release meanwhile on another
// thread.
Object* resolve(HandleKind kind, uint64_t handle) noexcept;

enum class PinMode : uint8_t { shared, exclusive };
enum class PinResult : uint8_t { pinned, unknown, busy };

// The slot, to be given to unpin().
PinResult pin(HandleKind kind, uint64_t handle, PinMode mode, Slot*& slot) noexcept;
Object* object_of(const Slot* slot) noexcept;
void unpin(Slot* slot, PinMode mode) noexcept;

// False if the handle is unknown or has the most owners already.
enum class OwnerResult : uint8_t { added, unknown, too_many };
OwnerResult add_owner(HandleKind kind, uint64_t handle) noexcept;
// True if there was an owner to drop; so of two that drop the last one, one is told.
bool drop_owner(HandleKind kind, uint64_t handle) noexcept;

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
  T* operator->() const { return static_cast<T*>(object_of(slot_)); }
  T& operator*() const { return *operator->(); }

 private:
  Slot* slot_ = nullptr;
  PinResult result_;
};

template <class T>
using ExclusivePin = Pin<T, PinMode::exclusive>;

}  // namespace weir::capi
