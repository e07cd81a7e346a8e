// pad(x, paddings, mode: "constant", value: 0): entries added before and after each axis.
#include <algorithm>
#include <cstring>

#include "core/checked.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/move.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

struct Mode : KernelState {
  bool constant = true;
  // Mirrors without the entry at the edge (reflect) or with it (symmetric): 1 or 0.
  int64_t skipped = 0;
};

Status wrong_paddings(int rank, const Shape& found) {
  return invalid_argument(
      expected_found(concat("paddings of shape [", rank, ", 2], a row for each axis of x"),
                     concat("the shape ", shape_text(found))));
}

// Null, or what the paddings of one axis must not be.
Status check_axis(const Mode& mode, int64_t extent, int64_t before, int64_t after) {
  if (before < 0 || after < 0) {
    return invalid_argument(expected_found("paddings of 0 and more", concat(std::min(before, after))));
  }
  const int64_t most = std::max<int64_t>(extent - mode.skipped, 0);
  if (mode.constant || extent < 0 || (before <= most && after <= most)) return Status();
  return invalid_argument(
      expected_found(concat("mirrored paddings of at most ", most, " for a dimension of ", extent),
                     concat(std::max(before, after))));
}

// `pairs` has two entries for each axis. Unknown dimensions stay unknown.
Result<Shape> padded(const Mode& mode, const Shape& from, const int64_t* pairs) {
  Shape shape = from;
  for (int d = 0; d < from.rank(); ++d, pairs += 2) {
    WEIR_TRY(check_axis(mode, from[d], pairs[0], pairs[1]));
    if (from[d] < 0) continue;
    const auto extent = checked_add(checked_add(from[d], pairs[0]), pairs[1]);
    if (!extent) return invalid_argument("expected a padded dimension that fits 63 bits");
    shape.set_dim(d, *extent);
  }
  return shape;
}

// Writes one row of the result from front to back.
template <class E>
class Padder {
 public:
  Padder(const Mode& mode, const Shape& from, const int64_t* pairs) : mode_(mode), pairs_(pairs) {
    const RowMajor in(from);
    int64_t size = 1;
    for (int d = from.rank() - 1; d >= 0; --d) {
      extent_[d] = from[d];
      in_[d] = in.step[d];
      out_[d] = size;
      size = wrap::multiply(size, from[d] + pairs[2 * d] + pairs[2 * d + 1]);
      if (last_ < 0 && pairs[2 * d] + pairs[2 * d + 1] > 0) last_ = d;
    }
    count_ = size;
  }

  void run(const E* from, const E* value, E* to) const {
    if (count_ == 0) return;
    if (last_ < 0) {
      std::memcpy(to, from, static_cast<size_t>(count_) * sizeof(E));
    } else if (mode_.constant) {
      constant(0, from, *value, to);
    } else {
      mirrored(0, from, to);
    }
  }

 private:
  void constant(int d, const E* from, E value, E* to) const {
    const int64_t before = pairs_[2 * d] * out_[d];
    const int64_t inside = extent_[d] * out_[d];
    std::fill_n(to, before, value);
    to += before;
    if (d == last_) {
      if (inside > 0) std::memcpy(to, from, static_cast<size_t>(inside) * sizeof(E));
    } else {
      for (int64_t k = 0; k < extent_[d]; ++k) constant(d + 1, from + k * in_[d], value, to + k * out_[d]);
    }
    std::fill_n(to + inside, pairs_[2 * d + 1] * out_[d], value);
  }

  // Fills the inside, then copies what the paddings mirror.
  void mirrored(int d, const E* from, E* to) const {
    const int64_t before = pairs_[2 * d];
    const int64_t extent = extent_[d];
    const auto bytes = static_cast<size_t>(out_[d]) * sizeof(E);
    E* inside = to + before * out_[d];
    if (d == last_) {
      std::memcpy(inside, from, static_cast<size_t>(extent) * bytes);
    } else {
      for (int64_t k = 0; k < extent; ++k) mirrored(d + 1, from + k * in_[d], inside + k * out_[d]);
    }
    const auto copy = [&](int64_t target, int64_t source) {
      std::memcpy(inside + target * out_[d], inside + source * out_[d], bytes);
    };
    for (int64_t k = 0; k < before; ++k) copy(-1 - k, k + mode_.skipped);
    for (int64_t k = 0; k < pairs_[2 * d + 1]; ++k) copy(extent + k, extent - 1 - k - mode_.skipped);
  }

  const Mode& mode_;
  const int64_t* pairs_;
  int64_t count_ = 1;
  // The last axis that is padded; entries below it move together.
  int last_ = -1;
  int64_t extent_[kMaxRank] = {};
  int64_t in_[kMaxRank] = {};
  int64_t out_[kMaxRank] = {};
};

