// Reductions over any axes, by a tree that depends only on the row's shape, not on the block, the instruction
// set or the thread. The error of a sum grows with the logarithm of the number of entries.
//
//   struct Sum {
//     using Acc = float;                            // what is computed in
//     static constexpr bool kHasIdentity = true;    // false: nothing reduces to nothing but an error
//     static float identity();
//     static float combine(float a, float b);
//     template <class R> static R finish(float value, int64_t count);
//   };
//   infer_axes(call, 1, 2, &shape) … call.body(reduce_body<float, float, Sum>, axes);
//
// A reduction without identity fails the rows that have no entries. The compiler vectorises the loops along
// the last axis and across it; a run allocates only if the reduced axes are not adjacent.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/types/kernel.h"

namespace weir {

struct ReduceAxes : KernelState {
  // Reduces all axes, or those listed.
  bool all = false;
  bool keepdims = false;
  std::array<bool, kMaxRank> reduced = {};

  bool has(int axis) const { return all || reduced[static_cast<size_t>(axis)]; }
  Shape result(const Shape& shape) const;
};

// x, axis: none, keepdims: false.
inline constexpr std::initializer_list<KernelParam> kReductionParams = {
    {.name = "x"},
    axis_param("none", "An axis or a list of axes; negative counts from the last, none means all."),
    {.name = "keepdims",
     .kind = ParamKind::constant,
     .type = "bool",
     .fallback = "false",
     .doc = "Keep the reduced axes as dimensions of 1."}};
// Reads the parameters `axis` and `keepdims` (-1: there is none); the result's shape goes to `shape`.
Result<std::shared_ptr<const ReduceAxes>> infer_axes(KernelCall& call, int axis, int keepdims, Shape* shape);

// One step of a reduction: `extent` entries, `inner` apart, become one, for each of `outer` times `inner`
// places.
struct ReducePass {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
};
struct ReducePlan {
  std::array<ReducePass, kMaxRank> passes;
  int count = 0;
  // How many entries become one.
  int64_t reduced = 1;
};
// The innermost run of reduced axes goes first. There is at least one pass.
ReducePlan plan_reduction(const Shape& shape, const ReduceAxes& axes);

namespace reduce {

inline constexpr int64_t kLanes = 16;
inline constexpr int64_t kLeaf = 1024;
inline constexpr int64_t kColumnLeaf = 64;
inline constexpr int64_t kTile = 128;

// The largest number of leaves, a power of two, that leaves something for the right half.
inline int64_t left_half(int64_t count, int64_t leaf) {
  return leaf * static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>((count - 1) / leaf)));
}

template <class Op, class In>
typename Op::Acc take(In value) {
  return static_cast<typename Op::Acc>(load(value));
}

template <class Op, class In>
typename Op::Acc fold(const In* in, int64_t count);

// A function of its own, since one that calls itself would be inlined into itself, many times.
template <class Op, class In>
[[gnu::noinline]] typename Op::Acc fold_halves(const In* in, int64_t count) {
  const int64_t half = left_half(count, kLeaf);
  return Op::combine(fold<Op>(in, half), fold<Op>(in + half, count - half));
}

// Reduces adjacent entries.
// REQUIRES: count > 0
template <class Op, class In>
typename Op::Acc fold(const In* in, int64_t count) {
  using Acc = typename Op::Acc;
  if (count > kLeaf) return fold_halves<Op>(in, count);
  if (count < 2 * kLanes) {
    Acc acc = take<Op>(in[0]);
    for (int64_t k = 1; k < count; ++k) acc = Op::combine(acc, take<Op>(in[k]));
    return acc;
  }
  Acc lanes[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) lanes[l] = take<Op>(in[l]);
  int64_t k = kLanes;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Op::combine(lanes[l], take<Op>(in[k + l]));
  }
  for (int64_t l = 0; k + l < count; ++l) lanes[l] = Op::combine(lanes[l], take<Op>(in[k + l]));
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t l = 0; l < width; ++l) lanes[l] = Op::combine(lanes[l], lanes[l + width]);
  }
  return lanes[0];
}

