// encode_jpeg(x, quality: 95), encode_png(x): an image as the bytes of a file.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/image.h"
#include "format/image/image.h"

namespace weir {

namespace {

struct Encoding : KernelState {
  const char* name = "";
  // 0 for PNG.
  bool jpeg = false;
  int quality = 0;
  int depth = 8;
};

constexpr int64_t kMaxQuality = 100;

Result<std::string> encode(const Encoding& plan, const uint8_t* pixels, const ImageShape& shape) {
  return plan.jpeg ? encode_jpeg(pixels, shape, plan.quality) : encode_png(pixels, shape, plan.depth);
}

// Encodes all images of a row; a PNG may have dimensions in front of an image's.
Status encode_row(KernelRun& run, int row, const ImageShape& shape, int64_t images, Str* out) {
  const auto& plan = run.state<Encoding>();
  const uint8_t* pixels = run.arg(0).row<uint8_t>(row);
  for (int64_t k = 0; k < images; ++k, pixels += shape.count() * plan.depth / 8) {
    WEIR_ASSIGN(const std::string made, encode(plan, pixels, shape));
    char* bytes = run.bytes(made.size());
    std::copy_n(made.data(), made.size(), bytes);
    out[k] = Str(bytes, made.size());
  }
  return Status();
}

void encode_image_body(KernelRun& run) {
  const auto& plan = run.state<Encoding>();
  const Shape& x = run.arg(0).shape;
  if (plan.jpeg ? x.rank() != 3 : x.rank() < 3) {
    return fail_all(run, plan.name,
                    invalid_argument(expected_found("an image [height, width, channels]",
                                                    concat("a tensor of rank ", x.rank()))));
  }
  const int axis = height_axis(x);
  const ImageShape image{.height = x[axis], .width = x[axis + 1], .channels = x[axis + 2]};
  const Shape outer(x.dims().first(static_cast<size_t>(axis)));
  const int64_t images = outer.count();
  Str* out = run.make<Str>(0, outer);
  if (out == nullptr) return;
  std::fill_n(out, images * run.rows(), Str());
  for (int i = 0; i < run.rows(); ++i) {
    const Status status = encode_row(run, i, image, images, out + i * images);
    if (!status.ok()) fail_row(run, i, plan.name, status);
  }
}

Status check_channels(const KernelCall& call, bool jpeg) {
  const Shape& shape = call.shape(0);
  if (!shape.rank_known()) return Status();
  if (jpeg ? shape.rank() != 3 : shape.rank() < 3) {
    return call.error(0, expected_found("an image [height, width, channels]",
                                        concat("a tensor of shape ", shape_text(shape))));
  }
  const int64_t channels = shape[shape.rank() - 1];
  const bool fits = channels == kUnknownDim || channels == 1 || channels == 3 ||
                    (!jpeg && (channels == 2 || channels == 4));
  if (fits) return Status();
  return call.error(0, expected_found(jpeg ? "1 or 3 channels" : "1 to 4 channels", concat(channels)));
}

Status encode_jpeg_infer(KernelCall& call) {
  if (call.dtype(0) != DType::uint8) return wrong_dtype(call, 0, "uint8");
  WEIR_TRY(check_channels(call, true));
  WEIR_TRY(check_codecs(call, "encode_jpeg"));
  WEIR_ASSIGN(const int64_t quality, call.integer(1));
  if (quality < 0 || quality > kMaxQuality) {
    return call.error(1, expected_found("a quality from 0 to 100", concat(quality)));
  }
  auto state = std::make_shared<Encoding>();
  state->name = "encode_jpeg";
  state->jpeg = true;
  state->quality = static_cast<int>(quality);
  call.result(DType::string, Shape());
  call.body(encode_image_body, std::move(state));
  return Status();
}

Status encode_png_infer(KernelCall& call) {
  const DType dtype = call.dtype(0);
  if (dtype != DType::uint8 && dtype != DType::uint16) return wrong_dtype(call, 0, "uint8 or uint16");
  WEIR_TRY(check_channels(call, false));
  WEIR_TRY(check_codecs(call, "encode_png"));
  auto state = std::make_shared<Encoding>();
  state->name = "encode_png";
  state->depth = dtype == DType::uint16 ? 16 : 8;
  const Shape& shape = call.shape(0);
  call.result(DType::string, shape.rank_known()
                                 ? Shape(shape.dims().first(static_cast<size_t>(height_axis(shape))))
                                 : Shape::unknown_rank());
  call.body(encode_image_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel encode_jpeg_kernel{
    .name = "encode_jpeg",
    .params = {{.name = "x", .doc = "uint8[height, width, channels], of 1 channel (grey) or 3 (RGB)."},
               {.name = "quality",
                .kind = ParamKind::constant,
                .type = "int64",
                .fallback = "95",
                .doc = "From 0 (small) to 100 (good)."}},
    .infer = encode_jpeg_infer,
    .doc =
        "Encodes an image as a JPEG, with the settings of tf.io.encode_jpeg. These are colours at half the resolution and 300 dots per inch. An image without pixels, or of more than 65,500 rows or columns, is an error of the element.",
    .result = "A string.",
    .cost = "The cost of libjpeg-turbo.",
    .example = "from_tensors(full([16, 24, 3], uint8(120))) | map(x -> jpeg_shape(encode_jpeg(x)))",
    .output = "[16, 24, 3]",
    .bench = "encode_jpeg(reshape(uint8(n), [28, 28, 1]))",
    .can_fail = true};

extern constinit const Kernel encode_png_kernel{
    .name = "encode_png",
    .params =
        {{.name = "x",
          .doc =
              "uint8 or uint16, [height, width, channels]: grey, grey and alpha, RGB or RGBA. Dimensions in "
              "front of these give a tensor of strings."}},
    .infer = encode_png_infer,
    .doc =
        "Encodes an image as a PNG, of 8 or 16 bits as its dtype says. An image without pixels is an error of the element.",
    .result = "A string, or a tensor of strings with the dimensions before the image's.",
    .cost = "The cost of libpng and zlib.",
    .example = "from_tensors(uint8([[[1, 2, 3], [4, 5, 6]]])) | map(x -> decode_png(encode_png(x)))",
    .output = "[[[1, 2, 3], [4, 5, 6]]]",
    .bench = "encode_png(reshape(uint8(n), [28, 28, 1]))",
    .can_fail = true};

}  // namespace weir
