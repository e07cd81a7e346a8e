// rejection_resample(class, target, initial, seed): the elements with their classes, so drawn that classes
// come about as often as `target` says, as in tf.data: a mixture of the input as it is and of the input
// thinned out by class, each read apart. Checkpoint: that of the operators it is made of.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/float_mode.h"
#include "core/philox.h"
#include "core/text.h"
#include "dataset/compose.h"
#include "expr/types/dispatch.h"
#include "ops/batching/endless.h"
#include "ops/functions/apply.h"
#include "ops/functions/native.h"
#include "ops/list.h"

namespace weir::rejection_resample_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam class_of{FunctionParam::Takes::element, FunctionParam::Gives::anything};
  ValueParam target;
  ValueParam initial;
  SeedParam seed;
  void fields(Fields& f) override {
    f("class", class_of, "Returns the class of an element, an integer from 0 on.");
    f("target", target, "The wanted share of each class: a vector of floats, in proportion.");
    f("initial", initial,
      "The share of each class in the input, likewise. none: estimated from the elements read so far.", {},
      {.none = true});
    f("seed", seed, "Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built.");
  }
};

using Shares = std::vector<double>;

// tf.data estimates from that many elements at a time, as if that many of each class had come before.
constexpr int64_t kEstimatedAtOnce = 32;
constexpr int64_t kSeenBefore = 10;

// How the input becomes the target: `original` of the elements come from the input as it is, the others from
// those that pass with the probability of their class.
struct Mixture {
  Shares passes;
  double original = 1;
};

Mixture mixture(const Shares& initial, const Shares& target) {
  Mixture out;
  for (size_t i = 0; i < target.size(); ++i)
    out.passes.push_back(target[i] / (initial[i] + std::numeric_limits<double>::min()));
  const auto [least, most] = std::minmax_element(out.passes.begin(), out.passes.end());
  out.original = *least;
  const double range = *most - *least;
  // All but equal: what is left is rounding.
  const bool right = range <= 1e-6 * *most;
  if (right) out.original = 1;
  for (double& passes : out.passes) passes = right ? 0 : (passes - out.original) / range;
  return out;
}

// Entries in proportion to those of a vector; invalid_argument unless they can be.
Result<Shares> shares_of(const ValueParam& param, const char* name) {
  Shares out;
  const Tensor& vector = param.values[0];
  visit<TypeList<float, double>>(
      vector.dtype, [&]<class T>() { out.assign(vector.as<T>(), vector.as<T>() + vector.count()); });
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  const bool valid = std::all_of(out.begin(), out.end(), [](double x) { return x >= 0; });
  if (!valid || !(sum > 0) || sum > std::numeric_limits<double>::max()) {
    return with_parameter(
        invalid_argument(expected_found("shares of at least 0 with a sum above 0", "others")), name);
  }
  for (double& share : out) share /= sum;
  return out;
}

int64_t integer_at(const Tensor& scalar) {
  int64_t out = -1;
  visit<Integers>(scalar.dtype, [&]<class T>() { out = static_cast<int64_t>(*scalar.as<T>()); });
  return out;
}

// The class of each element, alone or before the element.
class ClassOf final : public Native {
 public:
  ClassOf(FunctionRef f, int64_t classes, bool alone)
      : Native(f->input(), alone ? f->result() : Spec::tuple({f->result(), f->input()}), f),
        classes_(classes),
        alone_(alone) {}

  void call(const CallArgs& args, const Block& in, Block& out) const override {
    Block found;
    CallArgs wanted = args;
    wanted.drop = false;
    inner_->call(wanted, in, found);
    for (int row = 0; row < found.rows; ++row) {
      if (found.failed(row)) continue;
      const int64_t number = integer_at(found.columns[0].row(row));
      if (number < 0 || number >= classes_) found.fail_row(row, refused(number).pointer());
    }
    out.reset(args.drop ? 0 : (alone_ ? 1 : 1 + in.columns.size()));
    out.rows = found.rows;
    out.errors = found.errors;
    if (args.drop) return;
    out.columns[0] = found.columns[0];
    for (size_t i = 1; i < out.columns.size(); ++i) out.columns[i] = in.columns[i - 1];
  }

