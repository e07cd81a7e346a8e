// a / b: true division. Integers of 32 and 64 bits give float64, smaller ones float32, floats their own
// dtype.
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

template <class R>
struct Divide {
  template <class T>
  R operator()(T a, T b) const {
    return static_cast<R>(a) / static_cast<R>(b);
  }
};

// In the type that T is computed in: float for the halves.
struct DivideSame {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};

Status divide_infer(KernelCall& call) {
  constexpr int kBoth[] = {0, 1};
  if (!is_integer(call.dtype(0))) {
    return infer_binary<JoinT<Floats, Complexes>, DivideSame>(call, "numbers");
  }
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  visit<Integers>(call.dtype(0), [&]<class T>() {
    using R = std::conditional_t<(sizeof(T) >= sizeof(int32_t)), double, float>;
    call.result(dtype_of<R>, shape);
    call.entry_body(entries_body<Divide<R>, R, T, T>);
  });
  call.set_can_fail(may_not_broadcast(call));
  return Status();
}

}  // namespace

extern constinit const Kernel divide_kernel = of_both(
    {.name = "/",
     .infer = divide_infer,
     .step = StepKind::divide,
     .doc = "The quotient of two integers, floats or complex numbers of one dtype. Integers give floats.",
     .result =
         "float64 for int32, int64, uint32 and uint64; float32 for smaller integers; floats keep their dtype. The broadcast shape.",
     .example = "from_tensors([1, 2, 3] / 2)",
     .output = "[0.5, 1.0, 1.5]",
     .bench = "x / 3.0"});

}  // namespace weir
