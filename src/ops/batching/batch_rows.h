// BatchRows: the rows of an input whose elements are batches, as unbatch and rebatch read them. Batches of
// one size that come in one block are seen as one; no bytes move. Parts may be sparse or ragged
// (ops/batching/value_rows.h). A batch whose tensors differ in length is an error.
//
// Owns the input's Port. A position is the element that holds the first row not consumed, and how far that is
// used up.
#pragma once

#include <vector>

#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/batching/value_rows.h"

namespace weir {

class BatchRows {
 public:
  explicit BatchRows(Opening& opening);

  // Components of a row.
  const std::vector<Component>& components() const { return components_; }
  enum class For : uint8_t { values, counting };
  // Pulls until there is a row, and asks for no more elements than `rows` rows take. An error belongs to an
  // element, which is taken. Rows with sparse or ragged parts take memory; if it throws, it can be called
  // again. For counting it allocates nothing but errors, and block() may have no values of the `rows` rows,
  // or fewer, that are then at hand.
  Step fill(Context& ctx, int64_t rows, For use = For::values);
  // Takes up to `rows` rows of the open element that cannot be given, and returns how many.
  int lose(int rows) noexcept;
  // The columns in which rows [begin(), begin() + buffered()) are at hand.
  const Block& block() const { return page_; }
  int begin() const { return begin_; }
  int buffered() const { return page_.rows - begin_; }
  void take(int count) { begin_ += count; }
  // What was taken is never needed again.
  void consume();
  // Adds the origins of `count` rows from begin() on to rows [0, count) of `out`.
  void add_origins(int count, Origins& out) const;
  // Where the row at begin(), or the element that failed last, came from.
  Origin origin() const;

  void state(Archive& archive);
  Step resume(Context& ctx);

 private:
  ErrorPtr open(const Block& block, int row);
  ErrorPtr open_value(const Block& block, int row);
  ErrorPtr split_value();
  int64_t lengths_of(const Block& block, int row) const;
  ErrorPtr different_lengths(const Block& block, int row) const;
  ErrorPtr open_page();
  void count_page(int64_t rows) noexcept;
  bool is_open() const { return length_ > 0; }
  // The rows of the open elements that were taken.
  int64_t taken() const { return page_end_ - page_.rows + begin_; }

  Port input_;
  std::vector<Component> components_;
  // Of each element, or kUnknownDim.
  int64_t fixed_length_ = kUnknownDim;

  // The open elements, joined: how many rows each has, or 0; the number of the first one.
  int64_t length_ = 0;
  int64_t count_ = 0;
  int64_t first_ordinal_ = 0;
  std::vector<Tensor> joined_;
  // Where parts are sparse or ragged one element is open at a time: its parts, and once they were needed its
  // rows.
  bool dense_ = true;
  Components parts_;
  bool split_ = false;
  ValueRows value_;
  bool has_origins_ = false;
  std::vector<Origin> origins_;
  Origin failed_origin_;
  // Part of their rows, which ends before row page_end_.
  Block page_;
  int64_t page_end_ = 0;
  int begin_ = 0;
  // How many rows of the first element not consumed have been consumed, and of the next one to be opened.
  int64_t offset_ = 0;
  int64_t skip_ = 0;
  YieldTimer yield_timer_;
};

}  // namespace weir
