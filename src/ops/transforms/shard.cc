// shard(num_shards, index): the elements whose number modulo num_shards is index. Errors are passed on to every shard
// and not counted. With auto for both, the iterator's rank and number of ranks decide, and positions of all ranks
// together go on as any other number of ranks (iterator/resize.h). Checkpoint: how many elements were stepped over,
// and the input's position.
#include <algorithm>
#include <cstdint>
#include <span>

#include "core/exception.h"
#include "core/text.h"
#include "dataset/operator.h"
#include "dataset/settling.h"
#include "dataset/shard_position.h"
#include "dataset/yield_timer.h"
#include "ops/seekable_input.h"
#include "ops/shard_part.h"
#include "ops/strided_access.h"

namespace weir {
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

// Which of how many parts.
struct Part {
  int64_t index;
  int64_t num_shards;
};
Result<Part> part_of(const Opening& opening, const Params& params) {
  if (!params.index.is_auto()) {
    WEIR_TRY(check_index(*params.num_shards, *params.index));
    return Part{*params.index, *params.num_shards};
  }
  const World& world = opening.ctx.session.world();
  if (world.known()) return Part{world.rank, world.size};
  return failed_precondition(expected_found(
      "a rank and a number of ranks for shard(auto, auto)", world.reason,
      "set rank and world_size in the iterator's options, or start the process with torchrun, srun or mpirun"));
}

class Shard final : public Cursor {
 public:
  // `part`: null for that of the rank, whose position must be one among all elements.
  Shard(Opening& opening, ShardPosition position, const Part* part)
      : input_(part ? SeekableInput(opening, 0, Port::Mode::pass, Port::Opens::now, part->index,
                                    part->num_shards)
                    : SeekableInput(opening, 0, Port::Mode::pass, Port::Opens::now)),
        position_(std::move(position)) {}

  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(const Part part, part_of(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<Shard>(
        opening, ShardPosition(part.index, part.num_shards), params.index.is_auto() ? nullptr : &part));
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (input_.seeks()) return input_.port().pull(ctx, demand, out);
    for (;;) {
      in_.rows = 0;
      rows_.clear();
      Demand wanted = demand;
      wanted.rows = static_cast<int>(position_.steps_to(demand.rows, kMaxBlockRows));
      const PullResult got = input_.port().pull(ctx, wanted, in_);
      if (got != PullResult::rows) return got;
      rows_.choose(in_, position_);
      if (!rows_.empty()) {
        out.gather_from(in_, rows_.rows());
        yield_timer_.reset();
        return PullResult::rows;
      }
      if (yield_timer_.should_yield(ctx, in_.rows)) return PullResult::pending;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    return std::max<int64_t>(static_cast<int64_t>(rows_.rows().size()), 1);
  }

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
  SeekableInput input_;
  ShardPosition position_;
  Block in_;
  // Those of `in_` to give.
  ShardRows rows_;
  YieldTimer yield_timer_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  WEIR_ASSIGN(const Part part, part_of(opening, static_cast<const Params&>(params)));
  WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
  return strided_access(std::move(input), part.index, part.num_shards);
}

bool by_rank(const ParamsBase& base) { return static_cast<const Params&>(base).index.is_auto(); }

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.num_shards.is_auto() != params.index.is_auto())
    return invalid_argument("expected num_shards and index, or auto for both, found auto for one of them");
  if (by_rank(params) && inputs[0]->sites().by_rank)
    return invalid_argument(expected_found("one shard(auto, auto)", "another in its input"));
  if (params.num_shards.is_constant() && params.index.is_constant())
    WEIR_TRY(check_index(*params.num_shards, *params.index));
  return inputs[0]->spec();
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  const int64_t n = inputs[0]->cardinality();
  if (n < 0) return n;
  if (!params.index.is_constant()) return kUnknown;
  return n / *params.num_shards + (*params.index < n % *params.num_shards ? 1 : 0);
}

}  // namespace

Result<ShardPosition> begin_of_part(const Opening& opening, const ParamsBase& params) {
  WEIR_ASSIGN(const Part part, part_of(opening, static_cast<const Params&>(params)));
  return ShardPosition(part.index, part.num_shards);
}

void ShardRows::choose(const Block& block, ShardPosition& position) noexcept {
  if (block.errors.empty()) {
    count_ = position.step_over(block.rows, rows_.data());
    return;
  }
  count_ = 0;
  const RowError* error = block.errors.begin();
  for (int row = 0; row < block.rows; ++row) {
    bool take = false;
    if (error != block.errors.end() && error->row == row) {
      take = !is_out_of_memory(*error->error) || position.step();
      ++error;
    } else {
      take = position.step();
    }
    if (take) rows_[static_cast<size_t>(count_++)] = row;
  }
}

const OperatorDef& shard_operator() {
  static const OperatorDef def = define<Params, Shard>({
      .name = "shard",
      .doc =
          "Keeps every `num_shards`-th element, beginning with number `index`, counted from 0. Errors are passed on to every part and not counted. `shard(auto, auto)` is the part of the iterator's rank, from its options or from the environment (RANK and WORLD_SIZE, or those of Open MPI, MPICH, Slurm and Kubernetes); a process that no launcher started gets all elements. The checkpoints of all ranks can be continued by another number of ranks.",
      .cost =
          "Computes all elements of its input and copies those it keeps. From TFRecord files with an index it reads only its own, also after maps that cannot fail and draw nothing.",
      .example = "range(8) | shard(3, 1)",
      .output = "1\n4\n7",
      .bench = "range(1000000) | shard(4, 1)",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
      .passes_positions = true,
      .by_rank = by_rank,
      .access = access,
      .seeks = [](Opening& opening, const ParamsBase&) { return seeks(opening.ctx, opening.input(0)); },
  });
  return def;
}

}  // namespace weir
