// adjust_contrast(x, factor) and random_contrast(x, low, high, seed: none): the distance of each entry from
// its mean.
#include "expr/kernels/shared/adjust.h"

namespace weir {

extern constinit const Kernel adjust_contrast_kernel{
    .name = "adjust_contrast",
    .params = {{.name = "x", .doc = "An image: [..., height, width, channels]."},
               {.name = "factor", .type = "float32", .doc = "Above 1 for more contrast, below 1 for less."}},
    .infer = adjust_infer<colour::Contrast, AdjustBy::given>,
    .doc =
        "Changes the contrast of an image: `(x - mean) * factor + mean`, with the mean of each channel. The last three dimensions are height, width and channels. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "Two vectorised passes over the entries.",
    .example = "from_tensors([[[1.0], [3.0]]]) | map(x -> adjust_contrast(x, 2.0))",
    .output = "[[[0.0], [4.0]]]",
    .bench = "adjust_contrast(reshape(x[:768], [16, 16, 3]), 1.5)",
    .can_fail = true};

extern constinit const Kernel random_contrast_kernel{
    .name = "random_contrast",
    .params = {{.name = "x", .doc = "An image: [..., height, width, channels]."},
               {.name = "low", .type = "float32", .doc = "The least factor, 0 or more."},
               {.name = "high", .type = "float32", .doc = "The upper bound, above `low`."},
               kSeedParam},
    .infer = adjust_infer<colour::Contrast, AdjustBy::drawn_between>,
    .doc =
        "Changes the contrast of an image at random: adjust_contrast with a factor drawn from `low` up to `high`. Each element draws its own. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "The cost of adjust_contrast.",
    .example = "from_tensors([[[1.0], [3.0]]]) | map(x -> random_contrast(x, 0.5, 1.5, seed: 1))",
    .output = "[[[0.77844274], [3.2215571]]]",
    .bench = "random_contrast(reshape(x[:768], [16, 16, 3]), 0.5, 1.5, seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
