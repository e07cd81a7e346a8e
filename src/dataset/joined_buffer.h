// JoinedBuffer: gathers rows whose parts are joined in different ways into one batch: dense tensors side by
// side, sparse tensors into one with a dimension more, dense tensors of different shapes into a sparse or a
// ragged one.
//
// Dense parts are gathered as BatchBuffer does it. Of the others it holds the tensors until the batch is
// complete; then each entry is copied once.
#pragma once

#include <optional>
#include <vector>

#include "core/block.h"
#include "core/runtime.h"
#include "dataset/batch_buffer.h"

namespace weir {

// What the rows of one part of an element become. A sparse part has three components, the others one.
struct JoinedPart {
  enum class How : uint8_t { dense, sparse, to_sparse, to_ragged };

  How how = How::dense;
  // to_sparse: each row's shape; a dimension of -1 is the largest of the batch.
  Shape shape;
};

class JoinedBuffer {
 public:
  // `components` describe one row. A batch has at most `rows` rows.
  JoinedBuffer(const std::vector<Component>& components, int64_t rows, const std::vector<JoinedPart>& parts);

  int64_t rows() const { return rows_; }
  // Forgets the rows gathered so far.
  void clear();
  // Drops the rows but keeps counting: the batch is lost, its end stays where it was.
  void lose();
  // Counts rows of a lost batch.
  void pass_over(int count) { rows_ += count; }
  void add(Context& ctx, const Block& block, int begin, int count);
  // Puts the batch into `out` as one row, and empties this. invalid_argument if rows do not fit together,
  // data_loss if one is larger than its given shape, resource_exhausted if the batch exceeds the limit of
  // tensors.
  Status finish(Block& out);

 private:
  struct Part {
    JoinedPart::How how = JoinedPart::How::dense;
    Shape shape;
    // Its first component, and for each the rows as they came.
    size_t first = 0;
    std::vector<std::vector<Tensor>> rows;
  };
  Status join(const Part& part, Components& out) const;
  Status join_sparse(const Part& part, Components& out) const;
  Status join_to_sparse(const Part& part, Components& out) const;
  Status join_to_ragged(const Part& part, Components& out) const;
  Result<Tensor> joined(const std::vector<Tensor>& rows, const Shape& entry, int64_t count) const;
  Result<Tensor> allocate(DType dtype, const Shape& shape) const;
  std::string where(const Part& part, size_t row) const;

  std::vector<Part> parts_;
  // The components of dense parts, and their buffer, if there are any.
  std::vector<size_t> dense_;
  std::optional<BatchBuffer> buffer_;
  int64_t rows_ = 0;
  Origin origin_;
  // That of the last add().
  int64_t tensor_bytes_ = 0;
};

}  // namespace weir
