// shard(num_shards, index): the elements whose number modulo num_shards is index. Errors are passed on to
// every shard and not counted. With auto for both, the iterator's rank and number of ranks decide.
// Checkpoint: how many elements come before the next one of this part, and the input's position.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/yield_timer.h"
#include "ops/access/seekable_input.h"

namespace weir::shard_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam num_shards;
  IntParam index;
  void fields(Fields& f) override {
    f("num_shards", num_shards, "How many shards there are; auto: as many as the iterator has ranks.",
      at_least(1), {.automatic = true});
    f("index", index, "Which of them this is, from 0; auto: that of the iterator's rank.", at_least(0),
      {.automatic = true});
  }
};

Status check_index(int64_t num_shards, int64_t index) {
  if (index < num_shards) return Status();
  return invalid_argument(expected_found(concat("an index below num_shards, ", num_shards), concat(index)));
}

Result<Slice> slice(const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  if (params.index.is_auto()) return Slice{.by_rank = true};
  WEIR_TRY(check_index(*params.num_shards, *params.index));
  return Slice{.first = *params.index, .step = *params.num_shards};
}

class Shard final : public Cursor {
 public:
  Shard(Opening& opening, const Slice& part)
      : input_(opening, 0, Port::Mode::pass, Port::Opens::now, part), size_(part.step), before_(part.first) {}

  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(Slice part, slice(params));
    WEIR_ASSIGN(part, part.of(opening.ctx.session.world()));
    return std::unique_ptr<Cursor>(std::make_unique<Shard>(opening, part));
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (input_.seeks()) return input_.port().pull(ctx, demand, out);
    for (;;) {
      in_.rows = 0;
      count_ = 0;
      const PullResult got = input_.port().pull(ctx, wanted(demand), in_);
      if (got != PullResult::rows) return got;
      choose();
      if (count_ > 0) {
        out.gather_thinned(in_, std::span(rows_).first(static_cast<size_t>(count_)));
        yield_timer_.reset();
        return PullResult::rows;
      }
      if (yield_timer_.should_yield(ctx, in_.rows)) return PullResult::pending;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override { return std::max(count_, 1); }

  void state(Archive& archive) override {
    archive("before", before_, 0, size_ - 1);
    input_.state(archive);
  }

  Step resume(Context& ctx) override { return input_.resume(ctx); }

 private:
  // What to ask the input for, so that no more rows are given than are demanded. Errors are given beside the
  // elements, so more rows are asked for only where the input assures that they are elements.
  Demand wanted(Demand demand) const {
    constexpr int64_t most = kMaxBlockRows;
    const int64_t before_last = std::min(before_, most) + (demand.rows - 1) * std::min(size_, most);
    const int64_t elements = std::min({before_last + 1, most, input_.port().assured()});
    demand.rows = static_cast<int>(std::max<int64_t>(demand.rows, elements));
    if (size_ > most) return demand;
    demand.first = static_cast<int>(before_);
    demand.step = static_cast<int>(size_);
    return demand;
  }

  // Lists the rows of the block that are of this part: elements, and errors, which are no elements.
  void choose() noexcept {
    count_ = 0;
    if (in_.errors.empty()) {
      // One step behind the block may be more than a signed number can hold.
      auto row = static_cast<uint64_t>(before_);
      const auto end = static_cast<uint64_t>(in_.rows);
      for (; row < end; row += static_cast<uint64_t>(size_))
        rows_[static_cast<size_t>(count_++)] = static_cast<int32_t>(row);
      before_ = static_cast<int64_t>(row - end);
      return;
    }
    for (int row = 0; row < in_.rows; ++row) {
      const ErrorPtr* const error = in_.error_of(row);
      // Each part gives the error of a row that is no element.
      if ((error && !is_out_of_memory(**error)) || before_-- == 0) rows_[static_cast<size_t>(count_++)] = row;
      if (before_ < 0) before_ = size_ - 1;
    }
  }

  SeekableInput input_;
  // How many parts there are.
  const int64_t size_;
  // How many elements come before the next one of this part.
  int64_t before_;
  Block in_;
  // Those of `in_` to give.
  std::array<int32_t, kMaxBlockRows> rows_;
  int count_ = 0;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.num_shards.is_auto() != params.index.is_auto())
    return invalid_argument("expected num_shards and index, or auto for both, found auto for one of them");
  if (const Sites& input = inputs[0]->sites(); params.index.is_auto() && input.by_rank) {
    const bool parts = input.parts != 0;
    return invalid_argument(
        expected_found("one shard(auto, auto)", parts ? "a partition in its input" : "another in its input",
                       parts ? "leave shard out; each rank has its parts" : "leave one out"));
  }
  if (params.num_shards.is_constant() && params.index.is_constant())
    WEIR_TRY(check_index(*params.num_shards, *params.index));
  return inputs[0]->spec();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Shard>({
      .name = "shard",
      .page =
          {.doc =
               "Keeps every `num_shards`-th element, beginning with number `index`, counted from 0. Errors are passed on to every part and not counted; a damaged record of `load` or of a file with an index is in the part of its position. `shard(auto, auto)` is the part of the iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open MPI, MPICH, Slurm and Kubernetes); a process that no launcher started gets all elements. A checkpoint can be restored only by the same rank of the same number of ranks; for training, use `partition`.",
           .cost =
               "Computes all elements of its input and copies those it keeps. From `load`, `fixed_length_record` and files with an index it reads only its own, also after maps that cannot fail and draw nothing.",
           .example = "range(8) | shard(3, 1)",
           .output = "1\n4\n7",
           .bench = "range(1000000) | shard(4, 1)",
           .elsewhere = "step_by every stride take_every: shard(n, 0), every n-th element"},
      .typing = {.spec = spec_of<Params, spec>, .slice = slice},
      .position = {.passes_positions = true},
  });
  return def;
}

}  // namespace weir::shard_op
