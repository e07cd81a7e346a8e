// bitcast(x, dtype): the same bytes read as another dtype. A narrower one adds a last dimension, a wider one
// consumes a last dimension of matching extent. No bytes move, except to a wider dtype, for which x may not
// be aligned.
#include <cstring>

#include "core/text.h"
#include "expr/kernels/shared/check.h"

namespace weir {

namespace {

struct Sizes : KernelState {
  size_t from = 1;
  size_t to = 1;
};

// Returns nothing if the last dimension does not match the wider dtype; an unknown one passes.
std::optional<Shape> cast_shape(const Shape& shape, const Sizes& sizes) {
  if (sizes.from == sizes.to) return shape;
  int64_t dims[kMaxRank];
  for (int d = 0; d < shape.rank(); ++d) dims[d] = shape[d];
  auto rank = static_cast<size_t>(shape.rank());
  if (sizes.from > sizes.to) {
    if (rank == static_cast<size_t>(kMaxRank)) return std::nullopt;
    dims[rank++] = static_cast<int64_t>(sizes.from / sizes.to);
  } else {
    if (rank == 0) return std::nullopt;
    const int64_t last = dims[--rank];
    if (last >= 0 && last != static_cast<int64_t>(sizes.to / sizes.from)) return std::nullopt;
  }
  return Shape(std::span<const int64_t>(dims, rank));
}

void bitcast_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const auto& sizes = run.state<Sizes>();
  std::optional<Shape> shape = cast_shape(x.shape, sizes);
  if (!shape) {
    Status status = invalid_argument(expected_found(concat("a last dimension of ", sizes.to / sizes.from),
                                                    concat("the shape ", x.shape.to_string())));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  if (sizes.from >= sizes.to) return run.share(0, 0, *shape);
  uint8_t* out = run.make(0, *shape);
  if (out == nullptr || x.row_bytes() == 0) return;
  for (int i = 0; i < run.rows(); ++i) {
    std::memcpy(out + static_cast<size_t>(i) * x.row_bytes(), x.row<uint8_t>(i), x.row_bytes());
  }
}

bool castable(DType dtype) { return is_number(dtype); }

Status bitcast_infer(KernelCall& call) {
  const DType to = call.dtype_value(1);
  if (!castable(call.dtype(0))) return wrong_dtype(call, 0, "a dtype of numbers");
  if (!castable(to)) return call.error(1, expected_found("a dtype of numbers", dtype_name(to)));
  auto state = std::make_shared<Sizes>();
  state->from = dtype_size(call.dtype(0));
  state->to = dtype_size(to);
  const Shape& from = call.shape(0);
  Shape shape = from;
  if (from.rank_known()) {
    std::optional<Shape> cast = cast_shape(from, *state);
    if (!cast) {
      return call.error(0, concat("cannot read ", dtype_name(call.dtype(0)), from.to_string(), " as ",
                                  dtype_name(to), ": expected a last dimension of ", state->to / state->from,
                                  ", found the shape ", from.to_string()));
    }
    shape = *cast;
  }
  call.result(to, shape);
  call.set_can_fail(!from.is_static() && state->from != state->to);
  call.body(bitcast_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel bitcast_kernel{
    .name = "bitcast",
    .params = {{.name = "x"}, {.name = "dtype", .kind = ParamKind::dtype}},
    .infer = bitcast_infer,
    .doc =
        "Reinterprets the bytes of `x` as another dtype of numbers. A narrower dtype adds a last dimension, a wider one uses up the last dimension, whose size must be the ratio of the two widths.",
    .result = "The given dtype.",
    .cost = "Moves no bytes, except to a wider dtype.",
    .example = "from_tensors(bitcast(1.0, int32))",
    .output = "1065353216",
    .bench = "bitcast(x, int32)",
    .can_fail = true};

}  // namespace weir
