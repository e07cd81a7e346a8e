#include "expr/kernels/shared/image.h"

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "format/image/image.h"

namespace weir {

Status check_codecs(const KernelCall& call, std::string_view name) {
  if (has_image_codecs()) return Status();
  return call.error(
      Mistake(concat(name, " is not built into this library"), "build it with -DWEIR_IMAGES=ON"));
}

Status check_image(const KernelCall& call) {
  const Shape& shape = call.shape(0);
  if (!shape.rank_known() || shape.rank() == 3 || shape.rank() == 4) return Status();
  return call.error(0, image_view(shape).status().error().what());
}

Shape ImageView::resized(int64_t new_height, int64_t new_width) const {
  const Shape one{new_height, new_width, channels};
  return rank == 3 ? one : one.prepended(images);
}

Result<ImageView> image_view(const Shape& shape) {
  if (shape.rank() != 3 && shape.rank() != 4) {
    return invalid_argument(expected_found("an image [height, width, channels] or a batch of images",
                                           concat("a tensor of shape ", shape_text(shape))));
  }
  const int axis = height_axis(shape);
  return ImageView{.images = axis == 0 ? 1 : shape[0],
                   .height = shape[axis],
                   .width = shape[axis + 1],
                   .channels = shape[axis + 2],
                   .rank = shape.rank()};
}

Shape with_image_size(const Shape& shape, int64_t height, int64_t width) {
  if (!shape.rank_known()) return shape;
  return shape.with_dim(height_axis(shape), height).with_dim(height_axis(shape) + 1, width);
}

}  // namespace weir
