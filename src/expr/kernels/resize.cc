// resize(x, [h, w], method: "bilinear", antialias: false): images in another size, with half-pixel centres.
#include <algorithm>
#include <vector>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/image.h"
#include "expr/kernels/shared/move.h"
#include "expr/kernels/shared/resample.h"
#include "expr/kernels/shared/shape_argument.h"

namespace weir {

namespace {

constexpr const char* kResize = "resize";
constexpr const char* kSize = "a size [h, w] of 1 and more";

struct Resizing : KernelState {
  ResizeMethod method = ResizeMethod::bilinear;
  bool antialias = false;
  RowReader reader;
};

struct ToFloat {
  template <class T>
  float operator()(T value) const {
    return static_cast<float>(value);
  }
};

template <class T>
[[gnu::always_inline]] inline void add_loop(const T* __restrict row, float weight, float* __restrict sum,
                                            int64_t count) {
  for (int64_t i = 0; i < count; ++i) sum[i] += static_cast<float>(load(row[i])) * weight;
}
template <class T>
[[gnu::noinline]] void add_baseline(const T* row, float weight, float* sum, int64_t count) {
  add_loop(row, weight, sum, count);
}
template <class T>
[[gnu::noinline]] WEIR_TARGET_AVX2 void add_avx2(const T* row, float weight, float* sum, int64_t count) {
  add_loop(row, weight, sum, count);
}

template <class T>
RowReader reader_of() {
  return {.size = sizeof(T),
          .bytes = std::is_same_v<T, uint8_t>,
          .load =
              [](const uint8_t* row, float* out, int64_t count) {
                elementwise::map_entries<T, float, ToFloat>(reinterpret_cast<const T*>(row), out, count);
              },
          .add =
              [](const uint8_t* row, float weight, float* sum, int64_t count) {
                const T* entries = reinterpret_cast<const T*>(row);
                if constexpr (elementwise::has_wide_sources<T>) {
                  if (cpu_level() >= CpuLevel::avx2) return add_avx2(entries, weight, sum, count);
                }
                add_baseline(entries, weight, sum, count);
              }};
}

// Resizes rows of one size to another.
class Resampled {
 public:
  using Out = float;
  Resampled(const Resizing& plan, const ImageView& from, int64_t height, int64_t width)
      : resampler_(make_resampler(plan.method, plan.antialias, from, height, width, plan.reader)) {}
  void operator()(const uint8_t* image, float* out) { resampler_->resample(image, out); }

 private:
  std::unique_ptr<Resampler> resampler_;
};

template <class E>
class Nearest {
 public:
  using Out = E;
  Nearest(const Resizing&, const ImageView& from, int64_t height, int64_t width)
      : from_(from), rows_(static_cast<size_t>(height)), columns_(static_cast<size_t>(width)) {
    nearest_sources(from.height, height, rows_.data());
    nearest_sources(from.width, width, columns_.data());
  }
  void operator()(const uint8_t* image, E* out) const {
    const E* pixels = reinterpret_cast<const E*>(image);
    for (const int64_t y : rows_) {
      const E* row = pixels + y * from_.width * from_.channels;
      for (const int64_t x : columns_) out = std::copy_n(row + x * from_.channels, from_.channels, out);
    }
  }