template <class E>
void pad_body(KernelRun& run) {
  const auto& mode = run.state<Mode>();
  const Arg& x = run.arg(0);
  const Arg& paddings = run.arg(1);
  const int rank = x.shape.rank();
  if (!(paddings.shape == Shape{rank, 2}) && !(rank == 0 && paddings.shape.count() == 0)) {
    return fail_all(run, "pad", wrong_paddings(rank, paddings.shape));
  }
  const E zero = {};
  const auto fill = [&](int first, int rows, int64_t count, E* out) {
    const Padder<E> padder(mode, x.shape, paddings.row<int64_t>(first));
    for (int i = first; i < first + rows; ++i, out += count) {
      padder.run(x.row<E>(i), run.arg_count() > 2 ? run.arg(2).row<E>(i) : &zero, out);
    }
  };
  if (same_in_all_rows(run, paddings)) {
    Result<Shape> shape = padded(mode, x.shape, paddings.row<int64_t>(0));
    if (!shape.ok()) return fail_all(run, "pad", shape.status());
    if (E* out = run.make<E>(0, *shape)) fill(0, run.rows(), shape->count(), out);
    return;
  }
  for (int i = 0; i < run.rows(); ++i) {
    Result<Shape> shape = padded(mode, x.shape, paddings.row<int64_t>(i));
    if (!shape.ok()) {
      fail_row(run, i, "pad", shape.status());
    } else if (E* out = run.make_row<E>(0, i, *shape)) {
      fill(i, 1, shape->count(), out);
    }
  }
}

Result<std::shared_ptr<const Mode>> read_mode(const KernelCall& call) {
  WEIR_ASSIGN(const std::string name, call.text(2));
  auto mode = std::make_shared<Mode>();
  mode->constant = name == "constant";
  mode->skipped = name == "reflect" ? 1 : 0;
  if (mode->constant || name == "reflect" || name == "symmetric") {
    return std::shared_ptr<const Mode>(std::move(mode));
  }
  return call.error(2, expected_found(R"("constant", "reflect" or "symmetric")", quote(name)));
}

Status pad_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  const Shape& given = call.shape(1);
  WEIR_ASSIGN(std::shared_ptr<const Mode> mode, read_mode(call));
  if (call.given(3)) WEIR_TRY(check_scalar(call, 3, "the value"));
  Shape shape = from;
  if (from.rank_known()) {
    const bool empty = from.rank() == 0 && known_count(given) == 0 && given.rank_known();
    if (!empty && !given.compatible(Shape{from.rank(), 2})) {
      return call.error(1, wrong_paddings(from.rank(), given).error().what());
    }
    shape = Shape(std::vector<int64_t>(static_cast<size_t>(from.rank()), kUnknownDim));
  }
  const Tensor* pairs = call.constant(1);
  if (pairs != nullptr && from.rank_known()) {
    Result<Shape> known = padded(*mode, from, pairs->as<int64_t>());
    if (!known.ok()) return call.error(1, known.status().error().what());
    shape = *known;
  }
  call.result(call.dtype(0), shape);
  call.set_can_fail(pairs == nullptr || !from.rank_known() || (!mode->constant && !from.is_static()));
  visit_width(call.dtype(0), [&]<class E>() { call.body(pad_body<E>, std::move(mode)); });
  return Status();
}

}  // namespace

extern constinit const Kernel pad_kernel{
    .name = "pad",
    .params = {{.name = "x", .type = "T"},
               {.name = "paddings",
                .type = "int64",
                .doc = "How many entries before and after each axis: [[before, after], …]."},
               {.name = "mode",
                .kind = ParamKind::constant,
                .type = "string",
                .fallback = "\"constant\"",
                .doc =
                    R"("constant", or "reflect" and "symmetric", which mirror x without and with its edge.)"},
               {.name = "value",
                .type = "T",
                .fallback = "none",
                .doc = "The entries that \"constant\" adds, a scalar; none means 0, false or \"\"."}},
    .infer = pad_infer,
    .doc =
        "Pads `x` before and after each axis. A negative padding is an error of the element, and so is one that mirrors more entries than `x` has.",
    .result = "The dtype of `x`, each dimension longer by its paddings.",
    .cost = "One copy.",
    .example = "from_tensors(pad([1, 2, 3], [[2, 1]]))",
    .output = "[0, 0, 1, 2, 3, 0]",
    .bench = "pad(x, [[2, 2]])",
    .can_fail = true};

}  // namespace weir