 private:
  Status refused(int64_t number) const {
    return invalid_argument(expected_found(
        concat("a class from 0 to ", classes_ - 1, ", as target has ", classes_), concat(number)));
  }

  const int64_t classes_;
  const bool alone_;
};

// From the counts of classes so far and the classes of the next elements: the counts after these, and for
// each element what the mixture of those counts says.
class Estimate final : public Native {
 public:
  enum class Gives : uint8_t { passes, weights };
  Estimate(const Spec& classes, Shares target, Gives gives)
      : Native(Spec::tuple({counts(target), classes}), Spec::tuple({counts(target), given(target, gives)})),
        target_(std::move(target)),
        gives_(gives) {}

  static Spec counts(const Shares& target) {
    return Spec::tensor(DType::int64, Shape{static_cast<int64_t>(target.size())});
  }

  void call(const CallArgs&, const Block& in, Block& out) const override {
    out.reset(2);
    out.rows = in.rows;
    out.errors = in.errors;
    const auto rows = static_cast<size_t>(in.rows);
    std::vector<Tensor>& states = out.columns[0].make_list();
    std::vector<Tensor>& results = out.columns[1].make_list();
    states.resize(rows);
    results.resize(rows);
    for (int row = 0; row < in.rows; ++row) {
      const auto i = static_cast<size_t>(row);
      states[i] = Tensor::allocate(DType::int64, components()[0].shape);
      results[i] = Tensor::allocate(DType::float64, components()[1].shape);
      if (!in.failed(row)) estimate(in, row, states[i], results[i]);
    }
  }

 private:
  static Spec given(const Shares& target, Gives gives) {
    const auto width = gives == Gives::weights ? int64_t{2} : static_cast<int64_t>(target.size());
    return Spec::tensor(DType::float64, Shape{kEstimatedAtOnce, width});
  }

  void estimate(const Block& in, int row, const Tensor& state, const Tensor& result) const {
    const Tensor before = in.columns[0].row(row);
    std::copy_n(before.as<int64_t>(), target_.size(), state.as<int64_t>());
    const Tensor classes = in.columns[1].row(row);
    for (int64_t k = 0; k < classes.count(); ++k) ++state.as<int64_t>()[integer_at(classes.row(k))];
    in_float_mode([&] {
      const auto seen = state.entries<const int64_t>();
      const auto all = static_cast<double>(std::accumulate(seen.begin(), seen.end(), int64_t{0}));
      Shares initial;
      for (int64_t count : seen) initial.push_back(static_cast<double>(count) / all);
      Mixture mixed = mixture(initial, target_);
      if (gives_ == Gives::weights) mixed.passes = {mixed.original, 1 - mixed.original};
      auto* entry = result.as<double>();
      for (int64_t k = 0; k < kEstimatedAtOnce; ++k) entry = std::ranges::copy(mixed.passes, entry).out;
    });
  }

  const Shares target_;
  const Gives gives_;
};

// Draws whether an element passes, from the probability of its class: a constant one, or what stands behind
// the element.
class Passes final : public Native {
 public:
  Passes(Spec input, Shares passes, const SeedParam& seed)
      : Native(std::move(input), Spec::tensor(DType::boolean, Shape())),
        passes_(std::move(passes)),
        seed_(seed) {
    draws_random_ = true;
    can_fail_ = false;
  }

  void add_sites(Sites& out) const override {
    if (seed_.site) out.seeds.push_back(seed_.site);
  }

