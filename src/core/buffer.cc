#include "core/buffer.h"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/host_call.h"
#include "core/sync.h"

namespace weir {

namespace {

constexpr size_t kSmallestPooledSize = 64 * 1024;
constexpr int kSmallestPooledBits = 16;
constexpr int kLargestPooledBits = 47;
// Four classes from one power of two to the next: at most a quarter of a buffer is waste.
constexpr size_t kClasses = 4 * (kLargestPooledBits - kSmallestPooledBits);

// From this size on, memory comes in huge pages where the kernel has them: first touch is four times as fast.
constexpr size_t kHugePageSize = size_t{2} << 20;
constexpr size_t kHugePagesFrom = 2 * kHugePageSize;

// The object lies in front of its bytes, in one allocation.
class InlineBuffer final : public Buffer {
 public:
  InlineBuffer(uint8_t* data, size_t size) : Buffer(data, size) {}

 protected:
  void last_owner_gone() override {
    this->~InlineBuffer();
    std::free(this);
  }
};

class WrappedBuffer final : public Buffer {
 public:
  WrappedBuffer(void* data, size_t size, void (*release)(void*), void* context)
      : Buffer(static_cast<uint8_t*>(data), size), release_(release), context_(context) {
    set_lasting();
  }

 protected:
  ~WrappedBuffer() override {
    if (release_) notify_host([this] { release_(context_); });
  }

 private:
  void (*release_)(void*);
  void* context_;
};

// glibc's posix_memalign looks for more than it takes, and so finds no use for freed memory of the same size.
// Smaller pieces are therefore aligned here, behind the address that malloc gave.
void* allocate_from_system(void*, size_t size, size_t alignment) {
  void* memory = nullptr;
  if (size >= kHugePagesFrom) {
    if (posix_memalign(&memory, kHugePageSize, size) != 0) return nullptr;
    madvise(memory, size / kHugePageSize * kHugePageSize, MADV_HUGEPAGE);
    return memory;
  }
  memory = std::malloc(size + alignment);
  if (memory == nullptr) return nullptr;
  auto* begin = static_cast<uint8_t*>(memory);
  // At least as much as malloc aligns by, which the address fits into.
  uint8_t* data = begin + (alignment - reinterpret_cast<uintptr_t>(begin) % alignment);
  std::memcpy(data - sizeof(memory), &memory, sizeof(memory));
  return data;
}

void release_to_system(void*, void* data, size_t size) {
  if (size < kHugePagesFrom) std::memcpy(&data, static_cast<uint8_t*>(data) - sizeof(data), sizeof(data));
  std::free(data);
}

// REQUIRES: kSmallestPooledSize <= size <= 2^kLargestPooledBits
size_t class_of(size_t size) {
  const int bits = std::bit_width(size - 1) - 1;  // 2^bits < size <= 2^(bits + 1)
  if (bits < kSmallestPooledBits) return 0;
  const size_t quarter = size_t{1} << (bits - 2);
  const size_t quarters = (size + quarter - 1) / quarter;  // 5 to 8
  return 4 * static_cast<size_t>(bits - kSmallestPooledBits) + quarters - 4;
}

size_t class_size(size_t index) {
  const size_t quarter = size_t{1} << (index / 4 + kSmallestPooledBits - 2);
  return quarter * (index % 4 + 4);
}

class PooledBuffer;

}  // namespace

class BufferPool::State : public std::enable_shared_from_this<BufferPool::State> {
 public:
  State(size_t retained_bytes, Allocator allocator) : allocator_(allocator), retained_bytes_(retained_bytes) {
    if (allocator_.allocate == nullptr) allocator_ = {allocate_from_system, release_to_system, nullptr};
  }
  ~State() { close(); }

  BufferRef allocate(size_t size);
  void take_back(PooledBuffer* buffer);
  // Frees what waits; buffers that are lent out are freed when they come back.
  void close();

  size_t used_bytes() const {
    MutexLock lock(mutex_);
    return used_bytes_;
  }
  size_t free_bytes() const {
    MutexLock lock(mutex_);
    return free_bytes_;
  }

 private:
  void unlink_until(size_t limit_bytes, size_t spared_class, PooledBuffer*& surplus);
  void destroy(PooledBuffer* list);

  mutable Mutex mutex_;
  Allocator allocator_;
  size_t retained_bytes_;
  size_t used_bytes_ = 0;
  size_t free_bytes_ = 0;
  PooledBuffer* free_[kClasses + 1] = {};
};

namespace {

class PooledBuffer final : public Buffer {
 public:
  PooledBuffer(uint8_t* data, size_t class_index)
      : Buffer(data, class_size(class_index)), class_(class_index) {}
  ~PooledBuffer() override = default;

