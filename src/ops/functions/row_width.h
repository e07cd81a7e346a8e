// RowWidth: how many rows to give a function at once, so that its results take about the bytes that are
// wanted, and no more rows than the function takes. If the size of a result is not known in advance, it
// begins with one row and goes by the results of the last calls.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/checked.h"
#include "core/pull.h"
#include "expr/types/function.h"

namespace weir {

class RowWidth {
 public:
  explicit RowWidth(const Function& function) {
    for (const Component& component : function.components()) {
      const int64_t count = component.shape.is_static() ? checked_count(component.shape.dims()) : -1;
      const auto entry_bytes = static_cast<int64_t>(dtype_size(component.dtype));
      fixed_ = fixed_ && count >= 0 && component.dtype != DType::string;
      if (fixed_) row_bytes_ = capped_add(row_bytes_, capped_multiply(count, entry_bytes));
    }
    // A callback that takes blocks is given as many rows as are wanted.
    if (!fixed_ && !(function.is_host() && function.takes_blocks())) width_ = 1;
  }

  Demand narrowed(const Demand& demand, const Function& function) const {
    const int most = std::min(width_, function.most_rows());
    return demand.at_most(std::clamp<int64_t>(demand.bytes / row_bytes_, 1, most));
  }
  // What the rows of a call have become.
  void learn(const Block& made) {
    if (fixed_) return;
    width_ = std::min(4 * width_, kMaxBlockRows);
    const int values = made.value_rows();
    if (values > 0)
      row_bytes_ = std::max({int64_t{1}, made.byte_size() / values, row_bytes_ - row_bytes_ / 16});
  }

 private:
  // Every result has the same size.
  bool fixed_ = true;
  int width_ = kMaxBlockRows;
  int64_t row_bytes_ = 1;
};

}  // namespace weir
