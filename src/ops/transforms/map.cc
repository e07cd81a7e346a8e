// map(f, num_parallel_calls, deterministic): f of each element. An element whose call fails is an error in
// its place. Parallel calls keep the order unless deterministic is false. Checkpoint: the input's position;
// calls made ahead are repeated.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dataset/access.h"
#include "dataset/ahead_cursor.h"
#include "dataset/tuner_start.h"
#include "exec/call_window.h"
#include "ops/functions/apply.h"
#include "ops/functions/mapped_rows.h"
#include "ops/list.h"

namespace weir {
void MapParams::fields(Fields& fields) {
  fields("f", f, "The function: a lambda or a callback.");
  fields(
      "num_parallel_calls", num_parallel_calls,
      "How many calls run at once. auto: one per core, or, for a function that waits, as many as raise the throughput.",
      at_least(1), {.automatic = true, .any_position = true});
  fields("deterministic", deterministic,
         "false: results come as they finish, in any order; none: as options() says, else true.", {},
         {.none = true});
}
namespace map_op {
namespace {

using Params = MapParams;

bool sequential(const Params& params) { return params.num_parallel_calls.value_or(0) == 1; }

class Map final : public RestartableCursor {
 public:
  Map(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), rows_(opening, params.f) {}

  bool restart(Opening& opening, const ParamsBase& params) override {
    if (!sequential(static_cast<const Params&>(params))) return false;
    input_.restart(opening, 0, Port::Mode::pass);
    rows_.restart(opening, static_cast<const Params&>(params).f);
    return true;
  }

  int64_t assured() const noexcept override { return rows_.assured(input_); }
  Step next(Context& ctx, const Demand& demand, Block& out) override {
    return rows_.next(ctx, demand, input_, out);
  }

  int64_t lose(const ErrorPtr&) noexcept override { return rows_.lost(); }
  void state(Archive& archive) override { input_.state(archive); }

 private:
  Port input_;
  MappedRows rows_;
};

class MapAccess final : public Access {
 public:
  MapAccess(Opening& opening, const Params& params, std::unique_ptr<Access> input)
      : input_(std::move(input)), apply_(opening, params.f) {}

  AccessCount count() const override { return input_->count(); }
  void count_pass(EpochScope& epochs, int64_t rows) override { input_->count_pass(epochs, rows); }
  bool foresee(std::span<const int64_t> positions, int64_t time, ReadPlan& plan) override {
    return input_->foresee(positions, time, plan);
  }
  // Each call knows its element by its position, so it draws the numbers that it draws in order.
  void read(Context& ctx, std::span<const int64_t> positions, Block& out) override {
    in_.rows = 0;
    input_->read(ctx, positions, in_);
    const int64_t first = *std::min_element(positions.begin(), positions.end());
    const int64_t last = *std::max_element(positions.begin(), positions.end());
    if (last - first <= INT32_MAX) {
      offsets_.clear();
      for (int64_t position : positions) offsets_.push_back(static_cast<int32_t>(position - first));
      return apply_(ctx.session, first, in_, out, false, offsets_.data());
    }
    out.reset(0);
    out.rows = 0;
    for (int row = 0; row < in_.rows; ++row) {
      Block one;
      apply_(ctx.session, positions[static_cast<size_t>(row)], in_.slice(row, 1), one);
      out.append(one, 0, 1);
    }
  }

 private:
  const std::unique_ptr<Access> input_;
  const Apply apply_;
  Block in_;
  std::vector<int32_t> offsets_;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& params) {
  WEIR_ASSIGN(std::unique_ptr<Access> input, open_access(opening.ctx, opening.input(0)));
  return std::unique_ptr<Access>(
      std::make_unique<MapAccess>(opening, static_cast<const Params&>(params), std::move(input)));
}

// What it makes of elements that nobody needs could be no error, and draws no numbers.
bool seeks_below(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  const Function& function = function_of(params.f);
  return sequential(params) && !function.can_fail() && !function.draws_random() &&
         seeks(opening.ctx, opening.input(0));
}

class MapCall final : public BlockCall {
 public:
  explicit MapCall(Apply apply) : apply_(std::move(apply)) {}
  void run(Context& ctx, int64_t first_ordinal, Block& in, Block& out) override {
    apply_(ctx.session, first_ordinal, in, out);
  }

