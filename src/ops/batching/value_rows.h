// ValueRows: the rows of a value along its first dimension, where parts may be sparse or ragged: a row of a
// sparse tensor is a sparse one of a rank less, a row of a ragged tensor a dense one. No values move; a
// sparse tensor's indices are copied.
#pragma once

#include <cstdint>
#include <vector>

#include "core/block.h"
#include "core/spec.h"
#include "core/value.h"

namespace weir {

// The structure of a row, or invalid_argument. `length`: gets the number of rows, or kUnknownDim.
Result<Spec> row_of_value(const Spec& value, int64_t& length);
// True if it has dense tensors only.
bool dense_only(const Spec& value);

class ValueRows {
 public:
  ValueRows() = default;
  // invalid_argument unless all parts have as many rows, the indices of sparse ones rise by row, and row
  // places rise.
  // REQUIRES: row_of_value(spec) is ok
  static Result<ValueRows> make(const Spec& spec, const Components& values);
  // How many rows make() gives if it succeeds. Needs no memory.
  static int64_t count_of(const Spec& spec, const Components& values) noexcept;

  int64_t count() const { return count_; }
  size_t columns() const { return columns_; }
  // Puts rows [begin, begin + count) into columns of `out`, which has columns().
  void read(int64_t begin, int count, Block& out) const;
  // Puts one row into each place of `positions`.
  void read(std::span<const int64_t> positions, Block& out) const;

 private:
  struct Part {
    Spec::Kind kind = Spec::Kind::tensor;
    Tensor values;
    // Sparse: both without the first dimension.
    Tensor indices;
    Tensor shape;
    // Sparse: the row of each value, since there may be many more rows. Ragged: where the values of each row
    // begin.
    std::vector<int64_t> places;
  };
  Status add(const Spec& spec, const Components& values, size_t& at);
  Status add_sparse(const Components& values, size_t at);
  Status add_ragged(const Components& values, size_t at);
  Status add_rows(int64_t count);
  void read_part(const Part& part, std::span<const int64_t> positions, Block& out, size_t& column) const;

  std::vector<Part> parts_;
  size_t columns_ = 0;
  int64_t count_ = -1;
};

}  // namespace weir
