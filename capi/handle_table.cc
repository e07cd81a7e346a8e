#include "capi/handle_table.h"

#include <pthread.h>
#include <sched.h>
#include <sys/random.h>

#include <atomic>
#include <new>

#include "core/host_call.h"
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

// REQUIRES: the table's lock.
void begin_table() {
  const Uncancelled uncancelled;
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
  do {
    if (!fits(word, kind, handle)) return DropResult::unknown;
  } while (!slot->word.compare_exchange_weak(word, word - kOwner, std::memory_order_acq_rel));
  word -= kOwner;
  const bool last = (word & kOwners) == 0;
  if ((word & (kOwners | kPins)) == 0) release(*slot, word);
  return last ? DropResult::dropped_last : DropResult::dropped;
}

}  // namespace weir::capi
