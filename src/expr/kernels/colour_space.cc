// rgb_to_hsv, hsv_to_rgb, rgb_to_grayscale and grayscale_to_rgb: colours written in other ways.
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/colour.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/image_shape.h"
#include "expr/kernels/shared/move.h"

namespace weir {

namespace {

constexpr ImageRule kTriple = {.function = "grayscale_to_rgb", .least_rank = 1, .channels = 1};

template <class Effect>
inline constexpr ImageRule kRule = {.function = "rgb_to_hsv", .least_rank = 1, .channels = 3};
template <>
inline constexpr ImageRule kRule<colour::HsvToRgb> = {
    .function = "hsv_to_rgb", .least_rank = 1, .channels = 3};
template <>
inline constexpr ImageRule kRule<colour::RgbToGrey> = {
    .function = "rgb_to_grayscale", .least_rank = 1, .channels = 3};

Shape with_channels(const Shape& shape, int64_t channels) {
  return shape.rank_known() ? shape.with_dim(shape.rank() - 1, channels) : shape;
}

// Applies an effect of colour.h that makes `kChannels` of three.
template <class Effect, class T, int64_t kChannels>
void effect_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  if (!check_image(run, x.shape, kRule<Effect>)) return;
  T* out = run.make<T>(0, with_channels(x.shape, kChannels));
  if (out == nullptr) return;
  const int64_t pixels = x.shape.count() / 3;
  const bool flat = is_flat(run, x);
  const colour::Size size{flat ? pixels * run.rows() : pixels, 3};
  for (int i = 0; i < (flat ? 1 : run.rows()); ++i) {
    colour::adjust<Effect>(x.row<T>(i), out + i * pixels * kChannels, size, 0.0f);
  }
}

template <class Effect>
Status hsv_infer(KernelCall& call) {
  const bool known = visit<Floats>(call.dtype(0), [&]<class T>() { call.body(effect_body<Effect, T, 3>); });
  if (!known) {
    return call.error(0, expected_found("an image of a float dtype", dtype_name(call.dtype(0)),
                                        "convert it, as in convert_image_dtype(x, float32)"));
  }
  WEIR_TRY(check_image(call, 0, kRule<Effect>));
  call.result(call.dtype(0), with_channels(call.shape(0), 3));
  call.set_can_fail(may_be_no_image(call.shape(0), kRule<Effect>));
  return Status();
}

Status grey_infer(KernelCall& call) {
  const bool known =
      visit<Reals>(call.dtype(0), [&]<class T>() { call.body(effect_body<colour::RgbToGrey, T, 1>); });
  if (!known) return wrong_dtype(call, 0, "an image of an integer or float dtype");
  WEIR_TRY(check_image(call, 0, kRule<colour::RgbToGrey>));
  call.result(call.dtype(0), with_channels(call.shape(0), 1));
  call.set_can_fail(may_be_no_image(call.shape(0), kRule<colour::RgbToGrey>));
  return Status();
}

template <class E>
void triple_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  if (!check_image(run, x.shape, kTriple)) return;
  E* out = run.make<E>(0, with_channels(x.shape, 3));
  if (out == nullptr) return;
  const int64_t count = x.shape.count();
  for (int i = 0; i < run.rows(); ++i) {
    const E* in = x.row<E>(i);
    E* to = out + i * count * 3;
    for (int64_t k = 0; k < count; ++k) to[3 * k] = to[3 * k + 1] = to[3 * k + 2] = in[k];
  }
}

Status triple_infer(KernelCall& call) {
  WEIR_TRY(check_image(call, 0, kTriple));
  visit_width(call.dtype(0), [&]<class E>() { call.body(triple_body<E>); });
  call.result(call.dtype(0), with_channels(call.shape(0), 3));
  call.set_can_fail(may_be_no_image(call.shape(0), kTriple));
  return Status();
}

}  // namespace

extern constinit const Kernel grayscale_to_rgb_kernel{
    .name = "grayscale_to_rgb",
    .params = {{.name = "x", .doc = "Images of one channel."}},
    .infer = triple_infer,
    .doc = "Converts grayscale images to RGB, with three equal channels.",
    .result = "The dtype of `x`; its shape with a last dimension of 3.",
    .cost = "One pass over the entries.",
    .example = "from_tensors([[[1], [2]]]) | map(x -> grayscale_to_rgb(x))",
    .output = "[[[1, 1, 1], [2, 2, 2]]]",
    .bench = "grayscale_to_rgb(reshape(x, [28, 28, 1]))",
    .can_fail = true};

extern constinit const Kernel hsv_to_rgb_kernel{
    .name = "hsv_to_rgb",
    .params = {{.name = "x", .doc = "Colours of three channels: hue, saturation and value."}},
    .infer = hsv_infer<colour::HsvToRgb>,
    .doc =
        "Converts colours from HSV (hue, saturation, value, each from 0 to 1) to RGB. Floats only; the last dimension must be 3.",
    .result = "The dtype and shape of `x`.",
    .cost = "One pass over the entries.",
    .example = "from_tensors([[0.0, 1.0, 0.5]]) | map(x -> hsv_to_rgb(x))",
    .output = "[[0.5, 0.0, 0.0]]",
    .bench = "hsv_to_rgb(reshape(x[:768], [16, 16, 3]))",
    .can_fail = true};

extern constinit const Kernel rgb_to_grayscale_kernel{
    .name = "rgb_to_grayscale",
    .params = {{.name = "x", .doc = "Images of three channels: red, green and blue."}},
    .infer = grey_infer,
    .doc =
        "Converts RGB images to grayscale: `0.2989 r + 0.587 g + 0.114 b`. Integer images are converted to float32 from 0 to 1 and back, truncated; float64 is converted to float32, too.",
    .result = "The dtype of `x`; its shape with a last dimension of 1.",
    .cost = "One pass over the entries.",
    .example = "from_tensors(uint8([[[255, 0, 0], [10, 20, 30]]])) | map(x -> rgb_to_grayscale(x))",
    .output = "[[[76], [18]]]",
    .bench = "rgb_to_grayscale(reshape(x[:768], [16, 16, 3]))",
    .can_fail = true};

extern constinit const Kernel rgb_to_hsv_kernel{
    .name = "rgb_to_hsv",
    .params = {{.name = "x", .doc = "Colours of three channels from 0 to 1: red, green and blue."}},
    .infer = hsv_infer<colour::RgbToHsv>,
    .doc =
        "Converts colours from RGB to HSV (hue, saturation, value), each from 0 to 1. Hue is 0 for greys and saturation for black. Floats only; the last dimension must be 3.",
    .result = "The dtype and shape of `x`.",
    .cost = "One pass over the entries.",
    .example = "from_tensors([[0.0, 0.5, 0.25]]) | map(x -> rgb_to_hsv(x))",
    .output = "[[0.41666666, 1.0, 0.5]]",
    .bench = "rgb_to_hsv(reshape(x[:768], [16, 16, 3]))",
    .can_fail = true};

}  // namespace weir
