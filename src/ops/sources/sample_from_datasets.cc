// sample_from_datasets(datasets, weights, seed, stop_on_empty, rerandomize_each_iteration): each next element
// of a dataset drawn at random, the same ones as tf.data's for the same seed. Errors, end and checkpoint:
// ops/shuffling/directed.h; the draws add their seeds and how many were made.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/float_mode.h"
#include "core/philox.h"
#include "core/text.h"
#include "dataset/compose.h"
#include "expr/kernels/shared/math.h"
#include "ops/list.h"
#include "ops/shuffling/directed.h"
#include "ops/shuffling/opening_seeds.h"
#include "ops/shuffling/schedule_points.h"
#include "ops/shuffling/weights_by_row.h"

namespace weir {
void SampleFromDatasetsParams::fields(Fields& f) {
  f("datasets", datasets, "A list of datasets of one structure.");
  f("weights", weights,
    "The probability of each dataset: a vector of floats, or a dataset of such vectors, one for each element. none: equal. A position fits other constant ones, of which the same are 0, as in `mix_datasets`.",
    {}, {.none = true, .weights = true});
  f("seed", seed, "Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.");
  f("stop_on_empty", stop_on_empty, "End when a drawn dataset has no more elements; if false, draw again.");
  f("rerandomize_each_iteration", rerandomize_each_iteration, "Draw differently in each epoch.");
}
namespace sample_from_datasets_op {
namespace {

using Params = SampleFromDatasetsParams;

// Draws a number with the probabilities that a vector of weights gives, as TensorFlow's stateless_multinomial
// does from their logarithms.
class Multinomial {
 public:
  Multinomial() = default;
  explicit Multinomial(size_t equal) : sums_(equal) {
    for (size_t i = 0; i < equal; ++i) sums_[i] = static_cast<double>(i + 1);
  }
  // Leaves out entries that are not positive if `drops` is set, so that others take their numbers.
  void set(const Tensor& weights, bool drops) {
    if (weights.dtype == DType::float32)
      set_of<float>(weights, drops);
    else
      set_of<double>(weights, drops);
  }

  bool empty() const { return sums_.empty(); }
  // Bit i says whether entry i can be drawn. REQUIRES: at most 64 entries
  uint64_t positive() const {
    uint64_t out = 0;
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i] > (i > 0 ? sums_[i - 1] : 0)) out |= uint64_t{1} << i;
    }
    return out;
  }
  int64_t draw(uint32_t seed, uint32_t seed2) const {
    // The seeds are mixed into a key and the upper half of a counter.
    constexpr uint64_t kMixKey = 0x02461e293ec8f720;
    const Philox::Block mixed = Philox::block({seed, 0, seed2, 0}, kMixKey);
    const Philox::Block bits = Philox::block({0, 0, mixed[2], mixed[3]}, uint64_t{mixed[1]} << 32 | mixed[0]);
    return in_float_mode([&] { return find(bits[0], bits[1]); });
  }

 private:
  template <class T>
  void set_of(const Tensor& weights, bool drops) {
    in_float_mode([&] { sum<T>(weights.entries<const T>(), drops); });
  }
  template <class T>
  void sum(std::span<const T> weights, bool drops) {
    std::vector<T> logits;
    T most = std::numeric_limits<T>::lowest();
    for (T weight : weights) {
      if (drops && !(weight > 0)) continue;
      logits.push_back(math::log(weight));
      if (std::isfinite(logits.back())) most = std::max(most, logits.back());
    }
    sums_.clear();
    double total = 0;
    for (T logit : logits) {
      if (std::isfinite(logit)) total += math::exp(static_cast<double>(logit) - static_cast<double>(most));
      sums_.push_back(total);
    }
  }
  // 52 random bits as a part of the whole sum.
  int64_t find(uint32_t high, uint32_t low) const {
    const uint64_t mantissa = uint64_t{high & 0xfffff} << 32 | low;
    const double part = std::bit_cast<double>(uint64_t{1023} << 52 | mantissa) - 1.0;
    return std::upper_bound(sums_.begin(), sums_.end(), part * sums_.back()) - sums_.begin();
  }

  // Of the weights up to and including each.
  std::vector<double> sums_;
};

const OperatorDef& choices_operator();

struct ChoicesParams : ParamsOf<ChoicesParams> {
  int64_t count = 0;
  // None, constant ones, or those of the node's input.
  ValueParam weights;
  SeedParam seed;
  bool each_anew = false;
  void fields(Fields& f) override { f("seed", seed, "The seed of the draws."); }
  static const OperatorDef& op() { return choices_operator(); }
};

