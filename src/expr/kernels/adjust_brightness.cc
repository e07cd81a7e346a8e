// adjust_brightness(x, delta) and random_brightness(x, max_delta, seed: none): a number added to every entry.
#include "expr/kernels/shared/adjust.h"

namespace weir {

extern constinit const Kernel adjust_brightness_kernel{
    .name = "adjust_brightness",
    .params = {{.name = "x", .doc = "An image, or any other tensor of integers or floats."},
               {.name = "delta", .type = "float32", .doc = "Added to each entry."}},
    .infer = adjust_infer<colour::Brightness, AdjustBy::given>,
    .doc =
        "Changes the brightness of an image: adds `delta` to each entry. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(uint8([[[0, 100, 250]]])) | map(x -> adjust_brightness(x, 0.1))",
    .output = "[[[25, 125, 255]]]",
    .bench = "adjust_brightness(x, 0.1)",
    .can_fail = true};

extern constinit const Kernel random_brightness_kernel{
    .name = "random_brightness",
    .params = {{.name = "x", .doc = "An image, or any other tensor of integers or floats."},
               {.name = "max_delta", .type = "float32", .doc = "The bound of the draw, 0 or more."},
               kSeedParam},
    .infer = adjust_infer<colour::Brightness, AdjustBy::drawn_up_to>,
    .doc =
        "Changes the brightness of an image at random: adjust_brightness with a `delta` drawn from `-max_delta` up to `max_delta`. Each element draws its own. Integer images are converted to float32 from 0 to 1 and back, limited to the dtype's range.",
    .result = "The dtype and shape of `x`.",
    .cost = "The cost of adjust_brightness.",
    .example = "from_tensors(uint8([[[0, 100, 250]]])) | map(x -> random_brightness(x, 0.2, seed: 1))",
    .output = "[[[22, 122, 255]]]",
    .bench = "random_brightness(x, 0.1, seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
