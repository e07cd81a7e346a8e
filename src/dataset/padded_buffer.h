// PaddedBuffer: gathers rows of different shapes and joins them, padded to one shape, into one batch.
//
// It holds the blocks that rows came in until the batch is complete and its shape known; then each row is
// copied once, to its place. Numbers go to buffers of the pool.
#pragma once

#include <vector>

#include "core/block.h"
#include "core/runtime.h"

namespace weir {

// What the rows of one component become.
struct Padding {
  // Each row's shape; a dimension of -1 is the largest of the batch.
  Shape shape;
  // A scalar of the component's dtype; without a buffer: zero, false or "".
  Tensor value;
};

class PaddedBuffer {
 public:
  // `components` describe one row.
  PaddedBuffer(const std::vector<Component>& components, int64_t rows, std::vector<Padding> padding);

  int64_t rows() const { return rows_; }
  // Forgets the rows gathered so far.
  void clear();
  // Drops the rows but keeps counting: the batch is lost, its end stays where it was.
  void lose();
  // Counts rows of a lost batch.
  void pass_over(int count) { rows_ += count; }
  void add(Context& ctx, const Block& block, int begin, int count);
  // Puts the batch into `out` as one row, and empties this. data_loss if a row is larger than its padded
  // shape, invalid_argument if it has another rank, resource_exhausted if the batch exceeds the limit of
  // tensors.
  Status finish(Block& out);

 private:
  struct Part {
    DType dtype = DType::invalid;
    Padding padding;
    bool zeros = true;
    // The rows, as they came.
    std::vector<Column> pieces;
    std::vector<int> piece_rows;
  };
  Result<Shape> shape_of(const Part& part, size_t component) const;
  Status write(const Part& part, const Shape& shape, Tensor& out) const;
  void keep_owners(const Part& part, Tensor& batch) const;

  std::vector<Part> parts_;
  int64_t rows_ = 0;
  Origin origin_;
  // Those of the last add().
  BufferPool* pool_ = nullptr;
  int64_t tensor_bytes_ = 0;
};

}  // namespace weir
