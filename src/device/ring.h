// DeviceRing: copies elements to a device, each into a slot of the device's memory. DeviceBuffer: a
// component of an element there. Lease: an element's claim to its slot.
//
// The order that everything follows:
// - A slot's copy begins, on the ring's own stream, after the work that used the slot before: that stream
//   waits for the events which the slot's last users recorded when they released it.
// - The slot's event `ready` is recorded behind the copy. Who uses the slot lets its stream wait for that.
// - The host's memory that a copy reads is kept until `ready` has come. Before a slot gets its next copy its
//   last one must have ended, so there is never more pinned memory in use than slots.
// - Memory of the device is freed when the ring ends, or when a batch needs more: after the slot's users.
//   If the driver does not tell the ring that work has ended, what the work uses is never freed.
// The host waits only for copies that fall behind by a whole ring, and never for an element's user.
//
// One thread at a time calls copy(); leases are used and dropped on any thread, also after everything else is
// gone. A ring has depth + 1 slots, and more while the consumer keeps more elements.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/buffer.h"
#include "core/sync.h"
#include "core/value.h"
#include "device/context.h"

namespace weir {

class Clock;
class StageStats;
class TraceLog;

// What a consumer calls its stream, as in DLPack's protocol: a handle, or one of these. 0 is refused.
using StreamNumber = int64_t;
inline constexpr StreamNumber kLegacyStream = 1;
inline constexpr StreamNumber kPerThreadStream = 2;
// The consumer sees to the order by itself.
inline constexpr StreamNumber kNoStream = -1;
Status check_stream(StreamNumber stream);

class Lease;

class DeviceRing : public RefCounted {
 public:
  // Counts and traces there; each may be null.
  struct Watch {
    StageStats* stats = nullptr;
    TraceLog* trace = nullptr;
    Clock* clock = nullptr;
  };

  static Result<RefPtr<DeviceRing>> make(DeviceContext& context, std::shared_ptr<BufferPool> pool,
                                         int64_t depth, const Watch& watch);
  // Begins to copy the tensors, numbers of any shape, and returns them as they will be on the device. They
  // may be read on a stream that has waited. Errors: resource_exhausted if the device has not enough memory;
  // those of the driver.
  Result<Components> copy(const Components& rows);
  DeviceContext& context() const { return context_; }

  // A place in the device's memory. All but `uses` and `unordered` belongs to the thread that copies while
  // there is no lease.
  struct Slot {
    cuda::Address address = 0;
    size_t bytes = 0;
    // Behind the last copy.
    cuda::Event ready = nullptr;
    // What that copy reads; empty once it has ended.
    std::vector<BufferRef> sources;
    // Recorded by those who released it. Guarded by the ring's lock.
    std::vector<cuda::Event> uses;
    // An event could not be recorded: only the whole device tells when its users are done.
    bool unordered = false;
    // Among those that outlive their rings.
    std::unique_ptr<Slot> next;
  };

 private:
  friend class Lease;
  DeviceRing(DeviceContext& context, std::shared_ptr<BufferPool> pool, int64_t depth, const Watch& watch)
      : context_(context),
        pool_(std::move(pool)),
        slot_limit_(static_cast<size_t>(depth) + 1),
        watch_(watch) {}
  ~DeviceRing() override;

  Status acquire(size_t bytes, Lease& lease);
  Status prepare(Slot& slot, size_t bytes);
  Status order_after_uses(Slot& slot);
  Status finish_copy(Slot& slot);
  bool finish_uses(Slot& slot);
  Status grow(Slot& slot, size_t bytes);
  Status wait_for(cuda::Event event);
  Status no_memory(size_t bytes) const;
  void drop_finished_sources();
  Result<BufferRef> stage(const Components& rows, std::vector<const void*>& from);
  Status begin_copies(Slot& slot, const Components& rows, const std::vector<size_t>& places,
                      const std::vector<const void*>& from);
  Result<cuda::Event> take_event();
  void give_event(cuda::Event event) noexcept;
  Status record_use(Slot& slot, cuda::Stream stream);
  void give_back(Slot& slot) noexcept;

  DeviceContext& context_;
  const std::shared_ptr<BufferPool> pool_;
  const size_t slot_limit_;
  const Watch watch_;
  cuda::Stream stream_ = nullptr;
  size_t largest_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  // Those whose sources may be in use, in the order of their copies.
  std::deque<Slot*> copying_;

  // A leaf. It guards what follows, and the uses of slots.
  Mutex mutex_;
  // In the order in which they were given back.
  std::deque<Slot*> free_;
  std::vector<cuda::Event> events_;
};

// Gives the slot back with the last reference. Each consumer says on which stream it used the slot when it
// lets go of it; what is queued there at that moment comes before the slot's next copy.
class Lease : public RefCounted {
 public:
  explicit Lease(RefPtr<DeviceRing> ring) : ring_(std::move(ring)) {}
  ~Lease() override {
    if (slot_) ring_->give_back(*slot_);
  }

  DeviceContext& context() const { return ring_->context(); }
  cuda::Event ready() const { return slot_->ready; }
  // Lets the stream wait until the copy has ended, and returns at once. Fails, whatever the stream, if the
  // context has been destroyed, and the memory with it.
  // REQUIRES: check_stream()
  Status wait_on(StreamNumber stream) const;
  // Called when a consumer lets go: what it has queued on the stream may still use the slot. `thread` is the
  // one that used a per-thread stream.
  void release_on(StreamNumber stream, uint64_t thread) noexcept;
  // Waits until the copy has ended, and copies bytes back. Slow; for showing elements.
  Status copy_back(const void* from, size_t bytes, void* to) const;

 private:
  friend class DeviceRing;
  const RefPtr<DeviceRing> ring_;
  // Null until the ring has given it one.
  DeviceRing::Slot* slot_ = nullptr;
};

// The number of the calling thread.
uint64_t this_thread() noexcept;

class DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(RefPtr<Lease> lease, cuda::Address address, size_t bytes)
      : Buffer(reinterpret_cast<uint8_t*>(address), bytes), lease_(std::move(lease)) {
    // It is never written to as spare memory.
    set_lasting();
    on_device_ = true;
  }
  const RefPtr<Lease>& lease() const { return lease_; }

 private:
  const RefPtr<Lease> lease_;
};

// The lease of a tensor, or null if it is in the host's memory.
inline const RefPtr<Lease>* lease_of(const Tensor& tensor) {
  if (!tensor.buffer || !tensor.buffer->on_device()) return nullptr;
  return &static_cast<const DeviceBuffer&>(*tensor.buffer).lease();
}

// The tensor in the host's memory: itself, or a copy.
Result<Tensor> on_host(const Tensor& tensor);

}  // namespace weir
