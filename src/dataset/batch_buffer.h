// BatchBuffer: puts runs of rows one after the other into the buffers of one batch.
//
// Large fixed-size columns go straight into a pooled buffer, which is offered to the input as its target, so
// that a map below can write its results in place; other rows are appended. Each row is copied at most once:
// not at all if the target was used, or if a single run makes up a batch. Batches of a few hundred bytes are
// copied twice, since that takes less than the counts and allocations of sharing.
#pragma once

#include <vector>

#include "dataset/port.h"

namespace weir {

class BatchBuffer {
 public:
  // `components` describe one row. A batch has at most `rows` rows. Where much is copied at once, up to
  // `threads` threads of the compute lane do it.
  BatchBuffer(const std::vector<Component>& components, int64_t rows, int threads = 1);

  int64_t rows() const { return rows_; }
  // Forgets the rows gathered so far.
  void clear();
  // Drops the rows but keeps counting: the batch is lost, its end stays where it was.
  void lose();
  // Counts rows of a lost batch.
  void pass_over(int count) { rows_ += count; }
  // Where the batch's first row came from.
  Origin origin() const { return origin_; }
  // Offers the input the place of the next `count` rows.
  void offer_target(Context& ctx, Port& input, int count);
  void add(Context& ctx, const Block& block, int begin, int count);
  // Puts the batch into `out` as one row, and empties this. invalid_argument if its rows differ in shape.
  Status finish(Block& out);

 private:
  struct Part {
    // Bytes of one row if it gets its own buffer, else 0.
    size_t row_bytes = 0;
    // That buffer is a small one, which stays here and whose bytes are copied.
    bool small = false;
    DType dtype = DType::invalid;
    Shape row_shape;
    BufferRef buffer;
    // Otherwise.
    Column column;
  };
  void reserve(Context& ctx, Part& part, int64_t rows);
  // Copies rows of a column to the place of the next ones.
  void copy(Context& ctx, const Part& part, const Column& column, int begin, int count) const;

  std::vector<Part> parts_;
  int64_t limit_;
  int threads_;
  int64_t rows_ = 0;
  Origin origin_;
};

}  // namespace weir
