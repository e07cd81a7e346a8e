// rebatch(n, drop_remainder): the rows of the input's batches in batches of n, or of the sizes that a list n
// gives in turn. A failed element drops the rows gathered for its batch and takes their place. Checkpoint:
// the input's position before the element in which the unfinished batch begins, where in it, and the place in
// the list.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/text.h"
#include "dataset/batch_buffer.h"
#include "ops/batching/batch_cursor.h"
#include "ops/batching/batch_rows.h"
#include "ops/batching/joined_batch.h"

namespace weir::rebatch_op {
namespace {

struct Params : ParamsOf<Params> {
  ValueParam n;
  BoolParam drop_remainder{false};
  void fields(Fields& f) override {
    f("n", n,
      "The number of rows in a batch, or a list of such numbers, used in turn. An empty batch has the size 0.");
    f("drop_remainder", drop_remainder, "Drop a last batch that is too short.");
  }
};

Result<std::vector<int64_t>> sizes_of(const ValueParam& n) {
  const auto entries = n.values[0].entries<int64_t>();
  std::vector<int64_t> sizes(entries.begin(), entries.end());
  for (int64_t size : sizes) {
    if (size < 0) return invalid_argument(expected_found("sizes of at least 0", concat(size)));
  }
  if (std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 0; })) {
    return invalid_argument(expected_found("a size of at least 1", "none"));
  }
  return sizes;
}

// Buffer: BatchBuffer where all parts are dense, else JoinedBuffer.
template <class Buffer>
class RebatchCursor final : public Cursor {
 public:
  template <class... More>
  RebatchCursor(Opening& opening, const Params& params, std::vector<int64_t> sizes, const More&... more)
      : spec_(opening.node->spec()),
        rows_(opening),
        sizes_(std::move(sizes)),
        drop_remainder_(*params.drop_remainder),
        batch_(rows_.components(), *std::max_element(sizes_.begin(), sizes_.end()), more...) {}

  Step next(Context& ctx, const Demand&, Block& out) override {
    const int64_t size = sizes_[static_cast<size_t>(at_)];
    while (batch_.rows() < size) {
      Step got = rows_.fill(ctx, size - batch_.rows(),
                            memory_error_ ? BatchRows::For::counting : BatchRows::For::values);
      if (got.error()) {
        out.origins.add(0, rows_.origin());
        begin_batch();
        return got;
      }
      if (got.answer() == PullResult::end) break;
      if (got.answer() != PullResult::rows) return got;
      if constexpr (std::is_same_v<Buffer, BatchBuffer>) {
        if (batch_.rows() == 0 && rows_.buffered() >= size && !memory_error_) return give_part(size, out);
      }
      gather(ctx, size);
    }
    const bool full = batch_.rows() == size;
    if (!full && (batch_.rows() == 0 || drop_remainder_)) return PullResult::end;
    if (ErrorPtr error = std::exchange(memory_error_, nullptr)) {
      finish_batch(full);
      return error;
    }
    if (size == 0) {
      give_empty(out);
    } else if (Status status = batch_.finish(out); !status.ok()) {
      finish_batch(full);
      return status;
    }
    finish_batch(full);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr& error) noexcept override {
    // The error comes in place of the batch, whose end stays where it is.
    memory_error_ = error;
    batch_.lose();
    return 0;
  }

  void state(Archive& archive) override {
    rows_.state(archive);
    archive("at", at_, 0, static_cast<int64_t>(sizes_.size()) - 1);
    if (!archive.loading()) return;
    batch_.clear();
    memory_error_ = nullptr;
  }
  Step resume(Context& ctx) override { return rows_.resume(ctx); }

 private:
  void begin_batch() {
    batch_.clear();
    memory_error_ = nullptr;
    rows_.consume();
  }
  // After a short batch, its size stays: only the end follows, even where sizes of 0 do.
  void finish_batch(bool full = true) {
    begin_batch();
    if (full) at_ = (at_ + 1) % static_cast<int64_t>(sizes_.size());
  }

