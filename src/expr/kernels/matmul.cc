// matmul(a, b): products of matrices, or of batches of them. An entry is summed in the order of its terms,
// whatever the block, the thread or the instruction set.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/cpu.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/broadcast.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/vectors.h"

namespace weir {

namespace {

// What products are summed in: unsigned integers wrap as signed ones do, and the halves round once.
template <class T>
struct SumOf {
  using type = Compute<T>;
};
template <class T>
requires std::is_integral_v<T>
struct SumOf<T> {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <class T>
using SumType = typename SumOf<T>::type;

template <class T>
SumType<T> term(T entry) {
  return static_cast<SumType<T>>(load(entry));
}
template <class T>
T rounded(SumType<T> sum) {
  if constexpr (is_half<T>) {
    return store<T>(sum);
  } else {
    return static_cast<T>(sum);
  }
}

// out[m, n] = a[m, k] b[k, n], all row-major.
struct Extents {
  int64_t m;
  int64_t k;
  int64_t n;
};

// A tile of the result, kept in registers: kRows by kLanes * kVectors entries.
constexpr int kRows = 4;
constexpr int kVectors = 2;
template <class S>
inline constexpr int64_t kColumns = kVectors* Vectors<S>::kLanes;
// Fewer rows of `a` than this don't repay packing `b`.
constexpr int64_t kPackedRows = 8;

// `b` has kColumns entries every `step`; `width` columns of the result are written.
template <int Rows, class T, class S = SumType<T>>
[[gnu::always_inline]] inline void multiply_tile(const T* a, const S* b, int64_t step, const Extents& size,
                                                 int64_t width, T* out) {
  using Wide = Vectors<S>;
  typename Wide::Vector sums[Rows][kVectors] = {};
  for (int64_t k = 0; k < size.k; ++k, b += step) {
    for (int r = 0; r < Rows; ++r) {
      const S factor = term(a[r * size.k + k]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] += *Wide::at(b + v * Wide::kLanes) * factor;
    }
  }
  if constexpr (std::is_same_v<T, S>) {
    if (width == kColumns<S>) {
      for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < kVectors; ++v) *Wide::at(out + r * size.n + v * Wide::kLanes) = sums[r][v];
      }
      return;
    }
  }
  for (int r = 0; r < Rows; ++r) {
    S row[kColumns<S>];
    for (int v = 0; v < kVectors; ++v) *Wide::at(row + v * Wide::kLanes) = sums[r][v];
    for (int64_t j = 0; j < width; ++j) out[r * size.n + j] = rounded<T>(row[j]);
  }
}

// Multiplies panel by panel of kColumns columns, which `panel` has room for.
template <class T, class S = SumType<T>>
[[gnu::always_inline]] inline void multiply_panels(const T* a, const T* b, const Extents& size, S* panel,
                                                   T* out) {
  constexpr int64_t kWide = kColumns<S>;
  for (int64_t j = 0; j < size.n; j += kWide) {
    const int64_t width = std::min(kWide, size.n - j);
    const S* columns = panel;
    int64_t step = kWide;
    bool packed = true;
    if constexpr (std::is_same_v<T, S>) packed = size.m >= kPackedRows || width < kWide;
    if (packed) {
      for (int64_t k = 0; k < size.k; ++k) {
        S* to = panel + k * kWide;
        for (int64_t c = 0; c < width; ++c) to[c] = term(b[k * size.n + j + c]);
        for (int64_t c = width; c < kWide; ++c) to[c] = S{};
      }
    } else if constexpr (std::is_same_v<T, S>) {
      columns = b + j;
      step = size.n;
    }
    int64_t i = 0;
    for (; i + kRows <= size.m; i += kRows) {
      multiply_tile<kRows>(a + i * size.k, columns, step, size, width, out + i * size.n + j);
    }
    for (; i < size.m; ++i)
      multiply_tile<1>(a + i * size.k, columns, step, size, width, out + i * size.n + j);
  }
}

template <class T>
[[gnu::noinline]] void multiply_baseline(const T* a, const T* b, const Extents& size, SumType<T>* panel,
                                         T* out) {
  multiply_panels<T>(a, b, size, panel, out);
}
template <class T>
[[gnu::noinline]] WEIR_TARGET_AVX2 void multiply_avx2(const T* a, const T* b, const Extents& size,
                                                      SumType<T>* panel, T* out) {
  multiply_panels<T>(a, b, size, panel, out);
}

// Complex numbers: row by row. Products are not corrected for infinities, which would make them much slower.
template <class R>
void multiply_complex(const std::complex<R>* a, const std::complex<R>* b, const Extents& size,
                      std::complex<R>* out) {
  for (int64_t i = 0; i < size.m; ++i, out += size.n) {
    std::fill_n(out, size.n, std::complex<R>());
    for (int64_t k = 0; k < size.k; ++k) {
      const R real = a[i * size.k + k].real();
      const R imag = a[i * size.k + k].imag();
      const std::complex<R>* row = b + k * size.n;
      for (int64_t j = 0; j < size.n; ++j) {
        out[j] += std::complex<R>(real * row[j].real() - imag * row[j].imag(),
                                  real * row[j].imag() + imag * row[j].real());
      }
    }
  }
}

template <class T>
class Multiplier {
 public:
  void run(const T* a, const T* b, const Extents& size, T* out) {
    if constexpr (is_complex(dtype_of<T>)) {
      multiply_complex(a, b, size, out);
    } else {
      panel_.resize(static_cast<size_t>(size.k * kColumns<SumType<T>>));
      if (cpu_level() >= CpuLevel::avx2) {
        multiply_avx2<T>(a, b, size, panel_.data(), out);
      } else {
        multiply_baseline<T>(a, b, size, panel_.data(), out);
      }
    }
  }

