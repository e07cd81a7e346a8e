// count_nonzero(x, axis: none): how many entries differ from zero, of any dtype.
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/reduce.h"

namespace weir {

namespace {

struct Tally {
  int64_t count = 0;

  Tally() = default;
  explicit Tally(Str value) : count(value.size != 0 ? 1 : 0) {}
  template <class T>
  explicit Tally(T value) : count(value != T{} ? 1 : 0) {}
};

struct CountNonzero {
  using Acc = Tally;
  static constexpr bool kHasIdentity = true;
  static Tally identity() { return Tally(); }
  static Tally combine(Tally a, Tally b) {
    a.count += b.count;
    return a;
  }
  template <class R>
  static R finish(Tally value, int64_t) {
    return value.count;
  }
};

Status count_nonzero_infer(KernelCall& call) {
  Shape shape;
  WEIR_ASSIGN(std::shared_ptr<const ReduceAxes> axes, infer_axes(call, 1, -1, &shape));
  visit<Everything>(call.dtype(0),
                    [&]<class T>() { call.body(reduce_body<T, int64_t, CountNonzero>, axes); });
  call.result(DType::int64, shape);
  return Status();
}

}  // namespace

extern constinit const Kernel count_nonzero_kernel{
    .name = "count_nonzero",
    .params = {{.name = "x"},
               axis_param("none",
                          "An axis or a list of axes; negative counts from the last, none means all.")},
    .infer = count_nonzero_infer,
    .doc =
        "Counts the entries that are not zero, over an axis, a list of axes, or all axes. Of bools it counts true, of strings those that are not empty; nan is not zero.",
    .result = "int64; the shape without the axes.",
    .cost = "One pass over the entries.",
    .example = "from_tensors(count_nonzero([[0, 1, 2], [0, 0, 3]], axis: 0))",
    .output = "[0, 1, 2]",
    .bench = "count_nonzero(x)"};

}  // namespace weir
