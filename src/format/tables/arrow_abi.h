// Arrow's C data interface: columns of tables as extensions and callers hand them over, and their owners.
// What it means is Arrow's to say; "format" of a schema is its text for a type.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace weir {

// The flag of a schema whose values may be null.
inline constexpr int64_t kArrowNullable = 2;

// Owns one of the three, which is there if `release` is set.
template <class T>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  // Moves it from where its owner has it.
  explicit ArrowOwned(T* owned) : value_(*owned) { owned->release = nullptr; }
  ArrowOwned(ArrowOwned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  ArrowOwned& operator=(ArrowOwned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~ArrowOwned() { reset(); }

  bool there() const { return value_.release != nullptr; }
  void reset() {
    if (there()) value_.release(&value_);
    value_ = {};
  }
  // For a function that fills it.
  T* fill() {
    reset();
    return &value_;
  }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }
  T* get() { return &value_; }

 private:
  T value_{};
};

}  // namespace weir
