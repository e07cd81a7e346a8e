// Bodies that compute entry by entry, with broadcasting: write the operation on one entry of each argument,
// and this header adds the loops.
//
//   struct Add { template <class T> T operator()(T a, T b) const { return a + b; } };
//   call.entry_body(entries_body<Add, float, float, float>);
//
// An operation gets entries in the type that arithmetic is done in (Compute<T>) and returns that of the
// result. For one that may fail see checked_body. Shapes that do not broadcast fail their rows.
//
// Bit i of a mask says that argument i moves from entry to entry. The masks named in Vectorised get a loop of
// their own, for the dtypes that gain from it also with AVX2 (bench: scale_images, exp_floats); all others
// share one with steps known at run time. Two arguments have all of theirs; of more, the operation names
// some: `using Masks = Vectorised<0b111, 0b011>;`.
#pragma once

#include <array>
#include <utility>

#include "core/cpu.h"
#include "expr/kernels/shared/broadcast.h"
#include "expr/types/dispatch.h"
#include "expr/types/kernel.h"

namespace weir {

template <unsigned... Masks>
struct Vectorised {};

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

template <class F, size_t kArguments>
struct MasksOf {
  using type = Vectorised<0b11, 0b01, 0b10>;
};
template <class F, size_t kArguments>
requires requires { typename F::Masks; }
struct MasksOf<F, kArguments> {
  using type = typename F::Masks;
};

// The loop over one run of entries, written once and compiled for each level. Results never overlap
// arguments.
template <unsigned Mask, class F, class R, class... As, size_t... I>
[[gnu::always_inline]] inline void loop(R* __restrict out, int64_t count, std::index_sequence<I...>,
                                        const As* __restrict... in) {
  for (int64_t k = 0; k < count; ++k) out[k] = store<R>(F()(load(in[(Mask >> I & 1) != 0 ? k : 0])...));
}
// Not inlined: vectorising one loop for each use would make compiling slow.
template <unsigned Mask, class F, class R, class... As>
[[gnu::noinline]] void loop_baseline(R* out, int64_t count, const As*... in) {
  loop<Mask, F, R, As...>(out, count, std::index_sequence_for<As...>(), in...);
}
template <unsigned Mask, class F, class R, class... As>
[[gnu::noinline]] WEIR_TARGET_AVX2 void loop_avx2(R* out, int64_t count, const As*... in) {
  loop<Mask, F, R, As...>(out, count, std::index_sequence_for<As...>(), in...);
}
template <unsigned Mask, class F, class R, class... As>
void loop_masked(R* out, int64_t count, const As*... in) {
  if constexpr (has_wide_results<R> && (has_wide_sources<As> && ...)) {
    if (cpu_level() >= CpuLevel::avx2) return loop_avx2<Mask, F, R, As...>(out, count, in...);
  }
  loop_baseline<Mask, F, R, As...>(out, count, in...);
}
template <class F, class R, class... As, size_t... I>
[[gnu::noinline]] void loop_stepped(R* out, int64_t count, unsigned mask, std::index_sequence<I...>,
                                    const As*... in) {
  for (int64_t k = 0; k < count; ++k) out[k] = store<R>(F()(load(in[(mask >> I & 1) != 0 ? k : 0])...));
}

// out[k] = f(in[k]).
template <class A, class R, class F>
void map_entries(const A* in, R* out, int64_t count) {
  loop_masked<1, F, R, A>(out, count, in);
}

// The loop that was made for the mask, or the one for all.
template <class F, class R, class... As, unsigned... Masks>
[[gnu::noinline]] void span(R* out, int64_t count, unsigned mask, Vectorised<Masks...>, const As*... in) {
  const bool done =
      ((mask == Masks ? (loop_masked<Masks, F, R, As...>(out, count, in...), true) : false) || ...);
  if (!done) loop_stepped<F, R, As...>(out, count, mask, std::index_sequence_for<As...>(), in...);
}

// Visits the entries of one row in any broadcast: calls f(at, width, mask, in...) for each run along the last
// dimension, with the index of its first entry in `shape`.
template <class Visit, class... As, size_t... I>
void walk(const Shape& shape, const std::array<Strides, sizeof...(As)>& strides, std::index_sequence<I...>,
          Visit f, const As*... in) {
  const int64_t count = shape.count();
  const int last = shape.rank() - 1;
  const int64_t width = last < 0 ? 1 : shape[last];
  const unsigned mask = last < 0 ? 0 : ((strides[I].step[last] != 0 ? 1u << I : 0u) | ...);
  int64_t at[kMaxRank] = {};
  for (int64_t done = 0; done < count; done += width) {
    int64_t offset[sizeof...(As)] = {};
    for (int d = 0; d < last; ++d) ((offset[I] += at[d] * strides[I].step[d]), ...);
    f(done, width, mask, (in + offset[I])...);
    for (int d = last - 1; d >= 0 && ++at[d] == shape[d]; --d) at[d] = 0;
  }
}

// What the arguments broadcast to. If they don't, fails every row and returns nothing.
template <size_t... I>
std::optional<Shape> common_shape(KernelRun& run, std::index_sequence<I...>) {
  const Shape& first = run.arg(0).shape;
  return ((run.arg(I).shape == first) && ...) ? std::optional<Shape>(first) : broadcast_run(run);
}

// The arguments that move from entry to entry, if all rows are one run: the others are one entry for all of
// them.
template <size_t... I>
std::optional<unsigned> flat_mask(const KernelRun& run, const Shape& shape, std::index_sequence<I...>) {
  const bool flat[] = {(run.arg(I).shape == shape && is_flat(run, run.arg(I)))...};
  const auto same = [&](const Arg& arg) {
    return arg.shape.count() == 1 && (arg.stride == 0 || run.rows() == 1);
  };
  if (!((flat[I] || same(run.arg(I))) && ...)) return std::nullopt;
  return ((flat[I] ? 1u << I : 0u) | ...);
}

template <class F, class R, class... As, size_t... I>
[[gnu::noinline]] void rows(KernelRun& run, std::index_sequence<I...> each) {
  using Masks = typename MasksOf<F, sizeof...(As)>::type;
  const std::optional<Shape> shape = common_shape(run, each);
  if (!shape) return;
  R* out = run.make<R>(0, *shape);
  if (out == nullptr) return;
  const int64_t count = shape->count();
  if (const std::optional<unsigned> mask = flat_mask(run, *shape, each))
    return span<F, R, As...>(out, count * run.rows(), *mask, Masks(), run.arg(I).template row<As>(0)...);
  const bool whole[] = {run.arg(I).shape == *shape...};
  const bool single[] = {run.arg(I).shape.count() == 1 ...};
  if (((whole[I] || single[I]) && ...)) {
    const unsigned mask = ((whole[I] ? 1u << I : 0u) | ...);
    for (int row = 0; row < run.rows(); ++row)
      span<F, R, As...>(out + row * count, count, mask, Masks(), run.arg(I).template row<As>(row)...);
    return;
  }
  const std::array<Strides, sizeof...(As)> strides = {broadcast_strides(run.arg(I).shape, *shape)...};
  for (int row = 0; row < run.rows(); ++row, out += count) {
    const auto visit = [&](int64_t at, int64_t width, unsigned mask, const As*... in) {
      span<F, R, As...>(out + at, width, mask, Masks(), in...);
    };
    walk(*shape, strides, each, visit, run.arg(I).template row<As>(row)...);
  }
}

// One argument broadcasts with nothing.
template <class F, class R, class A>
void body(KernelRun& run, std::index_sequence<0>) {
  const Arg& a = run.arg(0);
  R* out = run.make<R>(0, a.shape);
  if (out == nullptr) return;
  const bool flat = is_flat(run, a);
  const int64_t width = flat ? a.shape.count() * run.rows() : a.shape.count();
  for (int row = 0; row < (flat ? 1 : run.rows()); ++row)
    map_entries<A, R, F>(a.row<A>(row), out + row * width, width);
}

template <class F, class R, class... As, size_t... I>
void body(KernelRun& run, std::index_sequence<I...> each) {
  // One scalar, as a fold over a sequence has for each element, costs as little as it can.
  if (run.rows() != 1 || ((run.arg(I).shape.rank() != 0) || ...)) return rows<F, R, As...>(run, each);
  if (R* out = run.make<R>(0, run.arg(0).shape))
    *out = store<R>(F()(load(*run.arg(I).template row<As>(0))...));
}

// Computes entries up to one that fails, if any: returns how many, and says why it failed.
template <class F, class R, class... As, size_t... I>
[[gnu::noinline]] int64_t checked_span(R* out, int64_t count, unsigned mask, const char*& wrong,
                                       std::index_sequence<I...>, const As*... in) {
  for (int64_t k = 0; k < count; ++k) {
    wrong = F::check(load(in[(mask >> I & 1) != 0 ? k : 0])...);
    if (wrong != nullptr) return k;
    out[k] = store<R>(F()(load(in[(mask >> I & 1) != 0 ? k : 0])...));
  }
  return count;
}

template <class F, class R, class... As, size_t... I>
[[gnu::noinline]] void checked_rows(KernelRun& run, std::index_sequence<I...> each) {
  const std::optional<Shape> shape = common_shape(run, each);
  if (!shape) return;
  R* out = run.make<R>(0, *shape);
  if (out == nullptr) return;
  const int64_t count = shape->count();
  const char* wrong = nullptr;
  if (const std::optional<unsigned> mask = flat_mask(run, *shape, each)) {
    const int64_t all = count * run.rows();
    for (int64_t k = 0; k < all;) {
      k += checked_span<F, R, As...>(out + k, all - k, *mask, wrong, each,
                                     (run.arg(I).template row<As>(0) + ((*mask >> I & 1) != 0 ? k : 0))...);
      if (wrong == nullptr) break;
      // The next row goes on.
      const int64_t row = k / count;
      run.fail(static_cast<int>(row), invalid_argument(wrong));
      k = (row + 1) * count;
    }
    return;
  }
  const std::array<Strides, sizeof...(As)> strides = {broadcast_strides(run.arg(I).shape, *shape)...};
  for (int row = 0; row < run.rows(); ++row, out += count) {
    wrong = nullptr;
    const auto visit = [&](int64_t at, int64_t width, unsigned mask, const As*... in) {
      if (wrong == nullptr) checked_span<F, R, As...>(out + at, width, mask, wrong, each, in...);
    };
    walk(*shape, strides, each, visit, run.arg(I).template row<As>(row)...);
    if (wrong != nullptr) run.fail(row, invalid_argument(wrong));
  }
}

}  // namespace elementwise

// r = f(a, b …), entry by entry; the run's arguments, as many as there are `As`.
template <class F, class R, class... As>
void entries_body(KernelRun& run) {
  elementwise::body<F, R, As...>(run, std::index_sequence_for<As...>());
}

// The same for an operation that fails on some entries: F::check(a, b …) returns null or the message. Rows
// with such an entry fail; the others are unaffected.
template <class F, class R, class... As>
void checked_body(KernelRun& run) {
  elementwise::checked_rows<F, R, As...>(run, std::index_sequence_for<As...>());
}

}  // namespace weir