// The numbers of the datasets that the next elements come from.
class Choices final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const ChoicesParams& params) {
    std::optional<WeightsByRow> constant;
    if (params.weights.set) {
      WEIR_ASSIGN(constant, WeightsByRow::open(opening, params.weights.values));
    }
    return std::unique_ptr<Cursor>(std::make_unique<Choices>(opening, params, std::move(constant)));
  }
  Choices(Opening& opening, const ChoicesParams& params, std::optional<WeightsByRow> constant)
      : count_(params.count),
        multinomial_(params.weights.set ? 0 : static_cast<size_t>(params.count)),
        constant_(std::move(constant)) {
    if (constant_) multinomial_.set(constant_->first()[0], true);
    const OpeningSeeds opened = seeds_of(opening, params.seed, params.each_anew, params.each_anew);
    epoch_ = opened.number;
    seeds_ = opened.seeds;
    draws_ = PhiloxStream(Philox(seeds_.first, seeds_.second));
    if (!opening.node->inputs().empty()) weights_.emplace(opening, 0, Port::Mode::pass);
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    in_.rows = 0;
    use_constant();
    if (weights_) {
      Demand wanted = demand;
      wanted.drop = false;
      const PullResult got = weights_->pull(ctx, wanted, in_);
      if (got != PullResult::rows) return got;
    } else if (multinomial_.empty()) {
      return PullResult::end;
    }
    const auto before = static_cast<int64_t>(given_);
    int rows = weights_ ? in_.rows : demand.rows;
    if (constant_) rows = constant_->same(before, rows);
    out.reset(1);
    auto* chosen = out.columns[0].make_scalars<int64_t>(rows);
    out.errors.swap(in_.errors);
    out.origins.swap(in_.origins);
    out.rows = rows;
    for (int row = 0; row < rows; ++row) chosen[row] = draw(given_ + static_cast<uint64_t>(row), row, out);
    given_ += static_cast<uint64_t>(rows);
    if (constant_) constant_->give(before + rows);
    in_.errors.clear();
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    const int lost = std::max(in_.rows, 1);
    given_ += static_cast<uint64_t>(lost);
    return lost;
  }

  void state(Archive& archive) override {
    archive("epoch", epoch_);
    archive("seed", seeds_.first);
    archive("seed2", seeds_.second);
    archive("given", given_);
    if (weights_) weights_->state(archive);
    if (archive.loading()) draws_ = PhiloxStream(Philox(seeds_.first, seeds_.second));
  }

 private:
  void use_constant() {
    const Components* const weights = constant_ ? constant_->other_at(static_cast<int64_t>(given_)) : nullptr;
    if (!weights) return;
    Multinomial other;
    other.set((*weights)[0], true);
    multinomial_ = std::move(other);
    constant_->take(static_cast<int64_t>(given_));
  }
  int64_t draw(uint64_t number, int row, Block& out) {
    if (weights_) {
      if (out.failed(row)) return 0;
      const Tensor weights = in_.columns[0].row(row);
      if (weights.count() != count_) {
        out.fail_row(row,
                     invalid_argument(expected_found(concat("a weight for each of the ", count_, " datasets"),
                                                     concat(weights.count(), " weights")))
                         .pointer());
        return 0;
      }
      multinomial_.set(weights, false);
    }
    const uint32_t seed = draws_.at(2 * number);
    const int64_t chosen = multinomial_.draw(seed, draws_.at(2 * number + 1));
    return drawn_choice(chosen, weights_ && count_ <= kMostMarked ? multinomial_.positive() : 0);
  }

  const int64_t count_;
  Multinomial multinomial_;
  std::optional<WeightsByRow> constant_;
  std::optional<Port> weights_;
  uint64_t epoch_ = 0;
  SeedSite::Pair seeds_;
  PhiloxStream draws_;
  // How many draws were made; each takes two samples.
  uint64_t given_ = 0;
  Block in_;
};

Result<Spec> choices_spec(const ChoicesParams&, std::span<const DatasetRef>) {
  return Spec::tensor(DType::int64);
}

const OperatorDef& choices_operator() {
  static const OperatorDef def = define<ChoicesParams, Choices>({
      .name = "choices",
      .internal = true,
      .page = {.doc = "Random numbers of datasets."},
      .typing = {.spec = spec_of<ChoicesParams, choices_spec>,
                 .cardinality =
                     [](const ParamsBase&, std::span<const DatasetRef> inputs) {
                       return inputs.empty() ? kInfinite : inputs[0]->cardinality();
                     }},
      .position = {.counts_openings =
                       [](const ParamsBase& base) {
                         return static_cast<const ChoicesParams&>(base).each_anew;
                       },
                   .passes_positions = true},
  });
  return def;
}

// Whether a dataset can be drawn, as far as constant weights tell.
bool drawable(const Params& params, size_t dataset) {
  if (!params.weights.set) return true;
  const Tensor& weights = params.weights.values[0];
  return weights.dtype == DType::float32 ? weights.as<const float>()[dataset] > 0
                                         : weights.as<const double>()[dataset] > 0;
}

