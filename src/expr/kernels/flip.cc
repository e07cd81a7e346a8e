// flip_left_right, flip_up_down and their random forms, which turn each image over or not: images of any
// dtype.
#include <algorithm>
#include <cstring>

#include "expr/kernels/shared/draw.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/image_shape.h"
#include "expr/kernels/shared/move.h"

namespace weir {

namespace {

struct Size {
  int64_t height, width, channels;
  int64_t count() const { return height * width * channels; }
};

template <class E>
struct LeftRight {
  template <int64_t kChannels>
  static void line(const E* in, E* out, int64_t width, int64_t channels) {
    const int64_t depth = kChannels > 0 ? kChannels : channels;
    for (int64_t x = 0; x < width; ++x) std::copy_n(in + (width - 1 - x) * depth, depth, out + x * depth);
  }
  static void flip(const E* in, E* out, const Size& size) {
    const int64_t row = size.width * size.channels;
    for (int64_t y = 0; y < size.height; ++y) {
      if (size.channels == 1) {
        std::reverse_copy(in + y * row, in + (y + 1) * row, out + y * row);
      } else if (size.channels == 3) {
        line<3>(in + y * row, out + y * row, size.width, 3);
      } else {
        line<0>(in + y * row, out + y * row, size.width, size.channels);
      }
    }
  }
};

template <class E>
struct UpDown {
  static void flip(const E* in, E* out, const Size& size) {
    const int64_t row = size.width * size.channels;
    for (int64_t y = 0; y < size.height; ++y)
      std::copy_n(in + (size.height - 1 - y) * row, row, out + y * row);
  }
};

template <template <class> class Way, bool kRandom>
constexpr ImageRule rule_of() {
  constexpr bool kSideways = std::is_same_v<Way<uint8_t>, LeftRight<uint8_t>>;
  constexpr const char* kPlain = kSideways ? "flip_left_right" : "flip_up_down";
  constexpr const char* kDrawn = kSideways ? "random_flip_left_right" : "random_flip_up_down";
  return {.function = kRandom ? kDrawn : kPlain, .most_rank = 4};
}

template <class E, template <class> class Way, bool kRandom>
void flip_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  if (!check_image(run, x.shape, rule_of<Way, kRandom>())) return;
  E* out = run.make<E>(0, x.shape);
  const int rank = x.shape.rank();
  const Size size{x.shape[rank - 3], x.shape[rank - 2], x.shape[rank - 1]};
  const int64_t images = rank == 4 ? x.shape[0] : 1;
  if (out == nullptr || size.count() == 0) return;
  for (int i = 0; i < run.rows(); ++i) {
    PhiloxStream draws;
    if constexpr (kRandom) draws = PhiloxStream(row_philox(run, i));
    const E* in = x.row<E>(i);
    for (int64_t k = 0; k < images; ++k, in += size.count(), out += size.count()) {
      if (kRandom && draws.at(static_cast<uint64_t>(k)) >> 31 == 0) {
        std::copy_n(in, size.count(), out);
      } else {
        Way<E>::flip(in, out, size);
      }
    }
  }
}

template <template <class> class Way, bool kRandom>
Status flip_infer(KernelCall& call) {
  constexpr ImageRule kImages = rule_of<Way, kRandom>();
  WEIR_TRY(check_image(call, 0, kImages));
  visit_width(call.dtype(0), [&]<class E>() { call.body(flip_body<E, Way, kRandom>); });
  call.result(call.dtype(0), call.shape(0));
  call.set_can_fail(may_be_no_image(call.shape(0), kImages));
  return Status();
}

constexpr KernelParam kImageParam = {.name = "x", .doc = "An image, or a batch of images."};

}  // namespace

extern constinit const Kernel flip_left_right_kernel{
    .name = "flip_left_right",
    .params = {kImageParam},
    .infer = flip_infer<LeftRight, false>,
    .doc = "Mirrors images left to right, of any dtype.",
    .result = "The dtype and shape of `x`: three dimensions, or four for a batch.",
    .cost = "One copy of the entries.",
    .example = "from_tensors([[[1], [2]], [[3], [4]]]) | map(x -> flip_left_right(x))",
    .output = "[[[2], [1]], [[4], [3]]]",
    .bench = "flip_left_right(reshape(x[:768], [16, 16, 3]))",
    .can_fail = true};

extern constinit const Kernel flip_up_down_kernel{
    .name = "flip_up_down",
    .params = {kImageParam},
    .infer = flip_infer<UpDown, false>,
    .doc = "Mirrors images top to bottom, of any dtype.",
    .result = "The dtype and shape of `x`: three dimensions, or four for a batch.",
    .cost = "One copy of the entries.",
    .example = "from_tensors([[[1], [2]], [[3], [4]]]) | map(x -> flip_up_down(x))",
    .output = "[[[3], [4]], [[1], [2]]]",
    .bench = "flip_up_down(reshape(x[:768], [16, 16, 3]))",
    .can_fail = true};

extern constinit const Kernel random_flip_left_right_kernel{
    .name = "random_flip_left_right",
    .params = {kImageParam, kSeedParam},
    .infer = flip_infer<LeftRight, true>,
    .doc =
        "Mirrors images left to right with a probability of one half. Each image of a batch has its own draw.",
    .result = "The dtype and shape of `x`: three dimensions, or four for a batch.",
    .cost = "One copy of the entries.",
    .example = "range(4) | map(_ -> random_flip_left_right([[[1], [2]]], seed: 2))",
    .output = "[[[1], [2]]]\n[[[1], [2]]]\n[[[2], [1]]]\n[[[1], [2]]]",
    .bench = "random_flip_left_right(reshape(x[:768], [16, 16, 3]), seed: 1)",
    .can_fail = true,
    .draws = true};

extern constinit const Kernel random_flip_up_down_kernel{
    .name = "random_flip_up_down",
    .params = {kImageParam, kSeedParam},
    .infer = flip_infer<UpDown, true>,
    .doc =
        "Mirrors images top to bottom with a probability of one half. Each image of a batch has its own draw.",
    .result = "The dtype and shape of `x`: three dimensions, or four for a batch.",
    .cost = "One copy of the entries.",
    .example = "range(4) | map(_ -> random_flip_up_down([[[1]], [[2]]], seed: 2))",
    .output = "[[[1]], [[2]]]\n[[[1]], [[2]]]\n[[[2]], [[1]]]\n[[[1]], [[2]]]",
    .bench = "random_flip_up_down(reshape(x[:768], [16, 16, 3]), seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