  void forget_lasting() { lasting_.store(false, std::memory_order_relaxed); }

  const size_t class_;
  PooledBuffer* next_ = nullptr;
  // Set while lent out, to keep the state alive. Buffers that wait in the state must not hold it.
  std::shared_ptr<BufferPool::State> state_;

 protected:
  void last_owner_gone() override {
    const std::shared_ptr<BufferPool::State> state = std::move(state_);
    state->take_back(this);
  }
};

}  // namespace

BufferRef BufferPool::State::allocate(size_t size) {
  if (size > size_t{1} << kLargestPooledBits) throw std::bad_alloc();
  const size_t index = class_of(size);
  const size_t bytes = class_size(index);
  PooledBuffer* buffer = nullptr;
  {
    MutexLock lock(mutex_);
    used_bytes_ += bytes;
    if (free_[index]) {
      buffer = std::exchange(free_[index], free_[index]->next_);
      free_bytes_ -= bytes;
    }
  }
  if (buffer == nullptr) {
    void* data = nullptr;
    try {
      data = allocator_.allocate(allocator_.context, bytes, kBatchAlignment);
      if (data == nullptr) throw std::bad_alloc();
      buffer = new PooledBuffer(static_cast<uint8_t*>(data), index);
    } catch (...) {
      if (data) allocator_.release(allocator_.context, data, bytes);
      MutexLock lock(mutex_);
      used_bytes_ -= bytes;
      throw;
    }
  }
  // The dataset that owned these bytes is gone.
  buffer->forget_lasting();
  buffer->state_ = shared_from_this();
  return BufferRef(buffer);
}

void BufferPool::State::take_back(PooledBuffer* buffer) {
  PooledBuffer* surplus = nullptr;
  {
    MutexLock lock(mutex_);
    used_bytes_ -= buffer->size();
    buffer->next_ = std::exchange(free_[buffer->class_], buffer);
    free_bytes_ += buffer->size();
    // Sizes no longer asked for make room for those in use.
    unlink_until(retained_bytes_, buffer->class_, surplus);
    unlink_until(retained_bytes_, kClasses + 1, surplus);
  }
  destroy(surplus);
}

void BufferPool::State::close() {
  PooledBuffer* surplus = nullptr;
  {
    MutexLock lock(mutex_);
    retained_bytes_ = 0;
    unlink_until(0, kClasses + 1, surplus);
  }
  destroy(surplus);
}

// REQUIRES: mutex_ is held
void BufferPool::State::unlink_until(size_t limit_bytes, size_t spared_class, PooledBuffer*& surplus) {
  for (size_t index = kClasses + 1; index-- > 0 && free_bytes_ > limit_bytes;) {
    if (index == spared_class) continue;
    while (free_[index] && free_bytes_ > limit_bytes) {
      PooledBuffer* buffer = std::exchange(free_[index], free_[index]->next_);
      buffer->next_ = std::exchange(surplus, buffer);
      free_bytes_ -= buffer->size();
    }
  }
}

// Runs without the lock, since unmapping is slow.
void BufferPool::State::destroy(PooledBuffer* list) {
  while (list) {
    PooledBuffer* buffer = std::exchange(list, list->next_);
    allocator_.release(allocator_.context, buffer->data(), buffer->size());
    delete buffer;
  }
}

RefPtr<Buffer> Buffer::allocate(size_t size, size_t alignment) {
  const size_t extra = sizeof(InlineBuffer) + alignment;
  if (size > SIZE_MAX - extra) throw std::bad_alloc();
  void* memory = std::malloc(size + extra);
  if (memory == nullptr) throw std::bad_alloc();
  uint8_t* behind = static_cast<uint8_t*>(memory) + sizeof(InlineBuffer);
  uint8_t* data = behind + (-reinterpret_cast<uintptr_t>(behind) & (uintptr_t{alignment} - 1));
  return BufferRef(new (memory) InlineBuffer(data, size));
}

RefPtr<Buffer> Buffer::wrap(void* data, size_t size, void (*release)(void*), void* context) {
  return make_ref<WrappedBuffer>(data, size, release, context);
}

BufferPool::BufferPool(size_t retained_bytes, Allocator allocator)
    : is_own_(allocator.allocate == nullptr), state_(std::make_shared<State>(retained_bytes, allocator)) {}

BufferPool::~BufferPool() { state_->close(); }

BufferRef BufferPool::allocate(size_t size, size_t alignment) {
  if (size < kSmallestPooledSize) return Buffer::allocate(size, alignment);
  return state_->allocate(size);
}

size_t BufferPool::used_bytes() const { return state_->used_bytes(); }
size_t BufferPool::free_bytes() const { return state_->free_bytes(); }

}  // namespace weir
