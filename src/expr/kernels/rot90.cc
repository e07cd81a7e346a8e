// rot90(x, k: 1): images turned by quarter turns against the clock.
#include <algorithm>

#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/image.h"
#include "expr/kernels/shared/move.h"

namespace weir {

namespace {

constexpr const char* kRot90 = "rot90";

int64_t quarter_turns(int64_t k) { return (k % 4 + 4) % 4; }

template <class E>
void turn(const E* in, const ImageView& view, int64_t turns, E* out) {
  const int64_t height = view.height;
  const int64_t width = view.width;
  // Where the first pixel of the result comes from, and which way its rows and columns go there.
  const int64_t first[] = {0, width - 1, height * width - 1, (height - 1) * width};
  const int64_t down[] = {width, -1, -width, 1};
  const int64_t right[] = {1, width, -1, -width};
  const int64_t rows = turns % 2 == 0 ? height : width;
  const int64_t columns = turns % 2 == 0 ? width : height;
  for (int64_t y = 0; y < rows; ++y) {
    const int64_t row = first[turns] + y * down[turns];
    for (int64_t x = 0; x < columns; ++x) {
      out = std::copy_n(in + (row + x * right[turns]) * view.channels, view.channels, out);
    }
  }
}

template <class E>
void rot90_body(KernelRun& run) {
  const Result<ImageView> view = image_view(run.arg(0).shape);
  if (!view.ok()) return fail_all(run, kRot90, view.status());
  const auto turns_of = [&](int row) { return quarter_turns(*run.arg(1).row<int64_t>(row)); };
  const auto region_of = [&](int row) -> Result<ImageRegion> {
    const bool lies = turns_of(row) % 2 == 0;
    return ImageRegion{.height = lies ? view->height : view->width,
                       .width = lies ? view->width : view->height};
  };
  make_images(run, *view, kRot90, region_of, [&](int row, const ImageRegion&, uint8_t* out) {
    const int64_t count = view->height * view->width * view->channels;
    for (int64_t k = 0; count > 0 && k < view->images; ++k) {
      turn(run.arg(0).row<E>(row) + k * count, *view, turns_of(row), reinterpret_cast<E*>(out) + k * count);
    }
  });
}

Status rot90_infer(KernelCall& call) {
  WEIR_TRY(check_image(call));
  WEIR_TRY(check_scalar(call, 1, "k"));
  const Shape& from = call.shape(0);
  Shape shape = from;
  const auto k = call.integers(1);
  const bool known = k && k->size() == 1 && (*k)[0] != kUnknownEntry;
  if (from.rank_known() && !(known && quarter_turns((*k)[0]) % 2 == 0)) {
    const int64_t height = from[height_axis(from)];
    const int64_t width = from[height_axis(from) + 1];
    const bool fixed = known || height == width;
    shape = with_image_size(from, fixed ? width : kUnknownDim, fixed ? height : kUnknownDim);
  }
  call.result(call.dtype(0), shape);
  visit_width(call.dtype(0), [&]<class E>() { call.body(rot90_body<E>); });
  call.set_can_fail(!from.rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel rot90_kernel{
    .name = kRot90,
    .params = {{.name = "x", .doc = "An image [height, width, channels], or a batch of images."},
               {.name = "k",
                .type = "int64",
                .fallback = "1",
                .doc = "The number of quarter turns; negative turns clockwise."}},
    .infer = rot90_infer,
    .doc = "Rotates images by quarter turns, counter-clockwise.",
    .result = "The dtype of `x`; height and width change places if `k` is odd.",
    .cost = "One pass over the pixels.",
    .example = "from_tensors(rot90([[[1], [2], [3]]]))",
    .output = "[[[3]], [[2]], [[1]]]",
    .bench = "rot90(reshape(x, [28, 28, 1]))",
    .can_fail = true};

}  // namespace weir
