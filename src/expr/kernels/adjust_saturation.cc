// adjust_saturation(x, factor) and random_saturation(x, low, high, seed: none): how far colours are from
// grey.
#include "expr/kernels/shared/adjust.h"

namespace weir {

extern constinit const Kernel adjust_saturation_kernel{
    .name = "adjust_saturation",
    .params = {{.name = "x", .doc = "An RGB image: [..., height, width, 3]."},
               {.name = "factor",
                .type = "float32",
                .doc = "0 for grey, 1 for no change, above 1 for stronger colours."}},
    .infer = adjust_infer<colour::Saturation, AdjustBy::given>,
    .doc =
        "Multiplies the saturation of RGB images by `factor`. The saturation is that of HSV, and stays within 0 to 1. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors([[[0.6, 0.5, 0.4]]]) | map(x -> adjust_saturation(x, 0.5))",
    .output = "[[[0.6, 0.55, 0.5]]]",
    .bench = "adjust_saturation(reshape(x[:768], [16, 16, 3]), 1.5)",
    .can_fail = true};

extern constinit const Kernel random_saturation_kernel{
    .name = "random_saturation",
    .params = {{.name = "x", .doc = "An RGB image: [..., height, width, 3]."},
               {.name = "low", .type = "float32", .doc = "The least factor, 0 or more."},
               {.name = "high", .type = "float32", .doc = "The upper bound, above `low`."},
               kSeedParam},
    .infer = adjust_infer<colour::Saturation, AdjustBy::drawn_between>,
    .doc =
        "Changes the saturation of RGB images at random: adjust_saturation with a factor drawn from `low` up to `high`. Each element draws its own. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "The cost of adjust_saturation.",
    .example = "from_tensors([[[0.6, 0.5, 0.4]]]) | map(x -> random_saturation(x, 0.5, 1.5, seed: 1))",
    .output = "[[[0.6, 0.47784427, 0.35568857]]]",
    .bench = "random_saturation(reshape(x[:768], [16, 16, 3]), 0.5, 1.5, seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
