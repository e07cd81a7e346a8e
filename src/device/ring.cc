#include "device/ring.h"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/clock.h"
#include "core/stage_stats.h"
#include "core/text.h"
#include "core/trace.h"

namespace weir {
namespace {

// Of a component in its slot, and of slots themselves.
constexpr size_t kPlaceAlignment = 256;

size_t aligned(size_t bytes) { return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment; }

// Those that work may still use, since nothing told its end. They are never freed.
struct Abandoned {
  Mutex mutex;
  std::unique_ptr<DeviceRing::Slot> slots;
};
Abandoned& abandoned = *new Abandoned;

cuda::Stream stream_of(StreamNumber stream) {
  return reinterpret_cast<cuda::Stream>(static_cast<uintptr_t>(stream));
}

}  // namespace

uint64_t this_thread() noexcept { return static_cast<uint64_t>(::pthread_self()); }

Status check_stream(StreamNumber stream) {
  if (stream > 0 || stream == kNoStream) return Status();
  return invalid_argument(
      expected_found("a stream: 1 for the legacy one, 2 for the thread's own, a handle, or -1 for none",
                     concat(stream), stream == 0 ? "0 may mean either of the first two" : ""));
}

Result<RefPtr<DeviceRing>> DeviceRing::make(DeviceContext& context, std::shared_ptr<BufferPool> pool,
                                            int64_t depth, const Watch& watch) {
  RefPtr<DeviceRing> ring(new DeviceRing(context, std::move(pool), depth, watch));
  const DeviceContext::Current current(context);
  WEIR_TRY(current.status());
  WEIR_TRY(context.check("cuStreamCreate",
                         context.driver().stream_create(&ring->stream_, cuda::kStreamNonBlocking)));
  return ring;
}

DeviceRing::~DeviceRing() {
  const DeviceContext::Current current(context_);
  const cuda::Driver& driver = context_.driver();
  for (auto& slot : slots_) {
    const bool unused = current.ok() && finish_uses(*slot);
    if (unused && slot->bytes > 0) driver.mem_free(slot->address);
    // If the context is gone, so is all work that used the slot.
    if (unused || !context_.usable()) continue;
    MutexLock lock(abandoned.mutex);
    slot->next = std::move(abandoned.slots);
    abandoned.slots = std::move(slot);
  }
  if (!current.ok()) return;
  for (cuda::Event event : events_) driver.event_destroy(event);
  if (stream_) {
    driver.stream_synchronize(stream_);
    driver.stream_destroy(stream_);
  }
}

// Waits until nothing uses the slot, and returns whether that is known.
bool DeviceRing::finish_uses(Slot& slot) {
  const cuda::Driver& driver = context_.driver();
  bool known = !slot.unordered;
  for (cuda::Event event : slot.uses) {
    known &= driver.event_synchronize(event) == cuda::kSuccess;
    driver.event_destroy(event);
  }
  if (slot.ready) {
    known &= driver.event_synchronize(slot.ready) == cuda::kSuccess;
    driver.event_destroy(slot.ready);
  }
  return known || context_.check("cuCtxSynchronize", driver.synchronize()).ok();
}

Result<Components> DeviceRing::copy(const Components& rows) {
  const DeviceContext::Current current(context_);
  WEIR_TRY(current.status());
  drop_finished_sources();
  std::vector<size_t> places;
  size_t bytes = 0;
  size_t copied_bytes = 0;
  for (const Tensor& row : rows) {
    places.push_back(bytes);
    bytes += aligned(row.byte_size());
    copied_bytes += row.byte_size();
  }
  std::vector<const void*> from;
  WEIR_ASSIGN(BufferRef staged, stage(rows, from));
  const RefPtr<Lease> lease = make_ref<Lease>(RefPtr<DeviceRing>(this));
  WEIR_TRY(acquire(bytes, *lease));
  Slot* const slot = lease->slot_;
  Components out;
  for (size_t i = 0; i < rows.size(); ++i) {
    Tensor tensor = rows[i];
    tensor.buffer = make_ref<DeviceBuffer>(lease, slot->address + places[i], tensor.byte_size());
    tensor.data = tensor.buffer->data();
    out.push_back(std::move(tensor));
  }
  copying_.push_back(slot);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (from[i] == rows[i].data) slot->sources.push_back(rows[i].buffer);
  }
  if (staged) slot->sources.push_back(std::move(staged));
  const TraceSlice slice(watch_.trace, watch_.clock, "copy", "to_device");
  Status begun = begin_copies(*slot, rows, places, from);
  if (!begun.ok()) {
    // Some may have begun.
    context_.driver().stream_synchronize(stream_);
    slot->sources.clear();
    return begun;
  }
  if (watch_.stats) {
    add_alone(watch_.stats->copies, 1);
    add_alone(watch_.stats->copied_bytes, static_cast<int64_t>(copied_bytes));
  }
  return out;
}