 private:
  ImageView from_;
  std::vector<int64_t> rows_;
  std::vector<int64_t> columns_;
};

Status check_sizes(const ImageView& from, const Entries& size) {
  if (size.count != 2 || size[0] <= 0 || size[1] <= 0) {
    std::string found;
    for (int64_t i = 0; i < std::min<int64_t>(size.count, 4); ++i)
      found += concat(i > 0 ? ", " : "", size[i]);
    return invalid_argument(expected_found(kSize, concat("[", found, size.count > 4 ? ", …]" : "]")));
  }
  if (from.height > 0 && from.width > 0 && from.channels > 0) return Status();
  return invalid_argument(expected_found(
      "an image with pixels", concat("[", from.height, ", ", from.width, ", ", from.channels, "]")));
}

template <class F>
void resize_rows(KernelRun& run, const ImageView& from, const Entries& size, int first, int rows,
                 typename F::Out* out) {
  F resize(run.state<Resizing>(), from, size[0], size[1]);
  const Arg& x = run.arg(0);
  const size_t image_bytes = x.row_bytes() / static_cast<size_t>(std::max<int64_t>(1, from.images));
  const int64_t count = size[0] * size[1] * from.channels;
  for (int i = first; i < first + rows; ++i) {
    for (int64_t k = 0; k < from.images; ++k, out += count) {
      resize(x.row<uint8_t>(i) + static_cast<size_t>(k) * image_bytes, out);
    }
  }
}

template <class F>
void resize_body(KernelRun& run) {
  const Result<ImageView> from = image_view(run.arg(0).shape);
  if (!from.ok()) return fail_all(run, kResize, from.status());
  const Arg& sizes = run.arg(1);
  if (same_in_all_rows(run, sizes)) {
    const Entries size = entries_of(sizes, 0);
    const Status status = check_sizes(*from, size);
    if (!status.ok()) return fail_all(run, kResize, status);
    auto* out = run.make<typename F::Out>(0, from->resized(size[0], size[1]));
    if (out != nullptr) resize_rows<F>(run, *from, size, 0, run.rows(), out);
    return;
  }
  for (int i = 0; i < run.rows(); ++i) {
    const Entries size = entries_of(sizes, i);
    if (const Status status = check_sizes(*from, size); !status.ok()) {
      fail_row(run, i, kResize, status);
    } else if (auto* out = run.make_row<typename F::Out>(0, i, from->resized(size[0], size[1]))) {
      resize_rows<F>(run, *from, size, i, 1, out);
    }
  }
}

Result<ResizeMethod> read_method(const KernelCall& call) {
  WEIR_ASSIGN(const std::string name, call.text(2));
  if (name == "bilinear") return ResizeMethod::bilinear;
  if (name == "nearest") return ResizeMethod::nearest;
  if (name == "area") return ResizeMethod::area;
  if (name == "bicubic") return ResizeMethod::bicubic;
  return call.error(2, expected_found("\"bilinear\", \"nearest\", \"area\" or \"bicubic\"", quote(name)));
}

// The height and width of the result, where they are known.
Result<Shape> result_shape(const KernelCall& call) {
  if (!call.shape(1).compatible(Shape{2})) {
    return call.error(
        1, expected_found("a size [h, w]", concat("a tensor of shape ", call.shape(1).to_string())));
  }
  int64_t sides[2] = {kUnknownDim, kUnknownDim};
  if (const auto size = call.integers(1); size && size->size() == 2) {
    for (size_t i = 0; i < 2; ++i) {
      if ((*size)[i] == kUnknownEntry) continue;
      if ((*size)[i] <= 0) return call.error(1, expected_found(kSize, concat((*size)[i])));
      sides[i] = (*size)[i];
    }
  }
  return with_image_size(call.shape(0), sides[0], sides[1]);
}

Status resize_infer(KernelCall& call) {
  WEIR_TRY(check_image(call));
  auto plan = std::make_shared<Resizing>();
  WEIR_ASSIGN(plan->method, read_method(call));
  WEIR_ASSIGN(plan->antialias, call.flag(3));
  WEIR_ASSIGN(const Shape shape, result_shape(call));
  const bool nearest = plan->method == ResizeMethod::nearest;
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { plan->reader = reader_of<T>(); });
  if (!known && !nearest) return wrong_dtype(call, 0, "an image of integers or floats");
  call.result(nearest ? call.dtype(0) : DType::float32, shape);
  call.set_can_fail(!shape.is_static() || !call.shape(0).is_static() || shape.count() == 0);
  if (nearest) {
    visit_width(call.dtype(0), [&]<class E>() { call.body(resize_body<Nearest<E>>, std::move(plan)); });
  } else {
    call.body(resize_body<Resampled>, std::move(plan));
  }
  return Status();
}

}  // namespace

extern constinit const Kernel resize_kernel{
    .name = kResize,
    .params = {{.name = "x", .doc = "An image [height, width, channels], or a batch of images."},
               {.name = "size", .type = "int64", .doc = "The new size [h, w]."},
               {.name = "method",
                .kind = ParamKind::constant,
                .type = "string",
                .fallback = "\"bilinear\"",
                .doc = "\"bilinear\", \"nearest\" (takes every dtype), \"area\" or \"bicubic\"."},
               {.name = "antialias",
                .kind = ParamKind::constant,
                .type = "bool",
                .fallback = "false",
                .doc = "For bilinear and bicubic: average over all pixels that one of the result covers."}},
    .infer = resize_infer,
    .doc =
        "Resizes images, as tf.image.resize. Pixels are squares with their values at the centres, and nothing is rounded to integers. An image without pixels and a size below 1 are errors of the element.",
    .result =
        "float32, or for \"nearest\" the dtype of `x`; [h, w, channels], after the batch if there is one.",
    .cost =
        "One pass over the image and one over the result, in float32; more for \"bicubic\" and antialiasing.",
    .example =
        R"(from_tensors([[[0.0], [1.0]]]) | map(x -> (resize(x, [1, 4]), resize(x, [1, 4], method: "nearest"))))",
    .output = "([[[0.0], [0.25], [0.75], [1.0]]], [[[0.0], [0.0], [1.0], [1.0]]])",
    .bench = "resize(reshape(x, [28, 28, 1]), [14, 14])",
    .can_fail = true};

}  // namespace weir
