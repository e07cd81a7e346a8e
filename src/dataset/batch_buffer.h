// BatchBuffer: puts runs of rows one behind the other into the buffers of one batch.
// Large fixed-size columns go straight into a pooled buffer, which the input is offered as its target, so
// that a map below writes its results where the batch wants them; the rest is appended. Ownership: owns the
// unfinished buffers. Threads: one at a time. Errors: invalid_argument for rows of different shapes, when the
// batch is finished. Cost: at most one copy of each row; none where the target was used or where one run is
// the whole of a small batch.
#pragma once

#include <vector>

#include "dataset/port.h"

namespace weir {

class BatchBuffer {
 public:
  // `components` describe one row. A batch has at most `rows` rows.
  BatchBuffer(const std::vector<Component>& components, int64_t rows);

  int64_t rows() const { return rows_; }
  // Forgets the rows gathered so far.
  void clear();
  // Forgets them, but counts on: the batch is lost, its end stays where it was.
  void lose();
  // Counts rows of a lost batch.
  void pass_over(int count) { rows_ += count; }
  // Where its first row came from.
  Origin origin() const { return origin_; }
  // Offers the input the place of the next `count` rows.
  void offer_target(Context& ctx, Port& input, int count);
  void add(Context& ctx, const Block& block, int begin, int count);
  // One row in `out`: the batch; afterwards this is empty.
  Status finish(Block& out);

 private:
  struct Part {
    // Bytes of one row if it goes to a pooled buffer, else 0.
    size_t row_bytes = 0;
    DType dtype = DType::invalid;
    Shape row_shape;
    BufferRef buffer;
    // Otherwise.
    Column column;
  };
  void reserve(Context& ctx, Part& part, int64_t rows);

  std::vector<Part> parts_;
  int64_t limit_;
  int64_t rows_ = 0;
  Origin origin_;
};

}  // namespace weir
