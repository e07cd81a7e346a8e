// random_crop(x, size, seed: none): a part of x of the given size, at a place drawn along each dimension.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/draw.h"
#include "expr/kernels/shared/move.h"
#include "expr/kernels/shared/shape_argument.h"

namespace weir {

namespace {

// The size if it fits x; unknown dimensions of either do.
Status check_size(const Shape& x, const Shape& size) {
  if (!x.rank_known() || !size.rank_known()) return Status();
  bool fits = x.rank() == size.rank();
  for (int d = 0; fits && d < x.rank(); ++d) fits = size[d] <= x[d] || x[d] == kUnknownDim;
  if (fits) return Status();
  return invalid_argument(
      expected_found(concat("a size that fits into the shape ", shape_text(x)), shape_text(size)));
}

template <class E>
void crop(const Philox& philox, const E* in, const Shape& x, const Shape& size, E* out) {
  const int64_t count = size.count();
  if (count == 0) return;
  const int rank = x.rank();
  int64_t steps[kMaxRank];
  int64_t step = 1;
  for (int d = rank - 1; d >= 0; --d) {
    steps[d] = step;
    step *= x[d];
    const auto choices = static_cast<uint64_t>(x[d] - size[d] + 1);
    in += steps[d] * static_cast<int64_t>(draw_below(philox, static_cast<uint64_t>(d), choices));
  }
  // Lines run along the last dimension that is cut, and all after it.
  int last = rank - 1;
  while (last > 0 && size[last] == x[last]) --last;
  const int64_t width = rank == 0 ? 1 : size[last] * steps[last];
  int64_t at[kMaxRank] = {};
  for (int64_t done = 0; done < count; done += width) {
    int64_t offset = 0;
    for (int d = 0; d < last; ++d) offset += at[d] * steps[d];
    std::copy_n(in + offset, width, out + done);
    for (int d = last - 1; d >= 0 && ++at[d] == size[d]; --d) at[d] = 0;
  }
}

Result<Shape> size_of(const Arg& x, const Arg& sizes, int row) {
  WEIR_ASSIGN(const Shape size, shape_from(entries_of(sizes, row)));
  WEIR_TRY(check_size(x.shape, size));
  return size;
}

template <class E>
void random_crop_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& sizes = run.arg(1);
  const bool same = same_in_all_rows(run, sizes);
  Result<Shape> size = size_of(x, sizes, 0);
  E* out = same && size.ok() ? run.make<E>(0, *size) : nullptr;
  if (same && size.ok() && out == nullptr) return;
  for (int i = 0; i < run.rows(); ++i) {
    if (!same) size = size_of(x, sizes, i);
    if (!size.ok()) {
      run.fail(i, invalid_argument(concat("random_crop: ", size.status().error().what().sentence())));
      continue;
    }
    E* to = same ? out + i * size->count() : run.make_row<E>(0, i, *size);
    if (to != nullptr) crop(row_philox(run, i), x.row<E>(i), x.shape, *size, to);
  }
}

Status random_crop_infer(KernelCall& call) {
  WEIR_ASSIGN(const Shape size, shape_from(call, 1));
  if (Status fits = check_size(call.shape(0), size); !fits.ok()) return call.error(1, fits.error().what());
  visit_width(call.dtype(0), [&]<class E>() { call.body(random_crop_body<E>); });
  call.result(call.dtype(0), size);
  call.set_can_fail(!size.is_static() || !call.shape(0).is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel random_crop_kernel{
    .name = "random_crop",
    .params = {{.name = "x"},
               {.name = "size", .type = "int64", .doc = "The dimensions of the part, as many as `x` has."},
               kSeedParam},
    .infer = random_crop_infer,
    .doc =
        "Crops `x` to a given size, at a random place. Each element draws its own; all places are equally likely. Any dtype. A size that does not fit into the shape of `x` is an error.",
    .result = "The dtype of `x` and the given shape.",
    .cost = "One copy of the entries, and a hash per dimension.",
    .example = "range(3) | map(_ -> random_crop([1, 2, 3, 4], [2], seed: 1))",
    .output = "[2, 3]\n[1, 2]\n[2, 3]",
    .bench = "random_crop(reshape(x, [28, 28]), [20, 20], seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
