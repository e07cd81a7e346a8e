// Bodies that compute entry by entry: write the operation on one entry, and this header adds the loops.
//
//   struct Add { template <class T> T operator()(T a, T b) const { return a + b; } };
//   call.body(binary_body<float, float, float, Add>);
//
// An operation gets entries in the type that arithmetic is done in (Compute<T>) and returns that of the
// result. For one that may fail see checked_binary_body. Shapes that do not broadcast fail their rows. The
// compiler vectorises the flat loops where shapes are equal or one side is a scalar, for the dtypes that gain
// from it also with AVX2 (bench: scale_images, exp_floats).
#pragma once

#include "core/cpu.h"
#include "expr/kernels/shared/broadcast.h"
#include "expr/types/dispatch.h"
#include "expr/types/kernel.h"

namespace weir {

// True if rows lie one after the other (or there is only one).
inline bool is_flat(const KernelRun& run, const Arg& arg) {
  return run.rows() == 1 || arg.stride == static_cast<int64_t>(arg.row_bytes());
}

namespace elementwise {

// Dtypes whose loops run faster in 256 bits, as long as the caches keep up; more bits gain nothing. For
// others it would only add code.
template <class T>
inline constexpr bool has_wide_loops = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                       std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
template <class T>
inline constexpr bool has_wide_results = has_wide_loops<T> || std::is_same_v<T, bool>;
// The dtypes of pixels and labels.
template <class T>
inline constexpr bool has_wide_sources = has_wide_loops<T> || std::is_same_v<T, uint8_t>;

// The loops are written once and compiled for each level.
template <class A, class R, class F>
[[gnu::always_inline]] inline void map_loop(const A* __restrict in, R* __restrict out, int64_t count) {
  for (int64_t k = 0; k < count; ++k) out[k] = store<R>(F()(load(in[k])));
}
template <class A, class R, class F>
[[gnu::noinline]] void map_baseline(const A* in, R* out, int64_t count) {
  map_loop<A, R, F>(in, out, count);
}
template <class A, class R, class F>
[[gnu::noinline]] WEIR_TARGET_AVX2 void map_avx2(const A* in, R* out, int64_t count) {
  map_loop<A, R, F>(in, out, count);
}

// out[k] = f(in[k]). Results never overlap arguments.
template <class A, class R, class F>
void map_entries(const A* in, R* out, int64_t count) {
  if constexpr (has_wide_sources<A> && has_wide_results<R>) {
    if (cpu_level() >= CpuLevel::avx2) return map_avx2<A, R, F>(in, out, count);
  }
  map_baseline<A, R, F>(in, out, count);
}

}  // namespace elementwise

// r = f(a), entry by entry.
template <class A, class R, class F>
void unary_body(KernelRun& run) {
  const Arg& a = run.arg(0);
  R* out = run.make<R>(0, a.shape);
  if (out == nullptr) return;
  const int64_t count = a.shape.count();
  const bool flat = is_flat(run, a);
  const int rows = flat ? 1 : run.rows();
  const int64_t width = flat ? count * run.rows() : count;
  for (int i = 0; i < rows; ++i) elementwise::map_entries<A, R, F>(a.row<A>(i), out + i * width, width);
}

namespace elementwise {

template <int StepA, int StepB, class A, class B, class R, class F>
[[gnu::always_inline]] inline void zip_loop(const A* __restrict a, const B* __restrict b, R* __restrict out,
                                            int64_t count) {
  for (int64_t k = 0; k < count; ++k) out[k] = store<R>(F()(load(a[k * StepA]), load(b[k * StepB])));
}
// Not inlined: vectorising one loop for each use would make compiling slow.
template <int StepA, int StepB, class A, class B, class R, class F>
[[gnu::noinline]] void zip_baseline(const A* a, const B* b, R* out, int64_t count) {
  zip_loop<StepA, StepB, A, B, R, F>(a, b, out, count);
}
template <int StepA, int StepB, class A, class B, class R, class F>
[[gnu::noinline]] WEIR_TARGET_AVX2 void zip_avx2(const A* a, const B* b, R* out, int64_t count) {
  zip_loop<StepA, StepB, A, B, R, F>(a, b, out, count);
}

// A run of entries; each side steps by 0 or 1. Results never overlap arguments.
template <int StepA, int StepB, class A, class B, class R, class F>
void span(const A* a, const B* b, R* out, int64_t count) {
  if constexpr (has_wide_loops<A> && has_wide_loops<B> && has_wide_results<R> && StepA + StepB > 0) {
    if (cpu_level() >= CpuLevel::avx2) return zip_avx2<StepA, StepB, A, B, R, F>(a, b, out, count);
  }
  zip_baseline<StepA, StepB, A, B, R, F>(a, b, out, count);
}

// Computes the entries of one row in any broadcast: loops over the outer dimensions, spans over the last.
template <class A, class B, class R, class F>
void walk(const A* a, const Strides& sa, const B* b, const Strides& sb, R* out, const Shape& shape) {
  const int rank = shape.rank();
  const int64_t count = shape.count();
  if (count == 0) return;
  if (rank == 0) return span<0, 0, A, B, R, F>(a, b, out, 1);
  const int last = rank - 1;
  const int64_t width = shape[last];
  const int64_t step_a = sa.step[last];
  const int64_t step_b = sb.step[last];
  int64_t at[kMaxRank] = {};
  for (int64_t done = 0; done < count; done += width) {
    int64_t offset_a = 0;
    int64_t offset_b = 0;
    for (int d = 0; d < last; ++d) {
      offset_a += at[d] * sa.step[d];
      offset_b += at[d] * sb.step[d];
    }
    const A* from_a = a + offset_a;
    const B* from_b = b + offset_b;
    if (step_a == 1 && step_b == 1) {
      span<1, 1, A, B, R, F>(from_a, from_b, out + done, width);
    } else if (step_a == 1) {
      span<1, 0, A, B, R, F>(from_a, from_b, out + done, width);
    } else if (step_b == 1) {
      span<0, 1, A, B, R, F>(from_a, from_b, out + done, width);
    } else {
      span<0, 0, A, B, R, F>(from_a, from_b, out + done, width);
    }
    for (int d = last - 1; d >= 0 && ++at[d] == shape[d]; --d) at[d] = 0;
  }
}

}  // namespace elementwise

namespace elementwise {

template <class A, class B, class R, class F>
[[gnu::noinline]] void binary_rows(KernelRun& run) {
  const Arg& a = run.arg(0);
  const Arg& b = run.arg(1);
  const bool equal = a.shape == b.shape;
  std::optional<Shape> broad = equal ? a.shape : broadcast_run(run);
  if (!broad) return;
  R* out = run.make<R>(0, *broad);
  if (out == nullptr) return;
  const int64_t count = broad->count();
  const int rows = run.rows();
  const bool whole_a = a.shape == *broad && is_flat(run, a);
  const bool whole_b = b.shape == *broad && is_flat(run, b);
  const bool one_a = a.shape.count() == 1 && (a.stride == 0 || rows == 1);
  const bool one_b = b.shape.count() == 1 && (b.stride == 0 || rows == 1);
  if (whole_a && whole_b) return span<1, 1, A, B, R, F>(a.row<A>(0), b.row<B>(0), out, count * rows);
  if (whole_a && one_b) return span<1, 0, A, B, R, F>(a.row<A>(0), b.row<B>(0), out, count * rows);
  if (one_a && whole_b) return span<0, 1, A, B, R, F>(a.row<A>(0), b.row<B>(0), out, count * rows);
  const Strides sa = broadcast_strides(a.shape, *broad);
  const Strides sb = broadcast_strides(b.shape, *broad);
  for (int i = 0; i < rows; ++i) {
    walk<A, B, R, F>(a.row<A>(i), sa, b.row<B>(i), sb, out + i * count, *broad);
  }
}

}  // namespace elementwise

// r = f(a, b), entry by entry with broadcasting.
template <class A, class B, class R, class F>
void binary_body(KernelRun& run) {
  const Arg& a = run.arg(0);
  const Arg& b = run.arg(1);
  // One scalar, as a fold over a sequence has for each element, costs as little as it can.
  if (run.rows() != 1 || a.shape.rank() != 0 || b.shape.rank() != 0) {
    return elementwise::binary_rows<A, B, R, F>(run);
  }
  if (R* out = run.make<R>(0, a.shape)) *out = store<R>(F()(load(*a.row<A>(0)), load(*b.row<B>(0))));
}

// The same for an operation that fails on some entries: F::check(a, b) returns null or the message. Rows with
// such an entry fail; the others are unaffected.
template <class A, class B, class R, class F>
void checked_binary_body(KernelRun& run) {
  const Arg& a = run.arg(0);
  const Arg& b = run.arg(1);
  std::optional<Shape> broad = a.shape == b.shape ? a.shape : broadcast_run(run);
  if (!broad) return;
  const Strides sa = broadcast_strides(a.shape, *broad);
  const Strides sb = broadcast_strides(b.shape, *broad);
  R* out = run.make<R>(0, *broad);
  if (out == nullptr) return;
  const int64_t count = broad->count();
  const int rank = broad->rank();
  for (int i = 0; i < run.rows(); ++i) {
    const A* from_a = a.row<A>(i);
    const B* from_b = b.row<B>(i);
    R* to = out + i * count;
    int64_t at[kMaxRank] = {};
    for (int64_t k = 0; k < count; ++k) {
      int64_t offset_a = 0;
      int64_t offset_b = 0;
      for (int d = 0; d < rank; ++d) {
        offset_a += at[d] * sa.step[d];
        offset_b += at[d] * sb.step[d];
      }
      const Compute<A> x = load(from_a[offset_a]);
      const Compute<B> y = load(from_b[offset_b]);
      if (const char* message = F::check(x, y)) {
        run.fail(i, invalid_argument(message));
        break;
      }
      to[k] = store<R>(F()(x, y));
      for (int d = rank - 1; d >= 0 && ++at[d] == (*broad)[d]; --d) at[d] = 0;
    }
  }
}

}  // namespace weir
