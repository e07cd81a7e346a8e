// What the kernels of images share: encoded images as arguments, and tensors [height, width, channels] with
// or without a first dimension for a batch.
#pragma once

#include <string_view>

#include "expr/kernels/shared/array.h"
#include "expr/types/kernel.h"
#include "format/image/image.h"

namespace weir {

// The codecs may have been left out of the build.
Status check_codecs(const KernelCall& call, std::string_view name);
// Parameter 0 must be an image or a batch of images, as far as its rank is known.
Status check_image(const KernelCall& call);

// A tensor of rank 3 or 4 seen as images.
struct ImageView {
  int64_t images = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  int rank = 3;

  // The same images of another size.
  Shape resized(int64_t new_height, int64_t new_width) const;
};

// invalid_argument for another rank, naming what was found.
Result<ImageView> image_view(const Shape& shape);
// The axis of the height in a shape of rank 3 or 4; that of the width follows.
inline int height_axis(const Shape& shape) { return shape.rank() - 3; }
// `shape` with other extents, which may be unknown; an unknown rank stays unknown.
Shape with_image_size(const Shape& shape, int64_t height, int64_t width);

// For kernels whose images get a size that may differ between rows: makes the results, of the height and
// width of region_of(row), and calls fill(row, region, out). A row whose region fails has failed, naming the
// function.
template <class RegionOf, class Fill>
void make_images(KernelRun& run, const ImageView& view, std::string_view name, RegionOf region_of,
                 Fill fill) {
  const Result<ImageRegion> first = region_of(0);
  bool equal = first.ok();
  for (int i = 1; equal && i < run.rows(); ++i) {
    const Result<ImageRegion> region = region_of(i);
    equal = region.ok() && region->height == first->height && region->width == first->width;
  }
  uint8_t* out = nullptr;
  size_t row_bytes = 0;
  if (equal) {
    const Shape shape = view.resized(first->height, first->width);
    out = run.make(0, shape);
    if (out == nullptr) return;
    row_bytes = static_cast<size_t>(shape.count()) * dtype_size(run.arg(0).dtype);
  }
  for (int i = 0; i < run.rows(); ++i) {
    const Result<ImageRegion> region = region_of(i);
    if (!region.ok()) {
      fail_row(run, i, name, region.status());
      continue;
    }
    uint8_t* row = equal ? out + static_cast<size_t>(i) * row_bytes
                         : run.make_row(0, i, view.resized(region->height, region->width));
    if (row != nullptr) fill(i, *region, row);
  }
}

}  // namespace weir