// Sets where the copy of each row reads: its own memory if that is pinned, else a copy in pinned memory,
// which is returned.
Result<BufferRef> DeviceRing::stage(const Components& rows, std::vector<const void*>& from) {
  size_t bytes = 0;
  for (const Tensor& row : rows) {
    const bool pinned = context_.is_pinned(row.data, row.byte_size());
    from.push_back(pinned ? row.data : nullptr);
    if (!pinned) bytes += aligned(row.byte_size());
  }
  if (bytes == 0) return BufferRef();
  BufferRef staged = pool_->allocate(std::max(bytes, DeviceContext::kPinnedBytes));
  uint8_t* at = staged->data();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (from[i]) continue;
    if (rows[i].byte_size() > 0) std::memcpy(at, rows[i].data, rows[i].byte_size());
    from[i] = at;
    at += aligned(rows[i].byte_size());
  }
  return staged;
}

Status DeviceRing::begin_copies(Slot& slot, const Components& rows, const std::vector<size_t>& places,
                                const std::vector<const void*>& from) {
  const cuda::Driver& driver = context_.driver();
  WEIR_TRY(order_after_uses(slot));
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t bytes = rows[i].byte_size();
    if (bytes == 0) continue;
    WEIR_TRY(context_.check("cuMemcpyHtoDAsync",
                            driver.copy_to_device(slot.address + places[i], from[i], bytes, stream_)));
  }
  return context_.check("cuEventRecord", driver.event_record(slot.ready, stream_));
}

// Gives the lease a slot for so many bytes, whose last copy has ended.
Status DeviceRing::acquire(size_t bytes, Lease& lease) {
  {
    MutexLock lock(mutex_);
    if (!free_.empty() && slots_.size() >= slot_limit_) {
      lease.slot_ = free_.front();
      free_.pop_front();
    }
  }
  if (!lease.slot_) {
    slots_.push_back(std::make_unique<Slot>());
    lease.slot_ = slots_.back().get();
  }
  return prepare(*lease.slot_, bytes);
}

Status DeviceRing::prepare(Slot& slot, size_t bytes) {
  if (!slot.ready) {
    WEIR_TRY(context_.check(
        "cuEventCreate",
        context_.driver().event_create(&slot.ready, cuda::kEventDisableTiming | cuda::kEventBlockingSync)));
  }
  WEIR_TRY(finish_copy(slot));
  return slot.bytes < bytes ? grow(slot, bytes) : Status();
}

// The stream of the copies waits for those who used the slot last.
Status DeviceRing::order_after_uses(Slot& slot) {
  const cuda::Driver& driver = context_.driver();
  std::vector<cuda::Event> uses;
  bool unordered;
  {
    MutexLock lock(mutex_);
    uses.swap(slot.uses);
    unordered = std::exchange(slot.unordered, false);
  }
  Status status;
  if (unordered) status = context_.check("cuCtxSynchronize", driver.synchronize());
  for (cuda::Event event : uses) {
    if (status.ok())
      status = context_.check("cuStreamWaitEvent", driver.stream_wait_event(stream_, event, 0));
    // It may be recorded again at once: the stream waits for the earlier recording.
    give_event(event);
  }
  if (!status.ok()) {
    MutexLock lock(mutex_);
    slot.unordered = true;
  }
  return status;
}

Status DeviceRing::finish_copy(Slot& slot) {
  if (slot.sources.empty()) return Status();
  WEIR_TRY(wait_for(slot.ready));
  slot.sources.clear();
  return Status();
}

Status DeviceRing::wait_for(cuda::Event event) {
  const cuda::Driver& driver = context_.driver();
  const cuda::Answer now = driver.event_query(event);
  if (now != cuda::kNotReady) return context_.check("cuEventQuery", now);
  const TraceSlice slice(watch_.trace, watch_.clock, "wait for copy", "to_device");
  const int64_t begin_ns = watch_.clock ? watch_.clock->now_ns() : 0;
  Status waited = context_.check("cuEventSynchronize", driver.event_synchronize(event));
  if (watch_.stats && watch_.clock)
    add_alone(watch_.stats->waited_for_device_ns, watch_.clock->now_ns() - begin_ns);
  return waited;
}

