// random_shuffle(x, seed: none): the same entries with their first dimension in random order, all orders
// equally likely.
#include <algorithm>

#include "expr/kernels/shared/draw.h"
#include "expr/kernels/shared/move.h"

namespace weir {

namespace {

// Fisher and Yates, from the last part of `width` entries to the first.
template <class E>
void shuffle(const Philox& philox, E* parts, int64_t count, int64_t width) {
  PhiloxStream words(philox);
  for (int64_t k = count - 1; k > 0; --k) {
    const auto position = static_cast<uint64_t>(k);
    const uint64_t bits = uint64_t{words.at(2 * position + 1)} << 32 | words.at(2 * position);
    const auto other = static_cast<int64_t>(draw_below(philox, position, bits, position + 1));
    if (width == 1) {
      std::swap(parts[k], parts[other]);
    } else if (other != k) {
      std::swap_ranges(parts + k * width, parts + (k + 1) * width, parts + other * width);
    }
  }
}

template <class E>
void random_shuffle_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  if (x.shape.rank() == 0) return run.share(0, 0, x.shape);
  E* out = run.make<E>(0, x.shape);
  const int64_t count = x.shape.count();
  if (out == nullptr || count == 0) return;
  for (int i = 0; i < run.rows(); ++i) {
    E* to = out + i * count;
    std::copy_n(x.row<E>(i), count, to);
    shuffle(row_philox(run, i), to, x.shape[0], count / x.shape[0]);
  }
}

Status random_shuffle_infer(KernelCall& call) {
  visit_width(call.dtype(0), [&]<class E>() { call.body(random_shuffle_body<E>); });
  call.result(call.dtype(0), call.shape(0));
  return Status();
}

}  // namespace

extern constinit const Kernel random_shuffle_kernel{
    .name = "random_shuffle",
    .params = {{.name = "x"}, kSeedParam},
    .infer = random_shuffle_infer,
    .doc =
        "Shuffles `x` along its first dimension. All orders are equally likely. Any dtype. A scalar stays as it is.",
    .result = "The dtype and shape of `x`.",
    .cost = "One copy of the entries, and half a hash and an exchange per part.",
    .example = "range(2) | map(_ -> random_shuffle([1, 2, 3, 4], seed: 1))",
    .output = "[2, 4, 1, 3]\n[1, 4, 2, 3]",
    .bench = "random_shuffle(x, seed: 1)",
    .draws = true};

}  // namespace weir