// Reduces `count` rows, `step` entries apart, of `width` columns each.
// REQUIRES: count > 0, width <= kTile
template <class Op, class In>
void fold_columns(const In* in, int64_t count, int64_t step, int64_t width, typename Op::Acc* out) {
  if (count > kColumnLeaf) {
    typename Op::Acc right[kTile];
    const int64_t half = left_half(count, kColumnLeaf);
    fold_columns<Op>(in, half, step, width, out);
    fold_columns<Op>(in + half * step, count - half, step, width, right);
    for (int64_t j = 0; j < width; ++j) out[j] = Op::combine(out[j], right[j]);
    return;
  }
  for (int64_t j = 0; j < width; ++j) out[j] = take<Op>(in[j]);
  for (int64_t k = 1; k < count; ++k) {
    for (int64_t j = 0; j < width; ++j) out[j] = Op::combine(out[j], take<Op>(in[k * step + j]));
  }
}

// Where values go: to the result, or to `kept` for the next pass. Known at run time, since a pass of its own
// for each would be larger and no faster.
template <class Op, class R>
struct ReduceSink {
  R* out;
  typename Op::Acc* kept;
  int64_t reduced;

  void operator()(int64_t k, typename Op::Acc value) const {
    if (kept != nullptr) {
      kept[k] = value;
    } else {
      out[k] = Op::template finish<R>(value, reduced);
    }
  }
};

// Calls sink(place, value) for every place of the result.
template <class Op, class In, class R>
void run_pass(const ReducePass& pass, int64_t outer, const In* in, const ReduceSink<Op, R>& sink) {
  if (pass.extent == 0) {
    for (int64_t k = 0; k < outer * pass.inner; ++k) sink(k, Op::identity());
    return;
  }
  if (pass.inner == 1) {
    for (int64_t o = 0; o < outer; ++o) sink(o, fold<Op>(in + o * pass.extent, pass.extent));
    return;
  }
  for (int64_t o = 0; o < outer; ++o) {
    const In* from = in + o * pass.extent * pass.inner;
    for (int64_t j = 0; j < pass.inner; j += kTile) {
      const int64_t width = std::min(kTile, pass.inner - j);
      typename Op::Acc tile[kTile];
      fold_columns<Op>(from + j, pass.extent, pass.inner, width, tile);
      for (int64_t k = 0; k < width; ++k) sink(o * pass.inner + j + k, tile[k]);
    }
  }
}

// Reduces rows that lie one after the other.
template <class T, class R, class Op>
void run_plan(const ReducePlan& plan, int64_t rows, const T* in, R* out) {
  using Acc = typename Op::Acc;
  // In separate memory, since vector<bool> would pack.
  std::unique_ptr<Acc[]> last;
  for (int i = 0; i < plan.count; ++i) {
    const ReducePass& pass = plan.passes[static_cast<size_t>(i)];
    const int64_t outer = rows * pass.outer;
    std::unique_ptr<Acc[]> next;
    if (i + 1 < plan.count) next = std::make_unique<Acc[]>(static_cast<size_t>(outer * pass.inner));
    const ReduceSink<Op, R> sink = {out, next.get(), plan.reduced};
    if (i == 0) {
      run_pass<Op>(pass, outer, in, sink);
    } else {
      run_pass<Op>(pass, outer, static_cast<const Acc*>(last.get()), sink);
    }
    last = std::move(next);
  }
}

}  // namespace reduce

// T: the argument's entries, R: the result's.
template <class T, class R, class Op>
void reduce_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const auto& axes = run.state<ReduceAxes>();
  const ReducePlan plan = plan_reduction(x.shape, axes);
  const Shape shape = axes.result(x.shape);
  if constexpr (!Op::kHasIdentity) {
    if (plan.reduced == 0 && shape.count() > 0) {
      Status status = invalid_argument(
          "expected at least one entry to choose from, found none; integers have no infinity");
      for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
      return;
    }
  }
  R* out = run.make<R>(0, shape);
  if (out == nullptr) return;
  if (is_flat(run, x)) return reduce::run_plan<T, R, Op>(plan, run.rows(), x.row<T>(0), out);
  const int64_t count = shape.count();
  for (int i = 0; i < run.rows(); ++i) reduce::run_plan<T, R, Op>(plan, 1, x.row<T>(i), out + i * count);
}

// Types a reduction whose result has the dtype of `x`.
template <template <class> class Op>
Status infer_reduction(KernelCall& call) {
  Shape shape;
  WEIR_ASSIGN(std::shared_ptr<const ReduceAxes> axes, infer_axes(call, 1, 2, &shape));
  const bool known =
      visit<Reals>(call.dtype(0), [&]<class T>() { call.body(reduce_body<T, T, Op<Compute<T>>>, axes); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(call.dtype(0), shape);
  return Status();
}

}  // namespace weir
