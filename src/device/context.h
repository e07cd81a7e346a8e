// DeviceContext: a device as the process uses it: its primary context, which the host's own code shares, and
// pinned memory near it.
//
// weir retains the primary context and makes no other; what a thread had as its current context it has again
// afterwards. One per device; once made it lives as long as the process. If its context is destroyed
// (cudaDeviceReset), it is lost: calls fail, nothing of it is freed, and the next join() makes another. May
// be used on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/buffer.h"
#include "core/sync.h"
#include "device/driver.h"

namespace weir {

class DeviceContext {
 public:
  // The one of "cuda:ORDINAL". Errors: those of open_driver(); not_found if there is no such device.
  static Result<DeviceContext*> join(int ordinal);

  // Makes it current in this scope.
  class Current {
   public:
    explicit Current(DeviceContext& context);
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current();
    const Status& status() const { return status_; }
    bool ok() const { return status_.ok(); }

   private:
    DeviceContext& context_;
    Status status_;
  };

  const cuda::Driver& driver() const { return driver_; }
  int ordinal() const { return ordinal_; }
  std::string name() const;
  // Calls may succeed: this is no child of the process, and the context has not been destroyed.
  bool usable() const { return !lost_.load(std::memory_order_relaxed) && cuda::driver_is_ours(); }
  // The answer of a function called `what` as a Status.
  Status check(const char* what, cuda::Answer answer);

  // Buffers of at least kPinnedBytes from it are pinned. Shared by all that use the device now.
  std::shared_ptr<BufferPool> pinned_pool();
  static constexpr size_t kPinnedBytes = size_t{64} << 10;
  // Whether it is part of such memory, of any device.
  static bool is_pinned(const void* data, size_t bytes);

 private:
  DeviceContext(const cuda::Driver& driver, int ordinal, cuda::Context context, int numa_node)
      : driver_(driver), ordinal_(ordinal), context_(context), numa_node_(numa_node) {}
  static Result<DeviceContext*> make(const cuda::Driver& driver, int ordinal);
  bool is_alive();
  void* allocate_pinned(size_t bytes);
  void release_pinned(void* data);

  const cuda::Driver& driver_;
  const int ordinal_;
  const cuda::Context context_;
  const int numa_node_;
  std::atomic<bool> lost_{false};

  // A leaf.
  Mutex mutex_;
  std::weak_ptr<BufferPool> pool_;
};

}  // namespace weir
