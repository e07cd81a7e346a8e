// For kernels that decode a tensor from a string: one string gives its tensor, a vector of strings one tensor
// of them all, which have one shape.
#pragma once

#include <cstdint>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/map_strings.h"

namespace weir {

// Parameter 0 must be one string or a vector, as far as its rank is known.
inline Status check_string_or_vector(const KernelCall& call) {
  if (call.dtype(0) != DType::string) return wrong_dtype(call, 0, "string");
  const Shape& shape = call.shape(0);
  if (!shape.rank_known() || shape.rank() <= 1) return Status();
  return call.error(
      0, expected_found("one string or a vector of strings", concat("the shape ", shape.to_string())));
}

// The shape of the result, where `one` is that of one string's tensor.
inline Shape shape_of_stacked(const Shape& strings, const Shape& one) {
  if (!strings.rank_known()) return Shape::unknown_rank();
  return strings.rank() == 0 ? one : one.prepended(strings[0]);
}

// The result of one row.
class Stacked {
 public:
  Stacked(KernelRun& run, int row) : run_(run), row_(row) {}

  // Calls decode(string), which returns a Status, for each string of the row, until one fails. `empty` is the
  // shape of the tensor of a string where there is none.
  template <class Decode>
  Status each(const Shape& empty, Decode decode) {
    const Arg& strings = run_.arg(0);
    if (strings.shape.rank() > 1)
      return invalid_argument("expected one string or a vector, found a tensor of strings");
    const int64_t count = strings.shape.count();
    if (count == 0) WEIR_TRY(make(empty));
    for (; at_ < count; ++at_) {
      const Status status = decode(strings.row<Str>(row_)[at_].view());
      if (!status.ok()) return at_string(status, at_, count);
      if (out_ == nullptr) break;
    }
    return Status();
  }

  // Room for the tensor of the string at hand; null if the row became too large, and has failed.
  Result<uint8_t*> room(const Shape& shape, size_t entry_bytes) {
    if (at_ == 0) {
      first_ = shape;
      WEIR_TRY(make(shape));
    } else if (!(shape == first_)) {
      return invalid_argument(
          expected_found(concat("the first one's shape, ", first_.to_string()), shape.to_string()));
    }
    const size_t before = static_cast<size_t>(at_ * shape.count()) * entry_bytes;
    return out_ == nullptr ? nullptr : out_ + before;
  }

 private:
  Status make(const Shape& shape) {
    const Shape& strings = run_.arg(0).shape;
    const bool one = strings.rank() == 0;
    if (!one && shape.rank() == kMaxRank) {
      return invalid_argument(expected_found(concat("tensors of less than ", kMaxRank, " dimensions"),
                                             concat("the shape ", shape.to_string())));
    }
    const Shape whole = one ? shape : shape.prepended(strings[0]);
    out_ = run_.rows() == 1 ? run_.make(0, whole) : run_.make_row(0, row_, whole);
    return Status();
  }

  KernelRun& run_;
  const int row_;
  int64_t at_ = 0;
  Shape first_;
  uint8_t* out_ = nullptr;
};

}  // namespace weir