  void call(const CallArgs& args, const Block& in, Block& out) const override {
    out.reset(args.drop ? 0 : 1);
    out.rows = in.rows;
    out.errors = in.errors;
    if (args.drop) return;
    SeedSite::Pair seeds = {static_cast<uint64_t>(seed_.first), static_cast<uint64_t>(seed_.second)};
    if (seed_.site) seeds = args.session.seed(*seed_.site);
    const uint64_t key = derive_key(derive_key(seeds.first, seeds.second), args.key);
    auto* verdict = out.columns[0].make_dense<bool>(Shape(), in.rows);
    for (int row = 0; row < in.rows; ++row) {
      verdict[row] = false;
      if (in.failed(row)) continue;
      const auto number = static_cast<size_t>(integer_at(in.columns[0].row(row)));
      const double passes =
          passes_.empty() ? in.columns.back().row(row).as<const double>()[number] : passes_[number];
      const Philox::Block bits = Philox(key, static_cast<uint64_t>(args.ordinal(row))).block(0);
      // 52 random bits, from [0, 1).
      const uint64_t mantissa = uint64_t{bits[0] & 0xfffff} << 32 | bits[1];
      verdict[row] = std::bit_cast<double>(uint64_t{1023} << 52 | mantissa) - 1.0 < passes;
    }
  }

 private:
  const Shares passes_;
  const SeedParam seed_;
};

// The first of a pair.
class First final : public Native {
 public:
  explicit First(const Spec& pair) : Native(pair, pair.children[0]) { can_fail_ = false; }

  void call(const CallArgs& args, const Block& in, Block& out) const override {
    out.reset(args.drop ? 0 : components().size());
    out.rows = in.rows;
    out.errors = in.errors;
    for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i] = in.columns[i];
  }
};

Result<DatasetRef> mapped(const DatasetRef& input, FunctionRef f, const BuildSite& site) {
  MapParams map;
  map.f.function = std::move(f);
  return compose(std::move(map), {input}, site);
}

Result<DatasetRef> filtered(const DatasetRef& input, FunctionRef f, const BuildSite& site) {
  FilterParams filter;
  filter.f.function = std::move(f);
  return compose(std::move(filter), {input}, site);
}

// Shares from one element after the other, estimated from their classes.
Result<DatasetRef> estimated(const DatasetRef& classes, const Shares& target, Estimate::Gives gives,
                             const BuildSite& site) {
  WEIR_ASSIGN(DatasetRef found, compose(IgnoreErrorsParams(), {classes}, site));
  BatchParams batch;
  batch.n = kEstimatedAtOnce;
  WEIR_ASSIGN(DatasetRef batches, compose(std::move(batch), {std::move(found)}, site));
  ScanParams scan;
  scan.state.set = true;
  scan.state.spec = Estimate::counts(target);
  Tensor counts = Tensor::allocate(DType::int64, scan.state.spec.shape);
  std::ranges::fill(counts.entries<int64_t>(), kSeenBefore);
  scan.state.values.push_back(std::move(counts));
  scan.f.function = make_ref<Estimate>(batches->spec(), target, gives);
  WEIR_ASSIGN(DatasetRef estimates, compose(std::move(scan), {std::move(batches)}, site));
  return compose(UnbatchParams(), {std::move(estimates)}, site);
}

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  WEIR_ASSIGN(const Shares target, shares_of(params.target, "target"));
  const auto classes = static_cast<int64_t>(target.size());
  const FunctionRef f(&function_of(params.class_of));
  WEIR_ASSIGN(DatasetRef original, mapped(inputs[0], make_ref<ClassOf>(f, classes, false), site));

  SampleFromDatasetsParams sample;
  std::vector<DatasetRef> sources;
  if (params.initial.set) {
    WEIR_ASSIGN(const Shares initial, shares_of(params.initial, "initial"));
    Mixture mixed = mixture(initial, target);
    if (mixed.original == 1) return original;
    WEIR_ASSIGN(DatasetRef thinned,
                filtered(original, make_ref<Passes>(original->spec(), mixed.passes, params.seed), site));
    if (mixed.original == 0) return thinned;
    sources = {original, std::move(thinned)};
    sample.weights.set = true;
    Tensor weights = Tensor::allocate(DType::float64, Shape{2});
    weights.as<double>()[0] = mixed.original;
    weights.as<double>()[1] = 1 - mixed.original;
    sample.weights.spec = Spec::tensor(DType::float64, weights.shape);
    sample.weights.values.push_back(std::move(weights));
  } else {
    WEIR_ASSIGN(DatasetRef alone, mapped(inputs[0], make_ref<ClassOf>(f, classes, true), site));
    WEIR_ASSIGN(DatasetRef passes, estimated(alone, target, Estimate::Gives::passes, site));
    ZipParams zip;
    zip.datasets.set = true;
    zip.datasets.indices = {0, 1};
    zip.datasets.structure = Spec::tuple({Spec::dataset(original->spec()), Spec::dataset(passes->spec())});
    WEIR_ASSIGN(DatasetRef rated, compose(std::move(zip), {original, std::move(passes)}, site));
    WEIR_ASSIGN(DatasetRef thinned,
                filtered(rated, make_ref<Passes>(rated->spec(), Shares(), params.seed), site));
    WEIR_ASSIGN(thinned, mapped(thinned, make_ref<First>(thinned->spec()), site));
    WEIR_ASSIGN(DatasetRef weights, estimated(alone, target, Estimate::Gives::weights, site));
    sources = {original, std::move(thinned), std::move(weights)};
    sample.weights.index = 2;
  }
  sample.datasets.set = true;
  sample.datasets.indices = {0, 1};
  sample.seed = params.seed;
  sample.stop_on_empty = true;
  return compose(std::move(sample), std::move(sources), site);
}

