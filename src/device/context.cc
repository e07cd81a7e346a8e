#include "device/context.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "core/no_memory.h"
#include "core/text.h"
#include "exec/first_touch.h"

namespace weir {
namespace {

constexpr size_t kHugePageSize = size_t{2} << 20;
constexpr size_t kPageSize = 4096;
// The threads that touch new memory: more of them wait for the kernel's locks.
constexpr int kTouchingThreads = 8;
// As in linux/mempolicy.h.
constexpr int kPreferred = 1;

struct Registry {
  Mutex mutex;
  // By their ordinals; null for those that were never joined.
  std::vector<DeviceContext*> contexts;
  // Those whose place another one took; what is left of them may still ask.
  std::vector<DeviceContext*> lost;
};
Registry& registry = *new Registry;

struct Range {
  size_t bytes;
  const DeviceContext* context;
};
// A leaf.
struct PinnedRanges {
  Mutex mutex;
  // By where they begin.
  std::map<uintptr_t, Range> ranges;
};
PinnedRanges& pinned = *new PinnedRanges;

// The kernel takes pages of that node while it has any. Nothing depends on it.
void place_near(void* data, size_t bytes, int node) {
  if (node < 0 || node >= 64) return;
  const uint64_t nodes = uint64_t{1} << node;
  ::syscall(SYS_mbind, data, bytes, kPreferred, &nodes, 64, 0);
}

}  // namespace

Result<DeviceContext*> DeviceContext::join(int ordinal) {
  WEIR_ASSIGN(const cuda::Driver* driver, cuda::open_driver());
  MutexLock lock(registry.mutex);
  const auto index = static_cast<size_t>(ordinal);
  if (index < registry.contexts.size()) {
    DeviceContext* known = registry.contexts[index];
    if (known && known->usable() && known->is_alive()) return known;
  }
  WEIR_ASSIGN(DeviceContext * made, make(*driver, ordinal));
  if (registry.contexts.size() <= index) registry.contexts.resize(index + 1);
  if (registry.contexts[index]) registry.lost.push_back(registry.contexts[index]);
  registry.contexts[index] = made;
  return made;
}

Result<DeviceContext*> DeviceContext::make(const cuda::Driver& driver, int ordinal) {
  int count = 0;
  cuda::Answer answer = driver.device_get_count(&count);
  if (answer != cuda::kSuccess)
    return failed_precondition(expected_found("a device that CUDA can use", driver.describe(answer)));
  if (ordinal >= count) {
    const char* visible = ::secure_getenv("CUDA_VISIBLE_DEVICES");
    return not_found(expected_found(
        concat("the device cuda:", ordinal),
        concat(count, count == 1 ? " device" : " devices", ", numbered from 0"),
        visible ? concat("CUDA_VISIBLE_DEVICES is \"", visible, "\" and hides the others") : std::string()));
  }
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  int numa_node = -1;
  answer = driver.device_get(&device, ordinal);
  if (answer == cuda::kSuccess) answer = driver.primary_retain(&context, device);
  if (answer != cuda::kSuccess) {
    return failed_precondition(
        expected_found(concat("the primary context of cuda:", ordinal), driver.describe(answer)));
  }
  // Drivers before CUDA 12.2 don't know.
  if (driver.device_get_attribute(&numa_node, cuda::kAttributeHostNumaId, device) != cuda::kSuccess)
    numa_node = -1;
  return new DeviceContext(driver, ordinal, context, numa_node);
}

std::string DeviceContext::name() const { return concat("cuda:", ordinal_); }

// Whether the primary context has not been reset.
bool DeviceContext::is_alive() {
  cuda::Device device = 0;
  unsigned flags = 0;
  int active = 0;
  const bool alive = driver_.device_get(&device, ordinal_) == cuda::kSuccess &&
                     driver_.primary_state(device, &flags, &active) == cuda::kSuccess && active != 0 &&
                     Current(*this).ok();
  if (!alive) lost_.store(true, std::memory_order_relaxed);
  return alive;
}

Status DeviceContext::check(const char* what, cuda::Answer answer) {
  if (answer == cuda::kSuccess) return Status();
  if (answer == cuda::kContextIsDestroyed || answer == cuda::kInvalidContext ||
      answer == cuda::kDeinitialized) {
    lost_.store(true, std::memory_order_relaxed);
    return failed_precondition(
        expected_found(concat("the context of ", name()), concat(driver_.describe(answer), " from ", what),
                       "it was destroyed, perhaps by cudaDeviceReset: make a new iterator"));
  }
  return Status(Code::unavailable,
                expected_found(concat(what, " to succeed on ", name()), driver_.describe(answer)));
}

DeviceContext::Current::Current(DeviceContext& context) : context_(context) {
  if (!cuda::driver_is_ours()) {
    status_ = failed_precondition("expected the process that made the iterator, found one forked from it");
  } else if (context_.lost_.load(std::memory_order_relaxed)) {
    status_ = failed_precondition(concat("the context of ", context_.name(),
                                         " was destroyed, perhaps by cudaDeviceReset; make a new iterator"));
  } else {
    status_ = context_.check("cuCtxPushCurrent", context_.driver_.push_current(context_.context_));
  }
}

DeviceContext::Current::~Current() {
  cuda::Context popped = nullptr;
  if (status_.ok()) context_.driver_.pop_current(&popped);
}

std::shared_ptr<BufferPool> DeviceContext::pinned_pool() {
  MutexLock lock(mutex_);
  std::shared_ptr<BufferPool> pool = pool_.lock();
  if (pool) return pool;
  Allocator allocator;
  allocator.context = this;
  allocator.allocate = [](void* self, size_t bytes, size_t) {
    return static_cast<DeviceContext*>(self)->allocate_pinned(bytes);
  };
  allocator.release = [](void* self, void* data, size_t) {
    static_cast<DeviceContext*>(self)->release_pinned(data);
  };
  // What was needed once is kept while anybody uses it: pinning takes longer than copying.
  pool = std::make_shared<BufferPool>(SIZE_MAX, allocator);
  pool_ = pool;
  return pool;
}

bool DeviceContext::is_pinned(const void* data, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  MutexLock lock(pinned.mutex);
  auto after = pinned.ranges.upper_bound(begin);
  if (after == pinned.ranges.begin()) return false;
  const auto& [first, range] = *--after;
  return begin + bytes <= first + range.bytes && range.context->usable();
}

// Null if the host has none; throws if it cannot be pinned.
void* DeviceContext::allocate_pinned(size_t bytes) {
  void* data = nullptr;
  const size_t alignment = bytes >= 2 * kHugePageSize ? kHugePageSize : kPageSize;
  const size_t whole = (bytes + kPageSize - 1) / kPageSize * kPageSize;
  if (::posix_memalign(&data, alignment, whole) != 0) return nullptr;
  if (alignment == kHugePageSize) ::madvise(data, whole, MADV_HUGEPAGE);
  place_near(data, whole, numa_node_);
  touch_first(data, whole, kTouchingThreads);
  const Current current(*this);
  try {
    Status pinned_now = current.status();
    if (pinned_now.ok()) {
      const cuda::Answer answer = driver_.host_register(data, whole, cuda::kHostRegisterPortable);
      pinned_now = check("cuMemHostRegister", answer);
    }
    if (!pinned_now.ok()) throw NoMemoryException(pinned_now);
  } catch (...) {
    std::free(data);
    throw;
  }
  try {
    MutexLock lock(pinned.mutex);
    pinned.ranges.emplace(reinterpret_cast<uintptr_t>(data), Range{whole, this});
  } catch (...) {
    driver_.host_unregister(data);
    std::free(data);
    throw;
  }
  return data;
}

void DeviceContext::release_pinned(void* data) {
  {
    const Current current(*this);
    const bool unpinned = current.ok() && check("cuMemHostUnregister", driver_.host_unregister(data)).ok();
    // What the driver still has as pinned is never freed.
    if (!unpinned && usable()) return;
  }
  {
    MutexLock lock(pinned.mutex);
    pinned.ranges.erase(reinterpret_cast<uintptr_t>(data));
  }
  std::free(data);
}

}  // namespace weir
