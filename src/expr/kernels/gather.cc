// gather(x, indices, axis: 0) and boolean_mask(x, mask): parts of x chosen by position or by true entries.
#include <algorithm>
#include <cstring>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// Calls f<N>() for parts of 1, 2, 4, 8 or 16 bytes, which are copied without a call, and f<0>() for others.
template <class F>
void visit_bytes(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 4:
      return f.template operator()<4>();
    case 8:
      return f.template operator()<8>();
    case 16:
      return f.template operator()<16>();
    default:
      return f.template operator()<0>();
  }
}

template <size_t N>
void copy_part(uint8_t* to, const uint8_t* from, size_t bytes) {
  std::memcpy(to, from, N > 0 ? N : bytes);
}

// ---- gather

struct Slices {
  int64_t outer;
  int64_t extent;
  // Of one slice at one position.
  size_t bytes;
};

// The shape of `indices` in place of the axis.
std::optional<Shape> gathered(const Shape& x, int axis, const Shape& indices) {
  return spliced(x, axis, axis + 1, indices.dims());
}

// Negative positions are large as unsigned numbers.
template <class I>
bool outside(I position, int64_t extent) {
  return static_cast<uint64_t>(static_cast<int64_t>(position)) >= static_cast<uint64_t>(extent);
}

template <class I>
std::string message(I position, int64_t extent) {
  return concat("position ", position, " is out of range for a dimension of ", extent,
                position < I{0} ? "; positions count from 0" : "");
}

// The first position that is out of range, or null.
template <class I>
const I* first_outside(const I* indices, int64_t count, int64_t extent) {
  // Without a branch per position, since there is hardly ever one.
  bool found = false;
  for (int64_t k = 0; k < count; ++k) found |= outside(indices[k], extent);
  if (!found) return nullptr;
  return std::find_if(indices, indices + count, [&](I position) { return outside(position, extent); });
}

// One row. REQUIRES: positions in range
template <class I>
void gather_row(const Slices& x, const uint8_t* from, const I* indices, int64_t count, uint8_t* to) {
  visit_bytes(x.bytes, [&]<size_t N>() {
    for (int64_t o = 0; o < x.outer; ++o) {
      for (int64_t k = 0; k < count; ++k, to += x.bytes) {
        copy_part<N>(to, from + static_cast<size_t>(indices[k]) * x.bytes, x.bytes);
      }
      from += static_cast<size_t>(x.extent) * x.bytes;
    }
  });
}

template <class I>
void gather_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& indices = run.arg(1);
  Result<int> axis = resolve_axis(run.state<AxisState>().axis, x.shape.rank());
  if (!axis.ok()) return fail_all(run, "gather", axis.status());
  const std::optional<Shape> shape = gathered(x.shape, *axis, indices.shape);
  if (!shape) {
    return fail_all(run, "gather",
                    invalid_argument(concat("expected a result of at most ", kMaxRank, " dimensions")));
  }
  uint8_t* out = run.make(0, *shape);
  if (out == nullptr) return;
  const int64_t inner = extent_of(x.shape, *axis + 1, x.shape.rank());
  const Slices slices{extent_of(x.shape, 0, *axis), x.shape[*axis],
                      static_cast<size_t>(inner) * dtype_size(x.dtype)};
  const int64_t count = indices.shape.count();
  const size_t row_bytes = static_cast<size_t>(shape->count()) * dtype_size(x.dtype);
  for (int i = 0; i < run.rows(); ++i, out += row_bytes) {
    const I* positions = indices.row<I>(i);
    // Positions that all rows share are checked once.
    const bool checked = i > 0 && indices.stride == 0;
    if (const I* bad = checked ? nullptr : first_outside(positions, count, slices.extent)) {
      const Status status = invalid_argument(message(*bad, slices.extent));
      if (indices.stride == 0) return fail_all(run, "gather", status);
      fail_row(run, i, "gather", status);
    } else if (row_bytes > 0) {
      gather_row(slices, x.row<uint8_t>(i), positions, count, out);
    }
  }
}

// Whether constant positions are known to be in range; an error if one is not.
template <class I>
Result<bool> check_constant(const KernelCall& call, int64_t extent) {
  const Tensor* indices = call.constant(1);
  if (indices == nullptr || extent < 0) return false;
  const I* bad = first_outside(indices->as<I>(), indices->count(), extent);
  if (bad != nullptr) return call.error(1, message(*bad, extent));
  return true;
}

Status gather_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  const Shape& indices = call.shape(1);
  auto state = std::make_shared<AxisState>();
  WEIR_ASSIGN(state->axis, read_axis(call, 2, from));
  // The empty list, whose dtype nothing tells.
  const bool nothing =
      call.constant(1) != nullptr && call.constant(1)->count() == 0 && !is_integer(call.dtype(1));
  bool in_range = false;
  Status status;
  const bool known = visit<Integers>(nothing ? DType::int64 : call.dtype(1), [&]<class I>() {
    call.body(gather_body<I>, state);
    if (nothing || !from.rank_known()) return;
    Result<bool> checked = check_constant<I>(call, from[static_cast<int>(state->axis)]);
    if (!checked.ok()) status = checked.status();
    in_range = checked.ok() && *checked;
  });
  if (!known) return wrong_dtype(call, 1, "integers as positions");
  WEIR_TRY(status);
  Shape shape = Shape::unknown_rank();
  if (from.rank_known() && indices.rank_known()) {
    const std::optional<Shape> exact = gathered(from, static_cast<int>(state->axis), indices);
    if (!exact) return call.error(concat("expected a result of at most ", kMaxRank, " dimensions"));
    shape = *exact;
  }
  call.result(call.dtype(0), shape);
  call.set_can_fail(!in_range || !shape.rank_known());
  return Status();
}

