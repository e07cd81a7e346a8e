// batch(n, drop_remainder, num_parallel_calls): n elements joined along a new first dimension. A failed
// element drops the rows gathered for its batch and takes their place; the next batch begins after it. A
// batch that memory runs out for is an error in its own place, and its rows are lost. Order is kept.
// Checkpoint: the input's position before the unfinished batch, whose rows are read again.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/batch_buffer.h"
#include "dataset/operator.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  BoolParam drop_remainder{false};
  IntParam num_parallel_calls{1};
  void fields(Fields& f) override {
    f("n", n, "How many elements make a batch.", at_least(1));
    f("drop_remainder", drop_remainder, "Leave out a last batch of fewer than n elements.");
    f("num_parallel_calls", num_parallel_calls,
      "For compatibility with tf.data; has no effect, since copying is not worth a thread.", at_least(1),
      {.automatic = true, .any_position = true});
  }
};

class Batch final : public Cursor {
 public:
  Batch(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::keep),
        n_(*params.n),
        drop_remainder_(*params.drop_remainder),
        batch_(input_.node().components(), n_) {}

  Step next(Context& ctx, const Demand&, Block& out) override {
    while (batch_.rows() < n_) {
      Demand demand;
      demand.rows = static_cast<int>(std::min<int64_t>(n_ - batch_.rows(), kMaxBlockRows));
      if (input_.buffered() == 0 && !memory_error_) batch_.offer_target(ctx, input_, demand.rows);
      PullResult got = input_.fill(ctx, demand);
      if (got == PullResult::end) break;
      if (got != PullResult::rows) return got;
      if (ErrorPtr error = gather(ctx)) return error;
    }
    bool keep = batch_.rows() == n_ || (batch_.rows() > 0 && (memory_error_ || !drop_remainder_));
    if (!keep) return PullResult::end;
    input_.consume_all();
    if (memory_error_) {
      batch_.clear();
      return std::exchange(memory_error_, nullptr);
    }
    Status status = batch_.finish(out);
    if (!status.ok()) return status;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr& error) noexcept override {
    // The error comes in place of the batch.
    memory_error_ = error;
    batch_.lose();
    return 0;
  }

  void state(Archive& archive) override {
    input_.state(archive);
    if (!archive.loading()) return;
    batch_.clear();
    memory_error_ = nullptr;
  }

 private:
  // Takes the buffered rows up to the end of the batch or an error, which it returns.
  ErrorPtr gather(Context& ctx) {
    const Block& block = input_.block();
    int begin = input_.begin();
    int end = begin + static_cast<int>(std::min<int64_t>(input_.buffered(), n_ - batch_.rows()));
    for (const RowError& error : block.errors) {
      if (error.row < begin || error.row >= end) continue;
      if (is_out_of_memory(*error.error)) {
        lose(error.error);
        continue;
      }
      input_.take(error.row + 1 - begin);
      batch_.clear();
      memory_error_ = nullptr;
      input_.consume_all();
      return error.error;
    }
    if (memory_error_) {
      batch_.pass_over(end - begin);
    } else {
      batch_.add(ctx, block, begin, end - begin);
    }
    input_.take(end - begin);
    return nullptr;
  }

  Port input_;
  int64_t n_;
  bool drop_remainder_;
  BatchBuffer batch_;
  // Why the current batch cannot be made; its rows are only counted.
  ErrorPtr memory_error_;
};

Result<Spec> batched(const Spec& spec, int64_t length) {
  Spec out = spec;
  if (spec.is_tensor()) {
    if (spec.shape.rank_known() && spec.shape.rank() == kMaxRank) {
      return invalid_argument(expected_found(concat("tensors of a rank below ", kMaxRank), spec.to_string()));
    }
    out.shape = spec.shape.prepended(length);
    return out;
  }
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) {
    return invalid_argument(expected_found("dense tensors", spec.to_string()));
  }
  for (Spec& child : out.children) {
    WEIR_ASSIGN(child, batched(child, length));
  }
  return out;
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  bool fixed = params.drop_remainder.is_constant() && *params.drop_remainder && params.n.is_constant();
  return batched(inputs[0]->spec(), fixed ? *params.n : kUnknownDim);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  int64_t count = inputs[0]->cardinality();
  if (count < 0) return count;
  return count / *params.n + (!*params.drop_remainder && count % *params.n != 0 ? 1 : 0);
}

}  // namespace

const OperatorDef& batch_operator() {
  static const OperatorDef def = define<Params, Batch>({
      .name = "batch",
      .doc =
          "Joins `n` elements along a new first dimension. The elements of a batch must have one shape, or the batch is an error. The last batch may have fewer elements. An error among the elements drops the batch gathered so far; the next one begins after it.",
      .cost = "At most one copy of each element.",
      .example = "range(5) | batch(2)",
      .output = "[0, 1]\n[2, 3]\n[4]",
      .bench = "range(1000000) | batch(128)",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
      .kept =
          [](const ParamsBase& base) {
            const IntParam& n = static_cast<const Params&>(base).n;
            const int64_t rows = n.is_constant() ? *n : kUnknown;
            return Kept{rows, rows};
          },
  });
  return def;
}

}  // namespace weir
