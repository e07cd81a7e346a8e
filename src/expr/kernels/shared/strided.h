// StridedCopy: copies entries that lie at fixed distances, as those of a transposed or reversed tensor do,
// into contiguous memory.
//
//   StridedCopy copy;
//   for (each dimension of the result, outermost first) copy.add(extent, stride);
//   copy.rows(run, run.arg(0), out);
//
// Copies whole runs where entries are adjacent, and tiles that stay in the cache where the result walks
// across them. Dimensions that continue each other are merged, so a plan costs little per row.
#pragma once

#include "expr/kernels/shared/wrap.h"
#include "expr/types/kernel.h"

namespace weir {

class StridedCopy {
 public:
  // Adds a dimension inside those before. The stride is in entries: 0 repeats, a negative one goes back.
  // REQUIRES: at most 2 * kMaxRank dimensions
  void add(int64_t extent, int64_t stride);
  // The first entry, counted from the first of the row.
  void set_offset(int64_t offset) { offset_ = offset; }
  // The entries of one row of the result.
  int64_t count() const { return count_; }

  // Copies one row of entries of `size` bytes: 1, 2, 4, 8 or 16.
  void copy(const uint8_t* from, uint8_t* to, size_t size) const;
  // Copies all rows of the run, one after the other.
  void rows(const KernelRun& run, const Arg& x, uint8_t* to) const;

 private:
  static constexpr int kMaxDims = 2 * kMaxRank + 1;

  template <class E>
  void copy_entries(const E* from, E* to) const;
  template <class E>
  void copy_tiles(const E* from, E* to, int across) const;

  int rank_ = 0;
  int64_t count_ = 1;
  int64_t offset_ = 0;
  int64_t extent_[kMaxDims] = {};
  int64_t stride_[kMaxDims] = {};
};

// The distance between neighbours along each axis of a row-major tensor. It overflows only if another
// dimension is 0, and is not used then.
struct RowMajor {
  explicit RowMajor(const Shape& shape) {
    int64_t size = 1;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      step[d] = size;
      size = wrap::multiply(size, shape[d]);
    }
  }
  int64_t step[kMaxRank] = {};
};

}  // namespace weir
