// batch(n, drop_remainder, num_parallel_calls): n elements joined along a new first dimension. Order is kept.
// Errors and checkpoint: ops/batching/batch_cursor.h.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dataset/access.h"
#include "dataset/batch_buffer.h"
#include "ops/batching/batch_cursor.h"
#include "ops/batching/joined_batch.h"
#include "ops/batching/value_rows.h"
#include "ops/list.h"

namespace weir {
void BatchParams::fields(Fields& f) {
  f("n", n, "The number of elements in a batch.", at_least(1));
  f("drop_remainder", drop_remainder, "Drop a last batch of fewer than n elements.");
  f("num_parallel_calls", num_parallel_calls,
    "How many threads copy, where at least 512 KiB are copied at once; smaller batches are copied by one.",
    at_least(1), {.automatic = true, .any_position = true});
}
namespace batch_op {
namespace {

using Params = BatchParams;

struct Batch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    if (!is_dense(opening)) {
      WEIR_ASSIGN(const JoinedPlan plan, plan_batch(opening.node->inputs()[0]->spec(), kUnknownDim));
      return std::unique_ptr<Cursor>(std::make_unique<BatchCursor<JoinedBuffer>>(
          opening, *params.n, *params.drop_remainder, plan.parts));
    }
    const int most = opening.ctx.runtime().executor->parallelism();
    const auto threads = static_cast<int>(std::min<int64_t>(params.num_parallel_calls.value_or(most), most));
    return std::unique_ptr<Cursor>(
        std::make_unique<BatchCursor<BatchBuffer>>(opening, *params.n, *params.drop_remainder, threads));
  }

 private:
  // Building has found out that each part can be joined, so only the kinds of parts count.
  static bool is_dense(const Opening& opening) { return dense_only(opening.node->inputs()[0]->spec()); }
};

template <class Buffer>
class BatchAccess final : public Access {
 public:
  template <class... More>
  BatchAccess(Opening& opening, const Params& params, std::unique_ptr<Access> input, const More&... more)
      : input_(std::move(input)),
        n_(*params.n),
        count_(count_of(input_->count(), n_, *params.drop_remainder)),
        components_(opening.node->components().size()),
        batch_(opening.node->inputs()[0]->components(), n_, more...) {}

  AccessCount count() const override { return count_; }
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    out.reset(0);
    out.rows = 0;
    for (int64_t position : positions) {
      Block one;
      if (ErrorPtr error = read_one(ctx, position, one)) one.set_error(error, components_);
      out.append(one, 0, 1);
    }
  }

  void count_pass(EpochScope& epochs, int64_t rows) override {
    const int64_t all = input_->count().positions;
    input_->count_pass(epochs, rows <= all / n_ ? rows * n_ : kToTheEnd);
  }

  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    const int64_t all = input_->count().positions;
    for (const int64_t position : positions) {
      for (int64_t i = 0; i < std::min(n_, all - position * n_); ++i) {
        const int64_t at = position * n_ + i;
        if (!input_->foresee({&at, 1}, time, plan)) return false;
      }
      ++time;
    }
    return true;
  }

 private:
  // Where there is more than can be read, only whole batches can.
  static AccessCount count_of(const AccessCount& input, int64_t n, bool drop_remainder) {
    return {batch_count(input.positions, n, drop_remainder || input.more), input.more};
  }
  // Returns the error of the first element that failed, or of the batch.
  ErrorPtr read_one(Context& ctx, int64_t position, Block& out) {
    batch_.clear();
    const int64_t all = input_->count().positions;
    int64_t at = position * n_;
    const int64_t end = all - at < n_ ? all : at + n_;
    while (at < end) {
      positions_.clear();
      for (; at < end && positions_.size() < kMaxBlockRows; ++at) positions_.push_back(at);
      rows_.rows = 0;
      input_->read(ctx, positions_, rows_);
      if (!rows_.errors.empty()) {
        out.origins.add(0, rows_.origins.of(rows_.errors[0].row));
        return rows_.errors[0].error;
      }
      batch_.add(ctx, rows_, 0, rows_.rows);
    }
    const Status made = batch_.finish(out);
    return made.ok() ? nullptr : made.pointer();
  }

  const std::unique_ptr<Access> input_;
  const int64_t n_;
  const AccessCount count_;
  const size_t components_;
  Buffer batch_;
  std::vector<int64_t> positions_;
  Block rows_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(const JoinedPlan plan, plan_batch(opening.node->inputs()[0]->spec(), kUnknownDim));
  WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
  if (!plan.dense) {
    return std::unique_ptr<Access>(
        std::make_unique<BatchAccess<JoinedBuffer>>(opening, params, std::move(input), plan.parts));
  }
  return std::unique_ptr<Access>(
      std::make_unique<BatchAccess<BatchBuffer>>(opening, params, std::move(input)));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  bool fixed = params.drop_remainder.is_constant() && *params.drop_remainder && params.n.is_constant();
  WEIR_ASSIGN(JoinedPlan plan, plan_batch(inputs[0]->spec(), fixed ? *params.n : kUnknownDim));
  return std::move(plan.batch);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return batch_count(inputs[0]->cardinality(), *params.n, *params.drop_remainder);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Batch>({
      .name = "batch",
      .page =
          {.doc =
               "Stacks `n` successive elements into a batch, along a new first dimension. The elements of a batch must have one shape, or the batch is an error (invalid_argument); sparse tensors become one sparse tensor of the largest shape. The last batch may have fewer elements. An error among the elements drops the batch gathered so far; the next one begins after it.",
           .cost = "At most one copy of each element.",
           .tf_names = "batch_size=n",
           .example = "range(5) | batch(2)",
           .output = "[0, 1]\n[2, 3]\n[4]",
           .bench = "range(1000000) | batch(128)",
           .elsewhere =
               "chunk chunks chunked group: batch(n)\nchunks_exact array_chunks: batch(n, drop_remainder: true)\ncollate collate_fn: batch(n), or padded_batch(n) for elements of unequal shapes\ncollect to_list list to_array: batch(n); the program that reads the elements has them without it\nas_numpy_iterator: by the program that reads the elements; leave it out\ndata_loader: shuffle(n) | batch(n) | prefetch(auto)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .columns = Columns::gathered},
      .position =
          {.kept = [](const ParamsBase& base) { return kept_by_batch(static_cast<const Params&>(base).n); }},
      .access = {.open = access},
  });
  return def;
}

}  // namespace batch_op
}  // namespace weir
