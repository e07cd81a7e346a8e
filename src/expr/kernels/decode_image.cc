// decode_jpeg(s, channels: 0, ratio: 1), decode_png(s, channels: 0, dtype: uint8), decode_bmp(s),
// decode_gif(s), decode_image(s, channels: 0), decode_and_crop_jpeg(s, [y, x, h, w]): the pixels of an
// encoded image. As in TensorFlow, the first bytes tell the format, and most functions take more formats than
// their name says. A vector of strings gives one tensor of images, which have one shape.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/image.h"
#include "expr/kernels/shared/stacked.h"
#include "format/image/image.h"
#include "format/signature.h"

namespace weir {

namespace {

struct Decoding : KernelState {
  const char* name = "";
  // Of each format, whether the function takes it.
  bool takes_jpeg = false;
  bool takes_png = false;
  bool takes_gif = false;
  bool takes_bmp = false;
  // For a message.
  const char* expected = "";
  // The result has a dimension for frames: always, or for a GIF. Without it, a GIF must have one frame.
  bool frames = false;
  bool gif_frames = false;
  // The second argument is a region.
  bool crops = false;
  DecodeOptions options;
  // The shape of an image of a vector that has none.
  Shape without_images;
};

// uint8 to uint16 in formats that have no 16 bits, as in TensorFlow.
constexpr int kWiden = 256;

bool takes(const Decoding& plan, ImageFormat format) {
  switch (format) {
    case ImageFormat::jpeg:
      return plan.takes_jpeg;
    case ImageFormat::png:
      return plan.takes_png;
    case ImageFormat::gif:
      return plan.takes_gif;
    case ImageFormat::bmp:
      return plan.takes_bmp;
    default:
      return false;
  }
}

Result<ImageDecoderRef> open_image(const Decoding& plan, std::string_view bytes, ImageFormat format,
                                   const ImageRegion* region) {
  if (bytes.empty()) return invalid_argument(expected_found(plan.expected, "an empty string"));
  if (!takes(plan, format)) {
    const Signature* const other = format == ImageFormat::unknown ? find_signature(bytes) : nullptr;
    return invalid_argument(expected_found(plan.expected, other ? other->name : format_name(format)));
  }
  DecodeOptions options = plan.options;
  options.region = region;
  if (format == ImageFormat::jpeg) return open_jpeg(bytes, options);
  if (format == ImageFormat::png) return open_png(bytes, options);
  if (format == ImageFormat::bmp) return open_bmp(bytes, options.channels);
  if (options.channels != 0 && options.channels != 3) {
    return invalid_argument(
        expected_found("channels of 0 or 3, since a GIF has 3", concat(options.channels)));
  }
  WEIR_ASSIGN(ImageDecoderRef decoder, open_gif(bytes));
  if (!plan.gif_frames && decoder->shape().frames > 1) {
    return invalid_argument(expected_found("a GIF of one frame", concat(decoder->shape().frames, " frames"),
                                           "decode_gif gives them all"));
  }
  return decoder;
}

// The shape of what the decoder gives.
Shape shape_of(const Decoding& plan, ImageFormat format, const ImageShape& found) {
  const bool frames = plan.frames || (plan.gif_frames && format == ImageFormat::gif);
  return frames ? Shape{found.frames, found.height, found.width, found.channels}
                : Shape{found.height, found.width, found.channels};
}

Status decode(const Decoding& plan, const ImageRegion* region, std::string_view bytes, Stacked& images) {
  const ImageFormat format = image_format(bytes);
  WEIR_ASSIGN(const ImageDecoderRef decoder, open_image(plan, bytes, format, region));
  const Shape shape = shape_of(plan, format, decoder->shape());
  WEIR_ASSIGN(uint8_t* const to, images.room(shape, plan.options.wide ? 2 : 1));
  if (to == nullptr) return Status();
  const bool widen = plan.options.wide && format != ImageFormat::png;
  WEIR_TRY(decoder->decode(widen ? to + shape.count() : to));
  if (widen) widen_samples(to, shape.count(), kWiden);
  return Status();
}

void decode_image_body(KernelRun& run) {
  const auto& plan = run.state<Decoding>();
  const bool four = !plan.crops || run.arg(1).shape == Shape{4};
  for (int i = 0; i < run.rows(); ++i) {
    ImageRegion region;
    if (plan.crops && four) {
      const int64_t* sides = run.arg(1).row<int64_t>(i);
      region = {.y = sides[0], .x = sides[1], .height = sides[2], .width = sides[3]};
    }
    Stacked images(run, i);
    const Status status = !four ? invalid_argument("expected a window [y, x, h, w]")
                                : images.each(plan.without_images, [&](std::string_view bytes) {
                                    return decode(plan, plan.crops ? &region : nullptr, bytes, images);
                                  });
    if (!status.ok()) fail_row(run, i, plan.name, status);
  }
}

// The parameter `channels`, one of `allowed`.
Status read_channels(KernelCall& call, int param, std::initializer_list<int> allowed, const char* expected,
                     Decoding& plan) {
  WEIR_ASSIGN(const int64_t channels, call.integer(param));
  if (std::find(allowed.begin(), allowed.end(), channels) == allowed.end()) {
    return call.error(param, expected_found(expected, concat(channels)));
  }
  plan.options.channels = static_cast<int>(channels);
  return Status();
}

int64_t known_channels(const Decoding& plan) {
  return plan.options.channels == 0 ? kUnknownDim : plan.options.channels;
}

Status finish(KernelCall& call, DType dtype, const Shape& shape, std::shared_ptr<Decoding> plan) {
  WEIR_TRY(check_string_or_vector(call));
  if (plan->takes_jpeg) WEIR_TRY(check_codecs(call, plan->name));
  call.result(dtype, shape_of_stacked(call.shape(0), shape));
  plan->without_images = shape.rank_known() ? shape : Shape{0, 0, plan->options.channels};
  for (int axis = 0; axis < plan->without_images.rank(); ++axis)
    plan->without_images.set_dim(axis, std::max<int64_t>(plan->without_images[axis], 0));
  call.body(decode_image_body, std::move(plan));
  return Status();
}

std::shared_ptr<Decoding> three_formats(const char* name) {
  auto plan = std::make_shared<Decoding>();
  plan->name = name;
  plan->takes_jpeg = plan->takes_png = plan->takes_gif = true;
  plan->expected = "a JPEG, PNG or GIF";
  return plan;
}

Status decode_jpeg_infer(KernelCall& call) {
  auto plan = three_formats("decode_jpeg");
  WEIR_TRY(read_channels(call, 1, {0, 1, 3}, "channels of 0, 1 or 3", *plan));
  WEIR_ASSIGN(const int64_t ratio, call.integer(2));
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
    return call.error(2, expected_found("a ratio of 1, 2, 4 or 8", concat(ratio)));
  }
  plan->options.ratio = static_cast<int>(ratio);
  const Shape shape{kUnknownDim, kUnknownDim, known_channels(*plan)};
  return finish(call, DType::uint8, shape, std::move(plan));
}

Status decode_png_infer(KernelCall& call) {
  auto plan = three_formats("decode_png");
  WEIR_TRY(read_channels(call, 1, {0, 1, 3, 4}, "channels of 0, 1, 3 or 4", *plan));
  const DType dtype = call.dtype_value(2);
  if (dtype != DType::uint8 && dtype != DType::uint16) {
    return call.error(2, expected_found("uint8 or uint16", dtype_name(dtype)));
  }
  plan->options.wide = dtype == DType::uint16;
  const Shape shape{kUnknownDim, kUnknownDim, known_channels(*plan)};
  return finish(call, dtype, shape, std::move(plan));
}

Status gif_infer(KernelCall& call) {
  auto plan = three_formats("decode_gif");
  plan->options.channels = 3;
  plan->frames = plan->gif_frames = true;
  return finish(call, DType::uint8, {kUnknownDim, kUnknownDim, kUnknownDim, 3}, std::move(plan));
}

Status bmp_infer(KernelCall& call) {
  auto plan = std::make_shared<Decoding>();
  plan->name = "decode_bmp";
  plan->takes_bmp = true;
  plan->expected = "a BMP";
  return finish(call, DType::uint8, {kUnknownDim, kUnknownDim, kUnknownDim}, std::move(plan));
}

Status image_infer(KernelCall& call) {
  auto plan = three_formats("decode_image");
  plan->takes_bmp = true;
  plan->expected = "a JPEG, PNG, GIF or BMP";
  plan->gif_frames = true;
  WEIR_TRY(read_channels(call, 1, {0, 1, 3, 4}, "channels of 0, 1, 3 or 4", *plan));
  return finish(call, DType::uint8, Shape::unknown_rank(), std::move(plan));
}

Status decode_crop_infer(KernelCall& call) {
  auto plan = std::make_shared<Decoding>();
  plan->name = "decode_and_crop_jpeg";
  plan->takes_jpeg = true;
  plan->expected = "a JPEG";
  plan->crops = true;
  if (!call.shape(1).compatible(Shape{4})) {
    return call.error(
        1, expected_found("a window [y, x, h, w]", concat("a tensor of shape ", call.shape(1).to_string())));
  }
  Shape shape{kUnknownDim, kUnknownDim, kUnknownDim};
  if (const auto region = call.integers(1); region && region->size() == 4) {
    for (size_t i = 0; i < 4; ++i) {
      const int64_t side = (*region)[i];
      if (side == kUnknownEntry) continue;
      if (side < (i < 2 ? 0 : 1)) {
        return call.error(
            1, expected_found("a window [y, x, h, w] with pixels, not outside the image", concat(side)));
      }
      if (i >= 2) shape.set_dim(static_cast<int>(i) - 2, side);
    }
  }
  return finish(call, DType::uint8, shape, std::move(plan));
}

}  // namespace

