#include "capi/handle_table.h"

#include <pthread.h>
#include <sched.h>
#include <sys/random.h>

#include <atomic>
#include <new>

#include "core/sync.h"

namespace weir::capi {

using namespace slots;

constinit std::atomic<Slot*> slots::chunks[kChunks] = {};

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Never destroyed, since handles may be used while the process exits.
struct Table {
  Mutex mutex;
  // First in, first out, so that a slot rests as long as possible before it is reused.
  uint32_t first_free;
  uint32_t last_free;
  uint32_t slot_count;
  uint32_t first_generation;
  bool begun;
};
constinit Table g_table{};

void before_fork() { g_table.mutex.lock(); }
void after_fork_in_parent() { g_table.mutex.unlock(); }
// The child has copies of the parent's objects but none of the threads that served them: every handle loses
// its kind, so that it no longer fits anything, and the objects are left alone.
void after_fork_in_child() {
  for (uint32_t i = 0; i < g_table.slot_count; ++i) {
    Slot& slot = chunks[i >> kChunkBits].load(std::memory_order_relaxed)[i & (kChunkSlots - 1)];
    uint64_t word = slot.word.load(std::memory_order_relaxed);
    if ((word & (kOwners | kPins)) == 0) continue;
    slot.word.store(word & ~(uint64_t{kKindMask} << 32), std::memory_order_relaxed);
  }
  g_table.mutex.unlock();
}
// When the library is loaded, so that no fork is missed, also while another thread makes the first handle.
[[maybe_unused]] const int watches_forks =
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);

// REQUIRES: the table's lock.
void begin_table() {
  if (getrandom(&g_table.first_generation, sizeof g_table.first_generation, GRND_NONBLOCK) < 0) {
    g_table.first_generation = 0x5bd1e995;
  }
  g_table.first_free = g_table.last_free = kNone;
  g_table.begun = true;
}

void append_free(Slot& slot) {
  slot.next_free = kNone;
  if (g_table.last_free == kNone) {
    g_table.first_free = slot.index;
  } else {
    find(g_table.last_free)->next_free = slot.index;
  }
  g_table.last_free = slot.index;
}

// REQUIRES: the table's lock.
void add_chunk() {
  uint32_t number = g_table.slot_count / kChunkSlots;
  if (number == kChunks) throw TooManyHandles();
  Slot* chunk = new Slot[kChunkSlots];
  for (uint32_t i = 0; i < kChunkSlots; ++i) {
    chunk[i].index = g_table.slot_count + i;
    chunk[i].word.store(uint64_t{g_table.first_generation} << (32 + kKindBits), std::memory_order_relaxed);
  }
  chunks[number].store(chunk, std::memory_order_release);
  for (uint32_t i = 0; i < kChunkSlots; ++i) append_free(chunk[i]);
  g_table.slot_count += kChunkSlots;
}

Slot& take_free() {
  MutexLock lock(g_table.mutex);
  if (!g_table.begun) begin_table();
  if (g_table.first_free == kNone) add_chunk();
  Slot& slot = *find(g_table.first_free);
  g_table.first_free = slot.next_free;
  if (g_table.first_free == kNone) g_table.last_free = kNone;
  return slot;
}

}  // namespace

void slots::release(Slot& slot, uint64_t word) noexcept {
  // An object of the parent, in the child of a fork.
  if (((word >> 32) & kKindMask) == 0) return;
  delete slot.object;
  slot.object = nullptr;
  slot.bias.reset();
  uint64_t generation = (word >> (32 + kKindBits)) + 1;
  slot.word.store(generation << (32 + kKindBits), std::memory_order_release);
  MutexLock lock(g_table.mutex);
  append_free(slot);
}

uint64_t publish(HandleKind kind, std::unique_ptr<Object> object) {
  Slot& slot = take_free();
  slot.object = object.release();
  uint64_t generation = slot.word.load(std::memory_order_relaxed) >> (32 + kKindBits);
  uint64_t tag = generation << kKindBits | static_cast<uint64_t>(kind);
  slot.word.store(tag << 32 | kOwner, std::memory_order_release);
  return tag << 32 | slot.index;
}

PinResult pin_unbiased(HandleKind kind, uint64_t handle, PinMode mode, Slot*& pinned) noexcept {
  const PinResult result = pin(kind, handle, mode, pinned);
  if (result != PinResult::pinned || mode != PinMode::exclusive || !pinned->bias.present()) return result;
  Slot& slot = *pinned;
  if (!slot.bias.revoke([&] { slot.word.fetch_add(kPin); })) return result;
  unpin(pinned, mode);
  return PinResult::busy;
}

void unpin_unbiased(Slot* pinned, PinMode mode) noexcept {
  const uint64_t removed = mode == PinMode::exclusive ? kPin | kExclusive : kPin;
  pinned->bias.offer();
  const uint64_t word = pinned->word.fetch_sub(removed, std::memory_order_acq_rel) - removed;
  if ((word & kOwners) != 0) [[likely]]
    return;
  // Whoever dropped the last owner may have done so before there was a bias to take away.
  pinned->bias.decline();
  if ((word & kPins) == 0) slots::release(*pinned, word);
}

// A pin that was given to a thread when it lost the bias is a shared one in the word.
void unpin_given(Slot* pinned) noexcept { unpin(pinned, PinMode::shared); }

void await_last_pin(const Slot& pinned) noexcept {
  while ((pinned.word.load(std::memory_order_acquire) & kPins) > 1) sched_yield();
}

OwnerResult add_owner(HandleKind kind, uint64_t handle) noexcept {
  Slot* slot = find(handle);
  if (!slot) return OwnerResult::unknown;
  uint64_t word = slot->word.load(std::memory_order_relaxed);
  do {
    if (!fits(word, kind, handle)) return OwnerResult::unknown;
    if ((word & kOwners) == kOwners) return OwnerResult::too_many;
  } while (!slot->word.compare_exchange_weak(word, word + kOwner, std::memory_order_relaxed));
  return OwnerResult::added;
}

DropResult drop_owner(HandleKind kind, uint64_t handle) noexcept {
  Slot* slot = find(handle);
  if (!slot) return DropResult::unknown;
  uint64_t word = slot->word.load(std::memory_order_relaxed);
  uint64_t dropped = 0;
  do {
    if (!fits(word, kind, handle)) return DropResult::unknown;
    // Who drops the last one pins until there is no bias.
    const bool last = (word & kOwners) == kOwner;
    dropped = last && biased_kind(kind) ? word - kOwner + kPin : word - kOwner;
  } while (!slot->word.compare_exchange_weak(word, dropped, std::memory_order_acq_rel));
  if ((dropped & kOwners) != 0) return DropResult::dropped;
  if (!biased_kind(kind)) {
    if ((dropped & kPins) == 0) release(*slot, dropped);
    return DropResult::dropped_last;
  }
  if (slot->bias.present()) slot->bias.revoke([&] { slot->word.fetch_add(kPin); });
  unpin(slot, PinMode::shared);
  return DropResult::dropped_last;
}

}  // namespace weir::capi
