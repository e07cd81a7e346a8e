// Bodies of functions of several arguments that broadcast: write the operation on one entry of each.
//
//   struct Choose { template <class T> T operator()(bool c, T a, T b) const { return c ? a : b; } };
//   call.body(nary_body<Choose, int32_t, Vectorised<0b111, 0b011>, bool, int32_t, int32_t>);
//
// An operation gets entries in the type that arithmetic is done in (Compute<T>) and returns that of the
// result. Bit i of a mask says that argument i moves from entry to entry; the masks named in Vectorised get a
// loop of their own, all others share one with steps known at run time. Shapes that do not broadcast fail
// their rows. Two arguments have a narrower helper, binary_body in elementwise.h.
#pragma once

#include <array>
#include <utility>

#include "expr/kernels/shared/elementwise.h"

namespace weir {

template <unsigned... Masks>
struct Vectorised {};

namespace nary {

// The loop over one run of entries, in which each argument moves by 0 or 1.
template <unsigned Mask, class F, class R, class... As, size_t... I>
[[gnu::always_inline]] inline void loop(R* __restrict out, int64_t count, std::index_sequence<I...>,
                                        const As* __restrict... in) {
  for (int64_t k = 0; k < count; ++k) out[k] = store<R>(F()(load(in[(Mask >> I & 1) != 0 ? k : 0])...));
}
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
  if constexpr (elementwise::has_wide_results<R>) {
    if (cpu_level() >= CpuLevel::avx2) return loop_avx2<Mask, F, R, As...>(out, count, in...);
  }
  loop_baseline<Mask, F, R, As...>(out, count, in...);
}

template <class F, class R, class... As, size_t... I>
void loop_stepped(R* out, int64_t count, unsigned mask, std::index_sequence<I...>, const As*... in) {
  for (int64_t k = 0; k < count; ++k) out[k] = store<R>(F()(load(in[(mask >> I & 1) != 0 ? k : 0])...));
}

// The loop that was made for the mask, or the one for all.
template <class F, class R, class... As, unsigned... Masks>
void span(R* out, int64_t count, unsigned mask, Vectorised<Masks...>, const As*... in) {
  const bool done =
      ((mask == Masks ? (loop_masked<Masks, F, R, As...>(out, count, in...), true) : false) || ...);
  if (!done) loop_stepped<F, R, As...>(out, count, mask, std::index_sequence_for<As...>(), in...);
}

// The arguments of one row against the shape that they broadcast to.
template <class F, class R, class Masks, class... As, size_t... I>
void walk(R* out, const Shape& shape, const std::array<Strides, sizeof...(As)>& strides,
          std::index_sequence<I...> each, const As*... in) {
  const int64_t count = shape.count();
  if (count == 0) return;
  const int last = shape.rank() - 1;
  const int64_t width = last < 0 ? 1 : shape[last];
  const unsigned mask = last < 0 ? 0 : ((strides[I].step[last] != 0 ? 1u << I : 0u) | ...);
  int64_t at[kMaxRank] = {};
  for (int64_t done = 0; done < count; done += width) {
    int64_t offset[sizeof...(As)] = {};
    for (int d = 0; d < last; ++d) ((offset[I] += at[d] * strides[I].step[d]), ...);
    span<F, R, As...>(out + done, width, mask, Masks(), (in + offset[I])...);
    for (int d = last - 1; d >= 0 && ++at[d] == shape[d]; --d) at[d] = 0;
  }
  static_cast<void>(each);
}

template <class F, class R, class Masks, class... As, size_t... I>
void rows(KernelRun& run, const Shape& shape, R* out, std::index_sequence<I...> each) {
  const int64_t count = shape.count();
  const auto whole = [&](const Arg& arg) { return arg.shape == shape && is_flat(run, arg); };
  const auto single = [&](const Arg& arg) {
    return arg.shape.count() == 1 && (arg.stride == 0 || run.rows() == 1);
  };
  if (((whole(run.arg(I)) || single(run.arg(I))) && ...)) {
    const unsigned mask = ((whole(run.arg(I)) ? 1u << I : 0u) | ...);
    return span<F, R, As...>(out, count * run.rows(), mask, Masks(), run.arg(I).template row<As>(0)...);
  }
  const std::array<Strides, sizeof...(As)> strides = {broadcast_strides(run.arg(I).shape, shape)...};
  for (int row = 0; row < run.rows(); ++row) {
    walk<F, R, Masks, As...>(out + row * count, shape, strides, each, run.arg(I).template row<As>(row)...);
  }
}

}  // namespace nary

// r = f(a, b, c …), entry by entry with broadcasting; the run's first arguments, as many as there are `As`.
template <class F, class R, class Masks, class... As>
void nary_body(KernelRun& run) {
  const std::optional<Shape> shape = broadcast_run(run);
  if (!shape) return;
  R* out = run.make<R>(0, *shape);
  if (out != nullptr) nary::rows<F, R, Masks, As...>(run, *shape, out, std::index_sequence_for<As...>());
}

}  // namespace weir