extern constinit const Kernel decode_jpeg_kernel{
    .name = "decode_jpeg",
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."},
               {.name = "channels",
                .kind = ParamKind::constant,
                .type = "int64",
                .fallback = "0",
                .doc = "1 (grey), 3 (RGB), or 0 for as many as the image has; CMYK becomes RGB."},
               {.name = "ratio",
                .kind = ParamKind::constant,
                .type = "int64",
                .fallback = "1",
                .doc = "1, 2, 4 or 8: makes the image that much smaller, which also makes decoding faster."}},
    .infer = decode_jpeg_infer,
    .doc =
        "Decodes a JPEG. As in tf.io.decode_jpeg, a PNG or a GIF of one frame is decoded as well. Rows come from the top. Bytes that are none of these, are cut off, or declare more than 2^30 pixels are an error of the element. So is a large image (more than 2^24 pixels) that has too few bytes for its pixels, or for its scans of pixels. Other damage is noticed only where it keeps the decoder from continuing.",
    .result = "uint8[height, width, channels]; of a vector of strings, with a first dimension more.",
    .cost = "The cost of libjpeg-turbo with its fast DCT; pixels are decoded into the result.",
    .example = "from_tensors(full([16, 24, 3], uint8(120))) | map(x -> decode_jpeg(encode_jpeg(x))[0, 0])",
    .output = "[120, 120, 120]",
    .bench = "decode_jpeg(encode_jpeg(reshape(uint8(n), [28, 28, 1])))",
    .can_fail = true};

