// rows(x, f): a function for each row of a batch. The compiler types it (compile/compile_rows.cc), and
// run/rows.cc runs it.
#include "expr/types/kernel.h"

namespace weir {

extern constinit const Kernel rows_kernel{
    .name = "rows",
    .params = {{.name = "x", .kind = ParamKind::any, .doc = "A tensor, or a tuple or dict of tensors."},
               {.name = "f",
                .kind = ParamKind::function,
                .doc = "A lambda over a row: a slice along the first dimension."}},
    .doc =
        "Applies `f` to each row of `x` and stacks the results. A row is a slice along the first dimension, "
        "which must be the same for all tensors in `x`. The rows of all elements of a block are computed together, as the elements of a "
        "map are. Where a row fails, the element does, and its error names the row; results of unequal shape "
        "are an error. Without rows, unknown dimensions of the result are 0.",
    .result = "The structure of f's result, with a first dimension for the rows.",
    .cost = "That of f, as in a map; a copy of x where the number of rows differs from element to element.",
    .example =
        R"(from_tensor_slices({a: [[[1, 2], [3, 4]]], s: ["x"]}) | map(e -> {...e, a: rows(e.a, r -> r / sum(r))}))",
    .output =
        R"({a: [[0.3333333333333333, 0.6666666666666666], [0.42857142857142855, 0.5714285714285714]], s: "x"})",
    .bench = "rows(reshape(x, [28, 28]), r -> r / sum(r))",
    .can_fail = true};

}  // namespace weir