// ---- boolean_mask

Status wrong_mask(const Shape& x, const Shape& mask) {
  return invalid_argument(expected_found("a mask of the shape of x or of its first dimensions",
                                         concat(shape_text(mask), " for x of shape ", shape_text(x))));
}

// Both known in rank. Unknown dimensions fit.
bool mask_fits(const Shape& x, const Shape& mask) {
  if (mask.rank() == 0 || mask.rank() > x.rank()) return false;
  for (int d = 0; d < mask.rank(); ++d) {
    if (mask[d] != x[d] && mask[d] >= 0 && x[d] >= 0) return false;
  }
  return true;
}

// One row: the parts where the mask is true, `chosen` of them.
void keep_row(const uint8_t* from, size_t bytes, const bool* mask, int64_t chosen, uint8_t* to) {
  visit_bytes(bytes, [&]<size_t N>() {
    // Ends with the last true entry, so that a part may be written before it is known to be kept.
    for (int64_t left = chosen; left > 0; ++mask, from += bytes) {
      if constexpr (N == 0) {
        if (!*mask) continue;
      }
      copy_part<N>(to, from, bytes);
      to += *mask ? bytes : 0;
      left -= *mask ? 1 : 0;
    }
  });
}

void mask_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& mask = run.arg(1);
  if (!mask_fits(x.shape, mask.shape)) return fail_all(run, "boolean_mask", wrong_mask(x.shape, mask.shape));
  const int64_t inner = extent_of(x.shape, mask.shape.rank(), x.shape.rank());
  const size_t bytes = static_cast<size_t>(inner) * dtype_size(x.dtype);
  const int64_t entries = mask.shape.count();
  int64_t chosen = 0;
  for (int i = 0; i < run.rows(); ++i) {
    const bool* entry = mask.row<bool>(i);
    if (i == 0 || mask.stride != 0) chosen = std::count(entry, entry + entries, true);
    const int64_t kept[] = {chosen};
    uint8_t* out = run.make_row(0, i, *spliced(x.shape, 0, mask.shape.rank(), kept));
    if (out != nullptr && bytes > 0) keep_row(x.row<uint8_t>(i), bytes, entry, chosen, out);
  }
}

Status mask_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  const Shape& mask = call.shape(1);
  Shape shape = Shape::unknown_rank();
  if (mask.rank_known() && mask.rank() == 0) {
    return call.error(1, expected_found("a mask of at least one dimension", "a scalar"));
  }
  if (from.rank_known() && mask.rank_known()) {
    if (!mask_fits(from, mask)) return call.error(1, wrong_mask(from, mask).error().what());
    const Tensor* entries = call.constant(1);
    int64_t kept = kUnknownDim;
    if (entries != nullptr) {
      const std::span<const bool> all = entries->entries<const bool>();
      kept = std::count(all.begin(), all.end(), true);
    }
    shape = *spliced(from, 0, mask.rank(), {&kept, 1});
  }
  call.result(call.dtype(0), shape);
  call.body(mask_body);
  call.set_can_fail(!from.is_static() || !mask.is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel gather_kernel{
    .name = "gather",
    .params = {{.name = "x"},
               {.name = "indices", .doc = "Positions along the axis, of any integer dtype and shape."},
               axis_param("0")},
    .infer = gather_infer,
    .doc =
        "Takes slices of `x` along an axis, at the given indices. An index that is negative or not below the length of the axis is an error of the element.",
    .result = "The dtype of `x`; its shape with that of `indices` in place of the axis.",
    .cost = "One copy.",
    .example = "from_tensors(gather([10, 20, 30], [2, 0, 0]))",
    .output = "[30, 10, 10]",
    .bench = "gather(x, n)",
    .can_fail = true};

extern constinit const Kernel boolean_mask_kernel{
    .name = "boolean_mask",
    .params = {{.name = "x"},
               {.name = "mask", .type = "bool", .doc = "Of the shape of `x` or of its first dimensions."}},
    .infer = mask_infer,
    .doc = "Keeps the parts of `x` where the mask is true. A mask of another shape is an error.",
    .result = "The dtype of `x`; one dimension in place of those of the mask.",
    .cost = "One pass over the mask and one copy of the parts that stay.",
    .example = "from_tensors([1, -2, 3]) | map(v -> boolean_mask(v, v > 0))",
    .output = "[1, 3]",
    .bench = "boolean_mask(x, b)",
    .can_fail = true};

}  // namespace weir
