#include "core/shape.h"

#include "core/checked.h"

namespace weir {

bool Shape::is_static() const {
  if (rank_ < 0) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] < 0) return false;
  }
  return true;
}

Shape Shape::tail() const {
  if (rank_ < 0) return *this;
  return Shape(std::span(dims_ + 1, static_cast<size_t>(rank_ - 1)));
}

bool Shape::compatible(const Shape& other) const {
  if (rank_ < 0 || other.rank_ < 0) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] >= 0 && other.dims_[i] >= 0 && dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

Shape Shape::relax(const Shape& a, const Shape& b) {
  if (a.rank_ < 0 || b.rank_ < 0 || a.rank_ != b.rank_) return unknown_rank();
  Shape out = a;
  for (int i = 0; i < a.rank_; ++i) {
    if (a.dims_[i] != b.dims_[i]) out.dims_[i] = kUnknownDim;
  }
  return out;
}

std::string Shape::to_string() const {
  if (rank_ < 0) return "[...]";
  if (rank_ == 0) return "";
  std::string out = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) out += ", ";
    out += dims_[i] < 0 ? "?" : std::to_string(dims_[i]);
  }
  return out + "]";
}

int64_t checked_count(std::span<const int64_t> dims) {
  int64_t n = 1;
  for (int64_t dim : dims) {
    n = dim < 0 ? -1 : checked_multiply(n, dim).value_or(-1);
    if (n < 0) return -1;
  }
  return n;
}

}  // namespace weir
