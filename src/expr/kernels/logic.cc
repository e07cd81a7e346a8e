// a and b, a or b, not a: entry by entry over bool, broadcast. Both sides are computed; `if` guards.
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct And {
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Not {
  bool operator()(bool a) const { return !a; }
};

using Bool = TypeList<bool>;

}  // namespace

extern constinit const Kernel logical_and_kernel{
    .name = "and",
    .params = {{.name = "a", .type = "bool"}, {.name = "b", .type = "bool"}},
    .infer = [](KernelCall& call) { return infer_binary<Bool, And>(call, "bool"); },
    .step = StepKind::bits_and,
    .doc = "Whether both are true. Both sides are computed; use `if` to guard one.",
    .result = "bool, of the broadcast shape.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors([true, false] and true)",
    .output = "[true, false]",
    .bench = "b and b"};

extern constinit const Kernel logical_or_kernel{
    .name = "or",
    .params = {{.name = "a", .type = "bool"}, {.name = "b", .type = "bool"}},
    .infer = [](KernelCall& call) { return infer_binary<Bool, Or>(call, "bool"); },
    .step = StepKind::bits_or,
    .doc = "Whether at least one is true. Both sides are computed; use `if` to guard one.",
    .result = "bool, of the broadcast shape.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors([true, false] or false)",
    .output = "[true, false]",
    .bench = "b or b"};

extern constinit const Kernel logical_not_kernel{
    .name = "not",
    .params = {{.name = "a", .type = "bool"}},
    .infer = [](KernelCall& call) { return infer_unary<Bool, Not>(call, "bool"); },
    .step = StepKind::bits_not,
    .doc = "Whether the value is false.",
    .result = "bool, of the same shape.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(not [true, false])",
    .output = "[false, true]",
    .bench = "not b"};

}  // namespace weir
