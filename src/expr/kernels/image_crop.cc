// crop(image, y, x, h, w), central_crop(x, fraction), pad_to(image, y, x, h, w): a part of an image, or an
// image as a part of a larger one.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/image.h"

namespace weir {

namespace {

// Rows of pixels from one image into another.
void copy_rows(const uint8_t* from, size_t from_stride, uint8_t* to, size_t to_stride, int64_t rows,
               size_t row_bytes) {
  if (row_bytes == 0) return;
  for (int64_t y = 0; y < rows; ++y) std::memcpy(to + y * to_stride, from + y * from_stride, row_bytes);
}

struct PixelSize {
  size_t pixel;
  size_t row;
  size_t image;

  PixelSize(const KernelRun& run, int64_t height, int64_t width, int64_t channels)
      : pixel(static_cast<size_t>(channels) * dtype_size(run.arg(0).dtype)),
        row(pixel * static_cast<size_t>(width)),
        image(row * static_cast<size_t>(height)) {}
};

void copy_region(const KernelRun& run, const ImageView& view, int row, const ImageRegion& region,
                 uint8_t* out) {
  const PixelSize whole(run, view.height, view.width, view.channels);
  const PixelSize part(run, region.height, region.width, view.channels);
  const uint8_t* in = run.arg(0).row<uint8_t>(row) + static_cast<size_t>(region.y) * whole.row +
                      static_cast<size_t>(region.x) * whole.pixel;
  for (int64_t k = 0; k < view.images; ++k, in += whole.image, out += part.image) {
    copy_rows(in, whole.row, out, part.row, region.height, part.row);
  }
}

// The region given by the arguments y, x, h, w.
ImageRegion region_of(const KernelRun& run, int row) {
  return {.y = *run.arg(1).row<int64_t>(row),
          .x = *run.arg(2).row<int64_t>(row),
          .height = *run.arg(3).row<int64_t>(row),
          .width = *run.arg(4).row<int64_t>(row)};
}

// Whether [at, at + size) lies within [0, whole). What is unknown is negative and counts as if it fitted.
bool fits(int64_t at, int64_t size, int64_t whole) {
  at = std::max<int64_t>(at, 0);
  return whole < 0 || (at <= whole && std::max<int64_t>(size, 0) <= whole - at);
}

std::string text_of(const ImageRegion& region) {
  const auto side = [](int64_t value) { return value == kUnknownEntry ? "?" : std::to_string(value); };
  return concat("y: ", side(region.y), ", x: ", side(region.x), ", h: ", side(region.height),
                ", w: ", side(region.width));
}

std::string size_of(int64_t height, int64_t width) {
  const auto side = [](int64_t value) { return value == kUnknownDim ? "?" : std::to_string(value); };
  return concat(side(height), " by ", side(width), " pixels");
}

bool is_below(int64_t value, int64_t least) { return value != kUnknownEntry && value < least; }

// As in TensorFlow, a region has pixels.
Status check_crop(const ImageRegion& region, int64_t height, int64_t width) {
  const bool inside = !is_below(region.y, 0) && !is_below(region.x, 0) && !is_below(region.height, 1) &&
                      !is_below(region.width, 1) && fits(region.y, region.height, height) &&
                      fits(region.x, region.width, width);
  if (inside) return Status();
  return invalid_argument(expected_found(
      concat("a window with pixels within the image of ", size_of(height, width)), text_of(region)));
}

Status check_pad(const ImageRegion& region, int64_t height, int64_t width) {
  const bool inside = !is_below(region.y, 0) && !is_below(region.x, 0) && !is_below(region.height, 0) &&
                      !is_below(region.width, 0) && fits(region.y, height, region.height) &&
                      fits(region.x, width, region.width);
  if (inside) return Status();
  return invalid_argument(
      expected_found(concat("a place that holds the image of ", size_of(height, width)), text_of(region)));
}

void crop_body(KernelRun& run) {
  const Result<ImageView> view = image_view(run.arg(0).shape);
  if (!view.ok()) return fail_all(run, "crop", view.status());
  const auto region = [&](int row) -> Result<ImageRegion> {
    const ImageRegion out = region_of(run, row);
    WEIR_TRY(check_crop(out, view->height, view->width));
    return out;
  };
  make_images(run, *view, "crop", region, [&](int row, const ImageRegion& part, uint8_t* out) {
    copy_region(run, *view, row, part, out);
  });
}

void pad_body(KernelRun& run) {
  const Result<ImageView> view = image_view(run.arg(0).shape);
  if (!view.ok()) return fail_all(run, "pad_to", view.status());
  const auto region = [&](int row) -> Result<ImageRegion> {
    const ImageRegion out = region_of(run, row);
    WEIR_TRY(check_pad(out, view->height, view->width));
    return out;
  };
  make_images(run, *view, "pad_to", region, [&](int row, const ImageRegion& region, uint8_t* out) {
    const PixelSize from(run, view->height, view->width, view->channels);
    const PixelSize to(run, region.height, region.width, view->channels);
    const uint8_t* in = run.arg(0).row<uint8_t>(row);
    // Zero bytes are 0, false and the empty string.
    if (to.image > 0) std::memset(out, 0, to.image * static_cast<size_t>(view->images));
    out += static_cast<size_t>(region.y) * to.row + static_cast<size_t>(region.x) * to.pixel;
    for (int64_t k = 0; k < view->images; ++k, in += from.image, out += to.image) {
      copy_rows(in, from.row, out, to.row, view->height, from.row);
    }
  });
}

// What TensorFlow leaves out on each side.
Result<ImageRegion> central_region(double fraction, int64_t height, int64_t width) {
  if (!(fraction > 0.0 && fraction <= 1.0)) {
    return invalid_argument("expected a fraction above 0 and at most 1");
  }
  const auto margin = [&](int64_t size) {
    const auto whole = static_cast<double>(size);
    return static_cast<int64_t>((whole - whole * fraction) / 2);
  };
  const int64_t y = margin(height);
  const int64_t x = margin(width);
  return ImageRegion{.y = y, .x = x, .height = height - 2 * y, .width = width - 2 * x};
}

void central_body(KernelRun& run) {
  const Result<ImageView> view = image_view(run.arg(0).shape);
  if (!view.ok()) return fail_all(run, "central_crop", view.status());
  const auto region = [&](int row) {
    return central_region(*run.arg(1).row<double>(row), view->height, view->width);
  };
  make_images(run, *view, "central_crop", region, [&](int row, const ImageRegion& part, uint8_t* out) {
    copy_region(run, *view, row, part, out);
  });
}

// Types crop and pad_to.
Status infer_region(KernelCall& call, Status (*check)(const ImageRegion&, int64_t, int64_t),
                    KernelBody body) {
  WEIR_TRY(check_image(call));
  int64_t sides[4];
  for (int i = 0; i < 4; ++i) {
    constexpr const char* kNames[] = {"y", "x", "h", "w"};
    WEIR_TRY(check_scalar(call, 1 + i, kNames[i]));
    const auto value = call.integers(1 + i);
    sides[i] = value && value->size() == 1 ? (*value)[0] : kUnknownEntry;
  }
  const Shape& shape = call.shape(0);
  const bool ranked = shape.rank_known();
  const int axis = ranked ? height_axis(shape) : 0;
  const ImageRegion region{.y = sides[0], .x = sides[1], .height = sides[2], .width = sides[3]};
  const Status status =
      check(region, ranked ? shape[axis] : kUnknownDim, ranked ? shape[axis + 1] : kUnknownDim);
  if (!status.ok()) return call.error(status.error().what());
  const auto dim = [](int64_t side) { return side == kUnknownEntry ? kUnknownDim : side; };
  call.result(call.dtype(0), with_image_size(shape, dim(sides[2]), dim(sides[3])));
  call.body(body);
  const bool known = ranked && shape[axis] != kUnknownDim && shape[axis + 1] != kUnknownDim;
  call.set_can_fail(!known ||
                    std::find(std::begin(sides), std::end(sides), kUnknownEntry) != std::end(sides));
  return Status();
}

Status crop_image_infer(KernelCall& call) { return infer_region(call, check_crop, crop_body); }
Status pad_image_infer(KernelCall& call) { return infer_region(call, check_pad, pad_body); }

Status central_infer(KernelCall& call) {
  WEIR_TRY(check_image(call));
  WEIR_TRY(check_scalar(call, 1, "the fraction"));
  const Shape& shape = call.shape(0);
  Shape out = with_image_size(shape, kUnknownDim, kUnknownDim);
  if (const Tensor* fraction = call.constant(1)) {
    const auto side = [&](int axis) -> Result<int64_t> {
      const int64_t size = shape.rank_known() ? shape[height_axis(shape) + axis] : kUnknownDim;
      WEIR_ASSIGN(const ImageRegion region,
                  central_region(*fraction->as<double>(), size == kUnknownDim ? 1 : size, 1));
      return size == kUnknownDim ? kUnknownDim : region.height;
    };
    const Result<int64_t> height = side(0);
    if (!height.ok()) return call.error(1, height.status().error().what());
    const Result<int64_t> width = side(1);
    out = with_image_size(shape, *height, *width);
  }
  call.result(call.dtype(0), out);
  call.body(central_body);
  call.set_can_fail(call.constant(1) == nullptr || !shape.rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel crop_kernel{
    .name = "crop",
    .params = {{.name = "image", .doc = "An image [height, width, channels], or a batch of images."},
               {.name = "y", .type = "int64", .doc = "The first row."},
               {.name = "x", .type = "int64", .doc = "The first column."},
               {.name = "h", .type = "int64", .doc = "The height of the part."},
               {.name = "w", .type = "int64", .doc = "The width of the part."}},
    .infer = crop_image_infer,
    .doc =
        "Crops an image to `h` by `w` pixels from row `y` and column `x` on, as tf.image.crop_to_bounding_box. A part without pixels, or outside the image, is an error; if it is known only then, an error of the element.",
    .result = "The dtype of `image`; [h, w, channels], after the batch if there is one.",
    .cost = "One copy.",
    .example = "range(2) | map(i -> crop(reshape(arange(9), [3, 3, 1]), i, 1, 1, 2))",
    .output = "[[[1], [2]]]\n[[[4], [5]]]",
    .bench = "crop(reshape(x, [28, 28, 1]), 4, 4, 20, 20)",
    .can_fail = true};

extern constinit const Kernel central_crop_kernel{
    .name = "central_crop",
    .params = {{.name = "x", .doc = "An image [height, width, channels], or a batch of images."},
               {.name = "fraction", .type = "float64", .doc = "Above 0, and at most 1 for the whole image."}},
    .infer = central_infer,
    .doc =
        "Crops an image to its central part, as tf.image.central_crop. As many rows are left out above as below, and as many columns left as right, rounded down, so that at least the fraction of each stays. Another fraction is an error.",
    .result = "The dtype of `x`; [height, width, channels] with the smaller height and width.",
    .cost = "One copy.",
    .example = "from_tensors(central_crop(reshape(arange(4), [1, 4, 1]), 0.5))",
    .output = "[[[1], [2]]]",
    .bench = "central_crop(reshape(x, [28, 28, 1]), 0.5)",
    .can_fail = true};

extern constinit const Kernel pad_to_kernel{
    .name = "pad_to",
    .params = {{.name = "image", .doc = "An image [height, width, channels], or a batch of images."},
               {.name = "y", .type = "int64", .doc = "The rows above the image."},
               {.name = "x", .type = "int64", .doc = "The columns left of it."},
               {.name = "h", .type = "int64", .doc = "The height of the result."},
               {.name = "w", .type = "int64", .doc = "The width of the result."}},
    .infer = pad_image_infer,
    .doc =
        "Pads an image with zeros to `h` by `w` pixels, as tf.image.pad_to_bounding_box. Bools are padded with false, strings with empty ones. An image that does not fit at that place is an error; if that is known only then, an error of the element.",
    .result = "The dtype of `image`; [h, w, channels], after the batch if there is one.",
    .cost = "One copy, and zeros.",
    .example = "from_tensors(pad_to([[[1], [2]]], 1, 0, 2, 3))",
    .output = "[[[0], [0], [0]], [[1], [2], [0]]]",
    .bench = "pad_to(reshape(x, [28, 28, 1]), 2, 2, 32, 32)",
    .can_fail = true};

}  // namespace weir