extern constinit const Kernel decode_png_kernel{
    .name = "decode_png",
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."},
               {.name = "channels",
                .kind = ParamKind::constant,
                .type = "int64",
                .fallback = "0",
                .doc = "1 (grey), 3 (RGB), 4 (with alpha), or 0 for as many as the image has."},
               {.name = "dtype",
                .kind = ParamKind::dtype,
                .fallback = "uint8",
                .doc = "uint8, or uint16 to keep all 16 bits; 8-bit samples are then multiplied by 257."}},
    .infer = decode_png_infer,
    .doc =
        "Decodes a PNG, row by row from the top. Palettes become RGB, or RGBA if they have transparent colours; fewer than 8 bits are scaled to 8. As in tf.io.decode_png, a JPEG or a GIF of one frame is decoded as well. Bytes that are none of these, are damaged, or declare more than 2^30 pixels, or more than so many bytes can contain, are an error of the element.",
    .result =
        "The given dtype, [height, width, channels]; of a vector of strings, with a first dimension more.",
    .cost = "The cost of libpng and zlib; pixels are decoded into the result.",
    .example = "from_tensors(uint8([[[1, 2, 3], [4, 5, 6]]])) | map(x -> decode_png(encode_png(x)))",
    .output = "[[[1, 2, 3], [4, 5, 6]]]",
    .bench = "decode_png(encode_png(reshape(uint8(n), [28, 28, 1])))",
    .can_fail = true};

