// sum, mean and prod over some or all axes.
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/reduce.h"
#include "expr/kernels/shared/wrap.h"

namespace weir {

namespace {

template <class A>
struct Sum {
  using Acc = A;
  static constexpr bool kHasIdentity = true;
  static A identity() { return A{0}; }
  static A combine(A a, A b) { return wrap::add(a, b); }
  template <class R>
  static R finish(A value, int64_t) {
    return store<R>(value);
  }
};

template <class A>
struct Mean : Sum<A> {
  template <class R>
  static R finish(A value, int64_t count) {
    return store<R>(value / static_cast<A>(count));
  }
};

template <class A>
struct Product {
  using Acc = A;
  static constexpr bool kHasIdentity = true;
  static A identity() { return A{1}; }
  static A combine(A a, A b) { return wrap::multiply(a, b); }
  template <class R>
  static R finish(A value, int64_t) {
    return store<R>(value);
  }
};

Status mean_infer(KernelCall& call) {
  Shape shape;
  WEIR_ASSIGN(std::shared_ptr<const ReduceAxes> axes, infer_axes(call, 1, 2, &shape));
  call.result(is_integer(call.dtype(0)) ? DType::float64 : call.dtype(0), shape);
  if (visit<Integers>(call.dtype(0),
                      [&]<class T>() { call.body(reduce_body<T, double, Mean<double>>, axes); })) {
    return Status();
  }
  const bool known =
      visit<Floats>(call.dtype(0), [&]<class T>() { call.body(reduce_body<T, T, Mean<Compute<T>>>, axes); });
  return known ? Status() : wrong_dtype(call, 0, "an integer or float dtype");
}

}  // namespace

extern constinit const Kernel mean_kernel{
    .name = "mean",
    .params = kReductionParams,
    .infer = mean_infer,
    .doc =
        "The mean over an axis, a list of axes, or all axes; nan if there are no entries. Integers and floats only.",
    .result =
        "float64 for integers, else the dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(mean([[1, 2], [3, 4]], axis: 0))",
    .output = "[2.0, 3.0]",
    .bench = "mean(x)"};

extern constinit const Kernel prod_kernel{
    .name = "prod",
    .params = kReductionParams,
    .infer = infer_reduction<Product>,
    .doc =
        "The product over an axis, a list of axes, or all axes; 1 if there are no entries. Integers wrap. Integers and floats only.",
    .result = "The dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(prod([2, 3, 4]))",
    .output = "24",
    .bench = "prod(x)"};

extern constinit const Kernel sum_kernel{
    .name = "sum",
    .params = kReductionParams,
    .infer = infer_reduction<Sum>,
    .doc =
        "The sum over an axis, a list of axes, or all axes; 0 if there are no entries. Integers wrap. Floats are added in an order that depends on the shape alone. Integers and floats only.",
    .result = "The dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(sum([[1, 2], [3, 4]], axis: 1))",
    .output = "[3, 7]",
    .bench = "sum(x)"};

}  // namespace weir
