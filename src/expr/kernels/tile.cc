// tile(x, multiples): x repeated along each axis.
#include "core/checked.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

Status wrong_length(int rank, int64_t found) {
  return invalid_argument(
      expected_found(concat("one number of times for each of the ", rank, " axes of x"), concat(found)));
}

// The shape of the result; an unknown dimension or number of times gives an unknown dimension.
Result<Shape> tiled(const Shape& from, const Entries& multiples, int64_t unknown) {
  if (multiples.count != from.rank()) return wrong_length(from.rank(), multiples.count);
  Shape shape = from;
  for (int d = 0; d < from.rank(); ++d) {
    int64_t extent = kUnknownDim;
    if (unknown != 0 && multiples[d] == unknown) {
      shape.set_dim(d, from[d] == 0 ? 0 : kUnknownDim);
      continue;
    }
    if (multiples[d] < 0) return invalid_argument(expected_found("0 times or more", concat(multiples[d])));
    if (from[d] >= 0) extent = checked_multiply(from[d], multiples[d]).value_or(-2);
    if (extent < kUnknownDim) {
      return invalid_argument(
          concat("cannot repeat a dimension of ", from[d], " ", multiples[d], " times: it exceeds 63 bits"));
    }
    shape.set_dim(d, multiples[d] == 0 ? 0 : extent);
  }
  return shape;
}

StridedCopy copy_of(const Shape& from, const Entries& multiples) {
  const RowMajor strides(from);
  StridedCopy copy;
  for (int d = 0; d < from.rank(); ++d) {
    copy.add(multiples[d], 0);
    copy.add(from[d], strides.step[d]);
  }
  return copy;
}

void tile_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& multiples = run.arg(1);
  if (same_in_all_rows(run, multiples)) {
    const Entries times = entries_of(multiples, 0);
    Result<Shape> shape = tiled(x.shape, times, 0);
    if (!shape.ok()) return fail_all(run, "tile", shape.status());
    if (uint8_t* out = run.make(0, *shape)) copy_of(x.shape, times).rows(run, x, out);
    return;
  }
  const size_t size = dtype_size(x.dtype);
  for (int i = 0; i < run.rows(); ++i) {
    const Entries times = entries_of(multiples, i);
    Result<Shape> shape = tiled(x.shape, times, 0);
    if (!shape.ok()) {
      fail_row(run, i, "tile", shape.status());
    } else if (uint8_t* out = run.make_row(0, i, *shape)) {
      copy_of(x.shape, times).copy(x.row<uint8_t>(i), out, size);
    }
  }
}

Status tile_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  const Shape& given = call.shape(1);
  if (given.rank_known() && given.rank() > 1) {
    return call.error(1,
                      expected_found("a list of integers", concat("a tensor of shape ", given.to_string())));
  }
  Shape shape = Shape::unknown_rank();
  if (from.rank_known()) {
    shape = Shape(std::vector<int64_t>(static_cast<size_t>(from.rank()), kUnknownDim));
    const bool vector = given.rank_known() && given.rank() == 1 && given[0] >= 0;
    if (vector && given[0] != from.rank()) {
      return call.error(1, wrong_length(from.rank(), given[0]).error().what());
    }
  }
  const std::optional<std::vector<int64_t>> multiples = call.integers(1);
  bool may_fail = true;
  if (multiples && from.rank_known()) {
    const bool exact = call.constant(1) != nullptr;
    Result<Shape> known =
        tiled(from, {multiples->data(), static_cast<int64_t>(multiples->size())}, exact ? 0 : kUnknownEntry);
    if (!known.ok()) return call.error(1, known.status().error().what());
    shape = *known;
    may_fail = !exact || !from.is_static();
  }
  call.result(call.dtype(0), shape);
  call.body(tile_body);
  call.set_can_fail(may_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel tile_kernel{
    .name = "tile",
    .params = {{.name = "x"},
               {.name = "multiples", .type = "int64", .doc = "How many times along each axis, 0 or more."}},
    .infer = tile_infer,
    .doc = "Repeats `x` a number of times along each axis. A negative number is an error of the element.",
    .result = "The dtype of `x`, each dimension times its multiple.",
    .cost = "One copy.",
    .example = "from_tensors(tile([[1, 2], [3, 4]], [1, 2]))",
    .output = "[[1, 2, 1, 2], [3, 4, 3, 4]]",
    .bench = "tile(x, [4])",
    .can_fail = true};

}  // namespace weir
