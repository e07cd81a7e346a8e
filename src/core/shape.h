// Shape: the extents of a tensor, or what is known of them when a dataset is built.
//
// In specs a dimension may be unknown (-1), and so may the rank. A plain value of 72 bytes, never allocates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace weir {

inline constexpr int kMaxRank = 8;
inline constexpr int64_t kUnknownDim = -1;

class Shape {
 public:
  // A scalar.
  Shape() = default;
  // REQUIRES: at most kMaxRank dimensions.
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) : rank_(static_cast<int8_t>(dims.size())) {
    for (int i = 0; i < rank_; ++i) dims_[i] = dims[i];
  }
  static Shape unknown_rank() {
    Shape shape;
    shape.rank_ = -1;
    return shape;
  }

  bool rank_known() const { return rank_ >= 0; }
  // REQUIRES: rank_known()
  int rank() const { return rank_; }
  int64_t dim(int axis) const { return dims_[axis]; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  void set_dim(int axis, int64_t extent) { dims_[axis] = extent; }
  std::span<const int64_t> dims() const { return {dims_, static_cast<size_t>(rank_ < 0 ? 0 : rank_)}; }
  // True if every dimension is known.
  bool is_static() const;
  // The product of the dimensions. If it overflows, which no tensor's does, its lowest 64 bits.
  // REQUIRES: is_static()
  int64_t count() const {
    // Partial products may overflow even if a dimension is 0.
    uint64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= static_cast<uint64_t>(dims_[i]);
    return static_cast<int64_t>(n);
  }

  // REQUIRES: rank() < kMaxRank
  Shape prepended(int64_t extent) const {
    Shape out;
    if (rank_ < 0) return unknown_rank();
    out.rank_ = static_cast<int8_t>(rank_ + 1);
    out.dims_[0] = extent;
    for (int i = 0; i < rank_; ++i) out.dims_[i + 1] = dims_[i];
    return out;
  }
  // Without the first dimension.
  // REQUIRES: rank() > 0
  Shape tail() const;
  Shape with_dim(int axis, int64_t extent) const {
    Shape out = *this;
    out.dims_[axis] = extent;
    return out;
  }

  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }
  // True if some concrete shape fits both.
  bool compatible(const Shape& other) const;
  // The most precise shape that fits both: differing dimensions become unknown, differing ranks an unknown
  // rank.
  static Shape relax(const Shape& a, const Shape& b);

  // "[28, 28]", "[?]", "[...]", "" for a scalar: as in a spec.
  std::string to_string() const;

 private:
  int8_t rank_ = 0;
  int64_t dims_[kMaxRank];
};

// As in messages: "[]" for a scalar.
inline std::string shape_text(const Shape& shape) { return shape == Shape() ? "[]" : shape.to_string(); }

// The number of entries of `dims`, or -1 if it overflows or a dimension is negative.
int64_t checked_count(std::span<const int64_t> dims);

}  // namespace weir
