// one_hot(i, depth, on: 1, off: 0, dtype: float32): a last dimension of `depth` with `on` at position i, else
// `off`.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// Entries are copied as bytes, with one instance per size.
template <size_t kSize>
struct Bytes {
  uint8_t bytes[kSize];
};

Result<Shape> result_shape(const Shape& indices, int64_t depth) {
  if (depth < 0) return invalid_argument(expected_found("a depth of 0 and more", concat(depth)));
  int64_t dims[kMaxRank];
  std::copy(indices.dims().begin(), indices.dims().end(), dims);
  dims[indices.rank()] = depth;
  return Shape(std::span<const int64_t>(dims, static_cast<size_t>(indices.rank() + 1)));
}

// Positions out of range are all off: negative ones are large as unsigned numbers.
template <class I, class W>
void fill(const KernelRun& run, int i, int64_t depth, W* out) {
  const I* indices = run.arg(0).row<I>(i);
  const int64_t count = run.arg(0).shape.count();
  const W on = *run.arg(2).row<W>(i);
  const W off = *run.arg(3).row<W>(i);
  std::fill_n(out, count * depth, off);
  for (int64_t k = 0; k < count; ++k) {
    const auto position = static_cast<uint64_t>(static_cast<int64_t>(indices[k]));
    if (position < static_cast<uint64_t>(depth)) out[k * depth + static_cast<int64_t>(position)] = on;
  }
}

template <class I, class W>
void one_hot_body(KernelRun& run) {
  const Shape& indices = run.arg(0).shape;
  const Arg& depths = run.arg(1);
  if (same_in_all_rows(run, depths)) {
    const int64_t depth = *depths.row<int64_t>(0);
    Result<Shape> shape = result_shape(indices, depth);
    if (shape.ok()) {
      W* out = run.make<W>(0, *shape);
      for (int i = 0; out != nullptr && i < run.rows(); ++i)
        fill<I, W>(run, i, depth, out + i * shape->count());
      return;
    }
  }
  for (int i = 0; i < run.rows(); ++i) {
    const int64_t depth = *depths.row<int64_t>(i);
    Result<Shape> shape = result_shape(indices, depth);
    if (!shape.ok()) {
      run.fail(i, shape.status());
    } else if (W* out = run.make_row<W>(0, i, *shape)) {
      fill<I, W>(run, i, depth, out);
    }
  }
}

template <class I>
KernelBody body_of_size(size_t size) {
  switch (size) {
    case 1:
      return one_hot_body<I, Bytes<1>>;
    case 2:
      return one_hot_body<I, uint16_t>;
    case 4:
      return one_hot_body<I, uint32_t>;
    case 8:
      return one_hot_body<I, uint64_t>;
    default:
      return one_hot_body<I, Bytes<16>>;
  }
}

Status one_hot_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 1, "the depth"));
  WEIR_TRY(check_scalar(call, 2, "the value of on"));
  WEIR_TRY(check_scalar(call, 3, "the value of off"));
  const Shape& indices = call.shape(0);
  if (indices.rank_known() && indices.rank() == kMaxRank) {
    return call.error(0, concat("expected at most ", kMaxRank - 1, " dimensions"));
  }
  if (!indices.rank_known()) return call.error(0, "expected positions of known rank; reshape them first");
  const DType dtype = call.dtype_value(4);
  const bool known =
      visit<Integers>(call.dtype(0), [&]<class I>() { call.body(body_of_size<I>(dtype_size(dtype))); });
  if (!known) return wrong_dtype(call, 0, "integers as positions");
  const Tensor* depth = call.constant(1);
  Shape shape = indices.prepended(kUnknownDim);
  for (int d = 0; d < indices.rank(); ++d) shape.set_dim(d, indices[d]);
  shape.set_dim(indices.rank(), kUnknownDim);
  if (depth != nullptr) {
    Result<Shape> exact = result_shape(indices, *depth->as<int64_t>());
    if (!exact.ok()) return call.error(1, exact.status().error().what());
    shape = *exact;
  }
  call.result(dtype, shape);
  call.set_can_fail(!shape.is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel one_hot_kernel{
    .name = "one_hot",
    .params = {{.name = "i", .doc = "Positions, of any integer dtype."},
               {.name = "depth", .type = "int64", .doc = "The length of the new last dimension."},
               {.name = "on", .type = "dtype", .fallback = "1", .doc = "The entry at the position."},
               {.name = "off", .type = "dtype", .fallback = "0", .doc = "The other entries."},
               {.name = "dtype", .kind = ParamKind::dtype, .fallback = "float32"}},
    .infer = one_hot_infer,
    .doc =
        "Encodes each index as a one-hot vector of `depth` entries. The entry at the index is `on`, the others are `off`; for bools the defaults are true and false. An index outside the vector gives `off` everywhere.",
    .result = "The given dtype; the shape of `i`, then `depth`.",
    .cost = "One store per entry.",
    .example = "range(3) | map(label -> one_hot(label, 3))",
    .output = "[1.0, 0.0, 0.0]\n[0.0, 1.0, 0.0]\n[0.0, 0.0, 1.0]",
    .bench = "one_hot(n[0], 784)",
    .can_fail = true};

}  // namespace weir