 private:
  Apply apply_;
};

struct MakeCallWindow {
  Apply apply;
  CallWindowOptions options;
  int64_t most_bytes() const { return options.max_bytes; }
  std::unique_ptr<Window> operator()(Context& ctx, std::unique_ptr<Feed> feed, EpochTableRef epochs) const {
    return std::make_unique<CallWindow>(ctx.session, std::move(feed), std::make_unique<MapCall>(apply),
                                        options, std::move(epochs));
  }
};

bool unordered(const Params& params) { return params.deterministic.is_constant() && !*params.deterministic; }
// False if it is not known yet: then the input's lane must do.
bool parallel(const ParamsBase& base) {
  const IntParam& calls = static_cast<const Params&>(base).num_parallel_calls;
  return calls.is_auto() || calls.value_or(1) != 1;
}

std::optional<RunsAhead> ahead(const ParamsBase& base, std::span<const DatasetRef>) {
  const auto& params = static_cast<const Params&>(base);
  if (!parallel(base)) return std::nullopt;
  const Function& function = function_of(params.f);
  const int64_t calls = params.num_parallel_calls.value_or(RunsAhead::kEachThread);
  return RunsAhead{.rows = kUnknown,
                   .bytes = CallWindowOptions().max_bytes,
                   .at_once = function.lane() == Lane::caller ? 1 : calls,
                   .lane = function.lane()};
}

struct AnyMap {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    if (sequential(params)) return std::unique_ptr<Cursor>(std::make_unique<Map>(opening, params));
    const Function& function = function_of(params.f);
    CallWindowOptions options;
    options.calls_in_flight =
        static_cast<int>(std::min<int64_t>(params.num_parallel_calls.value_or(0), 4096));
    if (options.calls_in_flight == 0) options.start = tuner_start(opening, "calls", true);
    options.ordered = !unordered(params);
    options.one_row_per_call = !function.takes_blocks();
    options.may_wait = function.is_host();
    options.components = function.components().size();
    options.lane = function.lane();
    options.feed_lane = opening.node->inputs()[0]->lane();
    using ParallelMap = AheadCursor<MakeCallWindow>;
    return std::unique_ptr<Cursor>(std::make_unique<ParallelMap>(
        opening, opening.node->inputs()[0], MakeCallWindow{Apply(opening, params.f), options}));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.f).result();
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, AnyMap>({
      .name = "map",
      .page =
          {.doc =
               "Applies `f` to each element. If `f` fails, its error takes the place of the element. With `num_parallel_calls`, calls run ahead on other threads; the order stays the same unless `deterministic` is false.",
           .cost =
               "One call of `f` per block of elements; a callback that does not take blocks is called per element.",
           .tf_names = "map_func=f",
           .example = "range(3) | map(x -> {x, square: x * x})",
           .output = "{x: 0, square: 0}\n{x: 1, square: 1}\n{x: 2, square: 4}",
           .bench = "range(1000000) | map(x -> x + 1)",
           .elsewhere =
               "for_each foreach apply transform: map(x -> …)\nselect project: map(d -> {d.a, …})\nwith_column: map(d -> {d.a, new: …})\npmap par_map parallel_map map_parallel: map(x -> …, num_parallel_calls: auto)\nzip_with map_zip: zip(a, b) | map((x, y) -> …)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = same_cardinality, .columns = Columns::mapped},
      .position = {.kept =
                       [](const ParamsBase& base) {
                         return Kept{parallel(base) ? kUnknown : 0, 0};
                       },
                   .passes_positions = true,
                   .not_replayable = [](const ParamsBase& base) -> const char* {
                     const auto& params = static_cast<const Params&>(base);
                     return !sequential(params) && unordered(params)
                                ? "gives its results in any order (deterministic: false)"
                                : nullptr;
                   }},
      .ahead = {.is_window = parallel,
                .limits = ahead,
                .set_order =
                    [](ParamsBase& base, bool deterministic) {
                      auto& params = static_cast<Params&>(base);
                      if (sequential(params) || params.deterministic.state != BoolParam::State::none)
                        return false;
                      params.deterministic = deterministic;
                      return !deterministic;
                    }},
      .access = {.open = access, .seeks = seeks_below},
  });
  return def;
}

}  // namespace map_op
}  // namespace weir
