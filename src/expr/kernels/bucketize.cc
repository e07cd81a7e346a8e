// bucketize(x, boundaries): which of the ranges between boundaries each entry lies in.
#include <algorithm>
#include <cmath>

#include "core/cpu.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"
#include "syntax/tree.h"

namespace weir {

namespace {

// C: what entries are compared in. Integers have int64 or uint64 boundaries that separate them just as the
// written ones do.
template <class C>
struct Boundaries : KernelState {
  std::vector<C> at;
};

template <class T>
using Compared = std::conditional_t<std::is_integral_v<T>,
                                    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, Compute<T>>;

// Up to this number, comparing with each boundary is faster than searching.
constexpr size_t kFew = 16;
// Entries whose counts stay in the first-level cache.
constexpr int64_t kTileEntries = 1024;

template <class T, class C>
[[gnu::always_inline]] inline void count_tile(const T* __restrict in, int64_t* __restrict out, int64_t count,
                                              const C* at, size_t boundaries) {
  for (int64_t k = 0; k < count; ++k) out[k] = 0;
  for (size_t b = 0; b < boundaries; ++b) {
    const C boundary = at[b];
    // So written that nan lies in the last range, as in TensorFlow.
    for (int64_t k = 0; k < count; ++k) out[k] += static_cast<C>(load(in[k])) < boundary ? 0 : 1;
  }
}
template <class T, class C>
[[gnu::noinline]] void count_baseline(const T* in, int64_t* out, int64_t count, const C* at,
                                      size_t boundaries) {
  count_tile(in, out, count, at, boundaries);
}
template <class T, class C>
[[gnu::noinline]] WEIR_TARGET_AVX2 void count_avx2(const T* in, int64_t* out, int64_t count, const C* at,
                                                   size_t boundaries) {
  count_tile(in, out, count, at, boundaries);
}

template <class T>
void bucketize_body(KernelRun& run) {
  using C = Compared<T>;
  const std::vector<C>& at = run.state<Boundaries<C>>().at;
  const Arg& x = run.arg(0);
  int64_t* out = run.make<int64_t>(0, x.shape);
  if (out == nullptr) return;
  const int64_t count = x.shape.count();
  for (int i = 0; i < run.rows(); ++i, out += count) {
    const T* in = x.row<T>(i);
    if (at.size() > kFew) {
      for (int64_t k = 0; k < count; ++k) {
        out[k] = std::upper_bound(at.begin(), at.end(), static_cast<C>(load(in[k]))) - at.begin();
      }
      continue;
    }
    for (int64_t k = 0; k < count; k += kTileEntries) {
      const int64_t size = std::min(kTileEntries, count - k);
      if (cpu_level() >= CpuLevel::avx2) {
        count_avx2<T, C>(in + k, out + k, size, at.data(), at.size());
      } else {
        count_baseline<T, C>(in + k, out + k, size, at.data(), at.size());
      }
    }
  }
}

// The least integer that is not below the boundary; nothing if there is none.
template <class C>
std::optional<C> least_at(double boundary) {
  const double up = std::ceil(boundary);
  if (up <= static_cast<double>(std::numeric_limits<C>::min())) return std::numeric_limits<C>::min();
  if (up >= std::ldexp(1.0, std::numeric_limits<C>::digits)) return std::nullopt;
  return static_cast<C>(up);
}

// B: the dtype of the boundaries.
template <class B, class C>
Result<std::shared_ptr<Boundaries<C>>> read_boundaries(KernelCall& call) {
  WEIR_ASSIGN(const Tensor given, call.constant_of(call.node(1), dtype_of<B>));
  if (given.shape.rank() != 1) {
    return call.error(1,
                      expected_found("a list of boundaries", concat("the shape ", shape_text(given.shape))));
  }
  auto out = std::make_shared<Boundaries<C>>();
  const std::span<const B> entries = given.entries<const B>();
  for (size_t b = 0; b < entries.size(); ++b) {
    const auto boundary = load(entries[b]);
    if (boundary != boundary || (b > 0 && boundary < load(entries[b - 1]))) {
      return call.error(1, "expected boundaries in rising order");
    }
    if constexpr (std::is_integral_v<C>) {
      if (const std::optional<C> least = least_at<C>(boundary)) out->at.push_back(*least);
    } else {
      out->at.push_back(boundary);
    }
  }
  return out;
}

Status bucketize_infer(KernelCall& call) {
  Status status;
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() {
    using B = std::conditional_t<std::is_integral_v<T>, double, T>;
    auto boundaries = read_boundaries<B, Compared<T>>(call);
    status = boundaries.status();
    if (boundaries.ok()) call.body(bucketize_body<T>, *boundaries);
  });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  WEIR_TRY(status);
  call.result(DType::int64, call.shape(0));
  return Status();
}

}  // namespace

extern constinit const Kernel bucketize_kernel{
    .name = "bucketize",
    .params =
        {{.name = "x"},
         {.name = "boundaries",
          .kind = ParamKind::syntax,
          .doc =
              "A list in ascending order, known when the dataset is built; of the dtype of `x` if that is a float, else of float64."}},
    .infer = bucketize_infer,
    .doc =
        "The index of the bucket that each entry falls into. That is the number of boundaries that are not greater than the entry. nan falls into the last bucket. For boundaries that are computed, use searchsorted.",
    .result = "int64; the shape of `x`.",
    .cost = "A vectorised comparison per entry and boundary, or a binary search among more than 16.",
    .example = "from_tensors(bucketize([-5.0, 0.0, 10.0, 1000.0], [0.0, 10.0, 100.0]))",
    .output = "[0, 1, 2, 3]",
    .bench = "bucketize(x, [0.0, 1.0, 10.0, 100.0])"};

}  // namespace weir
