// where(c, a, b): a where c is true, else b, entry by entry with broadcasting. Both are computed; use
// `if` to guard one.
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/move.h"

namespace weir {

namespace {

// The condition is read as a byte, since the compiler doesn't vectorise loops over bool.
struct Choose {
  // The condition moves with both values, with one of them, or alone, or stays while both move.
  using Masks = Vectorised<0b111, 0b011, 0b101, 0b001, 0b110>;

  template <class E>
  E operator()(uint8_t c, E a, E b) const {
    return c != 0 ? a : b;
  }
};

// The integers of a width for which there are wide loops.
template <class E>
using Signed = std::conditional_t<std::is_same_v<E, uint32_t>, int32_t,
                                  std::conditional_t<std::is_same_v<E, uint64_t>, int64_t, E>>;

Status where_infer(KernelCall& call) {
  constexpr int kAll[] = {0, 1, 2};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kAll));
  if (call.dtype(1) == DType::dataset) return wrong_dtype(call, 1, "a tensor");
  visit_width(call.dtype(1), [&]<class E>() {
    using S = Signed<E>;
    call.entry_body(entries_body<Choose, S, uint8_t, S, S>);
  });
  call.result(call.dtype(1), shape);
  bool can_fail = false;
  for (int i : kAll) can_fail = can_fail || !call.shape(i).is_static();
  call.set_can_fail(can_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel where_kernel{
    .name = "where",
    .params = {{.name = "c", .type = "bool", .doc = "The condition."},
               {.name = "a", .type = "T"},
               {.name = "b", .type = "T"}},
    .infer = where_infer,
    .step = StepKind::choose,
    .doc =
        "Takes each entry from `a` where the condition is true, else from `b`. Both are computed; `if` computes only one.",
    .result = "The dtype of `a` and `b`, the broadcast shape.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(where([true, false], [1, 2], 0))",
    .output = "[1, 0]",
    .bench = "where(b, x, 0.0)"};

}  // namespace weir
