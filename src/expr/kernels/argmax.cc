// argmax and argmin along one axis: the position of the first extreme entry.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/cpu.h"
#include "core/text.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/vectors.h"

namespace weir {

namespace {

struct Axis : KernelState {
  int axis = 0;
};

// kWorst is in front of nothing.
struct Larger {
  static constexpr bool kGreatest = true;
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
  template <class T>
  static constexpr T kWorst = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::lowest();
};
struct Smaller {
  static constexpr bool kGreatest = false;
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
  template <class T>
  static constexpr T kWorst = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::max();
};

// Whether `next` takes the place of `best`: a nan is chosen only if there is nothing else.
template <class Before, class T>
bool improves(T next, T best) {
  return Before()(next, best) || (best != best && next == next);
}

// Entries are `step` apart.
template <class T, class Before>
int64_t position(const T* in, int64_t count, int64_t step) {
  int64_t best = 0;
  Compute<T> value = load(in[0]);
  for (int64_t k = 1; k < count; ++k) {
    const Compute<T> next = load(in[k * step]);
    if (!improves<Before>(next, value)) continue;
    best = k;
    value = next;
  }
  return best;
}

// Adjacent entries: finds the extreme value, then the first entry that equals it. A nan equals nothing.
template <class T, class Before>
[[gnu::always_inline]] inline int64_t find_extreme(const T* in, int64_t count) {
  using Wide = Vectors<T>;
  constexpr int64_t kVectors = 4;
  constexpr int64_t kStep = kVectors * Wide::kLanes;
  T value = Before::template kWorst<T>;
  int64_t k = 0;
  if (count >= kStep) {
    typename Wide::Vector best[kVectors];
    // Vectors cannot be passed to Before.
    const auto improve = [](auto& best, const auto& next) __attribute__((always_inline)) {
      if constexpr (Before::kGreatest) {
        best = next > best ? next : best;
      } else {
        best = next < best ? next : best;
      }
    };
    for (auto& lanes : best) lanes = typename Wide::Vector{} + value;
    for (; k + kStep <= count; k += kStep) {
      for (int64_t v = 0; v < kVectors; ++v) improve(best[v], *Wide::at(in + k + v * Wide::kLanes));
    }
    for (int64_t v = 1; v < kVectors; ++v) improve(best[0], best[v]);
    for (int64_t l = 0; l < Wide::kLanes; ++l) value = Before()(best[0][l], value) ? best[0][l] : value;
  }
  for (; k < count; ++k) value = Before()(in[k], value) ? in[k] : value;
  const typename Wide::Vector wanted = typename Wide::Vector{} + value;
  for (k = 0; k + kStep <= count; k += kStep) {
    auto equal = *Wide::at(in + k) == wanted;
    for (int64_t v = 1; v < kVectors; ++v) equal |= *Wide::at(in + k + v * Wide::kLanes) == wanted;
    uint64_t words[sizeof(equal) / sizeof(uint64_t)];
    std::memcpy(words, &equal, sizeof(words));
    if ((words[0] | words[1] | words[2] | words[3]) != 0) break;
  }
  const T* found = std::find(in + k, in + count, value);
  // Nothing but nan.
  return found == in + count ? 0 : found - in;
}
template <class T, class Before>
[[gnu::noinline]] int64_t find_baseline(const T* in, int64_t count) {
  return find_extreme<T, Before>(in, count);
}
template <class T, class Before>
[[gnu::noinline]] WEIR_TARGET_AVX2 int64_t find_avx2(const T* in, int64_t count) {
  return find_extreme<T, Before>(in, count);
}

template <class T, class Before>
int64_t first_extreme(const T* in, int64_t count) {
  if constexpr (is_half<T>) {
    return position<T, Before>(in, count, 1);
  } else if constexpr (elementwise::has_wide_sources<T>) {
    if (cpu_level() >= CpuLevel::avx2) return find_avx2<T, Before>(in, count);
  }
  if constexpr (!is_half<T>) return find_baseline<T, Before>(in, count);
}

// `width` columns of a matrix whose rows are `step` apart, row by row.
// REQUIRES: width <= kTile
constexpr int64_t kTile = 64;
template <class T, class Before>
void column_positions(const T* in, int64_t count, int64_t step, int64_t width, int64_t* out) {
  Compute<T> best[kTile];
  int64_t at[kTile] = {};
  for (int64_t j = 0; j < width; ++j) best[j] = load(in[j]);
  for (int64_t k = 1; k < count; ++k) {
    for (int64_t j = 0; j < width; ++j) {
      const Compute<T> next = load(in[k * step + j]);
      const bool better = improves<Before>(next, best[j]);
      best[j] = better ? next : best[j];
      at[j] = better ? k : at[j];
    }
  }
  std::copy_n(at, width, out);
}

template <class T, class Before>
void argmax_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const int axis = run.state<Axis>().axis;
  int64_t dims[kMaxRank];
  int rank = 0;
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < x.shape.rank(); ++d) {
    if (d == axis) continue;
    dims[rank++] = x.shape[d];
    (d < axis ? outer : inner) *= x.shape[d];
  }
  const int64_t extent = x.shape[axis];
  if (extent == 0) {
    Status status = invalid_argument("expected at least one entry along the axis, found none");
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  int64_t* out = run.make<int64_t>(0, Shape(std::span<const int64_t>(dims, static_cast<size_t>(rank))));
  if (out == nullptr) return;
  for (int i = 0; i < run.rows(); ++i) {
    const T* in = x.row<T>(i);
    for (int64_t o = 0; o < outer; ++o) {
      const T* from = in + o * extent * inner;
      if (inner == 1) {
        *out++ = first_extreme<T, Before>(from, extent);
        continue;
      }
      for (int64_t j = 0; j < inner; j += kTile) {
        const int64_t width = std::min(kTile, inner - j);
        column_positions<T, Before>(from + j, extent, inner, width, out);
        out += width;
      }
    }
  }
}

template <class Before>
Status argmax_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  if (!from.rank_known()) return call.error(0, "expected a tensor of known rank; reshape it first");
  WEIR_ASSIGN(const int axis, call.axis(1, from.rank()));
  if (from[axis] == 0) return call.error(0, "expected at least one entry along the axis, found none");
  auto state = std::make_shared<Axis>();
  state->axis = axis;
  const bool known =
      visit<Reals>(call.dtype(0), [&]<class T>() { call.body(argmax_body<T, Before>, state); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  int64_t dims[kMaxRank];
  int rank = 0;
  for (int d = 0; d < from.rank(); ++d) {
    if (d != axis) dims[rank++] = from[d];
  }
  call.result(DType::int64, Shape(std::span<const int64_t>(dims, static_cast<size_t>(rank))));
  call.set_can_fail(from[axis] < 0);
  return Status();
}

constexpr std::initializer_list<KernelParam> kArgmaxParams = {{.name = "x"}, axis_param("0")};

}  // namespace

extern constinit const Kernel argmax_kernel{
    .name = "argmax",
    .params = kArgmaxParams,
    .infer = argmax_infer<Larger>,
    .doc =
        "The index of the greatest entry along an axis. Of equal entries it is the first. nan is ignored. An axis without entries is an error. Integers and floats only.",
    .result = "int64; the shape of `x` without the axis.",
    .cost = "Two vectorised passes over the entries; the second ends at the entry found.",
    .example = "from_tensors(argmax([3, 9, 9]))",
    .output = "1",
    .bench = "argmax(x)",
    .can_fail = true};

extern constinit const Kernel argmin_kernel{
    .name = "argmin",
    .params = kArgmaxParams,
    .infer = argmax_infer<Smaller>,
    .doc =
        "The index of the least entry along an axis. Of equal entries it is the first. nan is ignored. An axis without entries is an error. Integers and floats only.",
    .result = "int64; the shape of `x` without the axis.",
    .cost = "Two vectorised passes over the entries; the second ends at the entry found.",
    .example = "from_tensors(argmin([3, 1, 1]))",
    .output = "1",
    .bench = "argmin(x)",
    .can_fail = true};

}  // namespace weir
