// where(c, a, b): a where c is true, else b, entry by entry with broadcasting. Both are computed; use
// `if` to guard one.
#include "expr/infer.h"
#include "expr/move.h"
#include "expr/nary.h"

namespace weir {

namespace {

struct Choose {
  template <class E>
  E operator()(bool c, E a, E b) const {
    return c ? a : b;
  }
};

// The condition moves with both values, with one of them, or alone.
using Masks = Vectorised<0b111, 0b011, 0b101, 0b001>;

Status where_infer(KernelCall& call) {
  constexpr int kAll[] = {0, 1, 2};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kAll));
  if (call.dtype(1) == DType::dataset) return wrong_dtype(call, 1, "a tensor");
  visit_width(call.dtype(1), [&]<class E>() { call.body(nary_body<Choose, E, Masks, bool, E, E>); });
  call.result(call.dtype(1), shape);
  bool can_fail = false;
  for (int i : kAll) can_fail = can_fail || !call.shape(i).is_static();
  call.set_can_fail(can_fail);
  return Status();
}

}  // namespace

const Kernel& where_kernel() {
  static const Kernel def{
      .name = "where",
      .params = {{.name = "c", .type = "bool", .doc = "The condition."},
                 {.name = "a", .type = "T"},
                 {.name = "b", .type = "T"}},
      .infer = where_infer,
      .doc =
          "`a` where the condition is true, else `b`, entry by entry. Both are computed; `if` computes only one.",
      .result = "The dtype of `a` and `b`, the broadcast shape.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(where([true, false], [1, 2], 0))",
      .output = "[1, 0]",
      .bench = "where(b, x, 0.0)"};
  return def;
}

}  // namespace weir