struct RejectionResample {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef node, expansion(opening, params));
    return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, std::move(node)));
  }
};

Status check_shares(const ValueParam& param, const char* name, int64_t count) {
  const Spec& spec = param.spec;
  const bool floats = spec.is_tensor() && (spec.dtype == DType::float32 || spec.dtype == DType::float64);
  if (floats && spec.shape.compatible(Shape{count})) {
    if (spec.shape.is_static() && spec.shape.count() == 0)
      return with_parameter(invalid_argument(expected_found("at least one class", "none")), name);
    return param.values.empty() ? Status() : shares_of(param, name).status();
  }
  return with_parameter(
      invalid_argument(expected_found(
          count < 0 ? std::string("a vector of float32 or float64, one for each class")
                    : concat("a vector of ", count, " float32 or float64, as many as target has"),
          spec.to_string())),
      name);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& number = function_of(params.class_of).result();
  if (!number.is_tensor() || !number.shape.compatible(Shape()) ||
      !visit<Integers>(number.dtype, []<class T>() {})) {
    return with_parameter(
        invalid_argument(expected_found("a function that gives an integer", number.to_string())), "class");
  }
  WEIR_TRY(check_shares(params.target, "target", kUnknownDim));
  const Shape& shape = params.target.spec.shape;
  if (params.initial.set)
    WEIR_TRY(check_shares(params.initial, "initial", shape.rank_known() ? shape[0] : kUnknownDim));
  return Spec::tuple({number, inputs[0]->spec()});
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, RejectionResample>({
      .name = "rejection_resample",
      .page =
          {.doc =
               "Resamples the input so that its classes occur about as often as `target` says. Yields pairs (class, element). Elements of classes that occur too often are dropped more often. Some elements are drawn from the unchanged input instead, so an element may come twice. The dataset ends when it draws from one of these two and that has no more elements. Without `initial`, the shares of the input's classes are estimated from all elements so far, 32 at a time. An element whose class cannot be computed, or is none of `target`, is an error in its place.",
           .cost =
               "Reads its input twice at once, without `initial` four times, and calls `class` each time; about 100 ns per element.",
           .tf_names = "class_func=class target_dist=target initial_dist=initial",
           .example =
               "range(12) | rejection_resample(x -> x % 3, [0.5, 0.5, 0.0], initial: [0.34, 0.33, 0.33], seed: 1) | take(4)",
           .output = "(0, 0)\n(1, 1)\n(0, 3)\n(1, 4)",
           .bench =
               "range(100000) | rejection_resample(x -> x % 2, [0.8, 0.2], initial: [0.5, 0.5], seed: 1)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = infinite_or_unknown, .expand = expand},
      .position = {
          .ends_early = true,
          .reads_alike = [](const ParamsBase& base) { return !static_cast<const Params&>(base).initial.set; },
          .keeps_rows = true,
          .kept =
              [](const ParamsBase&) {
                return Kept{kMaxBlockRows, 0};
              }},
  });
  return def;
}

}  // namespace weir::rejection_resample_op
