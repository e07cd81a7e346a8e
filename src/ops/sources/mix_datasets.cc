// mix_datasets(datasets, weights, stop_on_empty): elements of several datasets in fixed shares, without
// draws: each next one comes from the dataset that is furthest behind its weight (ops/shuffling/mix_turns.h).
// An error passes and is not counted. Checkpoint: the positions of all datasets, how many elements each has
// given, and how far each is behind; it fits other weights, which begin a round where the mixture had come to
// (ops/shuffling/weights_by_row.h).
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "dataset/yield_timer.h"
#include "ops/shuffling/directed.h"
#include "ops/shuffling/mix_access.h"
#include "ops/shuffling/mix_turns.h"
#include "ops/shuffling/source_rows.h"
#include "ops/shuffling/weights_by_row.h"

namespace weir::mix_datasets_op {
namespace {

struct Params : ParamsOf<Params> {
  InputsParam datasets{.list = true};
  ValueParam weights;
  BoolParam stop_on_empty{false};
  void fields(Fields& f) override {
    f("datasets", datasets, "A list of datasets of one structure.");
    f("weights", weights,
      "The share of each dataset: a list of floats that add up to 1. A position fits other weights.", {},
      {.any_position = true, .weights = true});
    f("stop_on_empty", stop_on_empty,
      "End when a dataset has no more elements at its turn; if false, the others go on in their shares.");
  }
};

Result<MixTurns> turns_of(const Components& weights, size_t count) {
  Result<MixTurns> turns = MixTurns::make(weights[0], static_cast<int64_t>(count));
  if (!turns.ok()) return with_parameter(turns.status(), "weights");
  return turns;
}

Result<MixTurns> turns_of(const Params& params) {
  return turns_of(params.weights.values, params.datasets.indices.size());
}

class Mix final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(WeightsByRow weights, WeightsByRow::open(opening, params.weights.values));
    WEIR_ASSIGN(MixTurns turns, turns_of(weights.first(), params.datasets.indices.size()));
    return std::unique_ptr<Cursor>(
        std::make_unique<Mix>(opening, params, std::move(turns), std::move(weights)));
  }

  Mix(Opening& opening, const Params& params, MixTurns turns, WeightsByRow weights)
      : sources_(opening, params.datasets.indices),
        turns_(std::move(turns)),
        weights_(std::move(weights)),
        stop_on_empty_(*params.stop_on_empty),
        given_(params.datasets.indices.size()) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    const int64_t before = given();
    WEIR_TRY(use_weights(before));
    while (!turns_.empty()) {
      const int ahead = weights_.same(before, sources_.reads_apart() ? demand.rows : 1);
      sources_.begin();
      turns_.mark();
      for (int i = 0; i < ahead; ++i) {
        turn_[static_cast<size_t>(i)] = static_cast<int32_t>(turns_.take());
        sources_.want(turn_[static_cast<size_t>(i)]);
      }
      const PullResult got = sources_.fetch(ctx, demand, ahead);
      if (got == PullResult::cancelled) {
        turns_.go_back(0);
        return got;
      }
      const bool goes_on = plan(ahead);
      if (sources_.planned() > 0) {
        weights_.give(given(), given_);
        sources_.give(demand, out);
        sources_.take_planned();
        yield_timer_.reset();
        return PullResult::rows;
      }
      if (!goes_on) break;
      if (got == PullResult::pending) return got;
      if (yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
    }
    weights_.give(given(), given_, true);
    return PullResult::end;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    if (sources_.planned() == 0) ++errors_;
    const int lost = std::max(sources_.planned(), 1);
    sources_.take_planned();
    return lost;
  }

  void state(Archive& archive) override {
    sources_.closed_state(archive);
    archive("given", given_);
    if (given_.size() != static_cast<size_t>(sources_.size()))
      archive.fail("a position has other datasets to mix");
    if (archive.loading() ? archive.next_is("errors") : errors_ > 0)
      archive("errors", errors_, 0, kMostCounted);
    if (archive.loading() && !archive.status().ok()) return;
    if (archive.loading()) {
      const Status used = use_weights(given());
      if (!used.ok()) return archive.fail(used.error().message);
      close_turns();
    }
    turns_.state(archive);
    sources_.ports_state(archive);
  }

