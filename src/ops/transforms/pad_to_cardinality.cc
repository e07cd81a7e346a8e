// pad_to_cardinality(n, mask_key): the elements, dicts, with true under mask_key, and then elements of zeros
// with false up to n. An element beyond n is an error, after which nothing comes. Errors of the input are
// passed on and not counted. Checkpoint: how many elements were given, and the input's position.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/text.h"
#include "dataset/counted.h"
#include "dataset/operator.h"

namespace weir::pad_to_cardinality_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  StringParam mask_key{std::string("valid")};
  void fields(Fields& f) override {
    f("n", n, "The number of elements of the result.", at_least(0));
    f("mask_key", mask_key, "The key of a bool: true for elements of the input.");
  }
};

Status too_many(int64_t n, const std::string& found) {
  return invalid_argument(
      expected_found(concat("at most ", n, " elements"), found, "raise n, or put take(n) before it"));
}

class PadToCardinality final : public Cursor {
 public:
  PadToCardinality(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), components_(input_.node().components()), n_(*params.n) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    while (!ended_) {
      in_.rows = 0;
      // After the last element one more is asked for, which must not be there.
      const PullResult got = input_.pull(ctx, demand.at_most(std::max<int64_t>(n_ - given_, 1)), in_);
      if (got == PullResult::end) {
        ended_ = true;
        break;
      }
      if (got != PullResult::rows) return got;
      const int elements = counted_rows(in_);
      if (elements > n_ - given_) {
        ended_ = true;
        return too_many(n_, "more");
      }
      give_input(demand, out);
      given_ += elements;
      return PullResult::rows;
    }
    if (given_ >= n_) return PullResult::end;
    in_.rows = 0;
    give_padding(demand.at_most(n_ - given_), out);
    given_ += out.rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    const int lost = std::max(in_.rows, 1);
    given_ += std::min<int64_t>(n_ - given_, lost);
    return lost;
  }

  void state(Archive& archive) override {
    archive("given", given_, 0, n_);
    archive("ended", ended_);
    input_.state(archive);
  }

 private:
  void give_input(const Demand& demand, Block& out) {
    // Failed rows may have no columns.
    const bool columns = !demand.drop && in_.value_rows() > 0;
    out.reset(columns ? components_.size() + 1 : 0);
    if (columns) {
      std::memset(out.columns.back().make_scalars<bool>(in_.rows), 1, static_cast<size_t>(in_.rows));
      for (size_t i = 0; i < in_.columns.size(); ++i) std::swap(out.columns[i], in_.columns[i]);
    }
    std::swap(out.errors, in_.errors);
    out.origins.swap(in_.origins);
    out.rows = in_.rows;
  }

  void give_padding(const Demand& demand, Block& out) {
    out.reset(demand.drop ? 0 : components_.size() + 1);
    for (size_t i = 0; i < out.columns.size(); ++i) {
      const bool mask = i == components_.size();
      const DType dtype = mask ? DType::boolean : components_[i].dtype;
      const Shape& shape = mask ? kScalar : components_[i].shape;
      uint8_t* entries = out.columns[i].make_dense(dtype, shape, demand.rows);
      std::memset(entries, 0, out.columns[i].tensor().byte_size());
    }
    out.rows = demand.rows;
  }

  inline static const Shape kScalar{};

  Port input_;
  const std::vector<Component>& components_;
  const int64_t n_;
  int64_t given_ = 0;
  // The input has ended, or has too many elements.
  bool ended_ = false;
  Block in_;
};

// Zeros have to be of known shapes.
Status check_padded(const Spec& spec) {
  for (const Spec& child : spec.children) WEIR_TRY(check_padded(child));
  if (spec.kind == Spec::Kind::tuple || spec.kind == Spec::Kind::dict) return Status();
  if (spec.is_tensor() && spec.shape.is_static()) return Status();
  return invalid_argument(expected_found("tensors of known shapes, to fill up with zeros", spec.to_string(),
                                         "pad_to_cardinality comes before batch"));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  Spec out = inputs[0]->spec();
  if (out.kind != Spec::Kind::dict) {
    return invalid_argument(
        expected_found("elements that are dicts", out.to_string(), "map(x -> {x}) makes a dict"));
  }
  if (!params.mask_key.is_constant())
    return invalid_argument("expected a constant mask_key, found a variable");
  if (out.find(*params.mask_key) >= 0) {
    return invalid_argument(expected_found(concat("elements without the key ", *params.mask_key),
                                           out.to_string(), "give another mask_key"));
  }
  WEIR_TRY(check_padded(out));
  const int64_t count = inputs[0]->cardinality();
  const bool known = params.n.is_constant() && count != kUnknown;
  if (known && (count == kInfinite || count > *params.n))
    return too_many(*params.n, count == kInfinite ? "infinitely many" : concat(count));
  out.keys.push_back(*params.mask_key);
  out.children.push_back(Spec::tensor(DType::boolean));
  return out;
}

int64_t cardinality(const Params& params, std::span<const DatasetRef>) { return *params.n; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, PadToCardinality>({
      .name = "pad_to_cardinality",
      .page =
          {.doc =
               "Pads the dataset to `n` elements with elements of zeros. Elements are dicts, and each gets a component `mask_key`: true for elements of the input, false for those of zeros. An input that is known to have more elements is refused; otherwise an error (invalid_argument) takes the place of the first one too many and ends the sequence.",
           .cost = "One store per element.",
           .tf_names = "cardinality=n",
           .example = "from_tensor_slices({x: [5, 6]}) | pad_to_cardinality(3)",
           .output = "{x: 5, valid: true}\n{x: 6, valid: true}\n{x: 0, valid: false}",
           .bench = "range(500000) | map(x -> {x}) | pad_to_cardinality(1000000)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position = {.ends_early = true, .passes_positions = true},
  });
  return def;
}

}  // namespace weir::pad_to_cardinality_op