// Gives the slot more memory, when those who used it are done: as much as any slot has, if there is so much.
Status DeviceRing::grow(Slot& slot, size_t bytes) {
  const cuda::Driver& driver = context_.driver();
  if (slot.bytes > 0) {
    std::vector<cuda::Event> uses;
    {
      MutexLock lock(mutex_);
      uses = slot.uses;
    }
    for (cuda::Event event : uses) WEIR_TRY(wait_for(event));
    if (slot.unordered) WEIR_TRY(context_.check("cuCtxSynchronize", driver.synchronize()));
    slot.bytes = 0;
    WEIR_TRY(context_.check("cuMemFree", driver.mem_free(slot.address)));
  }
  size_t taken = std::max(bytes, largest_);
  cuda::Answer answer = driver.mem_alloc(&slot.address, taken);
  if (answer == cuda::kOutOfMemory && taken > bytes) answer = driver.mem_alloc(&slot.address, taken = bytes);
  if (answer == cuda::kOutOfMemory) return no_memory(bytes);
  WEIR_TRY(context_.check("cuMemAlloc", answer));
  slot.bytes = taken;
  largest_ = std::max(largest_, taken);
  return Status();
}

Status DeviceRing::no_memory(size_t bytes) const {
  size_t free = 0;
  size_t total = 0;
  const bool known = context_.driver().mem_get_info(&free, &total) == cuda::kSuccess;
  size_t held = 0;
  for (const auto& slot : slots_) held += slot->bytes;
  return resource_exhausted(expected_found(
      concat(bytes, " bytes of the memory of ", context_.name(), " for an element"),
      known ? concat(free, " free of ", total, ", ", held, " in use by other elements of this iterator")
            : std::string("fewer free"),
      "make the batches or depth smaller, or keep fewer elements"));
}

// The memory of copies that have ended can be used again.
void DeviceRing::drop_finished_sources() {
  while (!copying_.empty()) {
    Slot& first = *copying_.front();
    if (!first.sources.empty() && context_.driver().event_query(first.ready) != cuda::kSuccess) return;
    first.sources.clear();
    copying_.pop_front();
  }
}

Result<cuda::Event> DeviceRing::take_event() {
  {
    MutexLock lock(mutex_);
    if (!events_.empty()) {
      cuda::Event event = events_.back();
      events_.pop_back();
      return event;
    }
  }
  cuda::Event event = nullptr;
  WEIR_TRY(context_.check(
      "cuEventCreate",
      context_.driver().event_create(&event, cuda::kEventDisableTiming | cuda::kEventBlockingSync)));
  return event;
}

void DeviceRing::give_event(cuda::Event event) noexcept try {
  MutexLock lock(mutex_);
  events_.push_back(event);
} catch (...) {
  context_.driver().event_destroy(event);
}

// REQUIRES: the context is current
Status DeviceRing::record_use(Slot& slot, cuda::Stream stream) {
  WEIR_ASSIGN(cuda::Event event, take_event());
  const Status recorded = context_.check("cuEventRecord", context_.driver().event_record(event, stream));
  if (!recorded.ok()) {
    give_event(event);
    return recorded;
  }
  MutexLock lock(mutex_);
  slot.uses.push_back(event);
  return Status();
}

void DeviceRing::give_back(Slot& slot) noexcept try {
  // In a forked child the lock may be held by a thread that is not there.
  if (!cuda::driver_is_ours()) return;
  MutexLock lock(mutex_);
  free_.push_back(&slot);
} catch (...) {
  // The ring has one slot less.
}

Status Lease::wait_on(StreamNumber stream) const {
  const DeviceContext::Current current(context());
  WEIR_TRY(current.status());
  if (stream == kNoStream) return Status();
  return context().check("cuStreamWaitEvent",
                         context().driver().stream_wait_event(stream_of(stream), slot_->ready, 0));
}

void Lease::release_on(StreamNumber stream, uint64_t thread) noexcept {
  // Another thread's own stream has no name here, but the legacy one waits for all of them.
  if (stream == kNoStream || (stream == kPerThreadStream && thread != this_thread())) stream = kLegacyStream;
  Status recorded;
  try {
    // Else the memory is gone, or another process's.
    if (!context().usable()) return;
    const DeviceContext::Current current(context());
    recorded = current.ok() ? ring_->record_use(*slot_, stream_of(stream)) : current.status();
  } catch (...) {
    recorded = internal_error("no memory");
  }
  if (recorded.ok()) return;
  MutexLock lock(ring_->mutex_);
  slot_->unordered = true;
}

Status Lease::copy_back(const void* from, size_t bytes, void* to) const {
  const DeviceContext::Current current(context());
  WEIR_TRY(current.status());
  const cuda::Driver& driver = context().driver();
  WEIR_TRY(context().check("cuEventSynchronize", driver.event_synchronize(slot_->ready)));
  if (bytes == 0) return Status();
  return context().check("cuMemcpyDtoH",
                         driver.copy_to_host(to, reinterpret_cast<cuda::Address>(from), bytes));
}

Result<Tensor> on_host(const Tensor& tensor) {
  const RefPtr<Lease>* lease = lease_of(tensor);
  if (!lease) return tensor;
  Tensor out = Tensor::allocate(tensor.dtype, tensor.shape);
  WEIR_TRY((*lease)->copy_back(tensor.data, tensor.byte_size(), out.data));
  return out;
}

}  // namespace weir