Status check_weights(const Params& params) {
  if (!params.weights.set || params.weights.values.empty()) return Status();
  const Tensor& weights = params.weights.values[0];
  if (weights.count() != static_cast<int64_t>(params.datasets.indices.size())) {
    return invalid_argument(
        expected_found(concat("a weight for each of the ", params.datasets.indices.size(), " datasets"),
                       concat(weights.count(), " weights")));
  }
  for (int64_t i = 0; i < weights.count(); ++i) {
    const double weight =
        weights.dtype == DType::float32 ? weights.as<const float>()[i] : weights.as<const double>()[i];
    // Also refuses what is no number.
    if (weight >= 0 && std::isfinite(weight)) continue;
    return with_parameter(
        invalid_argument(expected_found("weights of at least 0", concat("another one for dataset ", i))),
        "weights");
  }
  return Status();
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_TRY(check_weights(params));
  DirectedParams directed;
  directed.rules.stop_on_empty = *params.stop_on_empty;
  directed.rules.drawn = true;
  std::vector<DatasetRef> sources;
  for (size_t i = 0; i < params.datasets.indices.size(); ++i) {
    if (!drawable(params, i)) continue;
    directed.inputs.push_back(static_cast<int>(sources.size()));
    sources.push_back(inputs[static_cast<size_t>(params.datasets.indices[i])]);
  }
  ChoicesParams choices;
  choices.count = static_cast<int64_t>(sources.size());
  choices.weights = params.weights;
  choices.seed = params.seed;
  choices.each_anew = *params.rerandomize_each_iteration;
  std::vector<DatasetRef> weights;
  if (params.weights.index >= 0) {
    weights.push_back(inputs[static_cast<size_t>(params.weights.index)]);
    directed.rules.last = last_positive(*weights[0]);
  }
  WEIR_ASSIGN(DatasetRef drawn, compose(std::move(choices), std::move(weights), site));
  directed.choice = static_cast<int>(sources.size());
  WEIR_ASSIGN(directed.spec, directed_spec(params.datasets.indices, inputs));
  sources.push_back(std::move(drawn));
  return compose(std::move(directed), std::move(sources), site);
}

struct SampleFromDatasets {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef directed, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(directed)));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.weights.set || params.weights.index >= 0) {
    const Spec& weights =
        params.weights.set ? params.weights.spec : inputs[static_cast<size_t>(params.weights.index)]->spec();
    const bool floats =
        weights.is_tensor() && (weights.dtype == DType::float32 || weights.dtype == DType::float64);
    const auto count = static_cast<int64_t>(params.datasets.indices.size());
    if (!floats || !weights.shape.compatible(Shape{count})) {
      return invalid_argument(expected_found(
          concat("weights of float32[", count, "] or float64[", count, "], one for each dataset"),
          weights.to_string()));
    }
  }
  return directed_spec(params.datasets.indices, inputs);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  if (params.weights.set && params.weights.values.empty()) return kUnknown;
  const bool draws_end = params.weights.index >= 0 &&
                         inputs[static_cast<size_t>(params.weights.index)]->cardinality() != kInfinite;
  std::vector<int> drawn;
  for (size_t i = 0; i < params.datasets.indices.size(); ++i) {
    if (drawable(params, i)) drawn.push_back(params.datasets.indices[i]);
  }
  if (params.weights.index < 0 && drawn.empty()) return 0;
  if (params.weights.index < 0 && drawn.size() == 1)
    return inputs[static_cast<size_t>(drawn[0])]->cardinality();
  return draws_end ? kUnknown : directed_cardinality(drawn, *params.stop_on_empty, inputs);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, SampleFromDatasets>({
      .name = "sample_from_datasets",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Takes each element from a dataset drawn at random, by weight. For the same seed the order is tf.data's. Ends when all datasets have ended, or, if `stop_on_empty` is true, when one that has ended is drawn. A dataset whose constant weight is 0 is left out, and there are no elements if all are 0. Where a dataset of weights gives every remaining dataset the weight 0, an error ends the sequence (failed_precondition). Constant weights that are negative, infinite or NaN are refused. Each epoch repeats the draws unless `rerandomize_each_iteration` is true.",
           .cost = "A draw and two copies of each element.",
           .tf_names = "stop_on_empty_dataset=stop_on_empty",
           .example = "sample_from_datasets([range(3), range(10, 13)], weights: [0.25, 0.75], seed: 1)",
           .output = "10\n11\n0\n1\n2\n12",
           .bench = "sample_from_datasets([range(500000), range(500000)], seed: 1)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand,
                 .needs = needs_of_directed<Params>},
      .position = {.counts_openings =
                       [](const ParamsBase& base) {
                         return *static_cast<const Params&>(base).rerandomize_each_iteration;
                       },
                   .ends_early = true,
                   .keeps_rows = true},
  });
  return def;
}

}  // namespace sample_from_datasets_op
}  // namespace weir