  void gather(Context& ctx, int64_t size) {
    const int count = static_cast<int>(std::min<int64_t>(rows_.buffered(), size - batch_.rows()));
    if (memory_error_) {
      batch_.pass_over(count);
    } else {
      if (batch_.rows() == 0) origin_ = rows_.origin();
      batch_.add(ctx, rows_.block(), rows_.begin(), count);
    }
    rows_.take(count);
  }

  // The batch is a part of one element; no bytes move.
  Step give_part(int64_t size, Block& out) {
    out.reset(rows_.components().size());
    for (size_t i = 0; i < out.columns.size(); ++i) {
      out.columns[i].set_row(rows_.block().columns[i].tensor().rows(rows_.begin(), size));
    }
    out.origins.add(0, rows_.origin());
    out.rows = 1;
    rows_.take(static_cast<int>(size));
    finish_batch();
    return PullResult::rows;
  }

  void give_empty(Block& out) {
    const Components batch = empty_batch(spec_);
    out.reset(batch.size());
    for (size_t i = 0; i < batch.size(); ++i) out.columns[i].set_row(batch[i]);
    out.rows = 1;
  }

  const Spec spec_;
  BatchRows rows_;
  const std::vector<int64_t> sizes_;
  const bool drop_remainder_;
  Buffer batch_;
  // The place in sizes_.
  int64_t at_ = 0;
  Origin origin_;
  // Why the current batch cannot be made; its rows are only counted.
  ErrorPtr memory_error_;
};

struct Rebatch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(std::vector<int64_t> sizes, sizes_of(params.n));
    const JoinedPlan plan = plan_rows(opening.node->inputs()[0]->spec(), kUnknownDim);
    if (!plan.dense) {
      return std::unique_ptr<Cursor>(
          std::make_unique<RebatchCursor<JoinedBuffer>>(opening, params, std::move(sizes), plan.parts));
    }
    return std::unique_ptr<Cursor>(
        std::make_unique<RebatchCursor<BatchBuffer>>(opening, params, std::move(sizes)));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& n = params.n.spec;
  if (!n.is_tensor() || n.dtype != DType::int64 || !n.shape.rank_known() || n.shape.rank() > 1) {
    return invalid_argument(expected_found("an int64 or a list of them", n.to_string()));
  }
  int64_t length = kUnknownDim;
  WEIR_TRY(row_of_value(inputs[0]->spec(), length).status());
  const int64_t given = std::exchange(length, kUnknownDim);
  if (!params.n.expression) {
    WEIR_ASSIGN(std::vector<int64_t> sizes, sizes_of(params.n));
    const bool same = std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size == sizes[0]; });
    // Elements of a known length that it divides leave no part over.
    const bool whole = given != kUnknownDim && sizes[0] > 0 && given % sizes[0] == 0;
    const bool drops = params.drop_remainder.is_constant() && *params.drop_remainder;
    if (same && (whole || drops)) length = sizes[0];
  }
  return plan_rows(inputs[0]->spec(), length).batch;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Rebatch>({
      .name = "rebatch",
      .page =
          {.doc =
               "Changes the size of batches: joins and splits them so that each has `n` rows. A list of sizes is used in turn; 0 gives an empty batch. Batches of sparse and ragged tensors stay sparse and ragged. The last batch may have fewer rows; no empty ones follow it. An error among the elements drops the rows gathered so far; the next batch begins after it.",
           .cost =
               "At most one copy of each row; none where a batch of dense tensors is part of one element.",
           .tf_names = "batch_size=n",
           .example = "range(7) | batch(3) | rebatch([1, 3])",
           .output = "[0]\n[1, 2, 3]\n[4]\n[5, 6]",
           .bench = "range(1000000) | batch(100) | rebatch(128)"},
      .typing = {.spec = spec_of<Params, spec>},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{kUnknown, kUnknown};
                       }},
  });
  return def;
}

}  // namespace weir::rebatch_op
