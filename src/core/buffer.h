// Buffer: a run of bytes with shared ownership. BufferPool: the pool that batch buffers come from.
//
// When the last BufferRef goes, the bytes are freed or return to their pool. Only a sole owner (unique()) may
// write to them. Allocation throws std::bad_alloc, which a Stage turns into resource_exhausted. Small buffers
// come from malloc; a pooled one costs a lock, and no page faults if one is free.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/ref.h"

namespace weir {

inline constexpr size_t kAlignment = 64;
inline constexpr size_t kBatchAlignment = 256;

class Buffer : public RefCounted {
 public:
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  // True if holding on to the bytes costs no memory of ours: the caller lent them, or a dataset node owns
  // them.
  bool lasting() const { return lasting_.load(std::memory_order_relaxed); }
  // Lasts until a pool lends the bytes again. Others may already hold the buffer; those that asked before
  // copied where a reference would have done.
  void set_lasting() { lasting_.store(true, std::memory_order_relaxed); }
  // The bytes are in the memory of a device (device/ring.h); the host must not touch them.
  bool on_device() const { return on_device_; }

  // Returns uninitialised bytes, aligned to `alignment` (a power of two of at least 64).
  static RefPtr<Buffer> allocate(size_t size, size_t alignment = kAlignment);
  // Wraps lent memory, which is lasting; `release(context)` runs once, on any thread, when the last owner
  // goes.
  static RefPtr<Buffer> wrap(void* data, size_t size, void (*release)(void*), void* context);

 protected:
  Buffer(uint8_t* data, size_t size) : data_(data), size_(size) {}

  uint8_t* data_;
  size_t size_;
  std::atomic<bool> lasting_{false};
  bool on_device_ = false;
};

using BufferRef = RefPtr<Buffer>;

// Where large batch buffers come from, such as pinned memory. Both functions may be called on any thread.
struct Allocator {
  void* (*allocate)(void* context, size_t size, size_t alignment) = nullptr;
  void (*release)(void* context, void* data, size_t size) = nullptr;
  void* context = nullptr;
};

// A counted pool of large buffers. Buffers keep the pool's state alive, so the pool may be destroyed before
// them.
class BufferPool {
 public:
  // Keeps at most `retained_bytes` of free buffers.
  explicit BufferPool(size_t retained_bytes, Allocator allocator = {});
  ~BufferPool();

  // Returns at least `size` bytes, aligned to `alignment`, which is at most 256. Sizes below 64 KiB come from
  // malloc.
  BufferRef allocate(size_t size, size_t alignment = kBatchAlignment);
  // The memory is the library's own; a host's may be scarce, and is for batches.
  bool is_own() const { return is_own_; }
  // Bytes lent out and bytes waiting for reuse.
  size_t used_bytes() const;
  size_t free_bytes() const;

  class State;

 private:
  const bool is_own_;
  std::shared_ptr<State> state_;
};

}  // namespace weir
