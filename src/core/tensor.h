// Tensor: dtype, shape and a slice of a shared buffer; contiguous, row-major.
//
// `buffer` keeps the entries alive, `owners` what string and dataset entries point to. The bytes are
// immutable once shared. A copy costs two reference counts; rows and reshapes move no bytes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/dtype.h"
#include "core/shape.h"
#include "core/status.h"

namespace weir {

// What entries of string and dataset tensors point into. Immutable once shared.
class Owners : public RefCounted {
 public:
  std::vector<RefPtr<RefCounted>> list;
};
using OwnersRef = RefPtr<Owners>;

// String columns with more owners than this are copied into one buffer.
inline constexpr int kMaxOwners = 16;

struct Tensor {
  DType dtype = DType::invalid;
  Shape shape;
  uint8_t* data = nullptr;
  BufferRef buffer;
  OwnersRef owners;

  int64_t count() const { return shape.count(); }
  size_t byte_size() const { return static_cast<size_t>(count()) * dtype_size(dtype); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  template <class T>
  std::span<T> entries() const {
    return {as<T>(), static_cast<size_t>(count())};
  }

  // Uninitialised entries (strings too: fill every one before use).
  static Tensor allocate(DType dtype, const Shape& shape);
  template <class T>
  static Tensor scalar(T value) {
    Tensor out = allocate(dtype_of<T>, Shape());
    *out.as<T>() = value;
    return out;
  }
  // A tensor whose entries and bytes lie in one buffer.
  static Tensor strings(std::span<const std::string_view> values, const Shape& shape);
  static Tensor string(std::string_view value) { return strings({&value, 1}, Shape()); }

  // Marks its memory as lasting, with what entries point to: a dataset node owns it.
  void set_lasting() const;

  // Row i along the first dimension, sharing the buffer.
  // REQUIRES: rank > 0, 0 <= i < dim(0)
  Tensor row(int64_t i) const;
  // Rows [begin, begin + count) along the first dimension, sharing the buffer.
  Tensor rows(int64_t begin, int64_t count) const;
  Tensor reshaped(const Shape& to) const {
    Tensor out = *this;
    out.shape = to;
    return out;
  }
};

// Equal dtype, shape and entries (strings by bytes, floats by bits).
bool bit_equal(const Tensor& a, const Tensor& b);

// A tensor with the same entries whose strings are in one buffer that it owns.
Tensor deep_copy(const Tensor& tensor);

}  // namespace weir
