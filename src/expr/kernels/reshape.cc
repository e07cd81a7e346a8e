// reshape(x, shape): the same entries in another shape, of which one dimension may be -1 for "what is left".
// No bytes move unless rows of a block get different shapes.
#include <cstring>

#include "core/checked.h"
#include "core/text.h"
#include "expr/kernels/shared/shape_argument.h"

namespace weir {

namespace {

// The shape that `dims` gives `count` entries (-1: unknown); an `unknown` entry may be anything.
Result<Shape> resolve(std::span<const int64_t> dims, int64_t count, std::optional<int64_t> unknown) {
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return invalid_argument(expected_found(concat("at most ", kMaxRank, " dimensions"), concat(dims.size())));
  }
  Shape out(dims);
  int left = -1;
  bool open = false;
  int64_t product = 1;
  std::optional<int64_t> next;
  for (int d = 0; d < out.rank(); ++d) {
    if (unknown && out[d] == *unknown) {
      open = true;
      out.set_dim(d, kUnknownDim);
    } else if (out[d] == -1) {
      if (left >= 0) return invalid_argument("expected one dimension of -1 at most, found two");
      left = d;
    } else if (out[d] < 0) {
      return invalid_argument(expected_found("dimensions of 0 and more, or -1", concat(out[d])));
    } else if (!(next = checked_multiply(product, out[d]))) {
      return invalid_argument("expected a shape whose number of entries fits int64");
    } else {
      product = *next;
    }
  }
  if (left >= 0 && product == 0) {
    return invalid_argument("a dimension of -1 cannot be computed if another dimension is 0");
  }
  if (count < 0) return out;
  // Unknown dimensions may be anything, but the known ones must divide the entries.
  const bool divides = product > 0 ? count % product == 0 : count == 0;
  const bool fits = left < 0 && !open ? product == count : divides;
  if (!fits) {
    std::string wanted;
    for (int64_t dim : dims) {
      wanted += wanted.empty() ? "" : ", ";
      wanted += unknown && dim == *unknown ? "?" : std::to_string(dim);
    }
    return invalid_argument(concat("cannot reshape ", count, " entries to [", wanted, "]"));
  }
  if (left >= 0 && !open) out.set_dim(left, count / product);
  return out;
}

void reshape_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& dims = run.arg(1);
  const auto target = [&](int row) {
    const Entries entries = entries_of(dims, row);
    return resolve(std::span(entries.data, static_cast<size_t>(entries.count)), x.shape.count(),
                   std::nullopt);
  };
  if (same_in_all_rows(run, dims)) {
    Result<Shape> shape = target(0);
    if (shape.ok()) return run.share(0, 0, *shape);
    for (int i = 0; i < run.rows(); ++i) run.fail(i, shape.status());
    return;
  }
  for (int i = 0; i < run.rows(); ++i) {
    Result<Shape> shape = target(i);
    if (!shape.ok()) {
      run.fail(i, shape.status());
    } else if (uint8_t* out = run.make_row(0, i, *shape); out != nullptr && x.row_bytes() > 0) {
      std::memcpy(out, x.row<uint8_t>(i), x.row_bytes());
    }
  }
}

Status reshape_infer(KernelCall& call) {
  if (call.shape(1).rank_known() && call.shape(1).rank() > 1) {
    return call.error(1, expected_found("a list of integers as the shape",
                                        concat("a tensor of shape ", call.shape(1).to_string())));
  }
  const Shape& from = call.shape(0);
  const std::optional<std::vector<int64_t>> dims = call.integers(1);
  Shape shape = Shape::unknown_rank();
  bool may_fail = true;
  if (dims) {
    Result<Shape> resolved =
        resolve(*dims, known_count(from), call.constant(1) ? std::nullopt : std::optional(kUnknownEntry));
    if (!resolved.ok()) return call.error(1, resolved.status().error().what());
    shape = *resolved;
    may_fail = known_count(from) < 0 || !shape.is_static();
  }
  call.result(call.dtype(0), shape);
  call.body(reshape_body);
  call.set_can_fail(may_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel reshape_kernel{
    .name = "reshape",
    .params = {{.name = "x"},
               {.name = "shape", .type = "int64", .doc = "The new dimensions, one of which may be -1."}},
    .infer = reshape_infer,
    .doc =
        "Changes the shape of `x`; the entries stay in row-major order. One dimension may be -1 and is then computed. A shape with another number of entries is an error.",
    .result = "The dtype of `x` and the given shape.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(reshape([1, 2, 3, 4], [2, -1]))",
    .output = "[[1, 2], [3, 4]]",
    .bench = "reshape(x, [28, 28])",
    .can_fail = true};

}  // namespace weir
