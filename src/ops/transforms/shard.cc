// shard(num_shards, index): the elements whose number modulo num_shards is index. Errors are passed on to
// every shard and not counted. With auto for both, the iterator's rank and number of ranks decide, and
// positions of all ranks together go on as any other number of ranks (iterator/resize.h). Checkpoint: how
// many elements were stepped over, and the input's position.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/settling.h"
#include "dataset/shard_position.h"
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
  // The position of a rank must be one among all elements.
  Shard(Opening& opening, const Slice& part, bool by_rank)
      : input_(by_rank ? SeekableInput(opening, 0, Port::Mode::pass, Port::Opens::now)
                       : SeekableInput(opening, 0, Port::Mode::pass, Port::Opens::now, part)),
        position_(part.first, part.step) {}

  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(const Slice declared, slice(params));
    WEIR_ASSIGN(const Slice part, declared.of(opening.ctx.session.world()));
    return std::unique_ptr<Cursor>(std::make_unique<Shard>(opening, part, declared.by_rank));
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (input_.seeks()) return input_.port().pull(ctx, demand, out);
    for (;;) {
      in_.rows = 0;
      count_ = 0;
      const PullResult got = input_.port().pull(ctx, position_.wanted(demand), in_);
      if (got != PullResult::rows) return got;
      choose();
      if (count_ > 0) {
        out.gather_thinned(in_, rows());
        yield_timer_.reset();
        return PullResult::rows;
      }
      if (yield_timer_.should_yield(ctx, in_.rows)) return PullResult::pending;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override { return std::max(count_, 1); }

  void state(Archive& archive) override {
    Settling* const settling = archive.settling();
    if (!settling) {
      position_.state(archive);
      input_.state(archive);
    } else if (settling->collects()) {
      settling->shards.push_back(position_);
    } else {
      if (settling->joined_count == settling->joined.size())
        return settling->fail(internal_error("a shard was not there when its position was joined").pointer());
      ShardPosition joined = settling->joined[settling->joined_count++];
      joined.state(archive);
      input_.port().save_as_usual(archive);
    }
  }

  Step resume(Context& ctx) override { return input_.resume(ctx); }

 private:
  std::span<const int32_t> rows() const { return {rows_.data(), static_cast<size_t>(count_)}; }

  // Lists the rows of the block that are of this part: elements, and errors, which are no elements.
  void choose() noexcept {
    if (in_.errors.empty()) {
      count_ = position_.step_over(in_.rows, rows_.data());
      return;
    }
    count_ = 0;
    for (int row = 0; row < in_.rows; ++row) {
      const ErrorPtr* const error = in_.error_of(row);
      // Each part gives the error of a row that is no element.
      if ((error && !is_out_of_memory(**error)) || position_.step())
        rows_[static_cast<size_t>(count_++)] = row;
    }
  }

  SeekableInput input_;
  ShardPosition position_;
  Block in_;
  // Those of `in_` to give.
  std::array<int32_t, kMaxBlockRows> rows_;
  int count_ = 0;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.num_shards.is_auto() != params.index.is_auto())
    return invalid_argument("expected num_shards and index, or auto for both, found auto for one of them");
  if (params.index.is_auto() && inputs[0]->sites().by_rank)
    return invalid_argument(expected_found("one shard(auto, auto)", "another in its input"));
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
               "Keeps every `num_shards`-th element, beginning with number `index`, counted from 0. Errors are passed on to every part and not counted. `shard(auto, auto)` is the part of the iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open MPI, MPICH, Slurm and Kubernetes); a process that no launcher started gets all elements. The checkpoints of all ranks can be continued by another number of ranks.",
           .cost =
               "Computes all elements of its input and copies those it keeps. From TFRecord files with an index it reads only its own, also after maps that cannot fail and draw nothing.",
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