 private:
  std::vector<SumType<T>> panel_;
};

Shape batch_of(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
}

// The shape of the product as far as it is known, or an error.
// REQUIRES: known ranks
Result<Shape> product_shape(const Shape& a, const Shape& b) {
  const auto refuse = [&](std::string_view wanted) {
    return invalid_argument(
        expected_found(concat(wanted), concat("the shapes ", shape_text(a), " and ", shape_text(b))));
  };
  if (a.rank() < 2 || b.rank() < 2) return refuse("matrices, of two dimensions or more");
  const int64_t columns = a[a.rank() - 1];
  const int64_t rows = b[b.rank() - 2];
  if (columns >= 0 && rows >= 0 && columns != rows) {
    return refuse("as many columns in the first matrix as rows in the second");
  }
  const std::optional<Shape> batch = broadcast(batch_of(a), batch_of(b));
  if (!batch) return refuse("batches of matrices that broadcast");
  const int64_t matrix[] = {a[a.rank() - 2], b[b.rank() - 1]};
  return *spliced(*batch, batch->rank(), batch->rank(), matrix);
}

template <class T>
void matmul_body(KernelRun& run) {
  const Arg& a = run.arg(0);
  const Arg& b = run.arg(1);
  const Result<Shape> shape = product_shape(a.shape, b.shape);
  if (!shape.ok()) return fail_all(run, "matmul", shape.status());
  T* out = run.make<T>(0, *shape);
  const int64_t count = shape->count();
  if (out == nullptr || count == 0) return;
  const Shape batch = batch_of(*shape);
  Extents size{(*shape)[shape->rank() - 2], a.shape[a.shape.rank() - 1], (*shape)[shape->rank() - 1]};
  const int64_t products = batch.count();
  Multiplier<T> multiplier;
  if (b.shape.count() == size.k * size.n) {
    // One matrix on the right: all rows on the left make one matrix.
    size.m *= products;
    if (b.stride == 0 && is_flat(run, a)) {
      size.m *= run.rows();
      return multiplier.run(a.row<T>(0), b.row<T>(0), size, out);
    }
    for (int i = 0; i < run.rows(); ++i) multiplier.run(a.row<T>(i), b.row<T>(i), size, out + i * count);
    return;
  }
  const Strides steps_a = broadcast_strides(batch_of(a.shape), batch);
  const Strides steps_b = broadcast_strides(batch_of(b.shape), batch);
  for (int i = 0; i < run.rows(); ++i) {
    int64_t at[kMaxRank] = {};
    for (int64_t p = 0; p < products; ++p, out += size.m * size.n) {
      int64_t matrix_a = 0;
      int64_t matrix_b = 0;
      for (int d = 0; d < batch.rank(); ++d) {
        matrix_a += at[d] * steps_a.step[d];
        matrix_b += at[d] * steps_b.step[d];
      }
      multiplier.run(a.row<T>(i) + matrix_a * size.m * size.k, b.row<T>(i) + matrix_b * size.k * size.n, size,
                     out);
      for (int d = batch.rank() - 1; d >= 0 && ++at[d] == batch[d]; --d) at[d] = 0;
    }
  }
}

Status matmul_infer(KernelCall& call) {
  const Shape& a = call.shape(0);
  const Shape& b = call.shape(1);
  const bool known = visit<Numbers>(call.dtype(0), [&]<class T>() { call.body(matmul_body<T>); });
  if (!known) return wrong_dtype(call, 0, "a dtype of numbers");
  Shape shape = Shape::unknown_rank();
  if (a.rank_known() && b.rank_known()) {
    Result<Shape> product = product_shape(a, b);
    if (!product.ok()) return call.error(1, product.status().error().what());
    shape = *product;
  }
  call.result(call.dtype(0), shape);
  call.set_can_fail(!a.is_static() || !b.is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel matmul_kernel{
    .name = "matmul",
    .params = {{.name = "a", .type = "T", .doc = "A matrix, or more dimensions: a batch of matrices."},
               {.name = "b", .type = "T", .doc = "Likewise."}},
    .infer = matmul_infer,
    .doc =
        "The product of two matrices. Dimensions before the last two are a batch and broadcast. Integers wrap; float16 and bfloat16 are summed as float32. Matrices that do not fit are an error. Integers, floats and complex numbers only.",
    .result = "The dtype of `a` and `b`; the batch, then the rows of `a` and the columns of `b`.",
    .cost = "Rows times columns times inner dimension, vectorised for all but complex numbers.",
    .example = "from_tensors(matmul([[1, 2], [3, 4]], [[5, 6], [7, 8]]))",
    .output = "[[19, 22], [43, 50]]",
    .bench = "matmul(reshape(x, [28, 28]), reshape(x, [28, 28]))",
    .can_fail = true};

}  // namespace weir
