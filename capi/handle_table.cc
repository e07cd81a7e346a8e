#include "capi/handle_table.h"

#include <pthread.h>
#include <sys/random.h>

#include <atomic>
#include <new>

#include "core/sync.h"

namespace weir::capi {

struct alignas(64) Slot {
  std::atomic<uint64_t> word{0};
  Object* object = nullptr;
  // Guarded by the table's lock.
  uint32_t next_free = 0;
  uint32_t index = 0;
};

namespace {

constexpr uint64_t kPin = 1;
constexpr uint64_t kPins = 0xffff;
constexpr uint64_t kExclusive = uint64_t{1} << 16;
constexpr uint64_t kOwner = uint64_t{1} << 17;
constexpr uint64_t kOwners = uint64_t{0x7fff} << 17;
constexpr uint64_t kLow = 0xffffffff;
constexpr int kKindBits = 4;
constexpr uint32_t kKindMask = (1u << kKindBits) - 1;

constexpr uint32_t kChunkBits = 10;
constexpr uint32_t kChunkSlots = 1u << kChunkBits;
constexpr uint32_t kChunks = 4096;
constexpr uint32_t kNone = UINT32_MAX;

// Never destroyed, since handles may be used while the process exits.
struct Table {
  std::atomic<Slot*> chunks[kChunks];
  Mutex mutex;
  // First in, first out, so that a slot rests as long as possible before it is used again.
  uint32_t first_free;
  uint32_t last_free;
  uint32_t slot_count;
  uint32_t first_generation;
  bool begun;
};
constinit Table g_table{};

Slot* find(uint64_t handle) noexcept {
  uint32_t index = static_cast<uint32_t>(handle & kLow);
  if (index >= kChunks * kChunkSlots) return nullptr;
  Slot* chunk = g_table.chunks[index >> kChunkBits].load(std::memory_order_acquire);
  return chunk ? chunk + (index & (kChunkSlots - 1)) : nullptr;
}

bool fits(uint64_t word, HandleKind kind, uint64_t handle) noexcept {
  return (word >> 32) == (handle >> 32) && ((word >> 32) & kKindMask) == static_cast<uint64_t>(kind) &&
         (word & kOwners) != 0;
}

void before_fork() { g_table.mutex.lock(); }
void after_fork_in_parent() { g_table.mutex.unlock(); }
// The child has copies of the parent's objects but none of the threads that served them: every handle loses
// its kind, so that nothing fits it any more, and the objects are left alone.
void after_fork_in_child() {
  for (uint32_t i = 0; i < g_table.slot_count; ++i) {
    Slot& slot = g_table.chunks[i >> kChunkBits].load(std::memory_order_relaxed)[i & (kChunkSlots - 1)];
    uint64_t word = slot.word.load(std::memory_order_relaxed);
    if ((word & (kOwners | kPins)) == 0) continue;
    slot.word.store(word & ~(uint64_t{kKindMask} << 32), std::memory_order_relaxed);
  }
  g_table.mutex.unlock();
}

// REQUIRES: the table's lock.
void begin_table() {
  if (getrandom(&g_table.first_generation, sizeof g_table.first_generation, GRND_NONBLOCK) < 0) {
    g_table.first_generation = 0x5bd1e995;
  }
  g_table.first_free = g_table.last_free = kNone;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
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
  if (number == kChunks) throw std::bad_alloc();
  Slot* chunk = new Slot[kChunkSlots];
  for (uint32_t i = 0; i < kChunkSlots; ++i) {
    chunk[i].index = g_table.slot_count + i;
    chunk[i].word.store(uint64_t{g_table.first_generation} << (32 + kKindBits), std::memory_order_relaxed);
  }
  g_table.chunks[number].store(chunk, std::memory_order_release);
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

void release(Slot& slot, uint64_t word) noexcept {
  // A parent's object in the child of a fork.
  if (((word >> 32) & kKindMask) == 0) return;
  delete slot.object;
  slot.object = nullptr;
  uint64_t generation = (word >> (32 + kKindBits)) + 1;
  slot.word.store(generation << (32 + kKindBits), std::memory_order_release);
  MutexLock lock(g_table.mutex);
  append_free(slot);
}

}  // namespace

uint64_t publish(HandleKind kind, std::unique_ptr<Object> object) {
  Slot& slot = take_free();
  slot.object = object.release();
  uint64_t generation = slot.word.load(std::memory_order_relaxed) >> (32 + kKindBits);
  uint64_t tag = generation << kKindBits | static_cast<uint64_t>(kind);
  slot.word.store(tag << 32 | kOwner, std::memory_order_release);
  return tag << 32 | slot.index;
}

Object* resolve(HandleKind kind, uint64_t handle) noexcept {
  Slot* slot = find(handle);
  if (!slot || !fits(slot->word.load(std::memory_order_acquire), kind, handle)) return nullptr;
  return slot->object;
}

PinResult pin(HandleKind kind, uint64_t handle, PinMode mode, Slot*& slot) noexcept {
  slot = find(handle);
  if (!slot) return PinResult::unknown;
  uint64_t added = mode == PinMode::exclusive ? kPin | kExclusive : kPin;
  uint64_t word = slot->word.load(std::memory_order_relaxed);
  do {
    if (!fits(word, kind, handle)) return PinResult::unknown;
    if ((word & kPins) == kPins || (mode == PinMode::exclusive && (word & kExclusive)))
      return PinResult::busy;
  } while (!slot->word.compare_exchange_weak(word, word + added, std::memory_order_acquire));
  return PinResult::pinned;
}

Object* object_of(const Slot* slot) noexcept { return slot->object; }

void unpin(Slot* slot, PinMode mode) noexcept {
  uint64_t removed = mode == PinMode::exclusive ? kPin | kExclusive : kPin;
  uint64_t word = slot->word.fetch_sub(removed, std::memory_order_acq_rel) - removed;
  if ((word & (kOwners | kPins)) == 0) release(*slot, word);
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

bool drop_owner(HandleKind kind, uint64_t handle) noexcept {
  Slot* slot = find(handle);
  if (!slot) return false;
  uint64_t word = slot->word.load(std::memory_order_relaxed);
  do {
    if (!fits(word, kind, handle)) return false;
  } while (!slot->word.compare_exchange_weak(word, word - kOwner, std::memory_order_acq_rel));
  word -= kOwner;
  if ((word & (kOwners | kPins)) == 0) release(*slot, word);
  return true;
}

}  // namespace weir::capi