 private:
  // All rows so far.
  int64_t given() const { return std::accumulate(given_.begin(), given_.end(), errors_); }
  // Goes over to the weights of a row, which begin a round if they are others than those before.
  Status use_weights(int64_t row) {
    const Components* const weights = weights_.other_at(row);
    if (!weights) return Status();
    Result<MixTurns> turns = turns_of(*weights, given_.size());
    weights_.take(row);
    WEIR_ASSIGN(turns_, std::move(turns));
    close_turns();
    return Status();
  }
  void close_turns() {
    for (int64_t i = 0; i < sources_.size(); ++i) {
      if (sources_.closed(i)) turns_.close(i);
    }
  }
  // Plans the rows whose turns come, as far as they are there. What comes after an error or an end is not as
  // foreseen. Returns false if the sequence ends then.
  bool plan(int ahead) {
    for (int i = 0; i < ahead; ++i) {
      const int64_t source = turn_[static_cast<size_t>(i)];
      const SourceRows::Next next = sources_.next(source);
      if (next != SourceRows::Next::row) {
        turns_.go_back(i);
        if (next == SourceRows::Next::later) return true;
        if (stop_on_empty_) return false;
        sources_.close(source);
        turns_.close(source);
        return true;
      }
      const ErrorPtr* const error = sources_.error_of_next(source);
      sources_.plan(source);
      // An element that memory ran out for was one.
      if (error && !ran_out_of_memory(**error)) {
        turns_.go_back(i);
        ++errors_;
        return true;
      }
      ++given_[static_cast<size_t>(source)];
    }
    return true;
  }

  SourceRows sources_;
  MixTurns turns_;
  WeightsByRow weights_;
  const bool stop_on_empty_;
  // How many elements each dataset has given, and how many errors came between them.
  std::vector<int64_t> given_;
  int64_t errors_ = 0;
  // Of the call in progress: whose turns come.
  std::array<int32_t, kMaxBlockRows> turn_;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& weights = params.weights.spec;
  const auto count = static_cast<int64_t>(params.datasets.indices.size());
  const bool floats =
      weights.is_tensor() && (weights.dtype == DType::float32 || weights.dtype == DType::float64);
  if (!floats || !weights.shape.compatible(Shape{count})) {
    return with_parameter(invalid_argument(expected_found(concat("float32[", count, "] or float64[", count,
                                                                 "], a weight for each dataset"),
                                                          weights.to_string())),
                          "weights");
  }
  if (!params.weights.expression) WEIR_TRY(turns_of(params).status());
  return directed_spec(params.datasets.indices, inputs);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.weights.expression) return kUnknown;
  const Result<MixTurns> turns = turns_of(params);
  if (!turns.ok()) return kUnknown;
  std::vector<int64_t> counts;
  for (size_t i = 0; i < params.datasets.indices.size(); ++i) {
    if (turns->active(static_cast<int64_t>(i)))
      counts.push_back(inputs[static_cast<size_t>(params.datasets.indices[i])]->cardinality());
  }
  if (counts.size() == 1) return counts[0];
  const auto is = [](int64_t wanted) { return [wanted](int64_t count) { return count == wanted; }; };
  if (*params.stop_on_empty)
    return std::all_of(counts.begin(), counts.end(), is(kInfinite)) ? kInfinite : kUnknown;
  if (std::any_of(counts.begin(), counts.end(), is(kInfinite))) return kInfinite;
  int64_t sum = 0;
  for (const int64_t count : counts) {
    if (count < 0 || sum < 0) return kUnknown;
    sum = checked_add(sum, count).value_or(kUnknown);
  }
  return sum;
}

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(MixTurns turns, turns_of(params));
  WEIR_TRY(WeightsByRow::check_access(opening, params.weights.values));
  return open_mix_access(opening, params.datasets.indices, std::move(turns), *params.stop_on_empty);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Mix>({
      .name = "mix_datasets",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Interleaves datasets in exact proportions, without randomness. Element t comes from the dataset with the largest `weight * (t + 1) - taken`, where `taken` counts the elements already taken from it; ties go to the first. So the proportions hold at every step. Weights count as the shortest decimals that read back, and add up to 1. A dataset of weight 0 is never read. When a dataset ends, the weights of the others are rescaled to sum to 1, and t and `taken` restart from 0. Errors are passed on and not counted. Elements have positions where those of all datasets have; when they are read by position, errors are counted, too. A position fits other weights if the mixture is read once and in order: their shares count from the first element that was not read before.",
           .cost = "A few nanoseconds per dataset, and two copies of each element.",
           .example = "mix_datasets([range(6), range(10, 12)], [0.75, 0.25])",
           .output = "0\n1\n10\n2\n3\n4\n11\n5",
           .bench = "mix_datasets([range(600000), range(400000)], [0.6, 0.4])",
           .elsewhere =
               "mix mixture interleave_datasets: mix_datasets([a, b], [0.5, 0.5]), or sample_from_datasets to draw"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .needs = needs_of_directed<Params>},
      .position = {.ends_early = true,
                   .keeps_rows = true,
                   .kept = [](const ParamsBase&) { return kept_by_directed(); }},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::mix_datasets_op
