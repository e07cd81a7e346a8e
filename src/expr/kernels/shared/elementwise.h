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

// Entries of all arguments from `in` on, as their bytes; bit i of the mask as above.
using Span = void (*)(uint8_t* out, int64_t count, unsigned mask, const uint8_t* const* in);
// Likewise; up to an entry that fails: returns how many there are before it, and says why it failed.
using CheckedSpan = int64_t (*)(uint8_t* out, int64_t count, unsigned mask, const uint8_t* const* in,
                                const char** wrong);

// The runs of entries in all rows of the first `arguments` arguments, in any broadcast, with their masks:
// visit(at, count, mask, in), where `at` counts the entries of all rows, which have the shape `shape`. Short
// arguments that repeat along the last dimensions, such as a number for each channel, are repeated in memory,
// so that runs are long.
// REQUIRES: shape.count() > 0
class EntryRuns {
 public:
  static constexpr int kMostArguments = 4;

  EntryRuns(const KernelRun& run, int arguments, const Shape& shape);
  EntryRuns(const EntryRuns&) = delete;
  EntryRuns& operator=(const EntryRuns&) = delete;
  template <class Visit>
  void each(Visit visit);

 private:
  static constexpr size_t kRepeatedBytes = 4096;
  struct Argument {
    const Arg* arg;
    int64_t entry_bytes;
    // After how many entries it repeats along the last dimensions; 0 if it doesn't.
    int64_t period;
    // A period has more entries than the argument.
    bool spread = false;
    Strides strides;
    alignas(16) std::array<uint8_t, kRepeatedBytes> repeated;
  };

  void walk_dimensions();
  void spread(Argument& argument, const uint8_t* from) const;
  // Begins with the first run of a row; next() gives those after it.
  void begin(int row);
  bool next();

  const Shape& shape_;
  const size_t count_of_arguments_;
  int rows_;
  // Of a row, of the rest of it, of a run, and of the longest one.
  int64_t count_;
  int64_t left_ = 0;
  int64_t width_ = 0;
  int64_t most_;
  unsigned mask_ = 0;
  // Runs follow the last dimensions, as many as each argument moves along or repeats in; the others are
  // walked.
  bool walks_ = false;
  int walked_ = 0;
  std::array<int64_t, kMaxRank> place_ = {};
  std::array<const uint8_t*, kMostArguments> in_ = {};
  std::array<Argument, kMostArguments> arguments_;
};

// Makes the result of one argument, whose entries have so many bytes.
void make_mapped(KernelRun& run, size_t bytes, void (*loop)(const uint8_t* in, uint8_t* out, int64_t count));
// Makes the result of several. Shapes that do not broadcast fail every row.
void make_entries(KernelRun& run, int arguments, size_t bytes, Span span);
void make_checked_entries(KernelRun& run, int arguments, size_t bytes, CheckedSpan span);

// The loop that was made for the mask, or the one for all.
template <class F, class R, class... As, unsigned... Masks, size_t... I>
void span_of(R* out, int64_t count, unsigned mask, const uint8_t* const* in, Vectorised<Masks...>,
             std::index_sequence<I...> each) {
  const bool done =
      ((mask == Masks
            ? (loop_masked<Masks, F, R, As...>(out, count, reinterpret_cast<const As*>(in[I])...), true)
            : false) ||
       ...);
  if (!done) loop_stepped<F, R, As...>(out, count, mask, each, reinterpret_cast<const As*>(in[I])...);
}
template <class F, class R, class... As>
void span(uint8_t* out, int64_t count, unsigned mask, const uint8_t* const* in) {
  using Masks = typename MasksOf<F, sizeof...(As)>::type;
  span_of<F, R, As...>(reinterpret_cast<R*>(out), count, mask, in, Masks(), std::index_sequence_for<As...>());
}

template <class F, class R, class A>
void map_bytes(const uint8_t* in, uint8_t* out, int64_t count) {
  map_entries<A, R, F>(reinterpret_cast<const A*>(in), reinterpret_cast<R*>(out), count);
}
// One argument broadcasts with nothing.
template <class F, class R, class A>
void body(KernelRun& run, std::index_sequence<0>) {
  make_mapped(run, sizeof(R), map_bytes<F, R, A>);
}

template <class F, class R, class... As, size_t... I>
void body(KernelRun& run, std::index_sequence<I...>) {
  // One scalar, as a fold over a sequence has for each element, costs as little as it can.
  if (run.rows() != 1 || ((run.arg(I).shape.rank() != 0) || ...))
    return make_entries(run, sizeof...(As), sizeof(R), span<F, R, As...>);
  if (R* out = run.make<R>(0, run.arg(0).shape))
    *out = store<R>(F()(load(*run.arg(I).template row<As>(0))...));
}

template <class F, class R, class... As, size_t... I>
int64_t checked_loop(R* out, int64_t count, unsigned mask, const char** wrong, std::index_sequence<I...>,
                     const As*... in) {
  for (int64_t k = 0; k < count; ++k) {
    *wrong = F::check(load(in[(mask >> I & 1) != 0 ? k : 0])...);
    if (*wrong != nullptr) return k;
    out[k] = store<R>(F()(load(in[(mask >> I & 1) != 0 ? k : 0])...));
  }
  return count;
}
template <class F, class R, class... As, size_t... I>
int64_t checked_span_of(R* out, int64_t count, unsigned mask, const uint8_t* const* in, const char** wrong,
                        std::index_sequence<I...> each) {
  return checked_loop<F, R, As...>(out, count, mask, wrong, each, reinterpret_cast<const As*>(in[I])...);
}
template <class F, class R, class... As>
int64_t checked_span(uint8_t* out, int64_t count, unsigned mask, const uint8_t* const* in,
                     const char** wrong) {
  return checked_span_of<F, R, As...>(reinterpret_cast<R*>(out), count, mask, in, wrong,
                                      std::index_sequence_for<As...>());
}

template <class Visit>
void EntryRuns::each(Visit visit) {
  for (int row = 0; row < rows_; ++row) {
    begin(row);
    do {
      visit((row + 1) * count_ - left_, width_, mask_, in_.data());
    } while (next());
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
  elementwise::make_checked_entries(run, sizeof...(As), sizeof(R), elementwise::checked_span<F, R, As...>);
}

}  // namespace weir
