// adjust_hue(x, delta) and random_hue(x, max_delta, seed: none): colours turned around the colour wheel.
#include "expr/kernels/shared/adjust.h"

namespace weir {

extern constinit const Kernel adjust_hue_kernel{
    .name = "adjust_hue",
    .params = {{.name = "x", .doc = "An RGB image: [..., height, width, 3]."},
               {.name = "delta",
                .type = "float32",
                .doc = "In turns: 1 is a whole turn, which changes nothing."}},
    .infer = adjust_infer<colour::Hue, AdjustBy::given>,
    .doc =
        "Shifts the hue of RGB images by `delta`. The hue is that of HSV, and wraps around from 1 to 0. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors([[[1.0, 0.0, 0.0]]]) | map(x -> adjust_hue(x, 0.25))",
    .output = "[[[0.5, 1.0, 0.0]]]",
    .bench = "adjust_hue(reshape(x[:768], [16, 16, 3]), 0.1)",
    .can_fail = true};

extern constinit const Kernel random_hue_kernel{
    .name = "random_hue",
    .params = {{.name = "x", .doc = "An RGB image: [..., height, width, 3]."},
               {.name = "max_delta", .type = "float32", .doc = "The bound of the draw, from 0 to 0.5."},
               kSeedParam},
    .infer = adjust_infer<colour::Hue, AdjustBy::drawn_turn>,
    .doc =
        "Shifts the hue of RGB images at random: adjust_hue with a `delta` drawn from `-max_delta` up to `max_delta`. Each element draws its own. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "The cost of adjust_hue.",
    .example = "from_tensors([[[1.0, 0.0, 0.0]]]) | map(x -> random_hue(x, 0.1, seed: 1))",
    .output = "[[[1.0, 0.26586866, 0.0]]]",
    .bench = "random_hue(reshape(x[:768], [16, 16, 3]), 0.1, seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