extern constinit const Kernel decode_bmp_kernel{
    .name = "decode_bmp",
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."}},
    .infer = bmp_infer,
    .doc =
        "Decodes an uncompressed BMP of 8, 24 or 32 bits per pixel. Rows come from the top, as RGB or RGBA; 8 bits are taken as grey. With 32 bits, masks of whole bytes say where each colour is; without one for alpha, the byte that is left is alpha. Other formats, compression (RLE), other masks, and a length that differs from the header's are errors of the element.",
    .result = "uint8[height, width, channels]; of a vector of strings, with a first dimension more.",
    .cost = "One pass over the pixels.",
    .example =
        R"(from_tensors(decode_bmp("BM:\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x18\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x00")))",
    .output = "[[[3, 2, 1]]]",
    .bench =
        R"(decode_bmp("BMF\x03\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00\x1c\x00\x00\x00\x1c\x00\x00\x00\x01\x00\x08\x00\x00\x00\x00\x00\x10\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + s))",
    .can_fail = true};

extern constinit const Kernel decode_gif_kernel{
    .name = "decode_gif",
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."}},
    .infer = gif_infer,
    .doc =
        "Decodes the frames of a GIF, as RGB. As in tf.io.decode_gif, all have the size of the largest. Pixels that a frame leaves out or has transparent keep the colour of the frame before; before the first frame all is black. A JPEG or PNG is one frame. Bytes that are none of these, are damaged, or declare more than 2^30 pixels in all frames together are an error of the element.",
    .result = "uint8[frames, height, width, 3]; of a vector of strings, with a first dimension more.",
    .cost = "The cost of giflib, and a copy of the frame before for each frame; the file is read twice.",
    .example =
        R"(from_tensors(shape(decode_gif("GIF87a\x04\x00\x03\x00\x81\x00\x00\x00\x00\x00\xff\x00\x00\x00\xff\x00\x00\x00\xff,\x00\x00\x00\x00\x04\x00\x03\x00\x00\x08\x0d\x00\x01\x04\x100`\xe0\x00\x00\x04\x05\x06\x04\x00;"))))",
    .output = "[1, 3, 4, 3]",
    .bench =
        R"(decode_gif("GIF87a\x04\x00\x03\x00\x81\x00\x00\x00\x00\x00\xff\x00\x00\x00\xff\x00\x00\x00\xff,\x00\x00\x00\x00\x04\x00\x03\x00\x00\x08\x0d\x00\x01\x04\x100`\xe0\x00\x00\x04\x05\x06\x04\x00;" + s))",
    .can_fail = true};

extern constinit const Kernel decode_image_kernel{
    .name = "decode_image",
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."},
               {.name = "channels",
                .kind = ParamKind::constant,
                .type = "int64",
                .fallback = "0",
                .doc = "As for the format's own function; a BMP has 3 or 4, a GIF 3."}},
    .infer = image_infer,
    .doc =
        "Decodes a JPEG, PNG, GIF or BMP; the first bytes tell which. A GIF gives [frames, height, width, 3], so the rank is unknown when the dataset is built: reshape the result, or use the format's own function. Other formats and damage are errors of the element.",
    .result = "uint8, of unknown rank; of a vector of strings, with a first dimension more.",
    .cost = "The cost of the format's own function.",
    .example = "from_tensors(uint8([[[1], [2]]])) | map(x -> decode_image(encode_png(x), channels: 3))",
    .output = "[[[1, 1, 1], [2, 2, 2]]]",
    .bench = "decode_image(encode_png(reshape(uint8(n), [28, 28, 1])))",
    .can_fail = true};

extern constinit const Kernel decode_and_crop_jpeg_kernel{
    .name = "decode_and_crop_jpeg",
    .params = {{.name = "s", .doc = "The bytes of the file, or a vector of those of several."},
               {.name = "window",
                .type = "int64",
                .doc = "[y, x, h, w]: the top left corner, height and width."}},
    .infer = decode_crop_infer,
    .doc =
        "Decodes only a part of a JPEG. The pixels are those of `crop(decode_jpeg(s), y, x, h, w)`, but nothing below the part is decoded, and little to its left and right. A window outside the image is an error of the element, and so are bytes that are no JPEG or end within the window.",
    .result = "uint8[h, w, channels]; of a vector of strings, with a first dimension more.",
    .cost = "Reads the rows down to the end of the window, and decodes those of the window.",
    .example =
        "from_tensors(full([16, 24, 3], uint8(120))) | map(x -> shape(decode_and_crop_jpeg(encode_jpeg(x), [1, 2, 3, 4])))",
    .output = "[3, 4, 3]",
    .bench = "decode_and_crop_jpeg(encode_jpeg(reshape(uint8(n), [28, 28, 1])), [8, 8, 8, 8])",
    .can_fail = true};

}  // namespace weir
